"""Undo from a list: contents of codes too, and never something else than the change that was made last."""

import asyncio
import json
from pathlib import Path

import pytest

from linkdash.api.records import Record
from linkdash.demo.server import Running
from linkdash.model.session import Session
from linkdash.model.writes.undo import Undoing, undoing
from linkdash.screens.windows.open_file import OpenFileScreen
from linkdash.store.journal_entry import JournalEntry
from tests.conftest import RunApp
from tests.postgres import PostgresServer
from tests.screens.hand import Hand, stored
from tests.screens.two_desks import two_desks
from tests.service.visitor import Clock, Visitor
from tests.waiting import wait_until

FIRST, SECOND = "https://example.org/first", "https://example.org/second"


async def _make_code(hand: Hand, texts: dict[str, str]) -> None:
    await hand.driver.settled()
    await hand.open("n")
    await hand.fill(texts)
    await hand.save()


async def _edit_code(hand: Hand, id: int, texts: dict[str, str]) -> None:
    hand.driver.table.move_to_key(id)
    await hand.open("e")
    await hand.fill(texts)
    await hand.save()


async def test_the_last_change_of_the_row_or_of_each_selected_one_is_taken_back(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        was = {id: stored(service, "/api/channels", id)["name"] for id in (28, 29, 30)}
        for id in (28, 29):
            driver.table.move_to_key(id)
            await hand.open("e")
            await hand.fill({"name": f"Edited {id}"})
            await hand.save()
        driver.table.move_to_key(30)
        await hand.press("u")
        await wait_until(lambda: driver.toasts[-1].endswith("no change to undo."))
        driver.table.move_to_key(28)
        question = " ".join((await hand.ask("u")).split())
        assert "Undo the last edit of channel Edited 28 (28)?" in question, "not the newest of the list"
        await hand.press("escape")
        for id in (28, 29, 30):
            driver.table.move_to_key(id)
            await hand.press("space")
        question = " ".join((await hand.ask("u")).split())
        assert "Undo the last edit of 2 channels?" in question
        assert f"Stays as it is, {was[30]} (30): no change to undo" in question
        await hand.press("y")
        await hand.see("Finished · 2 done")
        assert {id: stored(service, "/api/channels", id)["name"] for id in (28, 29, 30)} == was


async def test_the_content_of_a_code_is_given_back_and_a_password_that_was_not_kept_is_not(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    wifi = {"type": "wifi", "data.wifi.ssid": "Lobby", "data.wifi.password": "geheim-1"}
    async with run_app(demo, place="qr") as driver:
        hand = Hand(driver)
        await _make_code(hand, {"type": "link", "data.link.link": FIRST})
        id = int(stored(service, "/api/qr")["id"])
        await _edit_code(hand, id, {"data.link.link": SECOND})
        await hand.press("w")
        await hand.see(f"{FIRST} → {SECOND}")
        await hand.press("escape")
        driver.table.move_to_key(id)
        await hand.ask("u")
        assert f"    Target: {SECOND} → {FIRST}" in hand.listed
        await hand.see("The service does not show the content of a QR code")
        await hand.press("y")
        await hand.sent(3)
        entries = await driver.app.session.store.journal.recent()
        assert [entry.intent.params["data"] for entry in entries] == [FIRST, SECOND, FIRST]
        await hand.ask("d")
        await hand.press("y")
        await hand.sent(4)
        told = f"Done delete QR code {id} ({FIRST}) · u fills in a new one"
        await wait_until(lambda: driver.toasts[-1] == told, lambda: driver.toasts[-1])

        await _make_code(hand, wifi)
        id = int(stored(service, "/api/qr")["id"])
        await _edit_code(hand, id, {"data.wifi.ssid": "Hall", "data.wifi.password": "geheim-2"})
        await hand.press("u")
        await wait_until(
            lambda: driver.toasts[-1].endswith("The old content (secrets are not kept) is not known."),
            lambda: driver.toasts[-1],
        )
        assert len(hand.writes) == 6


async def test_what_was_deleted_is_offered_anew_as_it_was_in_the_run_that_deleted_it_alone(
    demo: Running, service: Visitor, run_app: RunApp, app_clock: Clock
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        pixel = driver.screen.row
        assert pixel is not None
        was = stored(service, "/api/pixels", pixel.id)
        await hand.ask("d")
        await hand.press("y")
        await hand.sent(1)
        await wait_until(lambda: driver.toasts[-1].endswith("u fills in a new one"))
        await hand.open("u")
        assert driver.toasts[-1].startswith("Filled in Saving creates ")
        assert driver.toasts[-1].endswith(" anew, with another id.")
        assert (hand.typed("type"), hand.typed("name"), hand.typed("tag")) == (
            was["type"],
            was["name"],
            was["tag"],
        )
        assert len(hand.writes) == 1, "nothing is sent before it is saved"
        await hand.save()
        await wait_until(lambda: not hand.has_form())
        await driver.wait_for("just now, from here")
        app_clock.step(250)
        await driver.wait_for("4 min ago, from here")
        made = stored(service, "/api/pixels")
        assert (made["name"], made["tag"]) == (was["name"], was["tag"])
        assert made["id"] != pixel.id
        await hand.press("w")
        await hand.see("2 changes")
        await hand.press("j")
        driver.close_message()
        await hand.see("u Undo")
        await hand.open("u")
        assert driver.toasts[-1].startswith("Filled in Saving creates "), "in the journal it works, too"
        assert hand.typed("tag") == was["tag"]
        await hand.press("escape", "y")
        await wait_until(lambda: not hand.has_form())
        await hand.ask("d")
        await hand.press("y")
        await hand.sent(3)
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("u")
        await wait_until(lambda: driver.toasts)
        assert driver.toasts[-1].endswith("no change to undo.")
        assert not hand.has_form()


async def test_a_key_is_said_to_undo_only_what_is_known_from_before(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"slug": "never-shown"})
        await hand.press("ctrl+s")
        await driver.wait_for("Send without undo?")
        await hand.press("escape")
        await hand.save()
        await hand.sent(1)
        await wait_until(lambda: driver.toasts and driver.toasts[-1].startswith("Saved "))
        assert driver.toasts[-1].endswith(" · u cannot undo it: the old rotator slug is not known")
        await hand.press("u")
        await wait_until(lambda: driver.toasts[-1].endswith("The old rotator slug is not known."))
        await hand.open("e")
        await hand.fill({"name": "Renamed"})
        await hand.press("ctrl+s")
        await driver.wait_for("Send these changes?")
        await hand.press("escape")
        await hand.save()
        await hand.sent(2)
        await wait_until(lambda: driver.toasts[-1] == "Saved Renamed · u undoes it")


async def test_of_what_leaves_the_filter_the_key_is_told_that_still_undoes_it(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        pixel = stored(service, "/api/pixels")
        await hand.press("slash", *f"name:{pixel['name']}", "enter", "g")
        await hand.open("e")
        await hand.fill({"name": "Renamed"})
        await hand.save()
        await hand.sent(1)
        await wait_until(
            lambda: driver.toasts and driver.toasts[-1] == "Saved Renamed · w shows it, u there undoes it",
            lambda: repr(driver.toasts),
        )
        await hand.press("w")
        await hand.see("Renamed")
        await hand.ask("u")
        await hand.press("y")
        await hand.sent(2)
        assert stored(service, "/api/pixels", pixel["id"])["name"] == pixel["name"]


async def test_the_cursor_stays_where_keys_have_moved_it_while_a_way_back_is_looked_for(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(session: Session, entry: JournalEntry, record: Record) -> Undoing:
        begun.set()
        await go_on.wait()
        return await undoing(session, entry, record)

    monkeypatch.setattr("linkdash.screens.writes.outcomes.undoing", slow)
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"name": "Renamed"})
        await driver.press("ctrl+s", "ctrl+s")
        await begun.wait()
        await driver.press("j", "j", "j")
        go_on.set()
        await wait_until(lambda: driver.toasts and driver.toasts[-1] == "Saved Renamed · u undoes it")
        assert driver.table.cursor == 3


async def test_a_delete_says_what_a_new_one_lacks_and_undo_fills_in_all_else(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        campaigns = service.read("/api/campaigns?limit=100")["data"]["campaigns"]
        was = next(one for one in campaigns if one["rotator"])
        driver.table.move_to_key(was["id"])
        question = " ".join((await hand.ask("d")).split())
        assert "Its links stay, in no campaign." in question
        assert "u fills in a new one, with another id." in question
        assert "To be typed again" not in question, "the service shows all of it"
        await hand.press("y")
        await hand.sent(1)
        await hand.open("u")
        await hand.save()
        await wait_until(lambda: not hand.has_form())
        assert stored(service, "/api/campaigns")["rotator"] == was["rotator"]

        await driver.go("users")
        user = service.read("/api/user/3")["data"]
        driver.table.move_to_key(3)
        question = " ".join((await hand.ask("d")).split())
        assert "u fills in a new one, with another id. To be typed again: Password." in question
        await hand.paste(user["username"])
        await hand.press("enter")
        await hand.sent(3)
        await hand.open("u")
        await hand.fill({"password": "geheim-1"})
        await hand.save()
        await wait_until(lambda: not hand.has_form())
        made = stored(service, "/api/users")
        assert [made[name] for name in ("username", "email", "planid", "expires")] == [
            user[name] for name in ("username", "email", "planid", "expires")
        ]

        await driver.go("qr")
        colors = {"background": "rgb(255,255,255)", "foreground": "rgb(10,20,30)"}
        await _make_code(hand, {"type": "link", "data.link.link": FIRST, **colors})
        question = " ".join((await hand.ask("d")).split())
        assert "To be typed again" not in question, "all of it was sent from here"
        await hand.press("y")
        await hand.sent(6)
        await hand.open("u")
        assert hand.typed("data.link.link") == FIRST
        assert hand.typed("foreground") == colors["foreground"]
        await hand.press("escape", "y")
        driver.table.move_to_key(399)
        question = " ".join((await hand.ask("d")).replace("│", " ").split())
        lacking = "To be typed again: Type, Content, Foreground, Background, Logo."
        assert lacking in question
        await hand.press("y")
        await hand.sent(7)
        await hand.open("u")
        assert driver.toasts[-1].startswith("Filled in as far as known Saving creates ")
        assert driver.toasts[-1].endswith(f" anew, with another id. {lacking}"), (
            "an empty field is no surprise"
        )


async def test_an_edit_by_a_colleague_is_said_to_be_theirs(
    demo: Running, run_app: RunApp, postgresql: PostgresServer
) -> None:
    async with two_desks(demo, run_app, postgresql, "pixels") as (mine, theirs):
        await theirs.open("e")
        await theirs.fill({"name": "From the laptop"})
        await theirs.save()
        await mine.ask("u")
        await mine.see("The change is not yours: changed by laptop@laptop at ")
        assert "does not show the content" not in mine.driver.text


async def test_a_question_stands_right_below_what_it_is_about(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="campaigns", size=(100, 30)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"name": "Autumn"})
        await hand.press("ctrl+s")
        await hand.see("Send these changes?")
        await driver.painted()
        (change,) = [row for row, line in enumerate(driver.lines) if "→ Autumn" in line]
        assert "Send these changes?" in driver.lines[change + 1]
        await hand.press("y")
        await hand.sent(1)
        await hand.ask("u")
        await driver.painted()
        (title,) = [row for row, line in enumerate(driver.lines) if "Undo the last edit" in line]
        assert "Name: Autumn →" in driver.lines[title + 2]


async def test_what_an_import_has_changed_is_undone_in_its_job_and_what_it_has_made_stays(
    demo: Running, service: Visitor, run_app: RunApp, tmp_path: Path
) -> None:
    path = tmp_path / "pixels.jsonl"
    rows = [{"type": "bing", "name": "Brand new", "tag": "1"}, {"id": 129, "tag": "T-1"}]
    path.write_text("\n".join(map(json.dumps, [*rows, {"id": 130, "tag": "T-2"}])))
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        was = [stored(service, "/api/pixels", id)["tag"] for id in (129, 130)]
        await driver.press("I")
        await driver.opened(OpenFileScreen)
        await hand.paste(str(path))
        await hand.ask("enter")
        await hand.press("y")
        await hand.see("Finished · 3 done")
        question = " ".join((await hand.ask("u")).split())
        assert "Undo the last edit of 2 pixels?" in question
        assert [line for line in hand.listed if "T-" in line] == [
            f"    Tag: {now} → {before}" for now, before in zip(("T-1", "T-2"), was, strict=True)
        ]
        await hand.press("y")
        await hand.sent(5)
        assert [stored(service, "/api/pixels", id)["tag"] for id in (129, 130)] == was
        assert stored(service, "/api/pixels")["name"] == "Brand new", "it is never deleted unasked"


async def test_what_was_just_made_is_not_undone_by_an_older_edit_of_another_record(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"name": "Older"})
        await hand.save()
        await hand.open("n")
        await hand.fill({"type": "bing", "name": "Newer", "tag": "1"})
        await hand.save()
        await hand.sent(2)
        await hand.press("u")
        await wait_until(
            lambda: driver.toasts[-1].endswith("created here and not changed since; d deletes it.")
        )
        assert not hand.asks()


async def test_what_is_filled_in_anew_is_asked_about_before_it_is_lost_and_is_told_no_longer_then(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.ask("d")
        await hand.press("y")
        await hand.sent(1)
        await hand.open("u")
        assert driver.screen.unsaved == "not saved"
        await hand.press("escape")
        assert "Discard changes?" in driver.text
        await hand.press("y")
        await wait_until(lambda: not hand.has_form())
        await driver.painted()
        assert "Filled in" not in driver.text
        await hand.open("u")
        assert "Filled in" in driver.text
        assert "times)" not in driver.text


async def test_what_was_deleted_is_offered_anew_unless_records_are_selected(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("j", "e")
        await hand.fill({"name": "Another"})
        await hand.save()
        await hand.press("k")
        await hand.ask("d")
        await hand.press("y")
        await hand.sent(2)
        await hand.open("u")
        assert "New pixel" in driver.text
        await hand.press("escape", "y")
        await wait_until(lambda: not hand.has_form())
        question = await hand.ask("*", "u")
        assert "Undo the last edit of pixel" in question
        assert "no change to undo" in question


async def test_the_color_of_a_code_that_nobody_knows_is_said_not_to_come_back(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        hand = Hand(driver)
        await _make_code(hand, {"type": "link", "data.link.link": FIRST})
        await hand.open("e")
        await hand.fill({"foreground": "#112233"})
        await hand.press("ctrl+s")
        await driver.wait_for("Send without undo?")
        why = "the old foreground (the service's default, which no request gives back) is not known"
        await hand.press("ctrl+s")
        await wait_until(lambda: driver.toasts[-1].endswith(why))
