"""The journal: nothing recorded is lost, nothing unknown is called known, no secret is written."""

import asyncio
import itertools
import json
import platform
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from linkdash.api.http.secrecy import MASK
from linkdash.store import journal_table
from linkdash.store.database import Database, StoreUnavailable
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Author, JournalEntry, Outcome, Settlement, WriteIntent
from linkdash.store.journal_table import INTERRUPTED, UNREADABLE
from tests.store.engines import Engine
from tests.store.held import Held, cancel
from tests.store.killed import can_kill, lines_until_killed

SCHEMA = (*journal_table.SCHEMA, *journal_table.AUTHORS, *journal_table.PROGRAMS, *journal_table.FACTS)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RENAME = WriteIntent("campaigns", "update", (7,), {"name": "Summer"}, before={"name": "Spring"})

CREATE = WriteIntent("pixels", "create", (), {"type": "bing"})
RENAME_REQUEST = ("PUT", "/api/campaign/7/update")
CREATE_REQUEST = ("POST", "/api/pixel/add")


@pytest.fixture
async def database(engine: Engine) -> AsyncIterator[Database]:
    async with engine.open(SCHEMA) as database:
        yield database


def journal_of(database: Database, profile: str = "mine") -> Journal:
    """A journal whose clock goes on by a second each time it is asked."""
    seconds = itertools.count()
    return Journal(database, profile, clock=lambda: NOON + timedelta(seconds=next(seconds)))


async def test_a_write_is_recorded_before_and_after(database: Database) -> None:
    journal = journal_of(database)
    opened = await journal.open_entry(RENAME, *RENAME_REQUEST)
    assert await journal.entry(opened.id) == JournalEntry(
        opened.id, NOON, RENAME, *RENAME_REQUEST, outcome=None
    )
    await journal.close_entry(opened, Outcome.DONE, "Campaign updated", requests=2, answer={"error": 0})
    assert await journal.entry(opened.id) == JournalEntry(
        id=opened.id,
        begun=NOON,
        intent=RENAME,
        method="PUT",
        path="/api/campaign/7/update",
        outcome=Outcome.DONE,
        ended=NOON + timedelta(seconds=1),
        message="Campaign updated",
        requests=2,
        answer={"error": 0},
    )


async def test_what_is_being_recorded_is_no_interrupted_write(database: Database) -> None:
    journal = journal_of(database)
    opened = await journal.open_entry(RENAME, *RENAME_REQUEST, origin="item")
    before, _ = await asyncio.gather(journal.of_origins(["item"]), journal.close_entry(opened, Outcome.DONE))
    assert (before["item"].outcome, before["item"].message) == (None, "")
    after = await journal.of_origins(["item"])
    assert after["item"].outcome is Outcome.DONE


async def test_the_newest_comes_first_and_in_parts(database: Database) -> None:
    journal = journal_of(database)
    ids = [(await journal.open_entry(CREATE, *CREATE_REQUEST)).id for _ in range(5)]
    assert [entry.id for entry in await journal.recent()] == ids[::-1]
    assert [entry.id for entry in await journal.recent(limit=2, offset=1)] == [ids[3], ids[2]]
    assert await journal_of(database, "another").recent() == []


@pytest.mark.parametrize("outcome", Outcome)
async def test_only_unknown_outcomes_are_open(database: Database, outcome: Outcome) -> None:
    journal = journal_of(database)
    opened = await journal.open_entry(RENAME, *RENAME_REQUEST)
    assert await journal.unknown() == [], "still under way here"
    await journal.close_entry(opened, outcome)
    expected = [opened.id] if outcome is Outcome.UNKNOWN else []
    assert [entry.id for entry in await journal.unknown()] == expected


async def test_an_unknown_outcome_is_settled_by_what_was_found(database: Database) -> None:
    journal = journal_of(database)
    opened = await journal.open_entry(RENAME, *RENAME_REQUEST)
    await journal.close_entry(opened, Outcome.UNKNOWN, "The answer was lost.")
    await journal.settle(opened.id, happened=True, message="The campaign is named Summer.")
    assert await journal.unknown() == []
    entry = await journal.entry(opened.id)
    assert entry is not None
    assert entry.outcome is Outcome.UNKNOWN, "what was known at the time stays on record"
    assert entry.settlement == Settlement(
        at=NOON + timedelta(seconds=2), happened=True, message="The campaign is named Summer."
    )


