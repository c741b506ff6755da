"""The actions of other screens, found by name: each says where it works, and choosing it goes there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from linkdash.model.resources import PLACES
from linkdash.screens.actions import AnyAction
from linkdash.screens.app_services import AppServices
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.list_actions import LIST_ACTIONS
from linkdash.screens.palette.palette_screen import ELSEWHERE, Group, PaletteEntry
from linkdash.widgets.found_list import FoundLine
from linkdash.widgets.styled_text import Tone


class _Way(NamedTuple):
    """A screen that is reached from everywhere: its title and actions, the key that goes there, and going."""

    title: str
    actions: Sequence[AnyAction]
    key: str
    go: Callable[[], object]


def elsewhere(app: AppServices, here: Sequence[AnyAction]) -> Group:
    """The actions that are none of those `here`, each once."""
    known = {one.id for one in app.ACTIONS} | {one.id for one in LIST_ACTIONS} | {one.id for one in here}
    entries: list[PaletteEntry] = []
    for way in _ways(app):
        new = [action for action in way.actions if action.id not in known]
        known |= {action.id for action in new}
        entries += [_entry(app, way, action) for action in new]
    return Group(ELSEWHERE, entries, "goes to where it works", is_only_found=True)


def _entry(app: AppServices, way: _Way, action: AnyAction) -> PaletteEntry:
    then = f"{way.key} goes there, then {app.keys.of(action.id, [action])}"
    told = f"in {way.title}: {then} · {action.help}"
    line = FoundLine("→", action.label, told, way.key, icon_tone=Tone.KEY)
    return PaletteEntry(line, way.go, words=f"{way.title} {action.described} {action.id}")


def _ways(app: AppServices) -> Iterator[_Way]:
    """The screens that a key opens from everywhere: those of the program first, then those of places."""
    from linkdash.screens.audit import AuditScreen
    from linkdash.screens.budget import BudgetScreen
    from linkdash.screens.journal import JournalScreen
    from linkdash.screens.writes.bulk_job import JobScreen

    opened: Mapping[str, type[HostScreen]] = {
        "bulk": JobScreen,
        "journal": JournalScreen,
        "audit": AuditScreen,
        "budget": BudgetScreen,
    }
    for action in app.ACTIONS:
        if action.id in opened:
            go, key = partial(app.action_do, action.id), app.keys.of(action.id, [action])
            yield _Way(action.label, opened[action.id].ACTIONS, key, go)
    for place in PLACES:
        go_there, key = partial(app.navigation.go, place.id), app.keys.of(f"go-{place.id}")
        yield _Way(place.title, app.navigation.actions_of(place.id), key, go_there)
