"""A team's store: all see the same, and what is written while the database is away is handed in once."""
# ruff: noqa: ASYNC220  (nothing else runs in the loops of these tests)

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linkdash.store import postgresql as postgresql_module
from linkdash.store import team_outbox
from linkdash.store.database import KnownAccount, StoreAway, StoreUnavailable, stored_moment
from linkdash.store.job import ItemState
from linkdash.store.journal_entry import Author, OpenEntry, Outcome, WriteIntent
from linkdash.store.journal_table import INTERRUPTED
from linkdash.store.postgresql import TeamConnection
from linkdash.store.reading import Reading
from linkdash.store.schemas import OUTBOX_BELONGINGS
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.store import Store
from linkdash.store.team import Team
from linkdash.store.team_address import Address
from linkdash.store.team_journal import WaitingJournal
from linkdash.store.team_outbox import Outbox
from tests.postgres import PostgresServer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DELETION = WriteIntent("pixels", "delete", (7,), {})
REQUEST = ("DELETE", "/api/pixel/7/delete")
ADA, BEN = Author("ada", "desk"), Author("ben", "laptop")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next attempt to reach the server is made at once."""
    monkeypatch.setattr(postgresql_module, "_PAUSE", 0.0)


class Killed(BaseException):
    """The end of the process: nothing after it runs."""


class Machines:
    """Machines that share nothing but the database."""

    def __init__(self, postgresql: PostgresServer, folder: Path) -> None:
        self.server = postgresql
        self.folder = folder
        self.url = postgresql.url(postgresql.new_database())
        self._opened: list[Team] = []

    def open(self, author: Author, key: str = "mine") -> Team:
        address = Address.read(self.url)
        folder = self.folder / author.host
        team = Team(address, folder, key, author, account=KnownAccount())
        self._opened.append(team)
        return team

    async def close(self) -> None:
        for team in self._opened:
            await team.close()


async def written(team: Team, outcome: Outcome = Outcome.DONE, message: str = "") -> OpenEntry:
    """A write that is over."""
    opened = await team.journal.open_entry(DELETION, *REQUEST)
    await team.journal.close_entry(opened, outcome, message)
    return opened


@pytest.fixture
async def machines(postgresql: PostgresServer, tmp_path: Path) -> AsyncIterator[Machines]:
    machines = Machines(postgresql, tmp_path)
    yield machines
    await machines.close()


async def test_what_two_keys_have_left_on_one_machine_is_all_handed_in(machines: Machines) -> None:
    mine, other = machines.open(ADA), machines.open(ADA, "other")
    for team in (mine, other):
        await team.hand_in()
    machines.server.kill()
    for team in (mine, other):
        await written(team)
    machines.server.start()
    for team in (other, mine):
        assert await team.hand_in() == 1
        assert len(await team.journal.recent()) == 1


async def test_what_one_machine_writes_the_other_sees(machines: Machines) -> None:
    ada, ben = machines.open(ADA), machines.open(BEN)
    opened = await ada.journal.open_entry(DELETION, *REQUEST)
    (seen,) = await ben.journal.recent()
    assert (seen.author, seen.outcome) == (ADA, None), "it may still be on its way there"
    assert await ben.journal.unknown() == []
    await ada.journal.close_entry(opened, Outcome.UNKNOWN, "The answer was lost.")
    (unknown,) = await ben.journal.unknown()
    await ben.journal.settle(unknown.id, happened=True, message="The pixel is gone.")
    assert await ada.journal.unknown() == []
    await ada.history.record(7, Reading(NOON, scans=4))
    await ben.history.record(7, Reading(NOON + timedelta(hours=1), scans=6))
    assert [reading.scans for reading in await ada.history.readings(7)] == [4, 6]
    assert await ada.claims.claim(7, NOON, None)
    assert not await ben.claims.claim(7, NOON, None)
    job = await ada.jobs.create("delete", [DELETION], NOON)
    assert await ada.jobs.hold(job.id)
    assert not await ben.jobs.hold(job.id)
    assert [job.runner for job in await ben.jobs.unfinished()] == ["ada@desk"]


async def test_a_write_that_nobody_ends_is_unknown_to_all_after_a_while(machines: Machines) -> None:
    ada, ben = machines.open(ADA), machines.open(BEN)
    ada.journal._clock = lambda: datetime.now(UTC) - timedelta(minutes=6)
    await ada.journal.open_entry(DELETION, *REQUEST)
    (entry,) = await ben.journal.unknown()
    assert entry.message == INTERRUPTED


@pytest.mark.nightly
async def test_what_is_written_while_it_is_away_waits_here_and_is_handed_in_once(machines: Machines) -> None:
    machines.server.kill()
    ada = machines.open(ADA)
    first = await ada.journal.open_entry(DELETION, *REQUEST)
    await ada.journal.close_entry(first, Outcome.DONE, "gone", answer={"error": 0})
    await written(ada, Outcome.UNKNOWN, "The answer was lost.")
    third = await ada.journal.open_entry(DELETION, *REQUEST)
    await ada.history.record(7, Reading(NOON, 1, 2, 3, {"countries": {"Chile": 4, "": 1}}))
    await ada.history.record(7, Reading(NOON + timedelta(hours=1), scans=9))
    await ada.history.mark_looked(7, NOON)
    assert await ada.claims.claim(7, NOON, None), "nobody can be asked"
    here = await ada.journal.waiting.recent()
    assert [entry.outcome for entry in here] == [None, Outcome.UNKNOWN, Outcome.DONE]
    assert all(entry.waits for entry in here)
    for refused in (ada.journal.recent(), ada.journal.unknown(), ada.hand_in()):
        with pytest.raises(StoreAway):
            await refused
    assert await ada.waiting() == 6
    machines.server.start()
    ben = machines.open(BEN)
    await ben.journal.open_entry(DELETION, *REQUEST)
    assert await ada.hand_in() == 5, "the one that is under way here is handed in when it is over"
    assert (await ada.waiting(), ada.failure) == (1, None)
    (unknown,) = await ben.journal.unknown()
    await ben.journal.settle(unknown.id, happened=True, message="The pixel is gone.")
    await ada.journal.close_entry(third, Outcome.REJECTED, "No.")
    assert (await ada.hand_in(), await ada.waiting(), await ada.hand_in()) == (1, 0, 0)
    entries = [entry for entry in await ben.journal.recent() if entry.author == ADA]
    assert [entry.outcome for entry in entries] == [Outcome.REJECTED, Outcome.UNKNOWN, Outcome.DONE]
    assert [entry.message for entry in entries] == ["No.", "The answer was lost.", "gone"]
    assert [entry.begun for entry in entries] == [entry.begun for entry in here]
    assert entries[2].answer == {"error": 0}
    assert not any(entry.waits for entry in entries)
    readings = await ben.history.readings(7)
    assert readings == [
        Reading(NOON, 1, 2, 3, {"countries": {"Chile": 4, "": 1}}),
        Reading(NOON + timedelta(hours=1), scans=9),
    ]
    assert await ben.history.last_look(7) == NOON


async def test_what_waits_is_handed_in_before_the_journal_is_read(machines: Machines) -> None:
    ada = machines.open(ADA)
    await ada.journal.recent()
    machines.server.kill()
    await written(ada)
    with pytest.raises(StoreAway):
        await ada.journal.of_record("pixels", 7)
    machines.server.start()
    assert len(await ada.journal.of_record("pixels", 7)) == 1
    assert (await ada.waiting(), ada.handed_in) == (0, 1)


async def test_what_was_begun_before_it_went_away_is_ended_when_it_is_back(machines: Machines) -> None:
    ada = machines.open(ADA)
    job = await ada.jobs.create("delete", [DELETION, DELETION], NOON)
    opened = await ada.journal.open_entry(DELETION, *REQUEST, "w0")
    assert await ada.jobs.claim(job.id, job.items[0], "w0")
    machines.server.kill()
    await ada.journal.close_entry(opened, Outcome.DONE, "gone")
    for refused in (ada.jobs.claim(job.id, job.items[1], "w1"), ada.jobs.create("delete", [DELETION], NOON)):
        with pytest.raises(StoreAway):
            await refused
    machines.server.start()
    assert await ada.hand_in() == 1
    ben = machines.open(BEN)
    (entry,) = await ben.journal.recent()
    assert (entry.outcome, entry.message) == (Outcome.DONE, "gone")
    (seen,) = await ben.jobs.unfinished()
    assert [item.state for item in seen.items] == [ItemState.DONE, ItemState.PENDING]


async def test_a_write_cancelled_while_it_is_kept_here_was_not_sent(machines: Machines) -> None:
    machines.server.kill()
    ada = machines.open(ADA)
    beginning = asyncio.create_task(ada.journal.open_entry(DELETION, *REQUEST))
    await asyncio.wait({beginning}, timeout=0)
    beginning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beginning
    assert [entry.outcome for entry in await ada.journal.waiting.recent()] in ([], [Outcome.NOT_SENT])
    machines.server.start()


async def test_killed_between_handing_in_and_forgetting_nothing_is_there_twice(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines.server.kill()
    ada, ben = machines.open(ADA), machines.open(BEN)
    for number in range(5):
        await written(ada, Outcome.UNKNOWN)
        await ada.history.record(7, Reading(NOON + timedelta(hours=number), scans=number))
    machines.server.start()

    async def killed(*_: object) -> None:
        raise Killed

    for place, step in ((Outbox, "drop"), (WaitingJournal, "forget")):
        with monkeypatch.context() as patch:
            patch.setattr(place, step, killed)
            with pytest.raises(Killed):
                await ada.hand_in()
    for entry in await ben.journal.recent():
        await ben.journal.settle(entry.id, happened=True, message="The pixel is gone.")
    again = machines.open(ADA)
    await again.history.record(7, Reading(NOON + timedelta(hours=9), scans=9))
    assert await again.waiting() == 5, "those of the journal"
    await again.hand_in()
    entries = await again.journal.recent()
    assert [entry.outcome_words for entry in entries] == ["confirmed"] * 5, "what was found since stays"
    assert await again.waiting() == 0
    assert [reading.scans for reading in await again.history.readings(7)] == [0, 1, 2, 3, 4, 9]


async def test_what_a_killed_program_has_left_under_way_is_handed_in_as_unknown(machines: Machines) -> None:
    ada = machines.open(ADA)
    await ada.journal.recent()
    machines.server.kill()
    with subprocess.Popen(
        [sys.executable, "-c", LEAVER, machines.url, str(machines.folder / "desk")],
        stdout=subprocess.PIPE,
    ) as leaver:
        assert leaver.stdout is not None
        leaver.stdout.readline()
        (entry,) = await ada.journal.waiting.recent()
        assert entry.outcome is None
        leaver.kill()
    (entry,) = await ada.journal.waiting.unknown()
    machines.server.start()
    assert await ada.hand_in() == 1
    (entry,) = await ada.journal.unknown()
    assert entry.message == INTERRUPTED


LEAVER = """
import asyncio, sys
from pathlib import Path
from linkdash.store.database import KnownAccount
from linkdash.store.team_address import Address
from linkdash.store.team import Team
from tests.store.test_team import ADA, DELETION, REQUEST

