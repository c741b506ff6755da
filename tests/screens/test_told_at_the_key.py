"""Answers of keys and windows to who does not know them yet."""

import pytest
from textual.widgets import Input

from linkdash.demo.server import Running
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.resources.plans import PlansScreen
from linkdash.screens.windows.help import HelpScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.widgets.form.form import Form
from linkdash.widgets.frame.message_line import Message, MessageKind
from tests.conftest import RunApp
from tests.screens.hand import Hand
from tests.waiting import wait_until


async def test_a_key_without_effect_says_where_it_works(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("m")
        assert driver.toasts[-1].startswith("m works in Plans: Matrix 9 goes there, ? shows")


async def test_the_key_of_the_matrix_goes_back_from_it(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("9")
        await driver.opened(PlanMatrixScreen)
        await driver.press("m")
        await driver.opened(PlansScreen)
        await driver.press("m")
        await driver.opened(PlanMatrixScreen)


async def test_no_recent_record_has_a_letter_that_moves(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        for code in driver.screen.collection.records[:14]:
            await driver.app.session.recents.opened("qr", code.id, str(code.id))
        await driver.press("R")
        await driver.opened(PickerScreen)
        picker = driver.app.screen
        assert isinstance(picker, PickerScreen)
        keys = [choice.key for choice in picker.choices]
        assert not set("jkgG") & set(keys)
        assert len(keys) > 9
        await driver.press("j", "j", "k", "enter")
        await wait_until(lambda: driver.table.cursor_key == int(picker.choices[1].value.split()[2]))


async def test_the_ends_of_the_help_are_reached_by_keys(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(80, 24), place="qr") as driver:
        await driver.settled()
        await driver.press("?")
        await driver.opened(HelpScreen)
        page = driver.app.screen.query_one("#page")
        await driver.press("end")
        assert page.scroll_offset.y == page.max_scroll_y > 0
        await driver.press("home")
        assert page.scroll_offset.y == 0
        await driver.press(*"filter", "end")
        assert driver.app.screen.query_one(Input).value == "filter"


async def test_sorting_goes_through_what_is_in_sight(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(80, 24), place="users") as driver:
        await driver.settled()
        hidden = driver.table.without_room
        assert hidden
        for _ in driver.table.columns:
            await driver.press("s")
            orders = driver.screen.collection.arrangement.orders
            assert not orders or orders[0][0] not in hidden
        driver.screen.collection.order_by([(min(hidden), True)])
        await driver.a_second_later()
        assert "(hidden)" in driver.text
        await driver.press("slash", *"nobody at all", "enter")
        before = driver.screen.collection.arrangement.orders
        for key in "sS":
            await driver.press(key)
            assert driver.toasts[-1] == "There is no user to sort.", "an order is not seen without rows"
        assert driver.screen.collection.arrangement.orders == before


async def test_the_question_of_a_bulk_edit_tells_its_way_back(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.press("space", "space")
        await hand.open("e")
        await hand.fill({"tag": "changed"})
        await driver.press("ctrl+s")
        await driver.wait_for("u undoes them afterwards.")


async def test_the_question_of_a_bulk_edit_that_undo_cannot_take_back_says_so(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.press("space", "space")
        await hand.open("e")
        await hand.fill({"slug": "of-both"})
        await driver.press("ctrl+s")
        await driver.wait_for("u cannot undo them: the old rotator slug is not known.")


@pytest.mark.parametrize("key", ["w", "b"])
async def test_an_error_stays_when_a_window_over_the_screen_is_closed(
    demo: Running, run_app: RunApp, key: str
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press(key)
        await driver.painted()
        driver.app.post(Message(MessageKind.ERROR, "It failed.", "Try it again."))
        await driver.wait_for("It failed.")
        await driver.press("?", "escape")
        await driver.painted()
        assert "It failed." in driver.text
        await driver.press("escape")
        await wait_until(lambda: "It failed." not in driver.text)


async def test_no_key_that_would_be_typed_is_offered_where_one_types(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains", size=(140, 40)) as driver:
        await driver.settled()
        await driver.press("slash")
        await driver.settled()
        assert "Previous place" not in driver.lines[-1]


async def test_a_choice_that_there_is_not_is_said_to_be_none(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        await driver.settled()
        await driver.press("a")
        await wait_until(lambda: driver.app.screen.query(Form))
        await driver.press(*"monthly", "tab")
        await driver.wait_for("no match: choose one of the list")
