"""Plain ways to be shown: ASCII signs alone, and the linear way for screen readers."""

import re
from itertools import combinations, pairwise

import pytest
from textual import events
from textual.color import Color
from textual.widget import Widget

from linkdash.api.resources.plans import Plan
from linkdash.demo.server import Running
from linkdash.model.resources import PLACES
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.insight.review import ReviewScreen
from linkdash.screens.resources.plans import plan_lines
from linkdash.screens.statistics.compare import CompareScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.screens.statistics.top import TopScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.store.journal_entry import Outcome, WriteIntent
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.charts.drawing import spoken_lines
from linkdash.widgets.details import Details
from linkdash.widgets.form.form import Form
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.frame.sidebar import Sidebar
from linkdash.widgets.panels import PanelOfSeveral
from linkdash.widgets.table.record_table import RecordTable
from linkdash.widgets.themes import DAY, NIGHT, TERMINAL
from tests.conftest import RunApp
from tests.model.statistics.test_period_comparison import NOW
from tests.model.statistics.test_sentences import dropped
from tests.screens.clock import HoldingClock
from tests.screens.driver import Driver
from tests.screens.exports import choose
from tests.screens.hand import Hand
from tests.screens.statistics_driver import open_code, statistics
from tests.waiting import resize, wait_until
from tests.widgets.test_qr_image import decode, photograph

OUR_SIGNS = re.compile(r"[\u2500-\u27bf\u2800-\u28ff\u2190-\u21ff\u2010-\u2027·−≈≥≠±]")
"""Frames, bars, arrows, marks and punctuation that ASCII lacks."""


@pytest.mark.long
@pytest.mark.parametrize("linear", [False, True], ids=["ascii", "linear"])
async def test_no_sign_of_ours_is_left_on_any_screen(demo: Running, run_app: RunApp, linear: bool) -> None:
    async with run_app(demo, ascii=not linear, linear=linear) as driver:
        seen = {}
        for place in ("qr", "users"):
            await driver.go(place)
            seen[place] = driver.text
        await driver.press("V")
        await driver.opened(ReviewScreen)
        await driver.wait_for("expired, still pro")
        seen["review"] = driver.text
        await driver.press("escape", "escape", "8", "n")
        await driver.wait_for("New QR code")
        seen["form"] = driver.text
        await driver.press("escape", "b")
        await driver.wait_for("Budget")
        seen["budget"] = driver.text
        await driver.press("escape", "enter")
        await driver.opened(StatisticsScreen)
        await driver.wait_for("Countries")
        seen["statistics"] = driver.text
        await driver.press("?")
        await driver.wait_for("Keys on")
        seen["help"] = driver.text
        await driver.press("escape", "h")
        await driver.wait_for("in the last 7 days")
        seen["overview"] = driver.text
        assert {name: found for name, text in seen.items() if (found := OUR_SIGNS.findall(text))} == {}


@pytest.mark.long
async def test_the_linear_way_has_one_thing_below_the_other_and_no_frames(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), linear=True, place="qr") as driver:
        await driver.settled()
        screen = driver.screen
        assert not screen.query_one(Sidebar).display
        listed, pane = screen.query_one("#list").region, screen.query_one("#pane").region
        assert pane.y >= listed.bottom
        assert listed.width == pane.width == 140
        row = screen.row
        assert row is not None
        assert not re.search(r"[=#_|]{3,}", driver.text), "no line, bar or frame is spelled out"
        await driver.press("h")
        panels = [panel.region for panel in driver.app.screen.query("#overview > .-panel") if panel.display]
        assert all(above.bottom <= below.y for above, below in pairwise(panels))
        assert panels[0].y > 0
        await driver.wait_for("What changed")


def side_by_side(screen: Widget) -> list[tuple[Widget, Widget]]:
    """The parts of a screen that share a row of the terminal without one being in the other."""
    parts = [one for one in screen.query(".-panel, FieldRow, Preview") if one.is_on_screen and one.region]
    return [
        (left, right)
        for left, right in combinations(parts, 2)
        if left.region.right <= right.region.x or right.region.right <= left.region.x
        if left.region.y < right.region.bottom and right.region.y < left.region.bottom
    ]


