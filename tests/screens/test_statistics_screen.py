"""The statistics of one code, from keys to numbers: the service's own, in every state, and against before."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Input

from linkdash.api.resources.qr import QrCode
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.local_time import local_zone
from linkdash.screens.statistics.charts_screen import NumbersWindow
from linkdash.screens.statistics.statistics import CodeWindow, StatisticsScreen
from linkdash.screens.statistics.watch import WatchRow, WatchScreen
from linkdash.screens.windows.days import DaysScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.store.reading import Reading
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.form.form import Form
from linkdash.widgets.frame.message_line import MessageLine
from linkdash.widgets.panel import Window
from linkdash.widgets.qr_image import QrImage
from tests.conftest import RunApp
from tests.model.statistics.test_period_comparison import NOW
from tests.model.statistics.test_sentences import dropped
from tests.screens.driver import Driver, is_inert
from tests.screens.exports import choose, downloads_folder, export
from tests.screens.statistics_driver import (
    BREAKDOWNS,
    answer,
    answered,
    cards,
    chart,
    counts,
    open_code,
    panel,
    said,
    statistics,
    status,
    told,
)
from tests.service.visitor import Clock
from tests.waiting import resize, wait_until
from tests.widgets.sample import HOSTILE, drawn

DAY = 86_400.0
HELD_BACK = Fault(delay=3600)
LOST = Fault(handled=False, drop=True)


@pytest.fixture(autouse=True)
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The person is where the histories of the tests were made."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    local_zone.cache_clear()
    yield
    local_zone.cache_clear()


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return downloads_folder(tmp_path, monkeypatch)


async def open_known(driver: Driver, readings: list[Reading]) -> None:
    """Open the first code of the list, whose history these readings are."""
    await driver.go("qr")
    row = driver.screen.table.cursor_row
    assert isinstance(row, QrCode)
    await driver.app.session.store.history.record_all({row.id: readings})
    await driver.press("enter")
    await wait_until(lambda: isinstance(driver.app.screen, StatisticsScreen))
    await wait_until(lambda: statistics(driver).statistics.recalled)
    await driver.pilot.pause()


async def test_every_number_of_the_service_stands_in_a_panel_and_nothing_is_painted_for_nothing(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        code_id = await open_code(driver)
        assert driver.asked[-1] == f"GET /api/qr/{code_id}"
        assert len(driver.asked) == 2
        details, data = told(demo, code_id)
        assert {title: value for title, (value, _) in cards(driver).items()} == {
            "Scans, all time": f"{details['scans']:,}",
            "Clicks, all time": f"{data['clicks']:,}",
            "Unique clicks, all time": f"{data['uniqueClicks']:,}",
        }
        for name, member in BREAKDOWNS.items():
            assert counts(driver, name) == {
                label.removeprefix("https://"): int(count) for label, count in data[member].items()
            }
        assert said(driver).startswith("First reading saved. Changes appear here next time.")
        assert status(driver).startswith("● as of now · 1 reading since")
        assert details["link"] in driver.text
        assert panel(driver) == "time"
        await driver.press("tab", "right")
        assert panel(driver) == "referrers"
        await driver.press("shift+tab", "left", "left")
        assert panel(driver) == "social"
        await driver.press("right")
        titles = ("▶ Scans", "Countries", "Referrers", "Browsers", "Systems", "Social")
        await wait_until(lambda: all(title in driver.text for title in titles))
        for size in ((140, 40), (100, 30), (80, 24), (140, 40)):
            await resize(driver.pilot, *size)
            await driver.painted()
            for name in BREAKDOWNS:
                breakdown = statistics(driver).panels.panel(name)
                assert "of all time" in str(breakdown.border_title), (name, size)
                if size[0] >= 100:
                    assert re.search(r"[\d,]+ clicks", str(breakdown.border_subtitle)), (name, size)
            assert "m All time" in driver.lines[-1] or size[0] < 140, size
        await driver.press("m")
        assert driver.toasts[-1] == "Breakdowns are of all time Their history does not cover the last 7 days."
        await driver.press("tab", "z")
        shown = [one for one in driver.app.screen.query(Chart) if one.region.height]
        assert [one.id for one in shown] == ["countries"]
        await driver.press("escape")
        assert all(one.region.height for one in driver.app.screen.query(Chart))

        screen = statistics(driver)
        painted: list[str] = []
        for widget in screen.query("#statistics *"):
            name = type(widget).__name__
            widget.refresh = lambda *_, name=name, **__: painted.append(name)  # type: ignore[method-assign,assignment]  # listened to
        await driver.a_second_later()
        assert painted == []


async def test_a_narrow_screen_is_scrolled_read_in_numbers_and_as_a_code_and_left_for_a_form(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        code_id = await open_code(driver)
        page = statistics(driver).query_one("#statistics")
        for name in ("countries", "referrers", "browsers"):
            chart = page.query_one(f"#{name}", Chart)
            assert page.region.contains_region(chart.region), "the first row of breakdowns is in sight"
            assert not chart.max_scroll_y, name
        assert page.max_scroll_y
        await driver.press("pagedown")
        assert page.scroll_y
        await driver.press("G")
        assert page.scroll_y == page.max_scroll_y
        await driver.press("g")
        assert not page.scroll_y
        await driver.press("v")
        await driver.opened(NumbersWindow)
        await driver.press("v")
        await driver.opened(StatisticsScreen)
        await driver.press("v", "x")
        await wait_until(lambda: isinstance(driver.app.screen, PickerScreen))
        await driver.press("escape")
        await driver.opened(StatisticsScreen)
        await driver.press("Q")
        assert isinstance(driver.app.screen, CodeWindow)
        for size in ((140, 40), (80, 24)):
            await resize(driver.pilot, *size)
            await driver.wait_for("▀" if size == (80, 24) else "  https://lnk.example")
            image = driver.app.screen.query_one(QrImage)
            assert "enlarge" not in driver.text
            assert driver.app.screen.region.contains_region(image.region)
        await driver.press("y")
        assert driver.app.clipboard == told(demo, code_id)[0]["link"]
        await driver.press("x")
        await choose(driver, PickerScreen, "Code")
        await driver.wait_for("SVG to a file")
        await driver.press("escape", "escape")
        await driver.opened(StatisticsScreen)
        await driver.press("slash")
        assert "8 goes to the list" in driver.toasts[-1]
        await driver.press("escape", "n")
        await wait_until(lambda: bool(driver.screen.query(Form)))
        await driver.painted()
        assert not driver.screen.query_one(MessageLine).display, driver.text


async def test_did_it_drop_since_last_week_is_answered_in_two_keys_and_periods_are_gone_through_by_one(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    app_clock.now = dropped()[-1].at.timestamp()
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await open_known(driver, dropped())
        asked = len(driver.asked)
        assert said(driver) == (
            "300 scans in the last 7 days, 1,600 in the 7 before: ▼ 81 %, "
            "falling since Sat 14 Nov; Germany ▼ 95 % from 1,008 clicks"
        )
        assert cards(driver)["Scans, 7 days"] == ("300", "was 1,600")
        days = await chart(driver, "time")
        assert "7 days before: 1,600" in days
        assert "▼ Sat 14 Nov: 229 → 43 in a day" in days
        assert "14 days: 7 before, 7 last" in driver.text
        assert "300 clicks" in driver.text, "a breakdown counts clicks, which are no scans"
        assert counts(driver, "countries") == {"Germany": 50, "Brazil": 250}
        countries = statistics(driver).panels.panel("countries")
        assert "of all time" not in str(countries.border_title)
        assert "▼ 95 %" in await chart(driver, "countries")
        await driver.press("m")
        assert counts(driver, "countries") != {"Germany": 50, "Brazil": 250}
        assert driver.toasts[-1] == "Breakdowns of all time m shows those of the last 7 days."
        await driver.press("T")
        assert f"{dropped()[-1].scans:,}" in await chart(driver, "time")
        assert len(driver.asked) == asked  # read within the last minutes: nothing was asked
        await driver.press("T", "u", "t")
        assert "since" in said(driver)
        assert "The last 30 days will be known from" in said(driver)
        await driver.press("t")
        assert said(driver).startswith("43 scans in the last 24 hours, 43 in the 24 before: = 0 %")
        await driver.press("P")
        assert isinstance(driver.app.screen, DaysScreen)
        await driver.press("backspace", "backspace", "0", "enter")
        assert "✗ Type a number from 1 to 365" in driver.text
        await driver.press("backspace", "9")
        await driver.wait_for(", compared with ")
        assert "Kept since" not in driver.text, "all of it is kept"
        await driver.press("9")
        await driver.wait_for("! Kept since ")
        window = driver.app.screen.query_one(Window)
        longest = max(len(line.rstrip()) for line in drawn(window.query_one("#hint"))) - 1
        assert (window.outer_size.width, window.query_one(Input).outer_size.width) == (longest + 7, 8)
        await driver.press("backspace")
        await driver.wait_for("12 to 20 Nov")
        assert driver.lines[-1].split() == ["⏎", "Show", "esc", "Back"]
        await driver.press("enter")
        assert said(driver).startswith("757 scans in the last 9 days, ")
        await driver.press("t")
        assert "in the last 7 days" in said(driver)


async def test_in_the_smallest_terminal_the_chart_is_whole_below_the_answer(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    app_clock.now = dropped()[-1].at.timestamp()
    async with run_app(demo, size=(60, 15), place="qr") as driver:
        await open_known(driver, dropped())
        await driver.wait_for("7 days before: 1,600")
        axis = next(n for n, line in enumerate(driver.lines) if "last 7 days: 300 ▼" in line)
        assert driver.lines[axis].lstrip().startswith("0▔")
        assert driver.lines[axis + 1].split()[-1] in ("20", "now"), "its days, too"


async def test_what_another_program_keeps_meanwhile_is_shown_too(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    app_clock.now = dropped()[-1].at.timestamp()
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await open_known(driver, dropped()[-3:])
        asked = len(driver.asked)
        assert "1,600 in the 7 before" not in said(driver)
        code = statistics(driver).statistics.code
        await driver.app.session.store.history.record_all({code.id: dropped()[:-3]})
        await wait_until(lambda: "300 scans in the last 7 days, 1,600 in the 7 before" in said(driver))
        assert statistics(driver).statistics.last_visit is None, "this visit is none before it"
        assert len(driver.asked) == asked


async def test_a_code_is_watched_from_its_page_as_from_the_list_and_the_time_since_a_visit_is_a_period(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        code_id = await open_code(driver)
        await driver.app.session.recents.watch([(1, "Watched before")])
        await driver.press("W")
        await driver.opened(WatchScreen)
        watch = driver.app.screen
        assert isinstance(watch, WatchScreen)
        assert [row.id for row in watch.table.rows if isinstance(row, WatchRow)] == [code_id]
        assert [*driver.app.session.recents.watched] == [code_id]
        await driver.press("enter")
        await driver.opened(StatisticsScreen)
        await driver.press("W")
        assert driver.app.screen is watch, "it lies below"
        await driver.press("escape", "escape")
        reads = driver.asked.count(f"GET /api/qr/{code_id}")
        app_clock.step(DAY)
        await driver.a_second_later()
        assert driver.asked.count(f"GET /api/qr/{code_id}") == reads
        await open_code(driver)
        before = told(demo, code_id)[0]["scans"]
        await driver.press("escape")
        app_clock.step(2 * DAY)
        await open_code(driver)
        after = told(demo, code_id)[0]["scans"]
        await driver.press("t", "t", "t")
        assert f"{after - before:,} scans in the time since your last visit" in said(driver)


@pytest.mark.nightly
async def test_old_numbers_are_painted_before_the_answer_and_stay_when_none_comes(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        code_id = await open_code(driver)
        scans = cards(driver)["Scans, all time"]
    app_clock.step(1800)
    demo.service.faults.next("GET", f"/api/qr/{code_id}", HELD_BACK)
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        await driver.press("enter")
        await wait_until(lambda: "○ as of 30 min ago · refreshing…" in status(driver))
        assert cards(driver)["Scans, all time"] == scans
        await driver.press("r")
        assert driver.toasts == ["The numbers are already loading."]
        await driver.press("escape")
        await wait_until(lambda: driver.app.session.gate.state.in_flight == 0)
    demo.service.faults.next("GET", f"/api/qr/{code_id}", LOST)
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await open_code(driver)
        assert "as of 30 min ago · not refreshed" in status(driver)
        assert cards(driver)["Scans, all time"] == scans
        await driver.press("r")
        await answered(driver)
        now = told(demo, code_id)[0]["scans"]
        assert cards(driver)["Scans, all time"][0] == f"{now:,}"
        assert said(driver).startswith(f"{now - int(scans[0].replace(',', '')):,} scans since")


async def test_a_fault_of_the_program_ends_the_loading_state_and_is_told(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_app(demo, place="qr") as driver:
        await open_code(driver)
        reader = statistics(driver).reader

        async def broken(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(reader, "read", broken)
        await driver.press("r")
        await wait_until(lambda: not statistics(driver).statistics.loading)
        assert "ZeroDivisionError" in driver.toasts[-1]
        monkeypatch.undo()
        await driver.press("r")
        await answered(driver)
        assert "as of now" in status(driver)


async def test_an_error_says_the_next_step_no_statistics_is_not_zero_and_partial_ones_are_shown(
    demo: Running, run_app: RunApp
) -> None:
    some: dict[str, object] = {
        "clicks": "1,500",
        "topCountries": {"": 4, "Unknown": 2},
        "topReferrers": dict.fromkeys(HOSTILE, 1),
        "topOs": [],
        "socialCount": None,
    }
    demo.service.faults.next("GET", "/api/qr/*", LOST)
    demo.service.faults.next("GET", "/api/qr/*", answer([]))
    demo.service.faults.next("GET", "/api/qr/*", answer(some))
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await open_code(driver)
        assert "The connection broke" in driver.text
        assert "Try again." in driver.text
        await driver.press("r")
        await answered(driver)
        assert [value for value, _ in cards(driver).values()] == ["3", "–", "–"]
        assert "no statistics for this code" in status(driver)
        assert "no statistics" in await chart(driver, "countries")
        await driver.press("r")
        await answered(driver)
        assert [value for value, _ in cards(driver).values()] == ["3", "1,500", "–"]
        assert counts(driver, "countries") == {"": 4, "Unknown": 2}
        assert "no statistics" in await chart(driver, "social")
        assert is_inert(driver.text.replace("\n", ""))
        assert "[/b]" in await chart(driver, "referrers")
        await driver.press("v")
        await driver.wait_for("in numbers")
        assert is_inert(driver.text.replace("\n", ""))
        assert not [mark for mark in ("**", "| --", "## ") if mark in driver.text], "columns, no Markdown"


async def test_report_numbers_and_code_are_exported(demo: Running, run_app: RunApp, downloads: Path) -> None:
    async with run_app(demo, place="qr") as driver:
        code_id = await open_code(driver)
        details, data = told(demo, code_id)
        name = "-".join(details["name"].lower().replace("·", " ").split())
        report = downloads / f"{name}-{driver.app.session.local_time():%Y-%m-%d}.md"
        await export(driver, "Report", "Markdown to a file")
        await wait_until(lambda: f"Saved {report}" in driver.toasts)
        assert f"| Clicks | {data['clicks']:,} |" in report.read_text()
        await export(driver, "Report", "CSV to a file")
        path = report.with_suffix(".csv")
        await wait_until(lambda: f"Saved {path}" in driver.toasts)
        rows = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"))))
        label, count = next(iter(data["topCountries"].items()))
        assert ["countries", label, count] in [row[2:5] for row in rows]
        await export(driver, "Code", "SVG to a file")
        picture = downloads / f"{name}-code.svg"
        await wait_until(lambda: f"Saved {picture}" in driver.toasts)
        assert b"<svg" in picture.read_bytes()
        await driver.press("y", "enter")
        assert driver.app.clipboard == details["link"]


async def test_several_codes_are_summed_without_asking(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    app_clock.now = NOW.timestamp()
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        codes = [code for code in driver.screen.collection.listing.rows[:2] if isinstance(code, QrCode)]
        history = driver.app.session.store.history
        await history.record_all({code.id: dropped() for code in codes})
        asked = len(driver.asked)
        driver.app.push_screen(StatisticsScreen(driver.app.session, codes, "Shop windows"))
        await wait_until(lambda: bool(driver.app.screen.query("#answer")))
        await wait_until(lambda: "600 scans" in said(driver))
        assert said(driver).startswith("600 scans in the last 7 days, 3,200 in the 7 before: ▼ 81 %")
        assert "Shop windows" in driver.text
        assert status(driver).startswith("2 codes · ")
        await driver.press("Q")
        assert driver.toasts[-1] == "These are several codes; open one of them for its link."
        assert len(driver.asked) == asked