async def test_another_profile_can_change_nothing(database: Database) -> None:
    opened = await journal_of(database).open_entry(RENAME, *RENAME_REQUEST)
    stranger = journal_of(database, "another")
    await stranger.close_entry(opened, Outcome.DONE)
    await stranger.settle(opened.id, happened=True, message="")
    assert await stranger.entry(opened.id) is None
    (entry,) = await Journal(database, "mine").unknown()
    assert entry.settlement is None


async def test_a_write_begun_by_a_program_that_ended_is_unknown(database: Database) -> None:
    opened = await journal_of(database).open_entry(RENAME, *RENAME_REQUEST)
    (entry,) = await journal_of(database).unknown()
    assert (entry.id, entry.outcome, entry.message) == (opened.id, Outcome.UNKNOWN, INTERRUPTED)


async def test_a_write_cancelled_while_it_is_recorded_was_not_sent(database: Database) -> None:
    journal = journal_of(database)
    async with Held(database):  # so that it is recorded after
        await cancel(asyncio.create_task(journal.open_entry(RENAME, *RENAME_REQUEST)))
    (entry,) = await journal.recent()
    assert (entry.outcome, entry.requests) == (Outcome.NOT_SENT, 0)


async def test_no_secret_reaches_the_file(database: Database) -> None:
    journal = journal_of(database)
    body = {"username": "ada", "password": "correct-horse", "apikey": "correct-horse"}
    intent = WriteIntent("users", "create", (), body, before=body)
    opened = await journal.open_entry(intent, "POST", "/api/user/add")
    await journal.close_entry(opened, Outcome.DONE, answer={"data": {"apikey": "correct-horse"}})
    entry = await journal.entry(opened.id)
    assert entry is not None
    assert entry.intent.params == {"username": "ada", "password": MASK, "apikey": MASK}
    (row,) = await database.select("SELECT body, before, answer FROM journal")
    kept = f"{row['body']} {row['before']} {row['answer']}"
    assert "correct-horse" not in kept
    assert "ada" in kept


