"""The check of the user's own keys: no key has two owners where both are active."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from textual.binding import Binding
from textual.widget import Widget

from linkdash.api.errors import Misconfigured
from linkdash.model.configuration_file import CommandSetting
from linkdash.model.resources import PLACES
from linkdash.screens.actions import AnyAction
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.key_names import is_key, one_name, split_keys
from linkdash.screens.program_actions import PROGRAM_ACTIONS
from linkdash.screens.registry import every_screen, own_screen

_NO_COMMANDS: Mapping[str, CommandSetting] = MappingProxyType({})
Context = Sequence[tuple[str, str]]
"""Ids and keys of everything that is active at the same time, as they are by default."""


def check_own_keys(keys: Mapping[str, str], commands: Mapping[str, CommandSetting]) -> None:
    """Check the user's own keys, by action, and those of their own commands.

    Raises Misconfigured for keys that clash, are none, or are for nothing.
    """
    from linkdash.screens.lists.own_commands import own_id

    own = {own_id(name): command.key for name, command in commands.items()}
    check_keys({**keys, **own}, key_contexts(commands))


def check_keys(remapped: Mapping[str, str], contexts: Iterable[Context]) -> None:
    """Check keys by action id.

    Raises Misconfigured for an unknown id, for what is no key, and for a key with two owners.
    """
    contexts = tuple(contexts)
    known = {id for context in contexts for id, _ in context}
    if unknown := sorted(remapped.keys() - known):
        raise Misconfigured(
            f"keys: there is no action {unknown[0]!r}.", f"Actions: {', '.join(sorted(known))}."
        )
    for id, keys in remapped.items():
        _check_names(id, keys)
    for context in contexts:
        _check_context(remapped, context)


def _check_names(id: str, keys: str) -> None:
    names = split_keys(keys)
    if wrong := [name for name in names if not is_key(name)] or ([] if names else [keys]):
        raise Misconfigured(
            f"keys: {id} has no key in {wrong[0]!r}.", "A key is like x, ?, comma, f5, pageup, ctrl+d."
        )


def _check_context(remapped: Mapping[str, str], context: Context) -> None:
    owners: dict[str, str] = {}
    for id, keys in sorted(context, key=lambda entry: entry[0] not in remapped):
        for key in split_keys(remapped.get(id, keys)):
            other = owners.setdefault(one_name(key), id)
            if other != id and {other, id} & remapped.keys():
                labels = _labels()
                both = " and ".join(labels.get(one, one) for one in (other, id))
                raise Misconfigured(
                    f"keys: {key} would be both {both}.", f"Give one of them another key: {other} or {id}."
                )


def _labels() -> dict[str, str]:
    """The labels of everything that has a key, by id, without the user's own commands."""
    from linkdash.screens.windows.confirm import ConfirmScreen
    from linkdash.widgets.form.form import Form
    from linkdash.widgets.matrix import Matrix
    from linkdash.widgets.menu import LineMenu
    from linkdash.widgets.table.record_table import RecordTable

    labels = {f"go-{place.id}": place.title for place in PLACES}
    for screen in every_screen():
        actions: Sequence[AnyAction] = (*PROGRAM_ACTIONS, *screen.ACTIONS)
        for action in actions:
            labels.setdefault(action.id, action.label)
    for widget in (Form, ConfirmScreen, RecordTable, LineMenu, Matrix):
        for binding in _declared(widget):
            labels.setdefault(binding.id or "", binding.description)
    return labels


def key_contexts(commands: Mapping[str, CommandSetting] = _NO_COMMANDS) -> list[Context]:
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


def _keys_within(screen: type[HostScreen]) -> Context:
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


def _asking() -> list[Context]:
    """The answers to a question beside each action that leads to one: no key may do both."""
    from linkdash.screens.windows.confirm import ConfirmScreen

    answers = _ids_and_keys(ConfirmScreen)
    every: tuple[AnyAction, ...] = (
        *PROGRAM_ACTIONS,
        *(action for screen in every_screen() for action in screen.ACTIONS),
    )
    return [[*answers, entry] for entry in sorted({(one.id, one.keys) for one in every if one.asks})]


def _ids_and_keys(widget: type[Widget]) -> Context:
    return [(binding.id, binding.key) for binding in _declared(widget) if binding.id]


def _declared(widget: type[Widget]) -> list[Binding]:
    return [binding for binding in widget.BINDINGS if isinstance(binding, Binding)]
