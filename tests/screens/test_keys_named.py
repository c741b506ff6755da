"""The user's own keys are named wherever a key is named: no text lies after a remapping."""

import re

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.screens.key_clashes import key_contexts
from linkdash.screens.registry import every_screen
from linkdash.screens.windows.viewer import ViewerScreen
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.waiting import resize, wait_until

KEYS = {"go-domains": "f6", "refresh": "f5", "journal": "f7", "quit": "f10", "load-all": "f8"}
LIES = re.compile(
    r"\b2 Domains|Domains \(2\)|\b[rL] (tries|asks|loads|refreshes|Refresh)|\bq (Quit|quits)|\bw shows"
)


def assert_no_text_lies(driver: Driver) -> None:
    assert not LIES.search(" ".join(driver.text.split())), driver.text
    assert not [toast for toast in driver.toasts if LIES.search(toast)]


@pytest.mark.parametrize("size", [(80, 24), pytest.param((140, 40), marks=pytest.mark.nightly)])
async def test_no_text_names_a_key_that_was_remapped(
    demo: Running, run_app: RunApp, size: tuple[int, int]
) -> None:
    demo.service.faults.next("GET", "/api/domains", Fault(handled=False, status=500))
    async with run_app(demo, size=size, keys=KEYS) as driver:
        await driver.settled()
        await driver.press("2")
        assert driver.app.current_mode == "account", "the key it had before does nothing"
        await driver.press("f6")
        await driver.settled()
        assert driver.state.endswith("f5 tries again.")
        assert "f6 Dom" in driver.text, "sidebar or tabs"
        assert_no_text_lies(driver)
        await driver.press("f5")
        await driver.settled()
        assert len(driver.table.rows) == 12
        await driver.press("escape")
        assert driver.toasts[-1] == "esc has nothing to close here; - goes to the previous place, f10 quits."
        await driver.go("qr")
        assert_no_text_lies(driver)
        await driver.press("slash", *"zoo", "enter")
        assert "f8 loads the rest" in driver.status_line
        await driver.press("question_mark")
        await driver.wait_for("Keys on QR codes")
        assert_no_text_lies(driver)
        await driver.press("escape", "colon", *"domains")
        await driver.wait_for("→ Domains")
        (line,) = [line for line in driver.lines if "→ Domains" in line]
        assert " f6 " in line
        assert_no_text_lies(driver)


async def test_the_help_explains_every_sign_and_messages_are_kept_to_be_read_again(
    demo: Running, run_app: RunApp
) -> None:
    signs = ("● fresh", "· not sent", "– no value", "= same", "! look at it", "≈ estimate")
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        for size in ((100, 30), (140, 40)):
            await resize(driver.pilot, *size)
            await driver.press("?")
            await driver.wait_for("type a key or a word")
            for words in signs:
                assert words in driver.text, words
            await driver.press("escape")
        await driver.press("S", "escape", "M")
        await wait_until(lambda: "Messages" in driver.text)
        assert "There is no order to reverse; s sorts." in driver.text
        text = driver.text
        assert text.index("has nothing to close here") < text.index("There is no order"), "the newest first"
        await driver.press("j", "enter")
        await driver.opened(ViewerScreen)
        assert "There is no order to reverse; s sorts." in driver.text


def test_every_screen_takes_part_in_the_check_of_keys() -> None:
    contexts = [{id for id, _ in context} for context in key_contexts()]
    for screen in every_screen():
        ids = {action.id for action in screen.ACTIONS}
        assert any(ids <= context for context in contexts), screen.__name__
    names = {screen.__name__ for screen in every_screen()}
    assert {
        "CompareScreen",
        "WatchScreen",
        "JobScreen",
        "JournalScreen",
        "BudgetScreen",
    } <= names
