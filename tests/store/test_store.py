"""Age in the state: what is old and settled goes when it is opened; what is unknown or unfinished stays."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linkdash.store.database import Database
from linkdash.store.job import ItemState, Job
from linkdash.store.jobs import Jobs
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import OpenEntry, Outcome, WriteIntent, new_origin
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
    opened = await journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete")
    if outcome is not None:
        await journal.close_entry(opened, outcome)
    if settled:
        await journal.settle(opened.id, happened=True, message="It was deleted.")


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


async def sent(database: Database, job: Job, position: int, outcome: Outcome, at: datetime) -> OpenEntry:
    """The journal's entry of an item whose write is over."""
    journal, origin = Journal(database, "mine", lambda: at), new_origin()
    opened = await journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete", origin)
    assert await Jobs(database, "mine").claim(job.id, job.items[position], origin)
    await journal.close_entry(opened, outcome)
    return opened


@pytest.mark.parametrize("outcome", [Outcome.UNKNOWN, Outcome.NOT_SENT, None])
async def test_what_an_unfinished_job_names_stays(database: Database, outcome: Outcome | None) -> None:
    jobs = Jobs(database, "mine")
    job = await jobs.create("delete 2 pixels", [DELETION, DELETION], OLD)
    await sent(database, job, 0, Outcome.DONE, OLD)
    if outcome is not None:
        await sent(database, job, 1, outcome, OLD)
    await written(database, OLD, Outcome.DONE)
    assert await left(database) == (1 if outcome is None else 2)
    kept = await jobs.load(job.id)
    assert kept is not None
    assert kept.items[0].state is ItemState.DONE


async def test_a_job_that_is_over_goes_when_it_is_old_with_what_it_names(database: Database) -> None:
    jobs = Jobs(database, "mine")
    begun = [await jobs.create("delete a pixel", [DELETION], at) for at in (OLD, YOUNG)]
    for job in begun:
        await sent(database, job, 0, Outcome.DONE, OLD)
    assert await left(database) == 1
    assert [await jobs.load(job.id) is not None for job in begun] == [False, True]
    assert len(await database.select("SELECT * FROM job_items")) == 1


async def test_a_job_is_over_when_the_journal_knows_what_became_of_all_of_it(database: Database) -> None:
    jobs, journal = Jobs(database, "mine"), Journal(database, "mine", lambda: OLD)
    for happened in (True, False):
        job = await jobs.create("delete a pixel", [DELETION], OLD)
        opened = await sent(database, job, 0, Outcome.UNKNOWN, OLD)
        await journal.settle(opened.id, happened=happened, message="")
    await database.run(lambda connection: prune(connection, NOW))
    (left,) = await jobs.unfinished()
    assert (left.id, left.left) == (job.id, 1), "what did not happen is left to do"


async def test_opening_the_store_is_enough_and_a_clock_that_is_ahead_empties_no_journal(
    tmp_path: Path,
) -> None:
    async with SqliteDatabase.open(tmp_path / "state.db", STATE_SCHEMA, durable=True) as database:
        for year in (2020, 2021):
            await written(database, datetime(year, 1, 1, tzinfo=UTC), Outcome.DONE)
    store = Store(tmp_path, tmp_path, "mine")
    assert [entry.begun.year for entry in await store.journal.recent()] == [2021]
    await store.close()