@pytest.mark.long
@pytest.mark.parametrize("size", [(140, 40), (200, 50)])
async def test_in_the_linear_way_nothing_stands_beside_another_thing(
    demo: Running, run_app: RunApp, size: tuple[int, int]
) -> None:
    async with run_app(demo, size=size, linear=True) as driver:
        for place in PLACES:
            await driver.go(place.id)
            await driver.settled()
            assert side_by_side(driver.screen) == [], place.id
            if place.id in ("pixels", "qr", "users"):
                await driver.press("n" if place.id == "users" else "e")
                await wait_until(lambda: driver.screen.query(Form))
                await driver.pilot.pause()
                assert side_by_side(driver.screen) == [], f"the form of {place.id}"
                assert not driver.screen.query_one("#list").display
                await driver.press("escape")
                await wait_until(lambda: not driver.screen.query(Form))
                assert driver.records, f"the list of {place.id} is there again"
        for key in ("b", "w", "A"):
            await driver.press(key)
            await driver.pilot.pause()
            assert side_by_side(driver.app.screen) == [], key
            await driver.press("escape")


@pytest.mark.parametrize("size", [(80, 24), pytest.param((140, 40), marks=pytest.mark.long)])
async def test_in_the_linear_way_a_window_is_all_there_is(
    demo: Running, run_app: RunApp, size: tuple[int, int]
) -> None:
    async with run_app(demo, size=size, linear=True) as driver:
        await open_code(driver)
        behind = statistics(driver)
        for key, told in (
            ("v", "in numbers"),
            ("Q", "is a picture"),
            ("?", "Keys on"),
            (":", "Find anything"),
        ):
            await driver.press(key)
            await driver.wait_for(told)
            screen = driver.app.screen
            (window,) = screen.query(".-window, #code-window")
            below = sum(line.region.height for line in screen.query(KeyLine))
            assert window.region.size == (size[0], size[1] - below)
            assert not any(text in driver.text for text in ("All clicks", "1000 left")), "nothing from behind"
            if key == "?":
                lines = [line.split()[0] for line in driver.lines if " Total" in line or " Zoom" in line]
                assert lines == ["z", "T"], "one key under the other"
            await driver.press("escape")
            await driver.opened(type(behind))


@pytest.mark.parametrize("size", [(80, 24), pytest.param((140, 40), marks=pytest.mark.long)])
async def test_in_the_linear_way_the_statistics_stand_whole_one_below_the_other(
    demo: Running, run_app: RunApp, size: tuple[int, int]
) -> None:
    async with run_app(demo, size=size, linear=True) as driver:
        await open_code(driver)
        panels = statistics(driver).panels
        charts = [*panels.query(Chart)]
        await wait_until(lambda: all(chart.up_to_date and chart.size.height for chart in charts))
        regions = [panel.region for panel in panels.query(PanelOfSeveral)]
        assert all(above.bottom <= below.y for above, below in pairwise(regions))
        assert {region.width for region in regions} == {panels.scrollable_content_region.width}
        assert len({chart.region.x for chart in charts}) == 1
        for chart in charts:
            assert chart.size.height >= len(chart.text.split("\n"))
            assert chart.text.split() == " ".join(spoken_lines(chart.data)).split(), "nothing is cut"
        assert "since 21 Sep 2026" in driver.lines[2], "how old the numbers are is said beside the name"
        await driver.press("G")
        await driver.wait_for("twitter: 139, 14 %")
        await driver.press("g")
        await driver.wait_for("Scans  in all")
        await driver.press("tab", "tab")
        below = [line.strip() for line in driver.lines[panels.region.y :]]
        assert below[0].startswith("> Referrers") or size[1] == 40, "its panel is read from its beginning"


async def test_in_the_linear_way_the_account_is_whole_and_what_was_said_stays_and_nothing_counts_seconds(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, linear=True, place="account") as driver:
        await driver.settled()
        await driver.wait_for("Kept here")
        assert driver.screen.query_one(Details).shows_all
        await driver.go("domains")
        assert " left" in driver.lines[-3]
        assert "full in" not in driver.text
        await driver.press("S")
        await driver.wait_for("There is no order to reverse")
        await driver.press("j", "k")
        await wait_until(lambda: "There is no order" in driver.lines[-1], lambda: driver.text)
        assert "Help" in driver.lines[-2], "the keys are not covered"


