"""Keys in one go: each does what it does if the one before it has been handled, whatever that opens."""

import asyncio
from collections.abc import Iterable, Sequence

import pytest
from textual import events
from textual.widgets import Input

from linkdash.api.paging import Rows
from linkdash.api.resources.pixels import Pixel
from linkdash.api.slices import Slices
from linkdash.demo.server import Running
from linkdash.model.lists import loaded_pages
from linkdash.model.lists.collection import Collection
from linkdash.model.lists.collections import Collections
from linkdash.model.lists.record_search import Finder, Found
from linkdash.model.writes.draft import Options
from linkdash.screens.palette.palette_screen import PaletteScreen
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.screens.windows.help import HelpScreen
from linkdash.widgets.form.form import Form
from linkdash.widgets.frame import typeahead
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.hand import Hand
from tests.typist import send
from tests.waiting import wait_until


async def sent(driver: Driver, *keys: str) -> None:
    """Send keys in one go and wait until all of them have been handled."""
    send(driver.app, *keys)
    await wait_until(lambda: not driver.app.message_queue_size and driver.app.type_ahead.is_idle)
    await driver.painted()


async def test_text_for_a_form_waits_until_the_form_stands_with_what_is_restored(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await sent(driver, "n", *"https", "colon", *"//abc", "backspace", *"def")
        assert hand.typed("name") == "https://abdef"
        assert driver.screen.place_id == "campaigns"
        await driver.screen.pane.keep()
        await driver.screen.pane.close_form(keep_draft=True)
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await sent(driver, "n", *"time", "home", *"The")
        assert hand.typed("name") == "Thehttps://abdeftime"


async def test_what_is_discarded_is_not_kept_while_its_form_is_taken_away(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the moment for keeping a draft comes while the form is on its way out."""
    async with run_app(demo, place="campaigns") as driver:
        hand, pane, remove = Hand(driver), driver.screen.pane, Form.remove

        async def late(form: Form) -> None:
            pane.post_message(Form.Changed(form, {}))
            await pane.keep()
            await remove(form)

        monkeypatch.setattr(Form, "remove", late)
        await driver.settled()
        await sent(driver, "n", *"Spring", "escape", "tab", "enter")
        assert await driver.screen.session.store.drafts.all() == []
        await sent(driver, "n", *"Summer")
        assert hand.typed("name") == "Summer"


async def test_a_password_goes_into_its_field_though_a_draft_of_the_other_fields_was_kept(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        session = driver.screen.session
        kept = {"username": "ana", "email": "ana@example.org"}
        await session.store.drafts.save("users/create", kept, session.moment())
        await sent(driver, "n", *"anna", "tab", "tab", *"Gh0st-pass")
        assert hand.typed("password") == "Gh0st-pass"


async def test_a_filter_is_typed_at_once_and_what_follows_is_done_to_the_rows_that_match(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Letters one by one would each wait until the list is filtered and painted for the one before."""
    plain, arrange, seen = Collection.filter, Collection.arrange, list[tuple[str, str]]()

    def note(collection: Collection[Pixel], text: str) -> None:
        seen.append((text, driver.screen.query_one("#filter", Input).value))
        plain(collection, text)

    async def slow(collection: Collection[Pixel], steps: Slices[Rows[Pixel]]) -> None:
        await asyncio.sleep(0.1)
        await arrange(collection, steps)

    monkeypatch.setattr(Collection, "filter", note)
    monkeypatch.setattr(Collection, "arrange", slow)
    monkeypatch.setattr(loaded_pages, "AT_ONCE", 10)
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await sent(driver, "slash", *"type", "colon", *"bing", "enter", "space")
        assert seen[0] == ("t", "type:bing")
        assert seen[-1] == ("type:bing", "type:bing")
        (selected,) = driver.screen.collection.selection.keys
        record = driver.screen.collection.listing.record(int(str(selected)))
        assert isinstance(record, Pixel)
        assert record.type == "bing"


async def test_enter_in_the_palette_chooses_among_what_all_of_the_text_finds(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = Finder.find

    async def slow(finder: Finder, text: str, most: int, only: str = "") -> tuple[Sequence[Found], int]:
        await asyncio.sleep(0.1)
        return await find(finder, text, most, only=only)

    monkeypatch.setattr(Finder, "find", slow)
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        for place, down in (("plans", ()), ("users", ()), ("journal", ("down", "up"))):
            await sent(driver, "colon", *place, *down, "enter")
            await wait_until(lambda: not isinstance(driver.app.screen, PaletteScreen))
            shown_place = driver.app.screen.title if place == "journal" else driver.app.current_mode
            assert str(shown_place).casefold() == place


async def test_filter_palette_and_help_hold_what_was_typed_and_lead_back(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await sent(driver, "slash", *"type", "colon", *"binx", "backspace", *"g", "enter", "slash", *"s")
        assert driver.screen.collection.arrangement.text == "s", "it replaces what was selected"
        await sent(driver, "escape", "slash", *"type", "colon", *"bing", "enter", "space")
        assert driver.screen.collection.arrangement.text == "type:bing"
        assert len(driver.screen.collection.selection) == 1
        await sent(driver, "colon", *"usex", "backspace", *"r", "left", "right", "escape", "j")
        assert not isinstance(driver.app.screen, PaletteScreen)
        await sent(driver, "colon", *"#domains", "enter")
        await driver.settled()
        assert driver.screen.place_id == "domains"
        await sent(driver, "f1", *"expx", "backspace", *"o")
        assert isinstance(driver.app.screen, HelpScreen)
        assert driver.app.screen.query_one(Input).value == "expo"


async def test_a_filter_is_typed_into_after_help_and_after_the_machine_slept(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await sent(driver, "slash", *"ty", "f1", "escape", *"pe")
        driver.screen.post_message(events.ScreenResume())
        await sent(driver, "colon", *"bing")
        assert driver.screen.query_one("#filter", Input).value == "type:bing"


async def test_forms_and_questions_get_what_was_typed_for_them(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await sent(driver, "g", "e", "escape", "j", "j")
        assert driver.table.has_focus
        assert driver.table.cursor == 2
        await driver.press("g")
        hand = Hand(driver)
        await sent(driver, "d", "y")
        await hand.sent(1)
        await sent(driver, "d", "n", "j")
        assert len(hand.writes) == 1
        assert driver.table.has_focus
        await sent(driver, "asterisk", "d", *"y2", "backspace", *"5")
        screen = driver.app.screen
        assert isinstance(screen, ConfirmScreen)
        assert screen.query_one("#typed", Input).value == "y5"
        await driver.press("escape", "escape")
        await sent(
            driver,
            "n",
            *"binx",
            "backspace",
            *"g",
            "tab",
            *"Shop",
            "left",
            *"p",
            "tab",
            *"T-1",
            "shift+tab",
            "end",
            "s",
        )
        assert hand.form.draft.values == {"type": "bing", "name": "Shopps", "tag": "T-1"}


# ---- what opens too slowly, or never ----


async def test_keys_for_a_form_that_comes_late_all_wait_for_it_and_that_is_said(
    demo: Running, run_app: RunApp, names: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typeahead, "PATIENCE", 0.1)
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        send(driver.app, "n", *"2d3y")
        await wait_until(lambda: driver.toasts == ["Still opening. 4 keys wait for it; esc drops them."])
        assert driver.screen.place_id == "channels"
        assert hand.writes == []
        names.set()
        await hand.opened()
        await sent(driver, *"Radio")
        assert hand.typed("name") == "2d3yRadio"


async def test_a_form_that_does_not_come_is_left_by_escape_or_with_the_program(
    demo: Running, run_app: RunApp, names: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typeahead, "ESCAPE_AFTER", 0.0)
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        send(driver.app, "n", *"ab")
        await wait_until(lambda: driver.screen.form_flow is not None)
        await sent(driver, "escape", "j")
        names.set()
        await driver.painted()
        assert not hand.has_form()
        assert driver.table.cursor == 1
        names.clear()
        send(driver.app, "n", *"ab")
        await wait_until(lambda: driver.screen.form_flow is not None)
        send(driver.app, "ctrl+q")
        await wait_until(lambda: driver.app.return_code is not None)
    assert driver.app.return_code == 0


async def test_escape_that_comes_with_other_keys_waits_for_them_however_long_something_opens(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typeahead, "ESCAPE_AFTER", 0.1)
    async with run_app(demo, place="channels") as driver:
        await driver.settled()
        has_opened = asyncio.Event()
        driver.app.type_ahead.hold(driver.app.run_worker(has_opened.wait()))
        await asyncio.sleep(0.2)
        send(driver.app, "slash", *"ra", "f1", "escape", *"dio")
        await wait_until(lambda: not driver.app.message_queue_size)
        has_opened.set()
        await sent(driver, "colon")
        assert driver.screen.query_one("#filter", Input).value == "radio:"


async def test_an_action_that_fails_keeps_no_keys(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(collections: Collections, resources: Iterable[str]) -> Options:
        raise ZeroDivisionError

    monkeypatch.setattr(Collections, "names", fail)
    async with run_app(demo, place="channels") as driver:
        await driver.settled()
        await sent(driver, "n", "j")
        assert driver.table.cursor == 1


async def test_what_nobody_waits_for_comes_after_the_keys_and_what_they_open(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        send(driver.app, "question_mark")
        await wait_until(lambda: not driver.app.type_ahead.is_idle)
        await driver.app.type_ahead.rest()
        assert isinstance(driver.app.screen, HelpScreen)
