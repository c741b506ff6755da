"""Text from the service is data: whatever it holds, it neither acts on the terminal nor breaks the screen."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.strip import Strip
from textual.widget import Widget

from linkdash.api.records import Unreadable
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.lists.columns import GAP, fit
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.insight.overview import OverviewScreen
from linkdash.screens.journal import JournalScreen
from linkdash.screens.palette.palette_screen import PaletteScreen
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.widgets.details import Details
from linkdash.widgets.form.form import Form
from linkdash.widgets.table.record_table import needs
from linkdash.widgets.terminal.inert_filter import InertFilter
from tests.conftest import RunApp
from tests.screens.driver import Driver, is_inert
from tests.screens.hand import Hand
from tests.screens.hostile import HOSTILE
from tests.screens.places import PLACES, Place, every_place, place_of
from tests.service.visitor import Visitor
from tests.waiting import wait_until
from tests.widgets.sample import drawn


@pytest.fixture(autouse=True)
def left_over(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The text that only the last layer makes inert: none, as what is drawn is so already."""
    found: list[str] = []
    apply = InertFilter.apply

    def noting(self: InertFilter, segments: list[Segment], background: Color) -> list[Segment]:
        made = apply(self, segments, background)
        before, after = ("".join(segment.text for segment in some) for some in (segments, made))
        if after != before:
            found.append(before)
        return made

    monkeypatch.setattr(InertFilter, "apply", noting)
    yield found
    assert found == []


WIDE, HIGH = 196, len(HOSTILE) + 12
"""A terminal on which every column and every record has its place."""
GUTTER = 3


@every_place
async def test_hostile_text_in_every_member(
    place: Place, demo: Running, twin: Visitor, run_app: RunApp
) -> None:
    texts = ["".join(HOSTILE.values())] if place.id == "account" else list(HOSTILE.values())
    demo.service.faults.next("GET", place.path, poisoned(place, twin, texts))
    async with run_app(demo, size=(WIDE, HIGH), place=place.id) as driver:
        await driver.settled()
        assert (driver.state, driver.toasts) == ("", [])
        assert len(driver.table.rows) == len(texts)
        assert not [row for row in driver.table.rows if isinstance(row, Unreadable)]
        assert_columns_are_aligned(driver)
        for position in range(PLACES.index(place), len(texts), len(PLACES)):  # each text on one screen
            driver.table.move_cursor(position)
            await driver.pilot.pause()
            assert driver.screen.query_one(Details).lines
            assert all(is_inert(line) for line in drawn(driver.screen.query_one("Details > *")))
        assert_the_screen_is_inert(driver)


async def test_hostile_text_wherever_else_it_is_shown(demo: Running, twin: Visitor, run_app: RunApp) -> None:
    place = place_of("channels")
    texts = ["".join(list(HOSTILE.values())[:30])[:400], "[/b]"]
    demo.service.faults.next("GET", place.path, poisoned(place, twin, texts))
    refusal = json.dumps({"error": 1, "message": texts[0]}).encode()
    demo.service.faults.next("GET", "/api/channel/1", Fault(content=refusal))
    demo.service.faults.next("GET", "/api/channels", Fault(content=refusal))
    async with run_app(demo, place="channels") as driver:
        await driver.settled()
        await driver.press("enter")
        await driver.settled()
        assert "\N{REPLACEMENT CHARACTER}]52;c;" in driver.state
        for keys in (["v"], ["y"], ["escape", "escape", "r"]):
            await driver.press(*keys)
            await driver.pilot.pause()
            assert_the_screen_is_inert(driver)
        await driver.settled()
        assert "\N{REPLACEMENT CHARACTER}]52;c;" in driver.toasts[-1]
        await driver.press("v")
        assert_the_screen_is_inert(driver)
        await driver.press("escape", "y")
        assert_the_screen_is_inert(driver)
        await driver.press("enter")
        assert driver.app.is_running