@pytest.mark.parametrize(
    "linear", [False, pytest.param(True, marks=pytest.mark.long)], ids=["ascii", "linear"]
)
async def test_no_key_is_named_by_the_sign_of_another(demo: Running, run_app: RunApp, linear: bool) -> None:
    async with run_app(demo, size=(140, 40), ascii=not linear, linear=linear) as driver:
        await driver.go("qr")
        assert "enter Open" in driver.lines[-2 if linear else -1]
        await driver.press("C")
        await driver.wait_for("enter Keep")
        await driver.press("escape", ":")
        await driver.wait_for("enter open")
        await driver.press("escape", "enter")
        await driver.opened(StatisticsScreen)
        await driver.press("?")
        await driver.wait_for("tab right")
        for named in ("shift+tab left", "j down", "k up"):
            assert named in driver.text


@pytest.mark.parametrize("no_color", [False, True], ids=["colors", "no-color"])
async def test_in_ascii_a_code_is_scanned_from_the_terminal(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch, no_color: bool
) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    async with run_app(demo, size=(140, 40), ascii=True, keys={"export": "E"}) as driver:
        await open_code(driver)
        link = statistics(driver).statistics.code.link
        await driver.press("Q")
        await wait_until(lambda: _scanned(driver) == [link], lambda: driver.text)
        assert not OUR_SIGNS.search(driver.text)
        await driver.press("escape")
        driver.app.theme = TERMINAL.name
        await driver.press("Q")
        if no_color:
            await driver.wait_for("cannot be drawn here. E saves it")  # there is nothing to draw it with
            return
        await wait_until(lambda: _scanned(driver) == [link], lambda: driver.text)
        await resize(driver.pilot, 80, 24)
        await driver.wait_for("E saves it as PNG or SVG.")
        assert "enlarge the" in driver.text
        assert _scanned(driver) == []


async def test_in_the_linear_way_the_budget_has_no_holes(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(100, 40), linear=True) as driver:
        await driver.go("domains")
        await driver.press("b")
        await driver.wait_for("What requests were for")
        told = driver.text[driver.text.index("Left, ") : driver.text.index("Latest requests")].splitlines()
        assert not [line for line in told if re.search(r"\S {25,}\S", line)], driver.text
        assert re.search(r"Left, .*\n *\S", driver.text), "no line for a gauge that is not drawn"


