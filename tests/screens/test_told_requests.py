"""The number of requests that a question about many changes tells is the number that the service gets."""

import re

from linkdash.demo.server import Running
from tests.conftest import RunApp
from tests.screens.clock import HoldingClock
from tests.screens.hand import Hand
from tests.waiting import wait_until


async def _sent_as_told(hand: Hand, question: str, finished: str, *, told: int) -> None:
    """Agree to a question; compare what it told with what is sent from then on."""
    asked, toasts = len(hand.driver.asked), len(hand.driver.toasts)
    assert re.findall(r"(\d+) requests?[:,.]", question) == [str(told)], question
    await hand.press("y")
    await wait_until(lambda: finished in "".join(hand.driver.toasts[toasts:]), lambda: hand.driver.text)
    await hand.see(f"Finished · {finished} · {told} requests")
    assert len(hand.driver.asked) - asked == told, hand.driver.asked[asked:]


async def test_for_an_edit_of_many_its_undo_and_a_delete_of_many(
    demo: Running, run_app: RunApp, app_clock: HoldingClock
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space", "space")
        await hand.open("e")
        await hand.fill({"public": "yes"})
        question = await hand.ask("ctrl+s")
        await _sent_as_told(hand, question, "2 done", told=3)
        app_clock.step(1)  # what is read from now on is later than what was sent
        question = await hand.ask("u")
        await _sent_as_told(hand, question, "2 done", told=3)
        await hand.press("7")
        await driver.settled()
        await hand.press("space", "space", "space")
        question = await hand.ask("d")
        await _sent_as_told(hand, question, "3 done", told=3)
