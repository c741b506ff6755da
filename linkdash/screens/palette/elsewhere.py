"""The actions of other screens, found by name or by key: each says where it works, and how to go there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from linkdash.model.resources import PLACES
from linkdash.screens.actions import AnyAction
from linkdash.screens.host_app import HostApp
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.list_actions import LIST_ACTIONS
from linkdash.screens.palette.palette_screen import ELSEWHERE, Group, PaletteEntry
from linkdash.screens.registry import actions_of_place
from linkdash.widgets.found_list import FoundLine
from linkdash.widgets.styled_text import Tone


class _Way(NamedTuple):
    """A screen that is reached from everywhere: its title and actions, the steps that go there, and going."""

    title: str
    actions: Sequence[AnyAction]
    steps: Sequence[str]
    go: Callable[[], object]


def elsewhere(app: HostApp, here: Sequence[AnyAction]) -> Group:
    """The actions that are none of those `here`, each once for what it does."""
    known = {one.id for actions in (app.ACTIONS, LIST_ACTIONS, here) for one in actions}
    found: dict[tuple[str, str], PaletteEntry] = {}
    for way in (*_program_ways(app), *_place_ways(app), *_inner_ways(app)):
        for action in way.actions:
            if action.id not in known:
                found.setdefault((action.id, action.help), _entry(app, way, action))
    entries = [*found.values()]
    return Group(ELSEWHERE, entries, "goes to where it works", is_only_found=True)


def works_in(app: HostApp, key: str) -> tuple[str, str] | None:
    """A screen on which a key, as Textual names it, does something, and the way there; None for no screen."""
    for way in (*_place_ways(app), *_inner_ways(app), *_program_ways(app)):
        for action in way.actions:
            if app.keys.does(action, key):
                return f"works in {way.title}: {action.label}", f"{', '.join(way.steps)} goes there"
    return None


def _entry(app: HostApp, way: _Way, action: AnyAction) -> PaletteEntry:
    then = f"{', '.join(way.steps)}, then {app.keys.of(action.id, [action])}"
    told = f"in {way.title}: {then} · {action.help}"
    line = FoundLine("→", action.label, told, way.steps[0], icon_tone=Tone.KEY)
    return PaletteEntry(line, way.go, words=f"{way.title} {action.found_by}")


def _program_ways(app: HostApp) -> Iterator[_Way]:
    """The screens of the program that a key opens from everywhere."""
    from linkdash.screens.budget import BudgetScreen
    from linkdash.screens.journal import JournalScreen
    from linkdash.screens.writes.bulk_job import JobScreen

    opened: Mapping[str, type[HostScreen]] = {
        "bulk": JobScreen,
        "journal": JournalScreen,
        "budget": BudgetScreen,
    }
    for action in app.ACTIONS:
        if action.id in opened:
            go, key = partial(app.action_do, action.id), app.keys.of(action.id, [action])
            yield _Way(action.label, opened[action.id].ACTIONS, [key], go)


def _place_ways(app: HostApp) -> Iterator[_Way]:
    for place in PLACES:
        go_there, key = partial(app.navigation.go, place.id), app.keys.of(f"go-{place.id}")
        yield _Way(place.title, actions_of_place(place.id), [key], go_there)


def _inner_ways(app: HostApp) -> Iterator[_Way]:
    """The screens that an action of a place opens, some of them only for what is chosen there."""
    from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
    from linkdash.screens.statistics.compare import CompareScreen
    from linkdash.screens.statistics.statistics import StatisticsScreen
    from linkdash.screens.statistics.watch import WatchScreen

    opened: Sequence[tuple[str, str, type[HostScreen]]] = (
        ("qr", "open", StatisticsScreen),
        ("qr", "compare", CompareScreen),
        ("qr", "watch", WatchScreen),
        ("plans", "matrix", PlanMatrixScreen),
    )
    for place, id, screen in opened:
        opener = next(one for one in actions_of_place(place) if one.id == id)
        choosing = ["choose"] if opener.needs else []
        steps = [app.keys.of(f"go-{place}"), *choosing, app.keys.of(id, [opener])]
        yield _Way(screen.TITLE or "", screen.ACTIONS, steps, partial(_open, app, place, opener))


async def _open(app: HostApp, place: str, opener: AnyAction) -> None:
    """Go to a place, and do there what needs nothing to be chosen first."""
    await app.navigation.go(place)
    if not opener.needs and isinstance(app.screen, HostScreen):
        app.screen.action_do(opener.id)
