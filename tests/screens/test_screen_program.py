"""The same wherever the user is: help, palette, navigation, quitting, declared actions."""

import asyncio

import pytest
from textual import events
from textual.color import Color
from textual.containers import VerticalScroll

from linkdash.demo.server import Running
from linkdash.screens.actions import AnyAction
from linkdash.screens.lists.columns import ColumnsScreen
from linkdash.screens.program_actions import PROGRAM_ACTIONS
from linkdash.store.database import StoreAway
from linkdash.widgets.frame.header import Header
from linkdash.widgets.frame.key_help import KeyColumns
from linkdash.widgets.frame.message_line import READ_WITHIN
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.hand import Hand
from tests.waiting import resize, wait_until
from tests.widgets.sample import drawn


async def test_the_help_leads_to_the_guide_and_presses_the_key_that_was_found_in_it(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("?", "enter")
        assert "Keys on Pixels" in driver.text, "as long as nothing is looked for, there is nothing to press"
        assert "Do it" not in driver.text
        await driver.press(*"column")
        assert "Do it" in driver.text
        await driver.press("enter")
        await driver.opened(ColumnsScreen)
        await driver.press("escape", "?", *"sort", "down", "down", "up", "enter")
        await driver.wait_for("Name ▴")
        assert driver.table.has_focus
        await driver.press("?", "slash", *"column")
        assert "Do it" in driver.text, "the stroke that is in front of the input may be typed too"

        await driver.press("?", "f2", "j", "enter")
        await wait_until(lambda: "Guide: filters" in driver.text)
        assert "records with both words, each in any text" in driver.text
        await driver.press("escape", "f2", "k", "escape", "escape")
        await wait_until(lambda: "Keys on" not in driver.text)


async def test_help_lists_every_key_that_does_something_here(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, keys={"refresh": "f5,f6"}, place="users") as driver:
        await driver.settled()
        actions: list[AnyAction] = [*driver.screen.ACTIONS, *PROGRAM_ACTIONS]
        await driver.press("question_mark")
        assert "Keys on Users · all classes" in driver.text
        words = help_words(driver)
        for action in actions:
            assert (action.label in words) is (action.id != "edit"), "no user can be changed"
        for line in (
            ": ctrl+p Commands",
            "f5 f6 Refresh",
            "space Select",
            "esc Back",
            "pgdn One screen",
            "8 QR codes",
        ):
            assert line in words
        before = driver.text
        await driver.press("pagedown")
        assert driver.app.screen.query_one(VerticalScroll).scroll_y > 0
        assert driver.text != before
        await driver.press(*"refresh")
        await wait_until(
            lambda: "Ask the service for this page again (1 request) · refresh" in help_words(driver)
        )
        assert "Commands" not in help_words(driver)
        await driver.press("escape")
        assert driver.table.has_focus
        asked = len(driver.asked)
        await driver.press("r", "f5")
        await driver.settled()
        assert len(driver.asked) == asked + 1, "the key it had before does nothing"
        assert driver.toasts == ["r does nothing here: Refresh is on f5 now ? shows the keys that work here."]
        await Hand(driver).open("n")
        await driver.press("f1")
        assert "ctrl+s Save" in help_words(driver)
        assert "Select all" not in help_words(driver), "keys that do nothing in a form are not listed"
        assert len(driver.toasts) == 1


def help_words(driver: Driver) -> str:
    """All that the page of help says."""
    return " ".join(" ".join(drawn(driver.app.screen.query_one(KeyColumns))).split())


async def test_the_keys_of_a_form_or_filter_are_seen_beside_a_message(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        await driver.settled()
        await driver.press("/")
        assert "⏎ Apply" in driver.lines[-1]
        assert "esc Cancel" in driver.lines[-1]
        driver.app.warn("Something happened meanwhile.")
        await driver.wait_for("Something happened meanwhile.")
        assert driver.lines[-1].rstrip().endswith("⏎ Apply  esc Cancel")
        await driver.press("escape")
        await Hand(driver).open("n")
        driver.app.warn("Something else happened.")
        await driver.wait_for("Something else happened.")
        assert driver.lines[-1].rstrip().endswith("ctrl+s Save  esc Cancel")
        driver.app.messages._said_at -= READ_WITHIN
        await driver.press("tab", "x")
        assert "Something else happened." not in driver.lines[-1], "whoever types on has read it"


async def test_places_are_reached_by_a_click(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        for width, title, place in ((80, "5 Cam", "campaigns"), (140, "2 Domains", "domains")):
            await resize(driver.pilot, width, 24)
            lines = driver.lines
            y = next(number for number, line in enumerate(lines) if title in line)
            assert await driver.pilot.click(offset=(lines[y].index(title) + 3, y))
            await driver.settled()
            assert driver.app.current_mode == place


async def test_a_read_only_session_says_so_in_words(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, read_only=True) as driver:
        for place in ("account", "qr"):
            await driver.go(place)
            assert "● tests read-only" in driver.lines[0]
            offered = driver.lines[-1].split()
            assert "Help" in offered
            assert not {"New", "Edit", "Delete"}.intersection(offered)


async def test_keys_that_repeat_read_once_and_q_is_obeyed(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        asked = len(driver.asked)
        for _ in range(300):
            driver.app.post_message(events.Key("r", "r"))
        await driver.pilot.pause()
        await driver.settled()
        assert len(driver.asked) - asked <= 2, "keys that repeat do not pile up reads"
        assert set(driver.toasts) <= {
            "A page is already loading.",
            "A page was loaded since that key was pressed.",
        }
        await driver.press("question_mark", "ctrl+q")
    assert driver.app.return_code == 0, "also from a window"


async def test_a_fault_is_told_an_error_of_the_store_is_none_and_q_leaves_with_status_0_during_a_request(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"exception": StoreAway("The team's store is away.")})
        loop.call_exception_handler({"exception": ZeroDivisionError()})
        assert [told.partition(" Please")[0] for told in driver.toasts] == [
            "linkdash failed here (ZeroDivisionError)."
        ]

        await driver.press("r", "q")
        assert driver.app.return_code == 0


@pytest.mark.parametrize(("color", "expected"), [("#AA3355", (170, 51, 85)), ("no color", None)])
async def test_the_badge_has_the_color_of_the_profile(
    demo: Running, run_app: RunApp, color: str, expected: tuple[int, int, int] | None
) -> None:
    async with run_app(demo, color=color) as driver:
        await driver.settled()
        strip = driver.app.screen.query_one(Header).render_line(0)
        (style,) = (one.style for one in strip if "tests" in one.text)
        accent = Color.parse(driver.app.theme_variables["accent"])
        assert style is not None
        assert style.bgcolor is not None
        assert tuple(style.bgcolor.get_truecolor()) == (expected or accent.rgb)