async def main():
    url, folder = sys.argv[1:]
    team = Team(Address.read(url), Path(folder), "mine", ADA, account=KnownAccount())
    await team.journal.open_entry(DELETION, *REQUEST)
    print("begun", flush=True)
    sys.stdin.read()
    await asyncio.sleep(3600)

asyncio.run(main())
"""


async def test_what_the_database_refuses_holds_nothing_back(machines: Machines) -> None:
    ada = machines.open(ADA)
    await ada.journal.recent()
    for kind, body in (
        ("nonsense", {}),
        ("journal entry", {"origin": "x", "profile": "mine", "method; DROP TABLE journal": 1}),
        ("journal entry", {"origin": "x", "profile": None}),
        ("reading", {"code_id": 7}),
    ):
        await ada._outbox.add(kind, body)
    machines.server.kill()
    await ada.history.record(7, Reading(NOON, scans=4))
    for _ in range(3):
        await written(ada)
    await ada._file.execute("UPDATE journal SET requests = 'many' WHERE id = 2")
    machines.server.start()
    await ada.hand_in()
    assert await ada.waiting() == 0
    assert len(await ada.history.readings(7)) == 1
    assert len(await ada.journal.recent()) == 2
    rows = await ada._file.select("SELECT refusal FROM spooled")
    assert len(rows) == 5
    assert all(row["refusal"] for row in rows), "it is not lost"
    (notice,) = ada.notices
    assert "a change is not taken by the team's store, and stays here: " in notice


async def test_a_database_that_cannot_be_used_refuses_nothing_that_waits(machines: Machines) -> None:
    ada = machines.open(ADA)
    await ada.journal.recent()
    machines.server.kill()
    await written(ada)
    machines.server.start()
    with machines.server.connect(machines.url.split("@/")[1].split("?")[0]) as session:
        session.execute("UPDATE linkdash.parts SET version = 1000")
    again = machines.open(ADA)
    for asked in (again.journal.recent(), again.hand_in()):
        with pytest.raises(StoreUnavailable, match="newer linkdash"):
            await asked
    assert await again.waiting() == 1


async def test_what_the_version_before_has_left_is_handed_in(machines: Machines) -> None:
    ada = machines.open(ADA)
    begun = await ada.journal.open_entry(DELETION, *REQUEST)
    await ada.close()
    moment = stored_moment(NOON)
    first = {
        "begun": moment,
        "method": "DELETE",
        "path": "/api/pixel/7/delete",
        "purpose": "",
        "origin": "x",
        "resource": "pixels",
        "action": "delete",
        "record_id": 7,
        "other_id": None,
        "body": "{}",
        "before": "null",
        "user_name": "ada",
        "host": "desk",
        "program": "ada@desk 1 1",
    }
    unknown = {"outcome": "unknown", "ended": moment, "message": "Lost.", "requests": 1, "answer": "null"}
    (machines.folder / "desk" / "spool.db").unlink()
    schema = (*team_outbox.SCHEMA, *OUTBOX_BELONGINGS.schema)
    file = machines.folder / "desk" / "spool.db"
    async with SqliteDatabase.open(file, schema, durable=True) as database:
        kept = team_outbox.Outbox(database, "mine")
        await kept.add("journal entry", first)
        await kept.add("journal entry changed", {"origin": "x", **unknown})
        await kept.add("journal entry changed", {"origin": begun.origin, **unknown, "outcome": "done"})
        await kept.add("job item", {"finished": ["done", "", 1, 0], "origin": begun.origin})
    again = machines.open(ADA)
    assert await again.waiting() == 4
    assert await again.hand_in() == 4
    entries = await again.journal.recent()
    assert {entry.origin: entry.outcome for entry in entries} == {
        "x": Outcome.UNKNOWN,
        begun.origin: Outcome.DONE,
    }
    assert await again._file.select("SELECT * FROM spooled") == []


WRITER = """
import asyncio, sys
from pathlib import Path
from linkdash.store.database import KnownAccount
from linkdash.store.journal import Author, Outcome, WriteIntent
from linkdash.store.team_address import Address
from linkdash.store.team import Team

