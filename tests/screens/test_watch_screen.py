"""Watching: what changed is marked with by how much; nothing is asked while nobody looks."""

import re
from datetime import timedelta

import pytest
from textual.events import AppBlur, AppFocus

from linkdash.api.resources.qr import QrCode
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.watch_pace import SOONEST
from linkdash.screens.statistics.watch import WatchRow, WatchScreen
from linkdash.store.reading import Reading
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.statistics_driver import page, told
from tests.service.visitor import Clock
from tests.waiting import wait_until

HOUR = 3600.0


def watch(driver: Driver) -> WatchScreen:
    screen = driver.app.screen
    assert isinstance(screen, WatchScreen), screen
    return screen


def rows(driver: Driver) -> dict[int, tuple[int | None, str, str]]:
    """Scans, what is new of them, and the sign left of the row, by id."""
    table = watch(driver).table
    rows = (row for row in table.rows if isinstance(row, WatchRow))
    return {row.id: (row.scans, row.new, table.notes.get(row.id, "")) for row in rows}


def reads(driver: Driver, code_id: int) -> int:
    return driver.asked.count(f"GET /api/qr/{code_id}")


async def test_what_is_kept_of_a_code_is_shown_before_it_is_read(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        session = driver.app.session
        now = StatisticsReader(session).now
        (code_id, *_) = (code.id for code in driver.screen.collection.records if isinstance(code, QrCode))
        readings = [Reading(now - timedelta(minutes=minutes), scans=-minutes) for minutes in (40, 20)]
        await session.store.history.record_all({code_id: readings})
        demo.service.faults.next("GET", "/api/qr/*", Fault(handled=False, drop=True), times=99)
        await driver.press("W")
        await wait_until(lambda: "+20 scans in 20 min" in page(driver, "news"))
        assert rows(driver)[code_id][1] == ""


async def test_the_newest_count_is_shown_with_its_age_also_where_a_list_told_it(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        reader = StatisticsReader(driver.app.session)
        code = next(code for code in driver.screen.collection.records if isinstance(code, QrCode))
        history = driver.app.session.store.history
        now = reader.now
        listed = code.scans or 0
        full = Reading(now - timedelta(hours=2), clicks=5, scans=listed - 74)
        await history.record_all({code.id: [full]})
        demo.service.faults.next("GET", "/api/qr/*", Fault(handled=False, drop=True), times=99)
        await driver.app.push_screen(WatchScreen(driver.app.session, [code]))
        await wait_until(lambda: "in 2 h" in page(driver, "news"))
        assert rows(driver)[code.id][0] == listed
        app_clock.step(60.0)
        await reader.keep_listed([code.model_copy(update={"scans": listed + 2})], reader.now)
        await driver.press("question_mark")
        await wait_until(lambda: not isinstance(driver.app.screen, WatchScreen))
        await driver.press("escape")
        await driver.opened(WatchScreen)
        await wait_until(lambda: rows(driver)[code.id][0] == listed + 2)


async def test_marked_codes_are_followed_their_changes_marked_and_one_is_watched_no_more_and_again(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("space", "space", "W")
        await wait_until(lambda: all(new == "0" for _, new, _ in rows(driver).values()))
        first = {code_id: told(demo, code_id)[0]["scans"] for code_id in rows(driver)}
        assert rows(driver) == {code_id: (scans, "0", "") for code_id, scans in first.items()}
        assert "next in 10 s" in driver.status_line
        assert driver.app.session.recents.watched.keys() == first.keys()
        app_clock.step(24 * HOUR)
        await wait_until(lambda: all(reads(driver, code_id) == 3 for code_id in first))  # one was ours
        await wait_until(lambda: watch(driver).reading is None)
        second = {code_id: told(demo, code_id)[0]["scans"] for code_id in first}
        added = {code_id: second[code_id] - first[code_id] for code_id in first}
        assert any(added.values())
        assert rows(driver) == {
            code_id: (second[code_id], f"{more:+,}" if more else "0", "changed" if more else "")
            for code_id, more in added.items()
        }
        top = max(added, key=lambda code_id: added[code_id])
        assert f"+{added[top]:,} scan" in page(driver, "news")
        assert "in 24 h" in page(driver, "news")
        await driver.painted()
        assert "…" not in driver.text.partition("What happened")[2], "what happened is told whole"
        before = {code_id: reads(driver, code_id) for code_id in first}
        one, other = rows(driver)
        await driver.press("W")
        assert "No code was stopped here" in driver.toasts[-1]
        await driver.press("d")
        assert [*rows(driver)] == [other]
        assert driver.toasts[-1].endswith("W watches it again.")
        assert driver.app.session.recents.watched.keys() == {other}
        app_clock.step(HOUR)
        await wait_until(lambda: reads(driver, other) == before[other] + 1)
        await driver.press("d")
        assert rows(driver) == {}
        assert "No code is watched." in driver.text
        assert reads(driver, one) == before[one]
        await driver.press("W", "W")
        assert [*rows(driver)] == [other, one]
        await wait_until(lambda: reads(driver, one) == before[one] + 1)
        assert driver.app.session.recents.watched.keys() == {one, other}


async def test_what_is_new_agrees_with_the_events_since_the_watch_began(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        code = next(code for code in driver.screen.collection.records if isinstance(code, QrCode))
        app_clock.step(24 * HOUR)
        await driver.app.push_screen(WatchScreen(driver.app.session, [code]))
        await wait_until(lambda: reads(driver, code.id) == 1 and watch(driver).reading is None)
        scans, new, note = rows(driver)[code.id]
        more = (scans or 0) - (code.scans or 0)
        assert more
        assert (new, note) == (f"{more:+,}", "changed")
        assert page(driver, "news").splitlines()[0].partition("  +")[2].startswith(f"{more:,} scans in 24 h")


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (100, 30)])
async def test_a_long_event_goes_on_below_its_beginning(
    demo: Running, app_clock: Clock, run_app: RunApp, size: tuple[int, int]
) -> None:
    async with run_app(demo, size=size, place="qr") as driver:
        await driver.settled()
        codes = [code for code in driver.screen.collection.records if isinstance(code, QrCode)][:2]
        now = StatisticsReader(driver.app.session).now
        countries = {"Bosnia and Herzegovina": 5, "Saint Vincent and the Grenadines": 4}
        before = Reading(now - timedelta(hours=2), clicks=0, scans=0, breakdowns={"countries": {}})
        after = Reading(now - timedelta(hours=1), clicks=9, scans=9, breakdowns={"countries": countries})
        await driver.app.session.store.history.record_all({codes[0].id: [before, after]})
        demo.service.faults.next("GET", "/api/qr/*", Fault(handled=False, drop=True), times=99)
        await driver.app.push_screen(WatchScreen(driver.app.session, codes))
        await wait_until(lambda: "+9 scans" in page(driver, "news"))
        event = page(driver, "news").partition("+9 scans")[2].splitlines()
        assert "Grenadines 4" in " ".join(" ".join(event).split())
        assert len(event) > 1
        assert all(line.startswith(" " * 19) and line[19] != " " for line in event[1:2]), event


async def test_only_what_was_chosen_is_watched(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.app.session.recents.watch([(1, "Of an earlier run")])
        await driver.press("W")
        await wait_until(lambda: len(rows(driver)) == 1)
        (first,) = rows(driver)
        assert first != 1
        await driver.press("escape", "j", "space", "space", "W")
        await wait_until(lambda: len(rows(driver)) == 2)
        assert first not in rows(driver)
        assert driver.app.session.recents.watched.keys() == {*rows(driver)}


async def test_the_reading_and_the_countdown_go_on_below_a_window(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("W")
        (code_id,) = rows(driver)
        await wait_until(lambda: reads(driver, code_id) == 1 and watch(driver).reading is None)
        screen = watch(driver)
        await driver.press("question_mark")
        assert driver.app.screen is not screen
        app_clock.step(SOONEST - 1)
        await wait_until(
            lambda: [row.next for row in screen.table.rows if isinstance(row, WatchRow)] == ["in 1 s"]
        )
        app_clock.step(SOONEST)
        await wait_until(lambda: reads(driver, code_id) == 2)


async def test_what_happened_to_each_of_several_codes_takes_a_line_each(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        session, now = driver.app.session, StatisticsReader(driver.app.session).now
        names = [
            "Riverside Clinic · Delivery note 11",
            "A name of a code that is longer than any line has room",
        ]
        codes = [QrCode(id=id, name=name) for id, name in enumerate(names, 1)]
        for code in codes:
            readings = [
                Reading(
                    now - timedelta(minutes=minutes),
                    scans=40 - minutes,
                    clicks=40 - minutes,
                    breakdowns={"countries": {"United States": 40 - minutes, "Germany": 30 - minutes}},
                )
                for minutes in (30, 20)
            ]
            await session.store.history.record_all({code.id: readings})
        quiet = [now - timedelta(minutes=minutes) for minutes in (120, 105, 90)]
        little = [Reading(at, scans=number, clicks=number) for number, at in enumerate(quiet)]
        await session.store.history.record_all({1: little})
        demo.service.faults.next("GET", "/api/qr/*", Fault(handled=False, drop=True), times=99)
        await driver.app.push_screen(WatchScreen(session, codes))
        events = list[str]()

        def are_told() -> bool:
            events[:] = re.sub(r"\n {19}(?=\S)", " ", page(driver, "news")).splitlines()
            return sum("+10 scans, +10 clicks in 10 min" in line for line in events) == 2

        await wait_until(are_told)
        told = [line for line in events if "+10 scans" in line]
        assert "Riverside Clinic · Delivery note 11" in told[0] + told[1]
        assert "A name of a code" in told[0] + told[1]
        assert not any(" in 15 min" in line for line in events)
        assert any("+2 scans, +2 clicks in 30 min" in line for line in events)


async def test_what_a_row_tells_is_told_nowhere_else(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        await driver.press("W")
        await wait_until(lambda: watch(driver).reading is None and not watch(driver).table.hidden)
        await driver.painted()
        assert "next in" not in driver.status_line
        (row,) = watch(driver).table.rows
        assert isinstance(row, WatchRow)
        assert row.name not in page(driver, "news"), "only one is watched"
        assert row.next.startswith("in ")
        assert "1 code · │ watch began " in driver.status_line
        assert "gray: estimated" in driver.status_line


async def test_a_failure_is_told_once_and_it_pauses_without_focus_and_behind_another_screen(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    demo.service.faults.next("GET", "/api/qr/*", Fault(handled=False, drop=True), times=2)
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("W")
        await driver.wait_for("failed")
        await driver.press("r")
        (code_id,) = rows(driver)
        await wait_until(lambda: reads(driver, code_id) == 2 and watch(driver).reading is None)
        assert len(driver.toasts) == 1
        app_clock.step(10 * SOONEST)
        await wait_until(lambda: rows(driver)[code_id][1] == "0")
        assert "failed" not in driver.text
        await wait_until(lambda: watch(driver).reading is None)

        before = reads(driver, code_id)
        driver.app.post_message(AppBlur())
        await wait_until(lambda: "paused: the terminal has no focus" in driver.status_line)
        app_clock.step(HOUR)
        await driver.a_second_later()
        assert reads(driver, code_id) == before
        driver.app.post_message(AppFocus())
        await wait_until(lambda: reads(driver, code_id) == before + 1 and watch(driver).reading is None)
        await driver.press("1")
        app_clock.step(HOUR)
        await driver.a_second_later()
        assert reads(driver, code_id) == before + 1
        await driver.press("8")
        await wait_until(lambda: reads(driver, code_id) == before + 2)
