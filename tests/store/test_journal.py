"""The journal: nothing recorded is lost, nothing unknown is called known, no secret is written."""
# ruff: noqa: ASYNC220  (nothing else runs in the loops of these tests)

import asyncio
import itertools
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linkdash.api.secrecy import MASK
from linkdash.store.database import Database
from linkdash.store.journal import (
    INTERRUPTED,
    SCHEMA,
    UNREADABLE,
    Journal,
    JournalEntry,
    Outcome,
    Settlement,
    WriteIntent,
)
from linkdash.store.sqlite import SqliteDatabase

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RENAME = WriteIntent(
    "campaigns", "update", (7,), {"name": "Summer"}, "rename the campaign Spring", before={"name": "Spring"}
)
CREATE = WriteIntent("pixels", "create", (), {"type": "bing"}, "create the pixel Ads")
RENAME_REQUEST = ("PUT", "/api/campaign/7/update")
CREATE_REQUEST = ("POST", "/api/pixel/add")


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with SqliteDatabase.open(tmp_path / "state.db", SCHEMA, durable=True) as database:
        yield database


def journal_of(database: Database, profile: str = "mine") -> Journal:
    """A journal whose clock goes on by a second each time it is asked."""
    seconds = itertools.count()
    return Journal(database, profile, clock=lambda: NOON + timedelta(seconds=next(seconds)))