async def main():
    url, folder = sys.argv[1:]
    team = Team(Address.read(url), Path(folder), "mine", Author("ada", "desk"), account=KnownAccount())
    for number in range(1_000_000):
        intent = WriteIntent("pixels", "delete", (number,), {}, str(number))
        opened = await team.journal.open_entry(intent, "DELETE", "/api/pixel")
        await team.journal.close_entry(opened, Outcome.DONE)
        print(number, flush=True)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
async def test_kill_9_of_either_side_loses_nothing(machines: Machines, tmp_path: Path) -> None:
    """First the server is killed while a program writes, then the program."""
    ada = machines.open(ADA)
    await ada.journal.recent()
    place = [machines.url, str(tmp_path / "desk")]
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, *place], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(20)]
        machines.server.kill()
        said += [writer.stdout.readline() for _ in range(20)]
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.readlines()
    machines.server.start()
    await ada.hand_in()
    entries = [*reversed(await ada.journal.recent(limit=1_000_000))]
    summaries = [str(entry.intent.record_id) for entry in entries]
    last = int(said[-1])
    assert summaries in ([str(number) for number in range(last + more)] for more in (1, 2))
    assert {entry.outcome for entry in entries[: last + 1]} == {Outcome.DONE}


async def test_the_end_waits_for_no_server_that_stands_still(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TeamConnection, "patience", 3_600.0)
    ada = machines.open(ADA)
    await asyncio.gather(ada.journal.recent(), ada.history.readings(7))  # both are connected
    monkeypatch.setattr(postgresql_module, "_PATIENCE", 0.2)
    with machines.server.paused():
        writing = asyncio.create_task(ada.journal.open_entry(DELETION, *REQUEST))
        await asyncio.wait({writing}, timeout=0)
        async with asyncio.timeout(60):
            await ada.close()
        with suppress(StoreUnavailable):  # it is kept here, if that was not closed yet
            assert (await writing).waits


async def test_a_store_takes_its_team(postgresql: PostgresServer, tmp_path: Path) -> None:
    database = postgresql.new_database()
    store = Store(tmp_path / "state", tmp_path / "cache", "mine", team=postgresql.url(database))
    opened = await store.journal.open_entry(DELETION, *REQUEST)
    await store.drafts.save("pixels/create", {"name": "local"}, NOON)
    await store.close()
    assert store.team is not None
    assert (opened.waits, store.notices) == (False, ())
    with postgresql.connect(database) as session:
        assert session.execute("SELECT count(*) FROM linkdash.journal").fetchall() == [(1,)]
    assert sorted(file.name for file in (tmp_path / "state").glob("*.db")) == ["spool.db", "state.db"]
    with pytest.raises(StoreUnavailable, match="malformed"):
        Store(tmp_path / "other", tmp_path / "cache", "mine", team="postgresql://[")
