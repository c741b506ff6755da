"""Slips that must not do harm: another record's form, a record without a name, a key with nothing to do."""

import asyncio
import json

import pytest
from textual import events

from linkdash.app import LinkdashApp
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.browser import has_browser
from linkdash.screens.registry import every_screen
from linkdash.screens.windows.questions import typable
from linkdash.widgets.form.form import Form
from tests.conftest import RunApp
from tests.screens.hand import Hand
from tests.waiting import resize, wait_until


async def test_a_form_that_was_left_for_the_list_guards_it_from_undo_and_delete(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"tag": "changed"})
        await hand.save()
        await hand.sent(1)
        await wait_until(lambda: not hand.has_form())
        await hand.open("j", "e")
        before = driver.text
        driver.table.focus()
        await hand.press("k", "u")
        await wait_until(lambda: driver.toasts[-1].startswith("A form is open"))
        await hand.press("d")
        assert driver.toasts[-1] == "A form is open: save or close it first."
        assert not hand.asks()
        assert "Edit Atlas Books gift cards" in before
        form = driver.screen.pane.form
        assert form is not None
        assert not form.changed
        assert len(hand.writes) == 1


async def test_no_key_on_a_switch_leaves_the_form(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.go("domains")
        await driver.go("channels")
        await hand.open("n")
        hand.row("starred").focus_input()
        assert "Previous place" not in driver.lines[-1]
        await hand.press("minus", "slash", "2", "h", "R")
        assert driver.app.current_mode == "channels"
        assert hand.form.has_focus_within
        assert driver.toasts == []


async def test_there_is_never_a_second_form_however_slow_names_come(
    demo: Running, run_app: RunApp, names: asyncio.Event
) -> None:
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("a")
        driver.screen.action_do("new")
        assert driver.toasts == ["A form is being opened; esc stops that."]
        names.set()
        await hand.open()
        assert len(driver.app.screen.query(Form)) == 1
        assert "Assign items to channel" in driver.text
        driver.table.focus()
        await hand.press("n")
        assert driver.toasts[-1] == "A form is open: save or close it first."
        await hand.press("escape", "escape")
        await wait_until(lambda: not hand.has_form())

        names.clear()
        await hand.press("a", "escape")
        names.set()
        await hand.open("n")
        assert "New channel" in driver.text, "what was stopped does not come after all"


async def test_keys_do_nothing_to_the_list_behind_a_form(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(60, 15), place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        for key in "ndxy":  # all at once: nobody waits for the form
            driver.app.post_message(events.Key(key, key))
        await hand.open()
        await wait_until(lambda: hand.typed("name") == "dxy")
        assert driver.screen.place_id == "campaigns", "nothing was asked, copied or exported"
        await hand.press(*(["backspace"] * 3))
        await hand.press(*"abc")
        assert {"Save", "Cancel"} <= set(driver.text.split()), "there is room for the buttons"
        await hand.press("escape", "tab", "tab", "tab")
        assert "Discard changes?" in driver.text
        await hand.press("shift+tab", "enter")
        assert hand.typed("name") == "abc", "tab does not leave the question"
        driver.table.focus()
        await hand.press("escape")
        assert hand.form.has_focus_within, "escape leads back into the form"
        await resize(driver.pilot, 100, 30)
        await hand.press("escape")
        await driver.wait_for("Discard y")


async def test_a_user_without_a_name_is_deleted_only_by_typing_the_id(demo: Running, run_app: RunApp) -> None:
    users = {"error": "0", "data": [{"id": 41, "username": " ", "email": "x@example.org"}]}
    demo.service.faults.next("GET", "/api/users", Fault(content=json.dumps(users).encode()))
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        assert "Type 41 to continue" in await hand.ask("d")
        await hand.press("enter")
        assert hand.asks()
        await hand.press(*"41", "enter")
        await hand.sent(1)
        assert hand.writes == ["DELETE /api/user/41/delete"]


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("anna", "anna"),
        (" anna ", "anna"),
        ("", "7"),
        ("  ", "7"),
        ("a\N{REPLACEMENT CHARACTER}", "7"),
        ("x" * 101, "7"),
    ],
)
def test_what_is_typed_is_what_can_be_typed(name: str, typed: str) -> None:
    assert typable(name, 7) == typed


@pytest.mark.parametrize("host", [*every_screen(), LinkdashApp], ids=lambda host: host.__name__)
def test_every_key_that_is_inherited_has_its_action(host: type[LinkdashApp]) -> None:
    declared = {f"do('{action.id}')" for action in host.ACTIONS}
    bound = {
        binding.action for bindings in host._merge_bindings().key_to_bindings.values() for binding in bindings
    }
    assert {action for action in bound if action.startswith("do(")} <= declared


@pytest.mark.parametrize(
    ("environment", "platform", "opens"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "w"}, "linux", True),
        ({}, "darwin", True),
    ],
)
def test_a_browser_opens_only_in_a_window_of_its_own(
    environment: dict[str, str], platform: str, opens: bool
) -> None:
    assert has_browser(environment, platform) is opens


async def test_quitting_asks_where_a_form_would_be_lost(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="campaigns", keeps_state=False) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.press("S", "p")
        assert "What was typed and not saved is lost: Campaigns." in await hand.ask("ctrl+q")
        await hand.press("escape")
        assert hand.typed("name") == "Sp"
        await hand.ask("ctrl+q")
        await hand.press("y")
        assert driver.app.return_code == 0


async def test_quitting_asks_nothing_where_what_was_typed_is_kept(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.press("S", "ctrl+q")
        assert driver.app.return_code == 0
