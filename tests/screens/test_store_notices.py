"""A store on a bad day: what happened is told once and stays in sight, and the app goes on."""

from pathlib import Path

from textual.widgets import Static

from linkdash.demo.server import Running
from tests.conftest import RunApp
from tests.screens.conftest import USERS
from tests.screens.driver import Driver, shown
from tests.screens.places import place_of
from tests.waiting import wait_until


def damaged(cache: Path) -> None:
    (cache / "cache.db").write_bytes(b"this is no database" * 400)


async def told_once(driver: Driver, words: str) -> None:
    """The words were told in passing, once, and stand on the budget screen."""
    await wait_until(lambda: any(words in toast for toast in driver.toasts), lambda: str(driver.toasts))
    await driver.press("b")
    await wait_until(lambda: words in shown(driver.app.screen.query_one("#notes", Static)))
    await driver.press("escape")
    assert len([toast for toast in driver.toasts if words in toast]) == 1


async def test_a_file_that_cannot_be_used(demo: Running, run_app: RunApp, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    damaged(cache)
    async with run_app(demo, size=(200, 30), place="domains") as driver:
        await driver.settled()
        assert len(driver.table.rows) == 12
        await told_once(driver, "cache.db was damaged: it was moved to cache.db.corrupt-")
        await driver.refresh()
        assert "as of now" in driver.status_line
        assert driver.asked == [place_of("domains").request] * 2


async def test_a_disk_that_becomes_full(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        await driver.app.session.store.pages._database.select("PRAGMA max_page_count = 1")
        await driver.go("users")
        assert len(driver.table.rows) == USERS
        await told_once(driver, "cache.db: the disk is full. Free some space.")