async def test_in_the_linear_way_the_days_of_a_code_are_numbers_and_a_key_saves_what_is_not_drawn(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = NOW.timestamp()
    async with run_app(demo, linear=True, keys={"export": "E"}) as driver:
        await driver.go("qr")
        code = driver.screen.row
        assert code is not None
        await driver.app.session.store.history.record_all({code.id: dropped()})
        driver.screen.post_message(events.ScreenResume())
        await wait_until(lambda: " 300 " in driver.records[1], lambda: driver.text)
        assert driver.records[0].split()[2:4] == ["7", "days"]
        days = next(line for line in driver.details.splitlines() if line.startswith("14 days: "))
        assert sum(map(int, days.removeprefix("14 days: ").split())) == 300 + 1_593
        await open_code(driver)
        await driver.press("Q")
        await driver.wait_for("E saves it as PNG or SVG.")
        assert "is a picture" in driver.text
        assert _scanned(driver) == []
        await driver.press("E")
        await choose(driver, PickerScreen, "Code")
        await driver.wait_for("PNG to a file")


def _scanned(driver: Driver) -> list[str]:
    """Return what a camera reads from the terminal; nothing before all of its lines are drawn."""
    strips = driver.app.screen._compositor.render_strips()
    if {strip.cell_length for strip in strips} != {driver.app.size.width}:
        return []
    return decode(photograph([list(strip) for strip in strips]))


async def test_without_color_the_cursor_is_told_by_a_sign_and_a_fall_is_at_least_as_strong_as_a_rise(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        strips = driver.app.screen._compositor.render_strips()
        colors = [segment.style.color for strip in strips for segment in strip if segment.style]
        assert all(len({*color.get_truecolor()}) == 1 for color in colors if color is not None), "only greys"
        (cursor,) = (line for line in driver.records if "▌" in line)
        assert driver.screen.row is not None
        assert driver.screen.resource.name_of(driver.screen.row).partition("://")[2] in cursor
        for theme in (NIGHT, DAY):
            driver.app.theme = theme.name
            variables = driver.app.get_css_variables()
            ground, rise, *falls = (
                Color.parse(variables[name]).monochrome.brightness
                for name in ("background", "success", "error", "cursor-error")
            )
            for fall in falls:  # also of the row under the cursor
                assert abs(fall - ground) >= abs(rise - ground), theme.name


async def test_in_ascii_a_scrollbar_adds_no_sign_to_the_row_beside_its_end(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, ascii=True, place="qr") as driver:
        await driver.settled()
        table = driver.table
        await wait_until(lambda: table.show_vertical_scrollbar)
        for _ in range(8):  # its end is at another part of a cell each time
            await driver.press("j", "j", "j")
            bar = table.vertical_scrollbar.region
            await driver.painted()
            assert {line[bar.x :].strip() for line in driver.lines[bar.y : bar.bottom]} == {""}


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_in_the_linear_way_a_form_says_each_title_once_and_what_is_wrong_below_it(
    demo: Running, run_app: RunApp, size: tuple[int, int]
) -> None:
    async with run_app(demo, size=size, linear=True, place="qr") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.fill({"type": "link", "data.link.link": "https://example.org", "foreground": "#2e59"})
        await driver.press("ctrl+s")
        await driver.wait_for("use #RRGGBB")
        rows = driver.lines
        (title,) = (number for number, row in enumerate(rows) if "Foreground" in row)
        (wrong,) = (number for number, row in enumerate(rows) if "use #RRGGBB" in row)
        assert title < wrong <= title + 2
        assert "refused" not in driver.text


async def test_in_the_linear_way_what_is_told_of_a_list_stands_in_one_column(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), linear=True, place="pixels") as driver:
        await driver.settled()
        await driver.wait_for("By type")
        pane, related = (driver.screen.query_one(name).region for name in ("#pane", "#related"))
        told = [line for region in (pane, related) for line in driver.lines[region.y : region.bottom - 1]]
        assert [line for line in told if re.search(r"\S {9,}\S", line)] == []
        counted = [line for line in told if re.fullmatch(r"[\w ()]+: \d+ *", line)]
        assert len(counted) > 2


async def test_in_the_linear_way_the_journal_says_how_a_change_ended_in_words(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, linear=True, place="pixels") as driver:
        await driver.settled()
        journal = driver.app.session.store.journal
        for outcome in (Outcome.DONE, Outcome.REJECTED):
            intent = WriteIntent("channels", "update", (29,), {"name": "New"}, ("Old",))
            id = await journal.open_entry(intent, "PUT", "/api/x")
            await journal.close_entry(id, outcome, "")
        await driver.press("w")
        await driver.wait_for("2 changes")
        await driver.wait_for("Outcome")
        table = [line.split() for line in driver.lines if "edit channel " in line and " Old" in line]
        assert [{"done", "rejected"} & {*row} for row in table[:2]] == [{"rejected"}, {"done"}]


async def test_in_the_linear_way_no_column_is_empty_and_signs_are_no_names(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), linear=True, place="qr") as driver:
        await driver.settled()
        code = driver.screen.row
        assert code is not None
        name = driver.screen.resource.name_of(code)
        await driver.press("t")
        await driver.opened(TopScreen)
        assert "days" not in {column.name for column in driver.app.screen.query_one(RecordTable).columns}
        await driver.press("escape", "space", "space", "c")
        await driver.opened(CompareScreen)
        await driver.wait_for("not known for")
        assert f"not known for {name.replace('·', '.')}" in driver.text


async def test_the_chosen_plan_is_told_by_a_sign(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, linear=True) as driver:
        await driver.press("9")
        await driver.opened(PlanMatrixScreen)
        await wait_until(lambda: re.search(r">\w", driver.text) is not None, lambda: driver.text)
        first = re.findall(r" >(\w+)", driver.text)
        await driver.press("right")
        await wait_until(lambda: re.findall(r" >(\w+)", driver.text) not in (first, []), lambda: driver.text)


def test_in_words_a_plan_says_what_it_has_and_what_not() -> None:
    limits = {"links": 1, "clicks": 1, "qr": {"enabled": True, "count": 3}, "api": {"enabled": False}}
    plan = Plan.model_validate({"id": 4, "name": "All", "limits": limits})
    told = {line.title: line.text for line in plan_lines(plan, 80, in_words=True)}
    assert (told["Features"], told["Not in it"]) == ("qr 3", "API access")
