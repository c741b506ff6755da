"""The start: a frame is painted before anything heavy is imported, and what is pressed meanwhile counts."""

import asyncio
import gc
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr
from textual.dom import DOMNode
from textual.screen import Screen

from linkdash import app as app_module
from linkdash.app import LinkdashApp
from linkdash.config import Settings
from linkdash.demo.server import Running
from linkdash.frame_settings import KeptPicture
from linkdash.model.session import Session
from linkdash.model.statistics.activity import Activity
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.screens.frame import OpeningScreen
from linkdash.screens.overview import OverviewScreen
from linkdash.screens.qr import QrScreen
from linkdash.screens.resource import ResourceScreen
from linkdash.store.database import StoreUnavailable
from linkdash.store.store import Store
from linkdash.widgets.form import Form
from linkdash.widgets.guards import RememberingStylesheet
from linkdash.widgets.table import RecordTable
from linkdash.widgets.themes import style_paths
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.places import ACCOUNT, place_of
from tests.waiting import DEADLINE, wait_until

HEAVY = (
    "pydantic",
    "httpx",
    "sqlite3",
    "plotext",
    "segno",
    "zoneinfo",
    "linkdash.api.budget",
    "linkdash.api.gate",
    "linkdash.api.model",
    "linkdash.widgets.form",
)
"""What the first paint does not wait for."""


class SlowStart:
    """Holds the session back until the test lets it come."""

    def __init__(
        self, running: Running, folder: Path, *, linear: bool = False, picture: KeptPicture | None = None
    ) -> None:
        self.settings = Settings("tests", running.base_url, SecretStr(running.api_key), linear=linear)
        self._folder = folder
        self._may_come = threading.Event()
        self.app = LinkdashApp(self.settings, self._open, picture=picture)

    def _open(self) -> Session:
        self._may_come.wait(DEADLINE)  # a test that fails before ends all the same
        store = Store(self._folder / "state", self._folder / "cache", "tests")
        self.session = Session(self.settings, store)
        return self.session

    def let_come(self) -> None:
        self._may_come.set()


@contextmanager
def slow_start(
    running: Running, folder: Path, *, linear: bool = False, picture: KeptPicture | None = None
) -> Iterator[SlowStart]:
    start = SlowStart(running, folder, linear=linear, picture=picture)
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
            assert "▌h Overview 1Acc 2Dom" in driver.text
            assert "Opening…" in driver.text
            await pilot.press("b", "w", "question_mark", "colon", "escape")
            assert isinstance(start.app.screen, OpeningScreen), "there is nothing to do anything with yet"
            assert driver.asked == []
            start.let_come()
            await wait_until(lambda: start.app.is_open)
            await driver.settled()
            assert driver.screen.place_id == "domains"
            assert driver.asked == [place_of("domains").request], "nobody wanted the account"
            await driver.go("account")
            assert driver.asked[1:] == [ACCOUNT]


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
    assert order[:2] == ["drawn", "ready"]


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


async def seen_last(running: Running, folder: Path, *, linear: bool = False) -> KeptPicture | None:
    """What a run that has been to the codes leaves of its overview, having ended elsewhere."""
    with slow_start(running, folder, linear=linear) as start:
        start.let_come()
        await start.app.action_go("qr")
        async with start.app.run_test(size=(140, 40)) as pilot:
            driver = Driver(start.app, pilot, running)
            await driver.opened(QrScreen)
            await driver.settled()
            await pilot.press("h")
            await driver.wait_for("Alte Brauerei")
            await driver.wait_for("dmitri.gruber  pro")
            await pilot.press("2", "q")
            await wait_until(lambda: start.app.return_code is not None)
    return start.app.picture


