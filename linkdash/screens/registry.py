"""The registry of screens, by place. Each is imported when it is first wanted."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.session import Session
from linkdash.screens.actions import AnyAction
from linkdash.screens.host_screen import HostScreen


def screen_for(id: str, session: Session) -> HostScreen:
    """The screen of a place: its own, or the one of every resource."""
    own = own_screen(id)
    if own is not None:
        return own(session)
    from linkdash.model.declaration import declaration
    from linkdash.screens.resource_screen import ResourceScreen

    return ResourceScreen(session, declaration(id))


def own_screen(id: str) -> Callable[[Session], HostScreen] | None:
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
        case "channels":
            from linkdash.screens.resources.channels import ChannelsScreen

            return ChannelsScreen
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


def column_titles(id: str) -> Mapping[str, str]:
    """The titles of all columns that the list of a place can show, by their names, as it calls them."""
    from linkdash.model.declaration import declaration
    from linkdash.model.lists.columns import with_age
    from linkdash.model.lists.views import other_columns

    resource = declaration(id)
    own = with_age(resource.columns, datetime.now)
    titles = {column.name: column.title for column in (*own, *other_columns(resource.record, own))}
    return titles | getattr(own_screen(id), "COLUMN_TITLES", {})


def every_screen() -> list[type[HostScreen]]:
    """Every screen with actions, each once."""
    import linkdash.screens.budget
    import linkdash.screens.insight.plan_matrix
    import linkdash.screens.journal
    import linkdash.screens.statistics.compare
    import linkdash.screens.statistics.watch  # noqa: F401  their classes are found below

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