async def test_a_write_whose_end_cannot_be_recorded_is_unknown_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = journal_of(database)
    opened = await journal.open_entry(RENAME, *RENAME_REQUEST)

    async def fail(*_: object) -> None:
        raise StoreUnavailable("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(database, "run", fail)
        with pytest.raises(StoreUnavailable):
            await journal.close_entry(opened, Outcome.DONE)
    assert [entry.id for entry in await journal.unknown()] == [opened.id]


def test_an_intent_knows_its_record_and_its_like() -> None:
    assignment = WriteIntent("channels", "assign", (4, 12), {"type": "qr"})
    assert (assignment.record_id, assignment.draft_names) == (4, ("channels/assign/4",))
    assert (CREATE.record_id, CREATE.draft_names) == (None, ("pixels/create",))
    assert assignment.is_same(replace(assignment, names=("Menu",)))
    assert not assignment.is_same(replace(assignment, params={"type": "links"}))
    for other in ({"resource": "campaigns"}, {"action": "update"}, {"record_ids": (4,)}):
        assert not assignment.is_same(replace(assignment, **other))
    secret = WriteIntent(
        "users", "create", (), {"password": "correct-horse"}, before={"pin": "correct-horse"}
    )
    assert "correct-horse" not in repr(secret)


# ---- spoilt rows ----


@pytest.mark.parametrize("change", ["begun = 'noon'", "outcome = 'perhaps'", "ended = '1'", "settled = '!'"])
async def test_an_entry_that_cannot_be_read_is_left_out_and_told(database: Database, change: str) -> None:
    journal = journal_of(database)
    spoilt, whole = [(await journal.open_entry(RENAME, *RENAME_REQUEST)).id for _ in range(2)]
    await database.execute(f"UPDATE journal SET {change} WHERE id = {spoilt}")
    assert [entry.id for entry in await journal.recent()] == [whole]
    assert await journal.entry(spoilt) is None
    assert [entry.id for entry in await journal_of(database).unknown()] == [whole]
    assert database.notices == (f"{database.name}: some journal entries cannot be read and are left out.",)


@pytest.mark.parametrize("value", ["'{'", "'[1]'", "''", "'\"text\"'"])
@pytest.mark.parametrize("column", ["body", "before"])
async def test_an_entry_whose_members_are_spoilt_still_tells_what_became_of_it(
    database: Database, column: str, value: str
) -> None:
    journal = journal_of(database)
    opened = await journal.open_entry(RENAME, *RENAME_REQUEST)
    await journal.close_entry(opened, Outcome.UNKNOWN, "The answer was lost.")
    await database.execute(f"UPDATE journal SET {column} = {value}")
    (entry,) = await journal.unknown()
    assert (entry.id, entry.outcome, entry.intent.record_ids) == (opened.id, Outcome.UNKNOWN, (7,))
    assert entry.message == f"The answer was lost. {UNREADABLE}"
    assert {"body": entry.intent.params, "before": entry.intent.before}[column] in ({}, None)
    await database.execute(f"UPDATE journal SET body = '{{}}', before = 'null', answer = {value}")
    (entry,) = await journal.unknown()
    assert entry.message == "The answer was lost."


# ---- kill -9 ----

BURST = """
import asyncio, sys
from linkdash.store.journal import Journal, Outcome, WriteIntent
from linkdash.store.journal_table import AUTHORS, FACTS, PROGRAMS, SCHEMA
from tests.store.engines import Engine

async def main():
    async with Engine(sys.argv[1]).open((*SCHEMA, *AUTHORS, *PROGRAMS, *FACTS)) as database:
        journal = Journal(database, "mine")
        while True:
            intent = WriteIntent("pixels", "delete", (1,), {})
            entry = await journal.open_entry(intent, "DELETE", "/api/pixel/1/delete")
            print("begun", entry.id, flush=True)
            await journal.close_entry(entry, Outcome.DONE, "gone")
            print("ended", entry.id, flush=True)

asyncio.run(main())
"""


@can_kill
@pytest.mark.parametrize("lines_before", [1, pytest.param(2, marks=pytest.mark.nightly), 51])
async def test_kill_9_loses_nothing_that_was_recorded(engine: Engine, lines_before: int) -> None:
    """Entries that the killed program had said it recorded are there; what it had not finished is unknown."""
    said = lines_until_killed(BURST, engine.place, after=lines_before)
    events = [(word, int(entry)) for word, entry in (line.split() for line in said)]
    begun = {entry for word, entry in events if word == "begun"}
    ended = {entry for word, entry in events if word == "ended"}
    async with engine.open(SCHEMA) as database:
        journal = Journal(database, "mine")
        entries = {entry.id: entry for entry in await journal.recent(limit=1_000_000)}
        assert database.notices == ()
        assert begun <= entries.keys()
        assert all(entries[entry].outcome is Outcome.DONE for entry in ended)
        # At most the one it was busy with is without an outcome.
        unknown = {entry.id for entry in await journal.unknown()}
        assert unknown <= {max(entries)}
        assert not unknown & ended


# ---- who did it ----


async def test_an_entry_says_who_wrote_it_and_where(database: Database) -> None:
    ada, ben = (Journal(database, "mine", author=Author(user, "desk")) for user in ("ada", "ben"))
    remote = Journal(database, "mine", author=Author("ada", "laptop"))
    first, second, third = [
        (await journal.open_entry(RENAME, *RENAME_REQUEST)).id for journal in (ada, ben, remote)
    ]
    assert [entry.author for entry in await ada.recent()] == [
        Author("ada", "laptop"),
        Author("ben", "desk"),
        Author("ada", "desk"),
    ]
    assert [entry.id for entry in await ben.recent(user="ada")] == [third, first]
    assert [entry.id for entry in await ben.recent(host="desk")] == [second, first]
    assert [entry.id for entry in await ben.recent(user="ada", host="desk")] == [first]
    assert [entry.id for entry in await ben.recent(1, 1, user="ada")] == [first]
    assert await ben.authors() == [Author("ada", "desk"), Author("ada", "laptop"), Author("ben", "desk")]


def test_who_writes_is_known_by_name_and_machine() -> None:
    assert Author.here().host == platform.node()
    assert [str(Author(*names)) for names in (("ada", ""), ("", "desk"), ("", ""))] == ["ada@", "@desk", ""]


async def test_the_updates_of_a_record_since_a_moment_are_one_s_own_and_those_of_others(
    database: Database,
) -> None:
    mine = Journal(database, "mine", lambda: NOON, Author("ada", "desk"))
    other = Journal(database, "mine", lambda: NOON + timedelta(minutes=1), Author("ada", "laptop"))
    ids = [(await journal.open_entry(RENAME, *RENAME_REQUEST)).id for journal in (other, mine)]
    await other.close_entry(await other.open_entry(RENAME, *RENAME_REQUEST), Outcome.REJECTED)
    await other.open_entry(replace(RENAME, action="delete"), *RENAME_REQUEST)
    found = await mine.updates_since("campaigns", 7, NOON)
    assert [entry.id for entry in found] == ids[::-1], "the oldest first"
    assert [mine.is_by_others(entry) for entry in found] == [False, True]
    assert len(await mine.updates_since("campaigns", 7, NOON + timedelta(seconds=1))) == 1
    assert await mine.updates_since("campaigns", 8, NOON) == []
    assert await mine.updates_since("pixels", 7, NOON) == []


def test_the_author_is_the_user_of_this_process() -> None:
    assert all(Author.here())


async def test_the_last_change_is_the_end_of_the_newest_write_that_may_have_happened(
    database: Database,
) -> None:
    journal = journal_of(database)
    assert await journal.last_change("pixels") is None
    first = await journal.open_entry(CREATE, *CREATE_REQUEST)
    assert await journal.last_change("pixels") == NOON, "nobody knows yet"
    await journal.open_entry(RENAME, *RENAME_REQUEST)
    await journal.close_entry(first, Outcome.DONE)
    assert [entry.requests for entry in await journal.recent()] == [0, 1]
    assert await journal.last_change("pixels") == NOON + timedelta(seconds=2)
    for outcome in (Outcome.REJECTED, Outcome.NOT_SENT):
        await journal.close_entry(await journal.open_entry(CREATE, *CREATE_REQUEST), outcome)
    assert await journal.last_change("pixels") == NOON + timedelta(seconds=2)
    assert await journal_of(database, "another").last_change("pixels") is None
    await journal.close_entry(await journal.open_entry(CREATE, *CREATE_REQUEST), Outcome.UNKNOWN)
    assert await journal.last_change("pixels") == NOON + timedelta(seconds=8)


@pytest.mark.parametrize("answer", ['{"id": %d}', '{"id": "%d"}', '{"data": {"id": %d}}', '{"data": %d}'])
async def test_the_writes_of_one_record_are_found_with_that_which_made_it(
    database: Database, answer: str
) -> None:
    journal = journal_of(database)
    create = replace(CREATE, resource=RENAME.resource)
    made = [await journal.open_entry(create, *CREATE_REQUEST) for _ in range(2)]
    for opened, id in zip(made, (RENAME.record_id, 71), strict=True):
        await journal.close_entry(opened, Outcome.DONE, answer=json.loads(answer % id))
    renamed = [(await journal.open_entry(RENAME, *RENAME_REQUEST)).id for _ in range(2)]
    await journal.open_entry(replace(RENAME, record_ids=(71,)), *RENAME_REQUEST)
    found = await journal.of_record(RENAME.resource, 7)
    assert [entry.id for entry in found] == [*reversed(renamed), made[0].id]
    assert [entry.id for entry in await journal.of_record(RENAME.resource, 7, 1)] == renamed[1:]