def held_reading(patch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    """Holds the reading of what is kept of codes: set once it has come so far, and to be set to go on."""
    reading, may_read = asyncio.Event(), asyncio.Event()
    read = StatisticsReader.activities

    async def read_when_it_may(reader: StatisticsReader) -> Mapping[int, Activity]:
        reading.set()
        await may_read.wait()
        return await read(reader)

    patch.setattr(StatisticsReader, "activities", read_when_it_may)
    return reading, may_read


async def test_what_was_seen_last_is_there_with_the_frame_until_the_new_has_no_gaps(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = await seen_last(demo, tmp_path)
    reading, may_read = held_reading(monkeypatch)
    with slow_start(demo, tmp_path, picture=picture) as start:
        async with start.app.run_test(size=(140, 40)) as pilot:
            driver = Driver(start.app, pilot, demo)
            known = [f"dmitri.gruber  pro{'':>20}", "100 have a history", "Top codes  by scans"]
            assert [text for text in known if text not in driver.text] == []
            assert "Opening… This is as of " in driver.lines[-1]
            assert "by this run in 1 h" not in driver.text, "that is another budget by now"
            before = [line[27:80] for line in driver.lines]
            start.let_come()
            await reading.wait()
            await pilot.pause()
            assert [line[27:80] for line in driver.lines] == before
            may_read.set()
            await driver.wait_for("0 requests by this run in 1 h")
            assert [text for text in known if text not in driver.text] == []
            assert [line[27:80] for line in driver.lines][3:20] == before[3:20]


async def test_who_wants_to_be_elsewhere_does_not_wait_for_the_overview(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = await seen_last(demo, tmp_path)
    reading, may_read = held_reading(monkeypatch)
    monkeypatch.setattr(app_module, "_GAPS_AFTER", 3600.0)
    with slow_start(demo, tmp_path, picture=picture) as start:
        async with start.app.run_test(size=(140, 40)) as pilot:
            start.let_come()
            await reading.wait()
            await pilot.press("2")
            driver = Driver(start.app, pilot, demo)
            await driver.wait_for("Root redirect")
            may_read.set()


async def test_what_was_read_for_the_picture_is_not_read_again(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = await seen_last(demo, tmp_path)
    times, read = [], StatisticsReader.activities

    async def counted(reader: StatisticsReader) -> Mapping[int, Activity]:
        times.append(1)
        return await read(reader)

    monkeypatch.setattr(StatisticsReader, "activities", counted)
    with slow_start(demo, tmp_path, picture=picture) as start:
        async with start.app.run_test(size=(140, 40)) as pilot:
            start.let_come()
            driver = Driver(start.app, pilot, demo)
            await driver.wait_for("0 requests by this run in 1 h")
            assert len(times) == 1


async def test_an_overview_that_is_long_read_comes_with_gaps(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = await seen_last(demo, tmp_path)
    _, may_read = held_reading(monkeypatch)
    monkeypatch.setattr(app_module, "_GAPS_AFTER", 0.0)
    with slow_start(demo, tmp_path, picture=picture) as start:
        async with start.app.run_test(size=(140, 40)) as pilot:
            start.let_come()
            driver = Driver(start.app, pilot, demo)
            await driver.wait_for("Reading saved data…")
            may_read.set()
            await driver.wait_for("100 have a history")


async def test_a_picture_that_cannot_be_made_holds_nobody_up_who_leaves(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(overview: OverviewScreen) -> KeptPicture:
        raise ZeroDivisionError

    monkeypatch.setattr(OverviewScreen, "picture", property(fails))
    assert await seen_last(demo, tmp_path) is None


async def test_of_a_terminal_that_was_too_small_nothing_is_kept(demo: Running, tmp_path: Path) -> None:
    with slow_start(demo, tmp_path) as start:
        start.let_come()
        async with start.app.run_test(size=(140, 40)) as pilot:
            driver = Driver(start.app, pilot, demo)
            await driver.wait_for("No scans are known yet.")
            await pilot.resize_terminal(50, 12)
            await driver.wait_for("This terminal is 50 by 12.")
            await pilot.press("q")
            await wait_until(lambda: start.app.return_code is not None)
    assert start.app.picture is None


async def test_it_opens_where_what_is_kept_cannot_be_read(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(reader: StatisticsReader) -> Mapping[int, Activity]:
        raise ZeroDivisionError

    picture = await seen_last(demo, tmp_path)
    monkeypatch.setattr(StatisticsReader, "activities", fails)
    with slow_start(demo, tmp_path, picture=picture) as start:
        async with start.app.run_test(size=(140, 40)) as pilot:
            start.let_come()
            driver = Driver(start.app, pilot, demo)
            await driver.wait_for("Reading saved data…")
            await driver.wait_for("(ZeroDivisionError)")
            assert start.app.is_open


async def test_what_was_seen_last_is_shown_only_where_it_fits(demo: Running, tmp_path: Path) -> None:
    picture = await seen_last(demo, tmp_path)
    assert picture is not None
    for size, kept in (
        ((139, 40), picture),
        ((140, 40), picture._replace(theme="linkdash-day")),
    ):
        with slow_start(demo, tmp_path, picture=kept) as start:
            async with start.app.run_test(size=size) as pilot:
                text = Driver(start.app, pilot, demo).text
                assert "Opening…" in text
                assert "dmitri.gruber" not in text
                start.let_come()


async def test_a_screen_reader_is_not_told_everything_twice(demo: Running, tmp_path: Path) -> None:
    assert await seen_last(demo, tmp_path, linear=True) is None


async def test_of_an_overview_that_was_not_complete_nothing_is_kept(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, may_read = held_reading(monkeypatch)
    with slow_start(demo, tmp_path) as start:
        start.let_come()
        async with start.app.run_test(size=(140, 40)) as pilot:
            await reading.wait()
            await pilot.press("q")
            await wait_until(lambda: start.app.return_code is not None)
            may_read.set()
    assert start.app.picture is None


def looks(app: LinkdashApp) -> dict[object, object]:
    """Every rule that styles something of what is shown, and the parts of it."""
    found: dict[object, object] = {}
    for node in app.screen.walk_children(with_self=True):
        names = node._get_component_classes()
        parts = {name: node.get_component_styles(name).base.get_rules() for name in names}
        found[node] = dict(node.styles.base.get_rules()), parts
    return found


async def test_style_sheets_that_come_later_change_nothing_that_is_there(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "_CALM_AFTER", 3600.0)  # they come only when they are asked for

    def missed() -> set[Path]:
        """The sheets that are still to come, which are read for a look, and then forgotten again."""
        app, read, before = start.app, dict(start.app.stylesheet.source), looks(start.app)
        app.stylesheet.complete_all(style_paths())
        app.stylesheet.update(app.screen)
        assert looks(app) == before
        app.stylesheet.source = read
        app.stylesheet.parse()
        return {path for path in style_paths() if not app.stylesheet.has_source(str(path))}

    for linear, size in ((False, (200, 50)), (True, (80, 24))):
        with slow_start(demo, tmp_path, linear=linear) as start:
            async with start.app.run_test(size=size) as pilot:
                of_opening = missed()
                start.let_come()
                await wait_until(lambda: start.app.screen.query("#since"))
                await pilot.pause()
                assert of_opening > missed() > set()


async def test_nothing_is_parsed_for_a_screen_that_comes_when_all_was_calm(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "_CALM_AFTER", 0.01)
    with slow_start(demo, tmp_path) as start:
        start.let_come()
        async with start.app.run_test() as pilot:
            sheet = start.app.stylesheet
            await wait_until(lambda: sheet.has_source(str(style_paths()[-1])) and not sheet._require_parse)
            known = set(sheet.source)
            await pilot.press("5")
            await wait_until(lambda: start.app.screen.query(RecordTable))
            await pilot.press("d", "escape", "n")
            await wait_until(lambda: start.app.screen.query(Form))
            assert set(sheet.source) == known


async def test_what_comes_is_styled_once(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    anew: list[DOMNode] = []
    update_nodes = RememberingStylesheet.update_nodes

    def counted(sheet: RememberingStylesheet, nodes: Iterable[DOMNode], animate: bool = False) -> None:
        every = [*nodes]
        anew.extend(node for node in every if isinstance(node, ResourceScreen | Form) and node.children)
        update_nodes(sheet, every, animate)

    monkeypatch.setattr(RememberingStylesheet, "update_nodes", counted)
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.go("domains")
        assert anew == [], "it was styled as it came"
        await driver.press("n")
        await wait_until(lambda: driver.app.screen.query(Form))
        await driver.pilot.pause()
        assert [type(node) for node in anew].count(Form) <= 2, "for its width, and for the focus in it"
        assert len(anew) <= 3, "the screen makes room, no more"


async def test_old_garbage_is_looked_for_while_nobody_does_anything(
    demo: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[float] = []
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 99))
    monkeypatch.setattr(gc, "collect", lambda: looked.append(time.monotonic()))
    monkeypatch.setattr(app_module, "_AWAY_AFTER", 3600.0)
    with slow_start(demo, tmp_path) as start:
        start.let_come()
        async with start.app.run_test() as pilot:
            await wait_until(lambda: start.app.is_open)
            await pilot.press("j")
            start.app._collect_garbage()
            assert not looked
            monkeypatch.setattr(app_module, "_AWAY_AFTER", 0.0)
            start.app._collect_garbage()
            assert looked


def test_the_first_paint_waits_for_nothing_heavy() -> None:
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys, linkdash.app; print([m for m in {HEAVY!r} if m in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "[]\n"


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
