"""A request and its answer, as they went: from the budget and from the journal, without a secret."""

import json

import pytest

from linkdash.api.http.secrecy import MASK
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.screens.windows.viewer import ViewerScreen
from tests.conftest import RunApp
from tests.screens.hand import Hand
from tests.waiting import resize, wait_until


async def test_a_request_and_its_answer_are_shown_and_a_user_in_full_has_what_the_row_says_too(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users", size=(140, 60)) as driver:
        await driver.settled()
        asked = driver.asked
        await driver.press("b", "enter")
        await driver.wait_for("HTTP 200 after")
        assert f"GET {demo.base_url}/api/users" in driver.text
        assert f"Authorization: Bearer {MASK}" in driver.text
        assert '"error": "0"' in driver.text
        assert f'"apikey": "{MASK}"' in driver.text
        assert demo.api_key not in driver.text
        assert driver.asked == asked
        await driver.press("escape", "escape")
        await resize(driver.pilot, 80, 24)
        await driver.press("enter")
        await driver.opened(ViewerScreen)
        for title in ("Class", "Expires", "Plan id", "Registered"):
            await driver.wait_for(f" {title}  ")


async def test_what_was_changed_here_is_not_said_to_be_what_the_service_sent(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.press("v")
        await hand.see("(130) as the service sent it")
        await driver.press("escape")
        await hand.open("e")
        await hand.fill({"tag": "T-1"})
        await hand.save()
        await driver.press("v")
        await hand.see("(130) as changed here")
        await driver.press("escape", "r")
        await driver.settled()
        await driver.press("v")
        await hand.see("(130) as the service sent it")


@pytest.mark.nightly
async def test_the_journal_shows_what_was_sent_and_what_came_back(demo: Running, run_app: RunApp) -> None:
    said = {"error": 1, "message": f"no {demo.api_key} hunter22"}
    demo.service.faults.next("POST", "/api/user/add", Fault(content=json.dumps(said).encode()))
    async with run_app(demo, place="users", size=(140, 50)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        person = {"username": "anna", "email": "a@example.org", "password": "hunter22"}
        await hand.fill(person)
        await hand.save()
        await hand.press("escape", "tab", "enter")
        await wait_until(lambda: not hand.has_form())
        await hand.press("w", "enter")
        await hand.see("/api/user/add")
        for shown in ('"username": "anna"', f'"password": "{MASK}"', '"error": 1', f'"no {MASK} {MASK}"'):
            assert shown in driver.text
        assert "hunter22" not in driver.text
        assert demo.api_key not in driver.text
        await hand.press("y")
        assert "hunter22" not in driver.app.clipboard
