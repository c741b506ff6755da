"""Every form from keys to the service's own record and back to the table, and put back again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from textual.widgets import Input

from linkdash.api.inert_text import inert
from linkdash.api.resources.qr import QrCode
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.writes.write_words import summary_of
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.widgets.form.field_input import LineEdit
from linkdash.widgets.form.field_rows import FieldRow
from tests.conftest import RunApp
from tests.screens.conftest import USERS
from tests.screens.driver import is_inert
from tests.screens.hand import Hand, stored
from tests.service.visitor import Visitor
from tests.service.writes import writes
from tests.waiting import resize, wait_until

Texts = Mapping[str, str]
NEEDED = "Required"


@dataclass(frozen=True)
class Life:
    """A record made and changed: what is typed, what the service has then, and what was sent for it."""

    place: str
    path: str
    made: Texts
    after_making: Mapping[str, Any]
    needed: tuple[str, ...]
    changed: Texts
    after_changing: Mapping[str, Any]
    sent: tuple[tuple[str, set[str]], ...]
    """Method, path and members of each write; `ID` stands for the record's."""


LIVES = (
    Life(
        "domains",
        "/api/domains",
        {"domain": "https://new.example.org", "redirectroot": "https://example.org/"},
        {"domain": "https://new.example.org", "redirectroot": "https://example.org/", "redirect404": ""},
        ("domain",),
        {"redirectroot": "", "redirect404": "https://example.org/lost"},
        {"redirectroot": "", "redirect404": "https://example.org/lost"},
        (
            ("POST /api/domain/add", {"domain", "redirectroot"}),
            ("PUT /api/domain/ID/update", {"redirectroot", "redirect404"}),
        ),
    ),
    Life(
        "campaigns",
        "/api/campaigns",
        {"name": "Spring", "slug": "spring-sale"},
        {"public": False, "rotator": "https://lnk.example/r/spring-sale"},
        (),
        {"public": "switched"},
        {"public": True, "rotator": "https://lnk.example/r/spring-sale"},
        (
            ("POST /api/campaign/add", {"name", "slug"}),
            ("PUT /api/campaign/ID/update", {"name", "public"}),
        ),
    ),
    Life(
        "channels",
        "/api/channels",
        {"name": "News", "color": "rgb(255, 136, 0)", "starred": "switched"},
        {"name": "News", "color": "#FF8800", "starred": True, "description": ""},
        ("name",),
        {"description": "All of it", "starred": "switched"},
        {"name": "News", "description": "All of it", "starred": False, "color": "#FF8800"},
        (
            ("POST /api/channel/add", {"name", "color", "starred"}),
            ("PUT /api/channel/ID/update", {"description", "starred"}),
        ),
    ),
    Life(
        "pixels",
        "/api/pixels",
        {"type": "tag manager", "name": "Ads", "tag": "B-1"},
        {"type": "gtmpixel", "name": "Ads", "tag": "B-1"},
        ("type", "name", "tag"),
        {"name": "Other ads"},
        {"type": "gtmpixel", "name": "Other ads", "tag": "B-1"},
        (
            ("POST /api/pixel/add", {"type", "name", "tag"}),
            ("PUT /api/pixel/ID/update", {"name", "tag"}),
        ),
    ),
    Life(
        "qr",
        "/api/qr",
        {"type": "link", "data.link.link": "https://example.org/menu"},
        {"name": "New link code"},
        ("type",),
        {"data.link.link": "https://example.org/card", "foreground": "#102030"},
        {"name": "New link code"},
        (
            ("POST /api/qr/add", {"type", "data"}),
            ("PUT /api/qr/ID/update", {"data", "foreground"}),
        ),
    ),
)


