"""The start: a frame is painted before anything heavy is imported, and what is pressed meanwhile counts."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr
from textual.screen import Screen

from linkdash.app import LinkdashApp
from linkdash.demo.server import Running
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.screens.insight.overview import OverviewScreen
from linkdash.screens.opening import OpeningScreen
from linkdash.store.database import StoreUnavailable
from linkdash.store.store import Store
from linkdash.widgets.frame import typeahead
from tests.screens.driver import Driver
from tests.screens.places import ACCOUNT, place_of
from tests.typist import send
from tests.waiting import DEADLINE, wait_until


class SlowStart:
    """A session held back until the test lets it come."""

    def __init__(self, running: Running, folder: Path) -> None:
        self.settings = Settings("tests", running.base_url, SecretStr(running.api_key))
        self._folder = folder
        self._may_come = threading.Event()
        self.app = LinkdashApp(self.settings, self._open)

    def _open(self) -> Session:
        self._may_come.wait(DEADLINE)  # a test that fails before ends all the same
        store = Store(self._folder / "state", self._folder / "cache", "tests")
        self.session = Session(self.settings, store)
        return self.session

    def let_come(self) -> None:
        self._may_come.set()


@contextmanager
def slow_start(running: Running, folder: Path) -> Iterator[SlowStart]:
    start = SlowStart(running, folder)
    try:
        yield start
    finally:
        start.let_come()


async def test_the_frame_is_there_first_and_the_place_that_was_wanted_comes(
    demo: Running, tmp_path: Path
) -> None:
    with slow_start(demo, tmp_path) as start:
        async with start.app.run_test(size=(80, 24)) as pilot:
            await pilot.press("2")
            assert isinstance(start.app.screen, OpeningScreen)
            driver = Driver(start.app, pilot, demo)
            assert "● tests" in driver.text
            assert "▌h Overview 1 Account 2 Domains" in driver.text
            (opening,) = [line for line in driver.lines if "Opening tests · 127.0.0.1" in line]
            assert len(opening) - len(opening.lstrip()) > 10, "in the middle"
            assert "nothing is asked of the service" in driver.text
            assert "Keys pressed now are kept until it is open." in driver.text
            assert driver.lines[-1].startswith(" q Quit"), "where every screen has its keys"
            assert [line for line in driver.lines if "Overview" in line][-1].startswith("─Overview──")
            assert driver.app.screen.query_one("#middle").region.bottom == 22, "two bars are below, as later"
            assert driver.asked == []
            start.let_come()
            await wait_until(lambda: start.app.is_open)
            await driver.settled()
            assert driver.screen.place_id == "domains"
            assert driver.asked == [place_of("domains").request], "nobody wanted the account"
            await driver.go("account")
            assert driver.asked[1:] == [ACCOUNT]


async def test_what_is_typed_while_it_opens_is_for_the_place_that_was_named(
    demo: Running, tmp_path: Path
) -> None:
    with slow_start(demo, tmp_path) as start:
        async with start.app.run_test(size=(80, 24)) as pilot:
            send(start.app, "7", "slash", *"type", "colon", *"bingq", "backspace", "enter")
            await pilot.pause()
            assert isinstance(start.app.screen, OpeningScreen)
            start.let_come()
            await wait_until(lambda: start.app.is_open)
            await wait_until(lambda: not start.app.message_queue_size and start.app.type_ahead.is_idle)
            driver = Driver(start.app, pilot, demo)
            await driver.settled()
            assert driver.screen.place_id == "pixels"
            assert driver.screen.collection.arrangement.text == "type:bing"
            assert driver.table.has_focus


async def test_escape_takes_back_what_was_typed_while_it_opens(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typeahead, "ESCAPE_AFTER", 0)
    with slow_start(demo, tmp_path) as start:
        async with start.app.run_test(size=(80, 24)) as pilot:
            await pilot.press("b", "question_mark", "escape")
            start.let_come()
            await wait_until(lambda: start.app.is_open)
            await wait_until(lambda: start.app.type_ahead.is_idle)
            assert isinstance(start.app.screen, OverviewScreen)


async def test_what_is_heavy_waits_for_the_first_paint_and_for_nothing_else(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    draw, ready = Screen._compositor_refresh, LinkdashApp.on_ready

    def drawn(screen: Screen[object]) -> None:
        order.append("drawn")
        draw(screen)

    def is_ready(app: LinkdashApp) -> None:
        order.append("ready")
        ready(app)

    monkeypatch.setattr(Screen, "_compositor_refresh", drawn)
    monkeypatch.setattr(LinkdashApp, "on_ready", is_ready)
    with slow_start(demo, tmp_path) as start:
        async with start.app.run_test():
            start.let_come()
            await wait_until(lambda: start.app.is_open)
    assert order[0] == "drawn"
    assert order.count("ready") == 1


async def test_it_can_be_left_before_it_is_open(demo: Running, tmp_path: Path) -> None:
    with slow_start(demo, tmp_path) as start:
        async with start.app.run_test() as pilot:
            await pilot.press("q")
            start.let_come()
            await wait_until(lambda: start.app.return_code is not None)
        assert start.app.return_code == 0
        with pytest.raises(StoreUnavailable, match="closed"):
            await start.session.store.journal.unknown()
    assert not [*demo.service.log]


async def test_leaving_while_the_first_screen_is_made_is_no_fault(demo: Running, tmp_path: Path) -> None:
    with slow_start(demo, tmp_path) as start:
        await start.app.action_go("account")
        async with start.app.run_test(size=(80, 24)):
            start.let_come()
            await wait_until(lambda: start.app.is_open)
            start.app.action_do("quit")
            await wait_until(lambda: start.app.return_code is not None)
        assert start.app.return_code == 0
        assert not list((tmp_path / "state").rglob("fault-*"))