@pytest.mark.parametrize(
    "id",
    [
        "qr",
        pytest.param("channels", marks=pytest.mark.nightly),
        pytest.param("campaigns", marks=pytest.mark.nightly),
    ],
)
async def test_hostile_names_on_the_way_through_the_program(
    id: str, demo: Running, twin: Visitor, run_app: RunApp
) -> None:
    """Its forms, questions, statistics, palette, overview and journal, and what was opened before."""
    place = place_of(id)
    texts = ["\u202eone\ntwo\t\x1b]52;c;aGk=\x07\u200f[/b]", "\ud800\0" + "e\u0301" * 9]
    demo.service.faults.next("GET", place.path, poisoned(place, twin, texts))
    async with run_app(demo, place=id, size=(140, 40)) as driver:
        await driver.settled()
        of_list = driver.app.screen

        def is_open(what: type[Widget]) -> bool:
            shown = driver.app.screen
            return bool(shown.query(what)) or (isinstance(shown, what) and shown is not of_list)

        steps: list[tuple[str, type[Widget]]] = [
            ("e", Form),
            ("d", ConfirmScreen),
            ("y", PickerScreen),
            ("v", ViewerScreen),
            ("enter", HostScreen),
            ("x", PickerScreen),
            ("w", JournalScreen),
            ("ctrl+p", PaletteScreen),
        ]
        for key, opens in steps:
            if (id, key) == ("campaigns", "enter"):
                continue  # their details show all of them
            await driver.press(key)
            await wait_until(partial(is_open, opens), lambda: driver.text)
            await driver.painted()
            assert_the_screen_is_inert(driver)
            await driver.press("escape")
            await driver.painted()
            assert_the_screen_is_inert(driver)
        await driver.press("ctrl+p", *"one")
        assert_the_screen_is_inert(driver)
        await driver.press("escape", "h")
        await driver.opened(OverviewScreen)
        await driver.painted()
        assert_the_screen_is_inert(driver)
        assert driver.app.is_running


@pytest.mark.nightly
async def test_hostile_names_in_the_questions_of_many_subscriptions_and_of_their_undo(
    demo: Running, twin: Visitor, run_app: RunApp
) -> None:
    texts = [*HOSTILE.values()]
    for id, name in (("users", "username"), ("plans", "name")):
        place = place_of(id)
        records = [
            {**record, name: f"{text}{number}"}
            for number, (record, text) in enumerate(zip(place.records(twin), texts, strict=False))
        ]
        demo.service.faults.next("GET", place.path, _answer(place, records), 9)
    async with run_app(demo, place="plans", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.go("users")
        await hand.press(*["space"] * 9)
        await hand.open("a")
        await hand.fill({"plan_id": "red[/]1", "type": "yearly"})
        for keys in (["ctrl+s"], ["ctrl+s"], ["y"]):
            await hand.press(*keys)
            assert_the_screen_is_inert(driver)
        await hand.see("9 done")
        for key in ("u", "escape", "w"):
            await hand.press(key)
            assert_the_screen_is_inert(driver)


def poisoned(place: Place, service: Visitor, texts: Sequence[str]) -> Fault:
    """The service's answer with a record for each text, which stands in every member that is a text."""
    example = place.records(service)[0]
    members = [member for member, value in example.items() if isinstance(value, str)]
    records = [
        {**example, **dict.fromkeys([*members, "name", "a new member"], text), text[:200]: "x", "id": id}
        for id, text in enumerate(texts, 1)
    ]
    return _answer(place, records)


def _answer(place: Place, records: Sequence[Mapping[str, object]]) -> Fault:
    data = {"result": len(records), "currentpage": 1, "maxpage": 1, place.collection: records}
    return Fault(content=json.dumps({"error": "0", "data": data if place.collection else records}).encode())


def assert_columns_are_aligned(driver: Driver) -> None:
    """Every line is as wide as the table, and nothing stands in the gaps between its columns."""
    table = driver.table
    needed = needs(table.columns, table.rows)
    widths = fit(table.columns, table.scrollable_content_region.width - GUTTER, needed)
    essential = [column for column in table.columns if column.essential]
    assert len(widths) >= min(2, len(essential)) or not table.size.height, "the name, and something beside it"
    for line in drawn(table):
        assert cell_len(line) == table.size.width
        end = GUTTER
        for _, width in widths[:-1]:
            end += width
            assert Strip([Segment(line)]).crop(end, end + GAP).text.isspace(), line
            end += GAP


def assert_the_screen_is_inert(driver: Driver) -> None:
    for line in driver.lines:
        assert is_inert(line), line
        assert cell_len(line) == driver.app.size.width