@pytest.mark.parametrize(
    "life",
    [
        pytest.param(life, id=life.place, marks=() if life.place == "channels" else pytest.mark.nightly)
        for life in LIVES
    ],
)
async def test_a_record_is_made_and_changed(
    life: Life, demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place=life.place) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        if life.needed:
            await hand.press("ctrl+s")
            assert hand.problems() == dict.fromkeys(life.needed, NEEDED)
        await hand.fill(life.made)
        await hand.save()

        made = stored(service, life.path)
        id = made["id"]
        assert {name: made[name] for name in life.after_making} == life.after_making
        assert driver.table.cursor_key == id
        assert driver.screen.table.notes[id] == "new"
        assert "made here" in driver.text
        if life.place == "qr":
            assert driver.toasts[-1].endswith("r reads the name that the service gave it")
        if life.place == "pixels":  # of which the answer tells no date
            row = driver.screen.row
            assert row is not None
            assert {column.name: column.shown(row) for column in driver.screen.records.columns}[
                "age"
            ] == "today"

        await hand.open("e")
        await hand.fill(life.changed)
        await hand.save()
        after = stored(service, life.path, id)
        assert {name: after[name] for name in life.after_changing} == life.after_changing
        if life.place != "qr":  # the answer to the making of a code has neither name nor date
            row = driver.screen.row
            assert row is not None
            assert {name: getattr(row, name) for name in life.after_changing} == life.after_changing
        assert driver.screen.table.notes[id] == "new", "until the list is read again"
        assert bodies(demo) == [(path.replace("ID", str(id)), members) for path, members in life.sent]


