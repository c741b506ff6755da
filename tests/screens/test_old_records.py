"""A record that was read long ago: before it is saved it can be read again, and three sides are shown."""

import pytest

from linkdash.demo.server import Running
from linkdash.model.intents import OLD
from linkdash.screens.windows import PickerScreen
from tests.conftest import RunApp
from tests.screens.clock import HoldingClock
from tests.screens.hand import Hand
from tests.service.visitor import Visitor
from tests.waiting import wait_until

PIXEL = 130


@pytest.fixture
def other(demo: Running) -> Visitor:
    """Somebody else with a key of the same account."""
    return Visitor(demo, demo.api_key)


async def saved(hand: Hand, clock: HoldingClock, label_at: int) -> None:
    """Renames the first pixel long after it was read, and chooses from what is offered."""
    await hand.open("e")
    await hand.fill({"name": "Mine"})
    clock.step(OLD + 1)
    await hand.press("ctrl+s", "ctrl+s")
    await wait_until(lambda: isinstance(hand.driver.app.screen, PickerScreen))
    await hand.see("was read 10 min ago")
    await hand.press(*["j"] * label_at, "enter")


async def test_what_others_changed_is_shown_and_kept(
    demo: Running, other: Visitor, app_clock: HoldingClock, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        with other:
            other.ask("PUT", f"/api/pixel/{PIXEL}/update", {"name": "Theirs", "tag": "NEW-1"})
            await saved(hand, app_clock, 0)
            await wait_until(hand.asks)
            assert hand.listed[3:] == [
                "    will  NEW-1",  # the tag was left alone
                "Name",
                "    was   Kita Sonnenblume season tickets",
                "    is    Theirs",
                "    will  Mine",
            ]
            await hand.press("y")
            await hand.sent(2)
            rows = other.read("/api/pixels?limit=100")["data"]["pixels"]
        pixel = next(row for row in rows if row["id"] == PIXEL)
        assert (pixel["name"], pixel["tag"]) == ("Mine", "NEW-1")


async def test_without_a_look_it_is_sent(demo: Running, app_clock: HoldingClock, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        reads = len(driver.asked)
        await saved(hand, app_clock, 1)
        await hand.sent(1)
        assert f"PUT /api/pixel/{PIXEL}/update" in driver.asked[reads:]


async def test_going_back_keeps_the_form_and_a_list_that_came_meanwhile_is_the_look(
    demo: Running, other: Visitor, app_clock: HoldingClock, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"name": "Mine"})
        app_clock.step(OLD + 1)
        with other:
            other.ask("PUT", f"/api/pixel/{PIXEL}/update", {"name": "Theirs", "tag": "NEW-1"})
        await hand.press("ctrl+s", "ctrl+s")
        await wait_until(lambda: isinstance(driver.app.screen, PickerScreen))
        await hand.press("escape")
        await wait_until(lambda: hand.has_form() and not hand.form._busy)
        await driver.settled()  # coming back, the list was old and asked for again
        assert hand.typed("name") == "Mine"
        await hand.press("ctrl+s")
        await wait_until(hand.asks)
        assert "is    Theirs" in "\n".join(hand.listed)
        await hand.press("escape")
        await wait_until(lambda: hand.has_form() and not hand.form._busy)
        assert len(hand.writes) == 1, "theirs"
