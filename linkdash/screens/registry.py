"""The registry of screens, by resource and by name. Each is imported when it is first wanted."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from textual.binding import Binding
from textual.widget import Widget

from linkdash.model.configuration_file import CommandSetting
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.session import Session
from linkdash.screens.actions import AnyAction
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.key_names import check_keys
from linkdash.screens.program_actions import PROGRAM_ACTIONS

NO_COMMANDS: Mapping[str, CommandSetting] = MappingProxyType({})


def screen_for(id: str, session: Session) -> HostScreen:
    """The screen of a place: its own, or the one of every resource."""
    own = own_screen(id)
    if own is not None:
        return own(session)
    from linkdash.model.declaration import declaration
    from linkdash.screens.resource_screen import ResourceScreen

    return ResourceScreen(session, declaration(id))


def own_screen(id: str) -> Callable[[Session], HostScreen] | None:  # noqa: C901  a line each
    """The screen that only this place has; None where it has the one of every resource."""
    match id:
        case "overview":
            from linkdash.screens.insight.overview import OverviewScreen

            return OverviewScreen
        case "account":
            from linkdash.screens.resources.account import AccountScreen

            return AccountScreen
        case "domains":
            from linkdash.screens.resources.domains import DomainsScreen

            return DomainsScreen
        case "overlays":
            from linkdash.screens.resources.overlays import OverlaysScreen

            return OverlaysScreen
        case "splash":
            from linkdash.screens.resources.splash import SplashPagesScreen

            return SplashPagesScreen
        case "campaigns":
            from linkdash.screens.resources.campaigns import CampaignsScreen

            return CampaignsScreen
        case "channels":
            from linkdash.screens.resources.channels import ChannelsScreen

            return ChannelsScreen
        case "pixels":
            from linkdash.screens.resources.pixels import PixelsScreen

            return PixelsScreen
        case "qr":
            from linkdash.screens.resources.qr import QrScreen

            return QrScreen
        case "plans":
            from linkdash.screens.resources.plans import PlansScreen

            return PlansScreen
        case "users":
            from linkdash.screens.resources.users import UsersScreen

            return UsersScreen
    return None


def actions_of_place(id: str) -> Sequence[AnyAction]:
    """The actions on the screen that only this place has; none where it has the one of every resource."""
    return getattr(own_screen(id), "ACTIONS", ())


def every_screen() -> list[type[HostScreen]]:
    """Every screen with actions, each once."""
    import linkdash.screens.budget
    import linkdash.screens.insight.audit
    import linkdash.screens.insight.plan_matrix
    import linkdash.screens.insight.review
    import linkdash.screens.journal
    import linkdash.screens.statistics.compare
    import linkdash.screens.statistics.top  # noqa: F401  their classes are found below

    for place in (OVERVIEW, *PLACES):
        own_screen(place.id)
    found: list[type[HostScreen]] = []
    waiting: list[type[HostScreen]] = [HostScreen]
    while waiting:
        screen = waiting.pop(0)
        waiting += screen.__subclasses__()
        if screen.ACTIONS and screen not in found:
            found.append(screen)
    return found


def key_contexts(commands: Mapping[str, CommandSetting] = NO_COMMANDS) -> list[list[tuple[str, str]]]:
    """For each screen, the ids and keys of all that is active on it, for the check of the user's own keys.

    `commands` are their own commands, by name, each active on the lists that it is for.
    """
    from linkdash.screens.lists.own_commands import own_id
    from linkdash.widgets.form.form import Form

    everywhere = [
        *((action.id, action.keys) for action in PROGRAM_ACTIONS),
        *((f"go-{place.id}", place.key) for place in PLACES),
    ]
    own_keys = [(own_id(name), command.key) for name, command in commands.items()]
    contexts = [_ids_and_keys(Form), *_asking(), own_keys]
    for screen in every_screen():
        actions = [(action.id, action.keys) for action in screen.ACTIONS]
        places = _places_of(screen)
        own_here = [
            (own_id(name), command.key)
            for name, command in commands.items()
            if any(map(command.is_for, places))
        ]
        contexts.append([*everywhere, *actions, *_keys_within(screen), *own_here])
    return contexts


def _places_of(screen: type[HostScreen]) -> list[str]:
    from linkdash.screens.resource_screen import ResourceScreen

    return [place.id for place in PLACES if (own_screen(place.id) or ResourceScreen) is screen]


def _keys_within(screen: type[HostScreen]) -> list[tuple[str, str]]:
    """The ids and keys of the widget that has the focus on a screen."""
    from linkdash.screens.insight.overview import OverviewScreen
    from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
    from linkdash.screens.statistics.charts_screen import ChartsScreen
    from linkdash.widgets.matrix import Matrix
    from linkdash.widgets.menu import LineMenu
    from linkdash.widgets.table.record_table import RecordTable

    if issubclass(screen, ChartsScreen):
        return []
    if issubclass(screen, OverviewScreen):
        return _ids_and_keys(LineMenu)
    return _ids_and_keys(Matrix if issubclass(screen, PlanMatrixScreen) else RecordTable)


def check_own_keys(keys: Mapping[str, str], commands: Mapping[str, CommandSetting]) -> None:
    """Check the user's own keys, by action, and those of their own commands.

    Raises Misconfigured for keys that clash, are none, or are for nothing.
    """
    from linkdash.screens.lists.own_commands import own_id

    own = {own_id(name): command.key for name, command in commands.items()}
    check_keys({**keys, **own}, key_contexts(commands))


def _asking() -> list[list[tuple[str, str]]]:
    """The answers to a question beside each action that leads to one: no key may do both."""
    from linkdash.screens.windows.confirm import ConfirmScreen

    answers = _ids_and_keys(ConfirmScreen)
    every: tuple[AnyAction, ...] = (
        *PROGRAM_ACTIONS,
        *(action for screen in every_screen() for action in screen.ACTIONS),
    )
    return [[*answers, entry] for entry in sorted({(one.id, one.keys) for one in every if one.asks})]


def _ids_and_keys(widget: type[Widget]) -> list[tuple[str, str]]:
    declared = (binding for binding in widget.BINDINGS if isinstance(binding, Binding))
    return [(binding.id, binding.key) for binding in declared if binding.id]
