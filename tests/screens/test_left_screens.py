"""Left things are let go of: windows, screens and forms altogether, of a place the lines it was drawn of."""

import gc
import weakref
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pkgutil import walk_packages

import pytest
from textual.dom import DOMNode
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from linkdash import screens
from linkdash.api.records import Record
from linkdash.app import LinkdashApp
from linkdash.demo.server import Running
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.screens.budget import BudgetScreen
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.journal import JournalScreen
from linkdash.screens.lists.columns import ColumnsScreen
from linkdash.screens.lists.views import ViewsScreen
from linkdash.screens.opening import OpeningScreen
from linkdash.screens.palette.palette_screen import PaletteScreen
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.statistics.charts_screen import NumbersWindow
from linkdash.screens.statistics.compare import CompareScreen
from linkdash.screens.statistics.statistics import CodeWindow, StatisticsScreen
from linkdash.screens.statistics.watch import WatchScreen
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.screens.windows.days import DaysScreen
from linkdash.screens.windows.help import HelpScreen
from linkdash.screens.windows.open_file import OpenFileScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.windows.save_as import SaveScreen
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.screens.writes.bulk_job import JobScreen
from linkdash.screens.writes.qr_preview import PreviewWindow
from linkdash.widgets.form.form import Form
from linkdash.widgets.table.record_table import RecordTable
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.waiting import wait_until

FORM = (("8n", Form),)
Walks = Sequence[tuple[str, type[Widget]]]
"""The keys that lead somewhere from wherever nothing is open, and what they open there."""
WALKS: Walks = (
    *FORM,
    ("6eabc", Form),
    ("0n", Form),
    ("7  e", Form),
    ("7  dy", JobScreen),
    ("6\r", ChannelItemsScreen),
    ("8\r", StatisticsScreen),
    ("8\r?", HelpScreen),
    ("8\rP", DaysScreen),
    ("8\rQ", CodeWindow),
    ("8  +", StatisticsScreen),
    ("8  c", CompareScreen),
    ("8  W", WatchScreen),
    ("9", PlanMatrixScreen),
    ("8b", BudgetScreen),
    ("8w", JournalScreen),
    ("8M\r", ViewerScreen),
    ("8v", ViewerScreen),
    ("8\rv", NumbersWindow),
    ("8:", PaletteScreen),
    ("8?", HelpScreen),
    ("8d", ConfirmScreen),
    ("8nlink\rhttps://example.org\t\x06", PreviewWindow),
    ("7C", ColumnsScreen),
    ("7F", ViewsScreen),
    ("7y", PickerScreen),
    ("7x\r", SaveScreen),
    ("7I", OpenFileScreen),
)
_NAMES = {"\r": "enter", "\t": "tab", "\x06": "f3", " ": "space"}


async def leave(driver: Driver) -> None:
    """Go back until nothing is open, and discard what was typed."""
    await driver.press_until("escape", lambda: len(driver.app.screen_stack) == 1)
    await driver.press("escape", "escape")
    if driver.app.screen.query(Form):
        await driver.press("escape", "tab", "enter")
    await driver.press("h")
    await driver.painted()


async def visit(driver: Driver, walks: Walks) -> list["weakref.ref[Widget]"]:
    """Walk there and back; every widget that came on the way."""
    app = driver.app
    places = [*dict.fromkeys(keys[0] for keys, _ in walks if keys[0].isdigit())]
    await driver.press(*places)
    await leave(driver)
    came: list[weakref.ref[Widget]] = []
    for keys, kind in walks:
        known = weakref.WeakSet(app._registry)
        await driver.press(*(_NAMES.get(key, key) for key in keys))
        await wait_until(partial(has_come, app, kind, known), lambda: driver.text)
        await driver.painted()
        came += [weakref.ref(node) for node in new(app, known) if isinstance(node, Widget)]
        await leave(driver)
    await driver.press(*places, "j", "k", "h")  # what was pressed last may still be known
    return came


def new(app: LinkdashApp, known: "weakref.WeakSet[DOMNode]") -> list[DOMNode]:
    """Return what was not known before."""
    return [node for node in app._registry if node not in known]


def has_come(app: LinkdashApp, kind: type[Widget], known: "weakref.WeakSet[DOMNode]") -> bool:
    """Return whether something of a kind is new."""
    return any(isinstance(node, kind) for node in new(app, known))


def left_over(app: LinkdashApp, came: Sequence["weakref.ref[Widget]"]) -> list[str]:
    """Return what of this is no part of the app any more and there all the same."""
    gc.collect()
    return [repr(widget) for known in came if (widget := known()) is not None and widget not in app._registry]


async def test_a_form_that_was_left_is_let_go_of(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        came = await visit(driver, FORM)
        await wait_until(lambda: not left_over(driver.app, came), lambda: str(left_over(driver.app, came)))


@pytest.mark.nightly
async def test_whatever_was_left_is_let_go_of(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        assert {kind for _, kind in WALKS} - {Form} == windows() - {
            type(driver.app.navigation.screen_of(place.id)) for place in (OVERVIEW, *PLACES)
        }
        came = await visit(driver, WALKS)
        await wait_until(lambda: not left_over(driver.app, came), lambda: str(left_over(driver.app, came)))


def windows() -> set[type[Widget]]:
    """Return every screen of the program but the one it begins with."""
    for module in walk_packages(screens.__path__, f"{screens.__name__}."):
        import_module(module.name)
    known, kinds = set[type[Widget]](), [*Screen.__subclasses__()]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if kind.__module__.startswith(screens.__name__) and not kind.__subclasses__():
            known.add(kind)
    return known - {OpeningScreen} | {ViewerScreen}  # which another is made from, too


async def test_what_lies_under_a_window_is_not_drawn_again_and_a_place_out_of_sight_keeps_no_line(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        pixels = driver.app.screen
        assert driver.text, "it is drawn"
        assert lines_of(pixels)
        await driver.go("domains")
        assert not lines_of(pixels)
        await driver.go("pixels")
        assert driver.text, "it is drawn"
        drawn: list[Widget] = []

        def note(table: RecordTable[Record], y: int) -> Strip:
            drawn.append(table)
            return render_line(table, y)

        render_line = RecordTable.render_line
        monkeypatch.setattr(RecordTable, "render_line", note)
        await driver.press("?")
        await driver.opened(HelpScreen)
        assert "Keys on" in driver.text
        assert not drawn


def lines_of(screen: Widget) -> int:
    """Return how many lines are kept of what a screen was drawn of."""
    return sum(len(widget._styles_cache._cache) for widget in screen.walk_children(Widget, with_self=True))
