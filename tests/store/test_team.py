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
from linkdash.store.database import KnownAccount, StoreAway, StoreUnavailable
from linkdash.store.job import ItemState
from linkdash.store.journal_entry import Author, Outcome, WriteIntent
from linkdash.store.journal_table import INTERRUPTED
from linkdash.store.postgresql import TeamConnection
from linkdash.store.reading import Reading
from linkdash.store.store import Store
from linkdash.store.team import Team
from linkdash.store.team_address import Address
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
        self._folder = folder
        self.url = postgresql.url(postgresql.new_database())
        self._opened: list[Team] = []

    def open(self, author: Author, key: str = "mine") -> Team:
        address = Address.read(self.url)
        folder = self._folder / author.host
        team = Team(address, folder, key, author, account=KnownAccount())
        self._opened.append(team)
        return team

    async def close(self) -> None:
        for team in self._opened:
            await team.close()


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
        await team.journal.open_entry(DELETION, *REQUEST)
    machines.server.start()
    for team in (other, mine):
        assert await team.hand_in() == 1
        assert [entry.id > 0 for entry in await team.journal.recent()] == [True]


async def test_what_one_machine_writes_the_other_sees(machines: Machines) -> None:
    ada, ben = machines.open(ADA), machines.open(BEN)
    entry_id = await ada.journal.open_entry(DELETION, *REQUEST)
    (seen,) = await ben.journal.recent()
    assert (seen.author, seen.outcome) == (ADA, None), "it may still be on its way there"
    assert await ben.journal.unknown() == []
    await ada.journal.close_entry(entry_id, Outcome.UNKNOWN, "The answer was lost.")
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
async def test_what_is_written_while_it_is_away_is_seen_and_handed_in_once(machines: Machines) -> None:
    machines.server.kill()
    ada = machines.open(ADA)
    first, second, third = [await ada.journal.open_entry(DELETION, *REQUEST) for _ in range(3)]
    await ada.journal.close_entry(first, Outcome.DONE, "gone", answer={"error": 0})
    await ada.journal.close_entry(second, Outcome.UNKNOWN, "The answer was lost.")
    await ada.journal.settle(second, happened=True, message="The pixel is gone.")
    await ada.history.record(7, Reading(NOON, 1, 2, 3, {"countries": {"Chile": 4, "": 1}}))
    await ada.history.record(7, Reading(NOON + timedelta(hours=1), scans=9))
    await ada.history.mark_looked(7, NOON)
    assert await ada.claims.claim(7, NOON, None), "nobody can be asked"
    here = await ada.journal.recent()
    assert [entry.id for entry in here] == [third, second, first]
    assert [entry.outcome for entry in here] == [None, Outcome.UNKNOWN, Outcome.DONE]
    assert [entry.requests for entry in here] == [0, 1, 1]
    assert await ada.journal.unknown() == []
    assert await ada.journal.last_change(DELETION.resource) == here[1].ended
    assert await ada.journal.entry(second) == here[1]
    assert [entry.id for entry in await ada.journal.recent(1, 1)] == [second]
    assert await ada.journal.recent(user="ben") == []
    with pytest.raises(StoreAway):
        await ada.hand_in()
    assert await ada.waiting() == 9
    machines.server.start()
    ben = machines.open(BEN)
    await ben.journal.open_entry(DELETION, *REQUEST)
    assert len(await ada.journal.recent(2)) == 2
    assert await ada.hand_in() == 9
    assert (await ada.waiting(), await ada.hand_in()) == (0, 0)
    assert ada.failure is None
    await ada.journal.close_entry(third, Outcome.REJECTED, "No.")
    assert await ada.waiting() == 1, "what was begun in the outbox is ended there, and follows"
    await ada.hand_in()
    entries = [entry for entry in await ben.journal.recent() if entry.author == ADA]
    assert [entry.outcome for entry in entries] == [Outcome.REJECTED, Outcome.UNKNOWN, Outcome.DONE]
    assert [entry.message for entry in entries] == ["No.", "The answer was lost.", "gone"]
    assert [entry.begun for entry in entries] == [entry.begun for entry in here]
    assert entries[1].settlement is not None
    assert entries[2].answer == {"error": 0}
    readings = await ben.history.readings(7)
    assert readings == [
        Reading(NOON, 1, 2, 3, {"countries": {"Chile": 4, "": 1}}),
        Reading(NOON + timedelta(hours=1), scans=9),
    ]
    assert await ben.history.last_look(7) == NOON