async def test_a_campaign_without_a_name_is_asked_about_once_and_said_to_have_none(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        assert "Create a campaign without a name?" in await hand.ask("ctrl+s")
        await hand.press("escape")
        assert hand.has_form()
        assert hand.writes == []
        await hand.ask("ctrl+s")
        await hand.press("y")
        await hand.sent(1)
        (entry,) = await driver.app.session.store.journal.recent()
        assert summary_of(entry.intent) == "create campaign without a name"
        await hand.press("w")
        await hand.see("without a name")


async def test_a_code_is_called_by_its_content_and_shown_to_lead_elsewhere_once_that_is_edited(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    first, second = "https://example.org/a", "https://example.org/b"
    async with run_app(demo, place="qr", size=(160, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        assert "the service names it" in driver.text
        await hand.press(*"url", "tab")
        assert hand.typed("type") == "link", "found by that word"
        await hand.fill({"data.link.link": first})
        assert "all saved" not in driver.text, "form and status line say the same"
        await hand.save()
        id = stored(service, "/api/qr")["id"]
        assert f"+ {first}" in driver.text
        await wait_until(lambda: "as sent from here at" in driver.details, lambda: driver.details)
        assert "; r reads its name" in driver.details
        assert driver.toasts[-1] == f"Created {first} · r reads the name that the service gave it"
        (entry, *_) = await driver.app.session.store.journal.recent()
        assert summary_of(entry.intent) == f"create QR code '{first}'"
        await hand.open("e")
        await hand.fill({"data.link.link": second})
        await hand.save()
        await driver.wait_for(f"+ {second}")
        await wait_until(lambda: f"Content: {second}" in driver.details, lambda: driver.details)
        assert "; r reads its name" in driver.details
        assert first not in driver.text
        assert f"Delete QR code {second} ({id})?" in await hand.ask("d")
        await hand.press("escape")
        await driver.refresh()
        await wait_until(lambda: f"Content: {second}" in driver.details, lambda: driver.details)
        assert "reads its name" not in driver.details
        driver.table.move_to_key(id)
        await hand.open("e")
        assert hand.form.draft.text("data.link.link") == second
        fields = [row.field.name for row in hand.form.query(FieldRow)]
        assert "type" not in fields, "what cannot be changed is not asked for"
        assert "data.link.link" in fields
        await hand.fill({"foreground": "#102030"})
        await hand.save()
        method, _ = bodies(demo)[-1]
        assert method == f"PUT /api/qr/{id}/update"


def bodies(demo: Running) -> list[tuple[str, set[str]]]:
    """Method, path and members of every write that the service has had."""
    writes = (entry for entry in demo.service.log if entry.method != "GET")
    return [(f"{entry.method} {entry.path}", set(entry.members)) for entry in writes]


async def test_what_is_said_around_the_fields_of_an_edit_is_whole(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        buttons = next(line for line in driver.lines if "Save ctrl+s" in line)
        assert buttons.rstrip(" │").endswith("2 requests")
        await hand.press("escape")
        await driver.pilot.resize_terminal(80, 24)
        await driver.go("qr")
        await driver.settled()
        await hand.open("e")
        (title,) = [line for line in driver.lines if "Edit " in line]
        assert "…" not in title
        await resize(driver.pilot, 140, 40)
        await driver.painted()
        buttons = next(line for line in driver.lines if "Save ctrl+s" in line)
        assert buttons.rstrip(" │").endswith("1 request"), "no record shows what is edited: nothing is read"


async def test_the_form_of_a_code_shows_what_is_known_of_it_and_says_what_the_service_does_not_tell(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        code = driver.screen.row
        assert isinstance(code, QrCode)
        await hand.open("e")
        await driver.wait_for("colors unknown")
        assert f"▶ Edit {code.name} ─" in driver.text
        assert f"Link {code.link} · Scans" in driver.text
        assert driver.text.count("unchanged") == 3, "both colors and the logo"
        assert "Drawn from its link" in driver.text
        hand.row("logo").focus_input()
        await wait_until(lambda: "the service does not tell it" in str(hand.row("logo").note))
        hand.row("foreground").focus_input()
        await hand.press(*"red")
        await driver.painted()
        assert "✗ use #RRGGBB ─╯" in driver.text, "in the frame of half the width"


async def test_the_type_of_a_code_that_was_made_here_is_said_and_takes_no_focus(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.fill({"type": "link", "data.link.link": "https://example.org/menu"})
        await hand.save()
        await wait_until(lambda: not hand.has_form())
        await hand.open("e")
        assert "Type Link (URL) · " in driver.text
        assert "Type · required" not in driver.text
        assert hand.typed("data.link.link") == "https://example.org/menu"


async def test_the_account_gets_a_new_password_typed_twice(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"email": "new@example.org", "password": "geheim-1", "password.again": "geheim-2"})
        await hand.press("ctrl+s")
        assert hand.problems() == {"password.again": "does not match"}
        await hand.fill({"password.again": "geheim-1"})
        await hand.press("ctrl+s")
        assert hand.form.step == "review"
        assert "geheim" not in driver.text, "not even in the difference"
        await hand.save()
        assert service.read("/api/account")["data"]["email"] == "new@example.org"
        assert "new@example.org" in driver.details
        assert bodies(demo) == [("PUT /api/account/update", {"email", "password"})]
        entry = (await driver.app.session.store.journal.recent())[0]
        assert "geheim" not in repr(entry), "no secret reaches the journal"


async def test_a_refusal_is_shown_with_everything_still_there(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        typed = {"username": "anna.meyer", "email": "dmitri.gruber@example.com", "password": "geheim-1"}
        await hand.fill(typed)
        await wait_until(lambda: "✎ not saved" in driver.lines[-2])
        assert driver.text.count("not saved") == 1
        await hand.save()
        assert hand.note == "This email is in use."
        assert {path: hand.typed(path) for path in typed} == typed
        await hand.fill({"email": "anna@example.org"})
        await hand.save()
        made = stored(service, "/api/users")
        assert (made["username"], made["email"], made["status"]) == ("anna.meyer", "anna@example.org", "free")
        assert driver.table.cursor_key == made["id"]
        assert hand.writes == ["POST /api/user/add"] * 2
        assert driver.screen.collection.listing.total == USERS + 1
        await wait_until(lambda: "not saved" not in driver.lines[-2])


async def test_what_was_typed_is_not_said_to_be_saved_and_closing_gives_the_list_its_keys_back(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        assert "n New" in driver.lines[-1]
        monkeypatch.setattr(HostScreen, "_paint_frame", lambda _: None)  # what ticks has no part in it
        await Hand(driver).open("n")
        driver.screen.update_keys()
        await driver.painted()
        assert "n New" not in driver.lines[-1]
        await driver.press("escape")
        await wait_until(lambda: driver.screen.form_flow is None)
        await driver.painted()
        assert "n New" in driver.lines[-1]
        monkeypatch.undo()
        hand = Hand(driver)
        await hand.open("n")
        await hand.fill({"name": "News"})
        await driver.press("ctrl+p", *"#domains")
        await driver.wait_for("Domains")
        await driver.press("enter")
        await wait_until(lambda: driver.screen.place_id == "domains")
        await driver.settled()
        assert "✎ not saved" in driver.lines[-2]
        assert "all saved" not in driver.text


async def test_what_cannot_be_typed_is_shown_as_marks_and_stays(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    name, description = "\u202eSale\u200f\tعربى\u00ad\x1b[2J\r\n", "a\u200bb"
    service.write("PUT", "/api/channel/1/update", {"name": name, "description": description})
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        driver.table.move_cursor(next(i for i, row in enumerate(driver.table.rows) if row.key == 1))
        await hand.open("e")
        line = hand.row("name").query_one(LineEdit)
        assert line.value == inert(name.replace("\r\n", "\r\r"))
        hand.row("description").focus_input()
        await hand.press("end", "!", "home", "?")
        await hand.press("ctrl+s")
        assert hand.form.step == "review"
        assert all(is_inert(line) for line in driver.lines)
        await hand.save()
        kept = stored(service, "/api/channels", 1)
        assert (kept["name"], kept["description"]) == (name, f"?{description}!")
        assert bodies(demo)[-1] == ("PUT /api/channel/1/update", {"description"})
        await hand.open("e")
        hand.row("name").focus_input()
        await hand.press("end", "backspace", "backspace", "x", "home", "delete", "y")
        await hand.save()
        assert stored(service, "/api/channels", 1)["name"] == f"y{name[1:-2]}x"
        await hand.ask("u")
        before = len(hand.writes)
        await hand.press("y")
        await hand.sent(before + 1)
        assert stored(service, "/api/channels", 1)["name"] == name


async def test_an_address_that_nobody_touched_does_not_become_another(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    service.write("PUT", "/api/domain/1/update", {"redirectroot": "https://a.example/\u200f"})
    page = service.read("/api/domains?limit=100")
    page["data"]["domains"][0]["redirect404"] = "a.example "  # as no form would send it
    demo.service.faults.next("GET", "/api/domains*", Fault(content=json.dumps(page).encode()))
    async with run_app(demo, place="domains") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.press("tab", "tab", "shift+tab", "ctrl+s")
        assert hand.note == "Nothing was changed."


async def test_who_comes_back_to_an_address_goes_on_behind_it(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.press(*"new.example.org", "tab", "shift+tab", *"/a")
        assert hand.typed("domain") == "https://new.example.org/a"


async def test_two_fields_beside_each_other_do_not_touch(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr", size=(100, 30)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.fill({"type": "link"})
        left, right = (
            hand.row("foreground").query_one(Input),
            hand.row("background"),
        )
        await wait_until(lambda: left.region and left.region.y == right.region.y + 1)
        await wait_until(lambda: left.region.right < right.region.x)


async def test_colors_that_no_scanner_reads_are_asked_about(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        hand = Hand(driver)
        await driver.press("8")
        await driver.press("n")
        await hand.opened()
        await hand.fill({"type": "text"})
        await hand.fill({"data.text.text": "hello", "foreground": "#ffff00"})
        before = len(writes(demo))
        await driver.press("ctrl+s")
        await driver.opened(ConfirmScreen)
        assert "Scanners may not read a code of these colors: contrast 1.1, 4 is needed" in driver.text
        await driver.press("escape")
        assert len(writes(demo)) == before
        assert hand.has_form()
