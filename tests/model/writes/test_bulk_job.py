"""Bulk jobs on the real service: across rate windows, around failures, and never an item twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from linkdash.api.budget.lanes import Lane
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.session import Session
from linkdash.model.writes.runner import Phase
from linkdash.store.job import ItemState, Job, JobHeld
from linkdash.store.journal_entry import Outcome, WriteIntent
from tests.conftest import StartDemo
from tests.model.writes.conftest import Open
from tests.service.visitor import Visitor
from tests.waiting import wait_until

LOST = Fault(drop=True)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def deletions(ids: Sequence[int]) -> list[WriteIntent]:
    return [WriteIntent("pixels", "delete", (id,), {}) for id in ids]


def paths(running: Running) -> list[str]:
    """Every write that the service has taken; one refused for the rate was not carried out."""
    log = running.service.log
    return [entry.path for entry in log if entry.method != "GET" and entry.status != 429]


async def begun(session: Session, ids: Sequence[int]) -> Job:
    return await session.store.jobs.create(f"Delete {len(ids)} pixels", deletions(ids), NOON)


@asynccontextmanager
async def under_way(session: Session, job: Job) -> AsyncIterator["asyncio.Task[None]"]:
    running = asyncio.create_task(session.jobs.run(job))
    try:
        yield running
    finally:
        running.cancel()
        await asyncio.wait({running})


async def test_75_across_two_windows_with_a_failure_in_the_middle(
    start_demo: StartDemo, open_session: Open
) -> None:
    demo = start_demo(DemoSettings(rate=50, window=1.0))
    session = open_session(demo)
    ids = [*range(1, 38), 9_999, *range(38, 75)]
    assert len(ids) == 75
    seen: list[int] = []
    session.job_changes.watch(lambda: seen.append(session.jobs.job.over if session.jobs.job else 0))
    await session.jobs.run(await begun(session, ids))
    job = session.jobs.job
    assert job is not None
    assert job.counts == Counter({ItemState.DONE: 74, ItemState.FAILED: 1})
    assert (job.items[37].state, job.items[37].message) == (ItemState.FAILED, "Pixel 9999 was not found.")
    assert paths(demo) == [f"/api/pixel/{id}/delete" for id in ids], "in order, each once, none refused"
    log = list(demo.service.log)
    assert not any(entry.refused for entry in log)
    assert log[-1].at - log[0].at >= 1.0, "one window was not enough"
    assert sorted(set(seen)) == list(range(76)), "every step is told"
    assert await session.store.jobs.load(job.id) == job
    outcomes = Counter(entry.outcome for entry in await session.store.journal.recent())
    assert outcomes == Counter({Outcome.DONE: 74, Outcome.REJECTED: 1})


async def test_a_person_goes_first(start_demo: StartDemo, open_session: Open) -> None:
    demo = start_demo(DemoSettings(rate=20, window=3600))
    session = open_session(demo)
    async with under_way(session, await begun(session, range(1, 61))):
        await wait_until(lambda: any(waiting.lane is Lane.TASK for waiting in session.gate.state.queued))
        await session.client.domains.list()
        assert session.jobs.job is not None
        assert session.jobs.job.left, "the person was served while the job still waits"
        entry = next(entry for entry in session.gate.ledger.entries(1e12, 1e12) if "domains" in entry.label)
        assert entry.waited < 60, "and not when the window turned"


async def test_pausing_sends_nothing_more_and_going_on_does_the_rest(
    start_demo: StartDemo, open_session: Open
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    session = open_session(demo)
    demo.service.faults.next("DELETE", "/api/pixel/3/delete", Fault(delay=0.05))
    async with under_way(session, await begun(session, range(1, 7))) as running:
        await wait_until(lambda: len(paths(demo)) == 3)
        session.jobs.pause()
        await wait_until(lambda: session.jobs.job and session.jobs.job.counts[ItemState.DONE] == 3)
        assert session.jobs.phase is Phase.PAUSED
        assert session.jobs.progress is not None
        assert "paused" in session.jobs.progress.notes
        session.jobs.resume()
        await running
    assert paths(demo) == [f"/api/pixel/{id}/delete" for id in range(1, 7)]
    assert session.jobs.progress is None


async def test_stopping_withdraws_what_waits_and_the_rest_is_done_later(
    start_demo: StartDemo, open_session: Open
) -> None:
    demo = start_demo(DemoSettings(rate=4, window=1.0))
    first = open_session(demo)
    async with under_way(first, await begun(first, range(1, 7))) as running:
        await wait_until(lambda: len(paths(demo)) > 1 and first.gate.state.queued)
        sent = len(paths(demo))
        first.jobs.stop()
        await running
    assert len(paths(demo)) == sent
    (left,) = await first.store.jobs.unfinished()
    assert left.counts[ItemState.UNKNOWN] == 0, "what waited for its turn was not sent"
    assert len(await first.store.journal.recent()) == left.counts[ItemState.DONE] == len(paths(demo))
    second = open_session(demo)
    assert await second.jobs.known() == [left]
    await second.jobs.run(left)
    assert sorted(paths(demo)) == [f"/api/pixel/{id}/delete" for id in range(1, 7)]
    (done,) = await second.jobs.known()
    assert (done.id, done.left) == (left.id, 0)


async def test_a_job_is_run_by_one_program_and_taken_over_when_that_one_is_gone(
    start_demo: StartDemo, open_session: Open
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    first, second = open_session(demo), open_session(demo)
    job = await begun(first, range(1, 21))
    async with under_way(first, job) as running:
        await wait_until(lambda: len(paths(demo)) > 2)
        first.jobs.pause()
        with pytest.raises(JobHeld, match="runs this job"):
            await second.jobs.run(job)
        assert second.jobs.is_over
        await wait_until(lambda: first.jobs.job and not first.jobs.job.counts[ItemState.SENT])
        running.cancel()
    left = await second.store.jobs.load(job.id)
    assert left is not None
    assert 0 < left.left < 20
    await second.jobs.run(left)
    assert sorted(paths(demo)) == sorted(f"/api/pixel/{id}/delete" for id in range(1, 21))
    kept = await first.store.jobs.load(job.id)
    assert kept is not None
    assert kept.counts == Counter({ItemState.DONE: 20})


async def test_a_job_that_is_gone_while_it_runs_pauses_it(start_demo: StartDemo, open_session: Open) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    session = open_session(demo)
    job = await begun(session, range(1, 5))
    demo.service.faults.next("DELETE", "/api/pixel/1/delete", Fault(delay=0.2))
    async with under_way(session, job):
        await wait_until(lambda: len(paths(demo)) == 1)
        await session.store.jobs.discard(job.id)
        await wait_until(lambda: session.jobs.is_paused)
        assert session.jobs.trouble == "The job was discarded."
    assert len(await session.store.journal.recent()) == 2, "of which one was not sent"


async def test_an_unknown_outcome_is_left_alone_and_two_in_a_row_pause(
    start_demo: StartDemo, open_session: Open
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    session = open_session(demo)
    for id in (2, 4, 5):
        demo.service.faults.next("DELETE", f"/api/pixel/{id}/delete", LOST)
    async with under_way(session, await begun(session, range(1, 7))) as running:
        await wait_until(lambda: session.jobs.is_paused)
        assert session.jobs.trouble.startswith("The answer to this change was lost.")
        assert len(paths(demo)) == 5
        session.jobs.resume()
        await running
    job = session.jobs.job
    assert job is not None
    assert [item.state for item in job.items if item.position in (1, 3, 4)] == [ItemState.UNKNOWN] * 3
    assert paths(demo) == [f"/api/pixel/{id}/delete" for id in range(1, 7)], "none was sent again"
    assert len(await session.store.journal.unknown()) == 3


async def test_what_no_item_is_to_blame_for_pauses_and_costs_no_item(
    start_demo: StartDemo, open_session: Open
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    session = open_session(demo)
    demo.service.faults.next("DELETE", "/api/pixel/2/delete", Fault(handled=False, status=401))
    async with under_way(session, await begun(session, range(1, 4))) as running:
        await wait_until(lambda: session.jobs.is_paused)
        assert "key" in session.jobs.trouble
        assert session.jobs.job is not None
        assert session.jobs.job.counts == Counter({ItemState.DONE: 1, ItemState.PENDING: 2})
        session.jobs.resume()
        await running
        assert session.jobs.job.counts == Counter({ItemState.DONE: 3})
    with Visitor(demo, demo.api_key) as visitor:
        assert visitor.read("/api/pixels")["data"]["result"] == 127


async def test_a_service_that_is_gone_pauses_and_nothing_is_unknown(
    start_demo: StartDemo, open_session: Open
) -> None:
    session = open_session(replace(start_demo(DemoSettings()), base_url="http://127.0.0.1:9"))
    async with under_way(session, await begun(session, range(1, 4))):
        await wait_until(lambda: session.jobs.is_paused)
        assert "could not be reached" in session.jobs.trouble
        assert session.jobs.job is not None
        assert session.jobs.job.left == 3
    assert await session.store.journal.unknown() == []