async def test_what_was_begun_before_it_went_away_is_ended_when_it_is_back(machines: Machines) -> None:
    ada = machines.open(ADA)
    job = await ada.jobs.create("delete", [DELETION, DELETION], NOON)
    entry_id = await ada.journal.open_entry(DELETION, *REQUEST, "w0")
    assert await ada.jobs.claim(job.id, job.items[0], "w0")
    machines.server.kill()
    await ada.journal.close_entry(entry_id, Outcome.DONE, "gone")
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


async def test_a_write_cancelled_while_it_is_spooled_was_not_sent(machines: Machines) -> None:
    machines.server.kill()
    ada = machines.open(ADA)
    beginning = asyncio.create_task(ada.journal.open_entry(DELETION, *REQUEST))
    await asyncio.wait({beginning}, timeout=0)
    beginning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beginning
    assert [entry.outcome for entry in await ada.journal.recent()] in ([], [Outcome.NOT_SENT])
    machines.server.start()


async def test_killed_between_handing_in_and_forgetting_nothing_is_there_twice(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines.server.kill()
    ada = machines.open(ADA)
    for number in range(5):
        entry_id = await ada.journal.open_entry(DELETION, *REQUEST)
        await ada.journal.close_entry(entry_id, Outcome.DONE)
        await ada.history.record(7, Reading(NOON + timedelta(hours=number), scans=number))
    machines.server.start()

    async def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Outbox, "drop", killed)
        with pytest.raises(Killed):
            await ada.hand_in()
    again = machines.open(ADA)
    await again.history.record(7, Reading(NOON + timedelta(hours=9), scans=9))
    assert await again.waiting() == 15
    assert [entry.outcome for entry in await again.journal.recent()] == [Outcome.DONE] * 5
    assert await again.journal.unknown() == []
    await again.hand_in()
    assert len(await again.journal.recent()) == 5
    assert [reading.scans for reading in await again.history.readings(7)] == [0, 1, 2, 3, 4, 9]


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
    machines.server.start()
    await ada.hand_in()
    assert await ada.waiting() == 0
    assert len(await ada.history.readings(7)) == 1
    rows = await ada._file.select("SELECT refusal FROM spooled")
    assert len(rows) == 4
    assert all(row["refusal"] for row in rows), "it is not lost"


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
        entry_id = await team.journal.open_entry(intent, "DELETE", "/api/pixel")
        await team.journal.close_entry(entry_id, Outcome.DONE)
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
        with suppress(StoreUnavailable):  # it is in the outbox, if that was not closed yet
            assert await writing < 0


async def test_a_store_takes_its_team(postgresql: PostgresServer, tmp_path: Path) -> None:
    database = postgresql.new_database()
    store = Store(tmp_path / "state", tmp_path / "cache", "mine", team=postgresql.url(database))
    entry_id = await store.journal.open_entry(DELETION, *REQUEST)
    await store.drafts.save("pixels/create", {"name": "local"}, NOON)
    await store.close()
    assert store.team is not None
    assert (entry_id, store.notices) == (1, ())
    with postgresql.connect(database) as session:
        assert session.execute("SELECT count(*) FROM linkdash.journal").fetchall() == [(1,)]
    assert sorted(file.name for file in (tmp_path / "state").glob("*.db")) == ["spool.db", "state.db"]
    with pytest.raises(StoreUnavailable, match="malformed"):
        Store(tmp_path / "other", tmp_path / "cache", "mine", team="postgresql://[")
