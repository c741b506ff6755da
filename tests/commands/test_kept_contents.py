"""The content and colors of codes that were sent from here are known here, as long as the code is there."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.declaration import declaration
from linkdash.model.writes.kept_members import kept_of
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Outcome, WriteIntent
from linkdash.store.schemas import STATE_SCHEMA
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.store import KEPT_FOR, prune
from tests.commands.shell import Here
from tests.service.writes import writes

LATER = Fault(drop=True)


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def made(here: Here, *members: str) -> str:
    return str(here("create", "qr", *members, "--yes").lines[0]["id"])


def sent(here: Here) -> dict[str, object]:
    """The body of the last write."""
    body: dict[str, object] = json.loads(here("journal", "show", newest(here), "--format", "json").out)[
        "body"
    ]
    return body


def newest(here: Here) -> str:
    return str(here("journal", "--limit", "1", "--format", "jsonl").lines[0]["id"])


def test_a_new_color_is_sent_with_the_content_that_is_known(here: Here) -> None:
    id = made(here, "type=link", "data=https://example.org/menu")
    ran = here("update", "qr", id, "foreground=#112233")
    assert (ran.status, ran.told) == (0, ""), ran.told
    assert sent(here) == {"data": "https://example.org/menu", "foreground": "rgb(17,34,51)"}


def test_a_row_of_a_file_changes_a_code_as_update_does(here: Here, service: Running, tmp_path: Path) -> None:
    id, path = made(here, "type=link", "data=https://example.org/menu"), tmp_path / "qr.csv"
    path.write_text(f"id,data\n{id},htps://x\n")
    before = writes(service)
    ran = here("import", "qr", str(path), "--yes")
    assert (ran.status, writes(service)) == (3, before)
    assert "data" in ran.out
    path.write_text(f"id,foreground\n{id},#00ff00\n1,#00ff00\n")
    ran = here("import", "qr", str(path), "--yes")
    assert (ran.status, writes(service)) == (3, before)
    assert "with its whole content only, and it was not sent from here" in ran.out
    path.write_text(f"id,foreground\n{id},#112233\n")
    ran = here("import", "qr", str(path), "--yes")
    assert (ran.status, ran.lines[0]["row"]) == (0, 2), ran.told
    assert sent(here) == {"data": "https://example.org/menu", "foreground": "rgb(17,34,51)"}


def test_where_the_content_is_not_known_it_is_said_what_is_needed(here: Here, service: Running) -> None:
    before = writes(service)
    ran = here("update", "qr", "1", "foreground=#112233")
    assert (ran.status, writes(service)) == (3, before)
    assert "with its whole content only, and it was not sent from here" in ran.told
    assert "Give it, too: data=…" in ran.told


def test_of_a_network_the_password_is_asked_for_as_it_is_not_kept(here: Here, service: Running) -> None:
    id = made(here, "type=wifi", 'data={"ssid": "Guests", "password": "correct-horse"}')
    before = writes(service)
    ran = here("update", "qr", id, "foreground=#112233")
    assert (ran.status, writes(service)) == (3, before)
    assert "the password in it is not kept" in ran.told
    assert "Its members: ssid, encryption, password, hidden." in ran.told
    assert "correct-horse" not in here("journal", "--format", "jsonl").out


def test_a_new_content_is_checked_by_the_type_that_is_known(here: Here, service: Running) -> None:
    id = made(here, "type=phone", "data=+49 30 1234567")
    before = writes(service)
    ran = here("update", "qr", id, "data=call us")
    assert (ran.status, writes(service)) == (3, before)
    assert "data: use a phone number" in ran.told
    ran = here("update", "qr", id, 'data={"ssid": "x", "encryption": "none"}')
    assert (ran.status, "this type needs a text" in ran.told) == (3, True)


def test_two_edits_of_colors_are_undone_one_after_the_other(here: Here) -> None:
    id = made(here, "type=text", "data=One", "foreground=#111111")
    changes = []
    for color in ("#222222", "#333333"):
        assert here("update", "qr", id, f"foreground={color}").status == 0
        changes.append(newest(here))
    for change, color in zip(reversed(changes), ("rgb(34,34,34)", "rgb(17,17,17)"), strict=True):
        ran = here("undo", change, "--yes")
        assert ran.status == 0, ran.told
        assert sent(here) == {"data": "One", "foreground": color}


def test_a_color_that_was_left_to_the_service_is_said_not_to_come_back(here: Here) -> None:
    id = made(here, "type=link", "data=https://example.org/menu")
    assert here("update", "qr", id, "foreground=#112233").status == 0
    ran = here("undo", newest(here), "--yes")
    assert ran.status != 0
    why = "The old foreground (the service's default, which no request gives back) is not known."
    assert why in ran.told


def test_what_an_edit_of_unknown_outcome_has_sent_is_not_known(here: Here, service: Running) -> None:
    id = made(here, "type=text", "data=One")
    service.service.faults.next("PUT", "/api/qr/*", LATER)
    assert here("update", "qr", id, "data=Two").status == 4
    ran = here("update", "qr", id, "foreground=#112233")
    assert (ran.status, "Give it, too: data=…" in ran.told) == (3, True)


async def test_the_content_of_a_code_is_kept_as_long_as_the_code(tmp_path: Path) -> None:
    async with SqliteDatabase.open(tmp_path / "state.db", STATE_SCHEMA) as database:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        journal = Journal(database, "mine", lambda: at)
        code = WriteIntent("qr", "create", (), {"type": "text", "data": "One"}, ("One",), is_kept=True)
        pixel = WriteIntent("pixels", "update", (7,), {"name": "New"}, ("Old",))
        for intent, answer in ((code, {"id": 12}), (pixel, {})):
            entry = await journal.open_entry(intent, "POST", "/x")
            await journal.close_entry(entry, Outcome.DONE, answer=answer)
        later = at + 2 * KEPT_FOR
        await database.run(lambda connection: prune(connection, later))
        entries = await journal.recent()
        assert [entry.intent.resource for entry in entries] == ["qr"]
        kept = kept_of(entries, declaration("qr"), 12)
        assert (kept.members["data"], kept.at) == ("One", at)
        entry = await journal.open_entry(WriteIntent("qr", "delete", (12,), {}), "DELETE", "/x")
        await journal.close_entry(entry, Outcome.DONE)
        await database.run(lambda connection: prune(connection, at + timedelta(days=1)))
        assert len(await journal.recent()) == 2
        await database.run(lambda connection: prune(connection, later))
        assert await journal.recent() == []
