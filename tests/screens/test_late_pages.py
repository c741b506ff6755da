"""A page that was asked for before a change, and comes after it, takes nothing of that change back."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.screens.resource_screen import ResourceScreen
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.hand import Hand
from tests.waiting import DEADLINE, wait_until


@contextmanager
def late(demo: Running, path: str) -> Iterator[None]:
    """Answer the next read of a list as it is by then, but only after the block."""
    comes = threading.Event()
    demo.service.faults.next("GET", path, Fault(meanwhile=lambda: comes.wait(DEADLINE)))
    try:
        yield
    finally:
        comes.set()


async def refreshing(driver: Driver) -> ResourceScreen:  # type: ignore[type-arg]  # of any record
    """Ask for the list again, and wait until the service has looked it up."""
    asked = len(driver.asked)
    await driver.press("r")
    await wait_until(lambda: len(driver.asked) > asked and not driver.running.service.faults.pending)
    return driver.screen


async def test_a_subscription_stays_in_sight(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        driver.table.move_to_key(3)
        with late(demo, "/api/users"):
            screen = await refreshing(driver)
            await hand.open("a")
            await hand.fill({"plan_id": "starter", "type": "yearly"})
            await hand.ask("ctrl+s")
            await hand.press("y")
            await hand.sent(1)
            await wait_until(lambda: screen.collection.notes.get(3) == "changed")
            before = [*screen.collection.listing.pages.values()]
        await driver.settled()
        pages = screen.collection.listing.pages.values()
        assert not any(page is one for page in pages for one in before), "the page has come"
        user = screen.collection.listing.record(3)
        assert user is not None
        assert (user.planid, user.status) == (1, "free")
        assert screen.collection.notes == {3: "changed"}
        await driver.refresh()
        assert screen.collection.notes == {}


async def test_what_was_deleted_stays_away_and_what_was_made_stays(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        gone = driver.screen.row
        assert gone is not None
        with late(demo, "/api/pixels"):
            screen = await refreshing(driver)
            await hand.ask("d")
            await hand.press("y")
            await hand.sent(1)
            await hand.open("n")
            await hand.fill({"type": "bing", "name": "Made meanwhile", "tag": "87654321"})
            await hand.press("ctrl+s")
            await hand.sent(2)
            await wait_until(lambda: "new" in screen.collection.notes.values())
        await driver.settled()
        names = [pixel.name for pixel in screen.collection.records]
        assert "Made meanwhile" in names
        assert screen.collection.listing.record(gone.id) is None
        assert screen.collection.total == 130
        assert len(screen.collection.records) == 100
