"""Without the service: everything seen before is there, told as old, and nothing secret lies in any file."""

import json
import sqlite3
import zlib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.screens.windows.confirm import ConfirmScreen
from tests.conftest import PLENTY, RunApp
from tests.screens.clock import HoldingClock
from tests.screens.driver import Driver
from tests.screens.exports import downloads_folder, export, files
from tests.screens.places import PLACES
from tests.service.visitor import Visitor
from tests.waiting import wait_until


async def walk(driver: Driver) -> dict[str, list[str]]:
    """Return what every place shows, by its id."""
    shown = {}
    for place in PLACES:
        await driver.go(place.id)
        shown[place.id] = driver.names
    return shown


def contents(path: Path) -> bytes:
    """All bytes of a file, and what is compressed in it if it is a database."""
    found = [path.read_bytes()]
    if path.suffix == ".db":
        connection = sqlite3.connect(path)
        for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            values = chain.from_iterable(connection.execute(f"SELECT * FROM {table}"))
            found += [zlib.decompress(value) for value in values if isinstance(value, bytes)]
        connection.close()
    return b"\n".join(found)


def all_contents(folder: Path) -> dict[str, bytes]:
    return {path.name: contents(path) for path in folder.rglob("*") if path.is_file()}


def assert_no_secret_is_stored(folder: Path, users: list[dict[str, Any]]) -> None:
    stored = all_contents(folder)
    assert {"cache.db", "state.db", "history.db"} <= stored.keys()
    assert users
    assert all(user["email"].encode() in stored["cache.db"] for user in users), "the list was kept"
    for name, content in stored.items():
        assert not [user["id"] for user in users if user["apikey"].encode() in content], name


@pytest.mark.nightly
async def test_everything_seen_before_is_read_filtered_and_exported_and_holds_no_secret(
    app_clock: HoldingClock, twin: Visitor, run_app: RunApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads = downloads_folder(tmp_path, monkeypatch)
    with serve_in_thread(DemoSettings(rate=PLENTY, clock=app_clock)) as demo:
        async with run_app(demo) as driver:
            shown = await walk(driver)
    assert_no_secret_is_stored(tmp_path, twin.read("/api/users")["data"])
    app_clock.step(2 * 3600)
    async with run_app(demo) as driver:
        for place in PLACES:
            await driver.go(place.id)
            # The head counts columns, whose room changes; before a name may be a sign of what is known now.
            named, before = ([line[3:] for line in lines[1:]] for lines in (driver.names, shown[place.id]))
            assert named == before
            assert "old, as of 2 h ago · not refreshed" in driver.status_line
            assert driver.status_tone == "warning"
            assert "could not be reached: connection refused" in driver.toasts[-1]
        await driver.press("slash", *'status:free expires:""', "enter", "s", "s")
        assert 700 < len(driver.table.rows) < 900
        await driver.press("x")
        await driver.wait_for("records, data of 2 h ago")
        await driver.press("escape")
        await export(driver, "Shown", "JSON to a file")
        (path,) = files(downloads)
        handed = json.loads(path.read_text())
        assert len(handed["records"]) == len(driver.table.rows)
        assert handed["as_of"] == "2026-09-21T14:13:20+00:00", "when the service said it, not now"


async def test_a_refresh_that_fails_takes_nothing_away(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("slash", *"bing", "enter", "s", "s", "S", "j", "j", "space", "j")
        before = (driver.records, driver.table.marks, driver.table.cursor_key, driver.table.sort)
        demo.service.faults.next("GET", "/api/pixels", Fault(handled=False, status=500, content=b"{}"))
        await driver.refresh()
        assert (driver.records, driver.table.marks, driver.table.cursor_key, driver.table.sort) == before
        assert "not refreshed" in driver.status_line
        await driver.refresh()
        assert (driver.records, driver.table.marks, driver.table.cursor_key, driver.table.sort) == before
        assert "not refreshed" not in driver.status_line


async def test_the_frame_says_since_when_nobody_answers_and_knows_no_budget_then(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        assert "offline" not in driver.lines[0]
        demo.service.faults.next("GET", "/api/pixels", Fault(drop=True))
        await driver.press("r")
        await driver.wait_for("! offline since ")
        assert "budget not known while offline" in driver.text
        assert "of 1000 left" not in driver.text
        await driver.press("r")
        await wait_until(lambda: "offline" not in driver.text and "of 1000 left" in driver.text)


async def test_nothing_is_called_saved_while_an_outcome_is_unknown(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        assert "all saved" in driver.text
        demo.service.faults.next("DELETE", "/api/pixel/*", Fault(drop=True, handled=True))
        await driver.press("d")
        await driver.opened(ConfirmScreen)
        await driver.press("y")
        await driver.wait_for("1 change of unknown outcome")
        assert "all saved" not in driver.text
        await driver.press("w", "f")
        await driver.wait_for("all saved")