async def test_a_write_is_recorded_before_and_after(database: Database) -> None:
    journal = journal_of(database)
    entry_id = await journal.begin(RENAME, *RENAME_REQUEST)
    assert await journal.entry(entry_id) == JournalEntry(
        entry_id, NOON, RENAME, *RENAME_REQUEST, outcome=None
    )
    await journal.finish(entry_id, Outcome.DONE, "Campaign updated", requests=2, answer={"error": 0})
    assert await journal.entry(entry_id) == JournalEntry(
        id=entry_id,
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


async def test_the_newest_comes_first_and_in_parts(database: Database) -> None:
    journal = journal_of(database)
    ids = [await journal.begin(CREATE, *CREATE_REQUEST) for _ in range(5)]
    assert [entry.id for entry in await journal.recent()] == ids[::-1]
    assert [entry.id for entry in await journal.recent(limit=2, offset=1)] == [ids[3], ids[2]]
    assert await journal_of(database, "another").recent() == []


@pytest.mark.parametrize("outcome", Outcome)
async def test_only_unknown_outcomes_are_open(database: Database, outcome: Outcome) -> None:
    journal = journal_of(database)
    entry_id = await journal.begin(RENAME, *RENAME_REQUEST)
    assert await journal.unknown() == [], "still under way here"
    await journal.finish(entry_id, outcome)
    expected = [entry_id] if outcome is Outcome.UNKNOWN else []
    assert [entry.id for entry in await journal.unknown()] == expected


async def test_an_unknown_outcome_is_settled_by_what_was_found(database: Database) -> None:
    journal = journal_of(database)
    entry_id = await journal.begin(RENAME, *RENAME_REQUEST)
    await journal.finish(entry_id, Outcome.UNKNOWN, "The answer was lost.")
    await journal.settle(entry_id, happened=True, message="The campaign is named Summer.")
    assert await journal.unknown() == []
    entry = await journal.entry(entry_id)
    assert entry is not None
    assert entry.outcome is Outcome.UNKNOWN, "what was known at the time stays on record"
    assert entry.settlement == Settlement(
        at=NOON + timedelta(seconds=2), happened=True, message="The campaign is named Summer."
    )


async def test_another_profile_can_change_nothing(database: Database) -> None:
    entry_id = await journal_of(database).begin(RENAME, *RENAME_REQUEST)
    stranger = journal_of(database, "another")
    await stranger.finish(entry_id, Outcome.DONE)
    await stranger.settle(entry_id, happened=True, message="")
    assert await stranger.entry(entry_id) is None
    (entry,) = await Journal(database, "mine").unknown()
    assert entry.settlement is None


async def test_a_write_begun_by_a_program_that_ended_is_unknown(database: Database) -> None:
    entry_id = await journal_of(database).begin(RENAME, *RENAME_REQUEST)
    (entry,) = await journal_of(database).unknown()
    assert (entry.id, entry.outcome, entry.message) == (entry_id, Outcome.UNKNOWN, INTERRUPTED)


async def test_a_write_cancelled_while_it_is_recorded_was_not_sent(database: Database) -> None:
    """The database is held until the caller is cancelled, so that recording comes after."""
    released = threading.Event()
    journal = journal_of(database)
    held = asyncio.ensure_future(database.read(lambda _: released.wait(timeout=10)))
    beginning = asyncio.create_task(journal.begin(RENAME, *RENAME_REQUEST))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    beginning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beginning
    released.set()
    await held
    (entry,) = await journal.recent()
    assert (entry.outcome, entry.requests) == (Outcome.NOT_SENT, 0)


async def test_no_secret_reaches_the_file(database: Database) -> None:
    journal = journal_of(database)
    body = {"username": "ada", "password": "correct-horse", "apikey": "correct-horse"}
    intent = WriteIntent("users", "create", (), body, "create the user ada", before=body)
    entry_id = await journal.begin(intent, "POST", "/api/user/add")
    await journal.finish(entry_id, Outcome.DONE, answer={"data": {"apikey": "correct-horse"}})
    entry = await journal.entry(entry_id)
    assert entry is not None
    assert entry.intent.params == {"username": "ada", "password": MASK, "apikey": MASK}
    for file in database.path.parent.iterdir():
        assert b"correct-horse" not in file.read_bytes()
    assert b"ada" in b"".join(file.read_bytes() for file in database.path.parent.iterdir())


# ---- spoilt rows ----


@pytest.mark.parametrize("change", ["begun = 'noon'", "outcome = 'perhaps'", "ended = '1'", "settled = '?'"])
async def test_an_entry_that_cannot_be_read_is_left_out_and_told(database: Database, change: str) -> None:
    journal = journal_of(database)
    spoilt, whole = [await journal.begin(RENAME, *RENAME_REQUEST) for _ in range(2)]
    await database.execute(f"UPDATE journal SET {change} WHERE id = {spoilt}")
    assert [entry.id for entry in await journal.recent()] == [whole]
    assert await journal.entry(spoilt) is None
    assert [entry.id for entry in await journal_of(database).unknown()] == [whole]
    assert database.notices == ("state.db: some journal entries cannot be read and are left out.",)


@pytest.mark.parametrize("value", ["'{'", "'[1]'", "CAST(X'FF' AS TEXT)", "X'00'", "'\"text\"'"])
@pytest.mark.parametrize("column", ["body", "before"])
async def test_an_entry_whose_members_are_spoilt_still_tells_what_became_of_it(
    database: Database, column: str, value: str
) -> None:
    journal = journal_of(database)
    entry_id = await journal.begin(RENAME, *RENAME_REQUEST)
    await journal.finish(entry_id, Outcome.UNKNOWN, "The answer was lost.")
    await database.execute(f"UPDATE journal SET {column} = {value}")
    (entry,) = await journal.unknown()
    assert (entry.id, entry.outcome, entry.intent.summary) == (entry_id, Outcome.UNKNOWN, RENAME.summary)
    assert entry.message == f"The answer was lost. {UNREADABLE}"
    assert {"body": entry.intent.params, "before": entry.intent.before}[column] in ({}, None)
    await database.execute(f"UPDATE journal SET body = '{{}}', before = 'null', answer = {value}")
    (entry,) = await journal.unknown()
    assert entry.message == "The answer was lost."


# ---- kill -9 ----

BURST = """
import asyncio, sys
from pathlib import Path
from linkdash.store.database import Database
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.journal import SCHEMA, Journal, Outcome, WriteIntent

async def main():
    async with SqliteDatabase.open(Path(sys.argv[1]), SCHEMA, durable=True) as database:
        journal = Journal(database, "mine")
        while True:
            intent = WriteIntent("pixels", "delete", (1,), {})
            entry = await journal.begin(intent, "DELETE", "/api/pixel/1/delete")
            print("begun", entry, flush=True)
            await journal.finish(entry, Outcome.DONE, "gone")
            print("ended", entry, flush=True)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
@pytest.mark.parametrize("lines_before", [1, 2, 51])
async def test_kill_9_loses_nothing_that_was_recorded(tmp_path: Path, lines_before: int) -> None:
    """What the killed program had said it recorded is there; what it had not finished is unknown."""
    path = tmp_path / "state.db"
    with subprocess.Popen(
        [sys.executable, "-c", BURST, str(path)], stdout=subprocess.PIPE, text=True
    ) as burst:
        assert burst.stdout is not None
        said = [burst.stdout.readline() for _ in range(lines_before)]
        burst.send_signal(signal.SIGKILL)
        said += burst.stdout.readlines()
    events = [(word, int(entry)) for word, entry in (line.split() for line in said)]
    begun = {entry for word, entry in events if word == "begun"}
    ended = {entry for word, entry in events if word == "ended"}
    async with SqliteDatabase.open(path, SCHEMA, durable=True) as database:
        journal = Journal(database, "mine")
        entries = {entry.id: entry for entry in await journal.recent(limit=1_000_000)}
        assert database.notices == ()
        assert begun <= entries.keys()
        assert all(entries[entry].outcome is Outcome.DONE for entry in ended)
        # At most the one it was busy with is without an outcome.
        unknown = {entry.id for entry in await journal.unknown()}
        assert unknown <= {max(entries)}
        assert not unknown & ended
