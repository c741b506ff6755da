"""Age in the state: what is old and settled goes when it is opened; what is unknown or unfinished stays."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linkdash.store.database import Database
from linkdash.store.jobs import Jobs
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Outcome, WriteIntent
from linkdash.store.schemas import STATE_SCHEMA
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.store import KEPT_FOR, Store, prune

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
A_DAY = timedelta(days=1)
OLD, YOUNG = NOW - KEPT_FOR - A_DAY, NOW - KEPT_FOR + A_DAY
DELETION = WriteIntent("pixels", "delete", (7,), {})


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with SqliteDatabase.open(tmp_path / "state.db", STATE_SCHEMA, durable=True) as database:
        yield database


async def written(
    database: Database, at: datetime, outcome: Outcome | None, profile: str = "mine", *, settled: bool = False
) -> None:
    journal = Journal(database, profile, clock=lambda: at)
    entry_id = await journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete")
    if outcome is not None:
        await journal.close_entry(entry_id, outcome)
    if settled:
        await journal.settle(entry_id, happened=True, message="It was deleted.")


async def left(database: Database, profile: str = "mine") -> int:
    await database.run(lambda connection: prune(connection, NOW))
    return len(await Journal(database, profile).recent())


@pytest.mark.parametrize("outcome", [Outcome.DONE, Outcome.REJECTED, Outcome.NOT_SENT])
async def test_settled_writes_go_when_they_are_old(database: Database, outcome: Outcome) -> None:
    await written(database, OLD, outcome)
    await written(database, YOUNG, outcome)
    assert await left(database) == 1


@pytest.mark.parametrize("outcome", [Outcome.UNKNOWN, None])
async def test_what_nobody_knows_stays_until_it_is_settled(
    database: Database, outcome: Outcome | None
) -> None:
    await written(database, OLD, outcome)
    await written(database, OLD, outcome, settled=True)
    assert await left(database) == 1


@pytest.mark.parametrize("outcome", [Outcome.UNKNOWN, Outcome.NOT_SENT, None])
async def test_all_since_an_unfinished_job_began_stays(database: Database, outcome: Outcome | None) -> None:
    jobs = Jobs(database, "mine")
    job = await jobs.create("delete 2 pixels", [DELETION, DELETION], OLD)
    assert await jobs.claim(job.id, job.items[0], "w0")
    await jobs.finish_item(job.id, 0, Outcome.DONE)
    if outcome is not None:
        assert await jobs.claim(job.id, job.items[1], "w1")
        await jobs.finish_item(job.id, 1, outcome)
    await written(database, OLD - A_DAY, Outcome.DONE)
    await written(database, OLD, Outcome.DONE)
    await written(database, OLD + A_DAY / 2, Outcome.DONE)
    await written(database, OLD, Outcome.DONE, profile="another")
    assert await left(database) == 2
    assert await left(database, "another") == 0
    assert await jobs.load(job.id) is not None


async def test_a_job_that_is_over_goes_when_it_is_old(database: Database) -> None:
    jobs = Jobs(database, "mine")
    begun = [await jobs.create("delete a pixel", [DELETION], at) for at in (OLD, YOUNG)]
    ids = [job.id for job in begun]
    for job in begun:
        assert await jobs.claim(job.id, job.items[0], f"w{job.id}")
        await jobs.finish_item(job.id, 0, Outcome.DONE)
    await written(database, OLD, Outcome.DONE)
    assert await left(database) == 0
    assert [await jobs.load(job_id) is not None for job_id in ids] == [False, True]
    assert len(await database.select("SELECT * FROM job_items")) == 1


async def test_a_job_is_over_when_the_journal_knows_what_became_of_all_of_it(database: Database) -> None:
    jobs, journal = Jobs(database, "mine"), Journal(database, "mine", lambda: OLD)
    for position, happened in enumerate((True, False)):
        job = await jobs.create("delete a pixel", [DELETION], OLD)
        entry_id = await journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete", f"w{position}")
        assert await jobs.claim(job.id, job.items[0], f"w{position}")
        await jobs.finish_item(job.id, 0, Outcome.UNKNOWN)
        await journal.close_entry(entry_id, Outcome.UNKNOWN)
        await journal.settle(entry_id, happened=happened, message="")
    await database.run(lambda connection: prune(connection, NOW))
    (left,) = await jobs.unfinished()
    assert (left.id, left.left) == (job.id, 1), "what did not happen is left to do"


async def test_opening_the_store_is_enough(tmp_path: Path) -> None:
    async with SqliteDatabase.open(tmp_path / "state.db", STATE_SCHEMA, durable=True) as database:
        await written(database, datetime(2020, 1, 1, tzinfo=UTC), Outcome.DONE)
    store = Store(tmp_path, tmp_path, "mine")
    assert await store.journal.recent() == []
    await store.close()
