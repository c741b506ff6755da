"""Giving an action another key: kept in the configuration file, and in force at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from textual.binding import Binding
from textual.widget import Widget

from linkdash.api.errors import Misconfigured
from linkdash.model.configuration_text import with_key
from linkdash.model.resources import PLACES
from linkdash.screens.actions import AnyAction
from linkdash.screens.app_services import AppServices
from linkdash.screens.key_clashes import check_own_keys, key_contexts
from linkdash.screens.key_names import key_names
from linkdash.screens.lists.list_actions import LIST_ACTIONS
from linkdash.screens.registry import every_screen
from linkdash.screens.saved_setting import save_setting
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.screens.windows.help import HelpScreen, grouped
from linkdash.screens.windows.press_key import PressKeyScreen
from linkdash.widgets.form.form import Form
from linkdash.widgets.frame.key_help import KeyGroup, KeyHelp
from linkdash.widgets.menu import LineMenu
from linkdash.widgets.table.record_table import RecordTable


async def which_action(app: AppServices) -> KeyHelp | None:
    """Ask which of all actions is to have another key."""
    chosen = await app.push_screen_wait(HelpScreen("Change a key", [*_every_key(app)], presses=False))
    return None if chosen is None else chosen.key


async def change_key(app: AppServices, action: KeyHelp) -> None:
    """Ask for the new key of an action, and keep it; of its default nothing stays in the file."""
    keys, default = app.settings.keys, _default_keys().get(action.id)
    if default is None:  # it works only while something is typed, beside no action
        app.warn("This key cannot be changed.", action.label)
        return

    def with_keys(chosen: str) -> Mapping[str, str]:
        others = {id: own for id, own in keys.items() if id != action.id}
        return others if chosen == default else {**others, action.id: chosen}

    def why_not(chosen: str) -> str:
        try:
            check_own_keys(with_keys(chosen), app.settings.commands)
        except Misconfigured as error:
            return error.what.removeprefix("keys: ")
        return ""

    window = PressKeyScreen(action.label, keys.get(action.id, default), default, why_not)
    chosen = await app.push_screen_wait(window)
    if chosen is not None:
        app.take_keys(after := with_keys(chosen))
        title = f"{key_names(chosen)} {action.label}"
        await save_setting(app, title, partial(with_key, action=action.id, keys=after.get(action.id, "")))


def _default_keys() -> dict[str, str]:
    """The keys of everything that can have others, by id."""
    return {id: keys for context in reversed(key_contexts()) for id, keys in context}


def _every_key(app: AppServices) -> Iterator[KeyGroup]:
    """All that can have another key: actions by group, places, and what has keys within a screen."""
    in_places = (one for place in PLACES for one in app.navigation.actions_of(place.id))
    on_screens = (one for screen in every_screen() for one in screen.ACTIONS)
    every: list[AnyAction] = [*app.ACTIONS, *LIST_ACTIONS, *in_places, *on_screens]
    unique = {one.id: one for one in reversed(every)}  # the first of each id
    titles = _titles_by_action(app)
    for title, members in grouped([*unique.values()][::-1]):
        group = _group(app, title, ((one.id, one.keys, one.label, one.described) for one in members))
        yield replace(
            group, keys=tuple(one._replace(where=_where(titles.get(one.id, ()))) for one in group.keys)
        )
    places = ((f"go-{place.id}", place.key, place.title, f"Go to {place.title}") for place in PLACES)
    yield _group(app, "Places", places)
    yield _group(app, "Cursor", (told for widget in (RecordTable, LineMenu) for told in _within(widget)))
    yield _group(app, "Form", _within(Form))
    yield _group(app, "Question", _within(ConfirmScreen))


def _titles_by_action(app: AppServices) -> Mapping[str, Sequence[str]]:
    """The titles of the screens on which each action works, by its id; or that it is on all lists, or all."""
    on_places = [(place.title, app.navigation.actions_of(place.id)) for place in PLACES]
    on_screens = [(screen.TITLE, screen.ACTIONS) for screen in every_screen() if screen.TITLE]
    titles: dict[str, dict[str, None]] = {}
    for title, actions in (*on_places, *on_screens):
        for one in actions:
            titles.setdefault(one.id, {})[title] = None
    lists = {one.id: ("lists",) for one in LIST_ACTIONS}
    everywhere = {one.id: ("everywhere",) for one in app.ACTIONS}
    return {**{id: tuple(found) for id, found in titles.items()}, **lists, **everywhere}


def _where(titles: Sequence[str]) -> str:
    """Titles of screens, in as few words as may be."""
    first, more = titles[0] if titles else "", len(titles) - 1
    return f"{first} +{more}" if more > 0 else first


def _within(widget: type[Widget]) -> Iterator[tuple[str, str, str, str]]:
    """The id, keys, label and help of what has a key in a widget, each once."""
    declared = [one for one in widget.BINDINGS if isinstance(one, Binding) and one.id]
    unique = {one.id: one for one in reversed(declared)}
    for one in [*unique.values()][::-1]:
        yield one.id or "", one.key, one.description, one.description


def _group(app: AppServices, title: str, told: Iterable[tuple[str, str, str, str]]) -> KeyGroup:
    keys = app.settings.keys
    return KeyGroup(
        title,
        tuple(
            KeyHelp(key_names(keys.get(id, default)).replace(" or ", " "), label, f"{help} · {id}", id=id)
            for id, default, label, help in told
        ),
    )
