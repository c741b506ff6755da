"""Requests of the app, counted in the service's own log: never one it did not need."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from textual.events import ScreenResume

from linkdash.api.http.request import Request
from linkdash.demo import DemoSettings
from linkdash.demo.server import Running
from linkdash.model.lists.loaded_pages import STALE_AFTER
from linkdash.store.journal_entry import WriteIntent
from linkdash.store.page_cache import PageSnapshot
from tests.conftest import RunApp, StartDemo
from tests.screens.clock import HoldingClock
from tests.screens.driver import Driver
from tests.screens.places import ACCOUNT, PLACES, place_of
from tests.waiting import wait_until

PIXELS = "GET /api/pixels?limit=100&page="
DOMAINS = place_of("domains").request


@pytest.mark.nightly
async def test_each_place_costs_one_request_and_going_back_none(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        shown: dict[str, list[str]] = {}
        for place in PLACES:
            await driver.go(place.id)
            shown[place.id] = driver.records
        assert driver.asked == [place.request for place in PLACES]
        for place in PLACES[::3]:
            await driver.press(driver.key(place.id))
            assert driver.records == shown[place.id]
        app_clock.step(STALE_AFTER + 1)
        await driver.go("pixels")
        assert driver.status_line.endswith("as of now")
        assert driver.asked == [place.request for place in (*PLACES, place_of("pixels"))]
    assert not [entry for entry in demo.service.log if entry.invalid or entry.refused]


async def test_pages_that_are_loaded_cost_nothing(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.go("pixels")
        await driver.press("left_square_bracket")
        assert driver.toasts == ["This is the first page."]
        with app_clock.held():
            await driver.press("right_square_bracket", "right_square_bracket")
        await driver.settled()
        assert driver.status_line == "page 2 of 2 · 100 a page · 130 results · as of now"
        at = [driver.table.cursor_key]
        await driver.press("left_square_bracket")
        assert driver.status_line.startswith("page 1 of 2")
        at.append(driver.table.cursor_key)
        assert at == [30, 130]
        await driver.press("right_square_bracket", "right_square_bracket")
        assert driver.status_line.startswith("page 2 of 2")
        assert driver.toasts[-1] == "This is the last page."
        assert driver.asked == [ACCOUNT, PIXELS + "1", PIXELS + "2"]


async def test_a_second_run_paints_what_was_seen_before_and_asks_once(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.go("domains")
        rows = driver.records
    app_clock.step(3 * 3600)
    async with run_app(demo) as driver:
        await driver.settled()
        with app_clock.held():
            await driver.press(driver.key("domains"))
            old = "12 results · old, as of 3 h ago · refreshing…"
            await wait_until(lambda: old in driver.status_line and driver.records)
            assert driver.records == rows
        await driver.settled()
        assert "12 results · as of now" in driver.status_line
        assert driver.asked == [ACCOUNT, DOMAINS, ACCOUNT, DOMAINS]


async def test_what_nobody_waits_for_any_more_is_never_sent(start_demo: StartDemo, run_app: RunApp) -> None:
    demo = start_demo(DemoSettings(rate=2, window=3600))
    async with run_app(demo) as driver:
        await driver.go("domains")
        await driver.press(driver.key("overlays"))
        await driver.wait_for("1 request waits: next in")
        assert queued(driver) == [place_of("overlays").request]
        await driver.press(driver.key("account"))
        assert queued(driver) == []
        await driver.press("r", "question_mark")
        assert queued(driver) == [ACCOUNT], "help is no way to leave"
        await driver.press("escape")
        assert driver.status_line.endswith("refreshing…")
        assert driver.asked == [ACCOUNT, DOMAINS]


@pytest.mark.nightly
async def test_the_app_waits_for_the_window_instead_of_being_refused(
    start_demo: StartDemo, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=1, window=1.0))
    async with run_app(demo) as driver:
        await driver.go("domains")
        await driver.refresh()
        assert driver.asked == [ACCOUNT, DOMAINS, DOMAINS]
    assert not [entry for entry in demo.service.log if entry.refused]


async def test_a_place_left_before_its_store_answered_is_not_asked_for(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        with slow_store(driver) as stores:
            await driver.press(driver.key("domains"))
            await wait_until(lambda: stores)
            await driver.press(driver.key("account"))
            await wait_until(lambda: driver.app.current_mode == "account")
            for answered in stores:
                answered.set()
        await driver.go("overlays")
        assert driver.asked == [ACCOUNT, place_of("overlays").request]
        await driver.go("domains")
        assert driver.asked[2:] == [DOMAINS]


async def test_a_store_that_answers_after_the_service_changes_nothing(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        with slow_store(driver) as stores:
            await driver.press(driver.key("domains"))
            driver.screen.post_message(ScreenResume())
            await wait_until(lambda: stores)
            last = stores.pop()
            for answered in stores:
                answered.set()
            await driver.pilot.pause()
            last.set()
            await driver.settled()
        assert driver.asked == [ACCOUNT, DOMAINS]


@contextmanager
def slow_store(driver: Driver) -> Iterator[list[asyncio.Event]]:
    """Until the block ends the store answers a question with nothing, and that when its event is set."""
    asked: list[asyncio.Event] = []

    async def recall_all(request: Request, since: float) -> list[tuple[int, PageSnapshot]]:
        asked.append(asyncio.Event())
        await asked[-1].wait()
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver.app.session, "recall_all", recall_all)
        yield asked


def queued(driver: Driver) -> list[str]:
    """The requests that wait for their turn."""
    return [waiting.label for waiting in driver.app.session.gate.state.queued]


async def test_what_is_shown_when_the_machine_wakes_is_asked_for_once(
    demo: Running, app_clock: HoldingClock, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = time.time
    async with run_app(demo) as driver:
        await driver.go("domains")
        asked = len(driver.asked)
        app_clock.step(3600)
        await driver.wait_for("old, as of 1 h ago")
        await driver.a_second_later()
        assert len(driver.asked) == asked, "time alone asks for nothing"
        monkeypatch.setattr(time, "time", lambda: clock() + 3600)  # the process stood still for an hour
        await wait_until(lambda: len(driver.asked) == asked + 1)
        await driver.a_second_later()
        await driver.settled()
        assert len(driver.asked) == asked + 1
        assert "as of now" in driver.status_line


async def test_a_page_that_was_emptied_is_asked_for_anew(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        before = driver.asked
        collection = driver.screen.collection
        for id in collection.listing.ids_on(1):
            collection.apply_write(WriteIntent("pixels", "delete", (id,), {}), {})
        await wait_until(lambda: len(driver.asked) > len(before))
        await driver.settled()
        assert driver.asked[len(before) :] == [before[-1]]
        assert driver.table.rows
