"""Bulk jobs: however one is interrupted, it can be resumed, and nothing is done twice."""
# ruff: noqa: ASYNC220, ASYNC221  (nothing else runs in the loops of these tests)

import asyncio
import itertools
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.errors import InvalidBody
from linkdash.store import jobs, journal_table
from linkdash.store.database import Database, stored_moment
from linkdash.store.job import ItemState, Job, JobHeld, JobItem, state_after
from linkdash.store.jobs import HELD_SECONDS, UNREADABLE, Jobs
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Author, OpenEntry, Outcome, WriteIntent, new_origin
from linkdash.store.journal_table import INTERRUPTED
from linkdash.store.sqlite import SqliteDatabase
from tests import prestarted
from tests.store.engines import Engine
from tests.store.held import Held, cancel
from tests.store.killed import can_kill, lines_until_killed

EARLIER = (
    *journal_table.SCHEMA,
    *jobs.SCHEMA,
    *journal_table.AUTHORS,
    *journal_table.PROGRAMS,
    *jobs.RUNNERS,
)
BEFORE = (*EARLIER, *jobs.ORIGINS, *jobs.PARTICIPANTS, *journal_table.FACTS, *jobs.FACTS)
SCHEMA = (*BEFORE, *jobs.BY_THE_JOURNAL)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def deletions(count: int) -> list[WriteIntent]:
    return [WriteIntent("pixels", "delete", (number,), {}) for number in range(count)]


@pytest.fixture
async def database(engine: Engine) -> AsyncIterator[Database]:
    async with engine.open(SCHEMA) as database:
        yield database


# ---- planning ----


def job_in(*states: ItemState) -> Job:
    items = [JobItem(position, deletions(9)[position], state) for position, state in enumerate(states)]
    return Job(1, "delete", NOON, tuple(items))


def test_the_next_item_is_the_first_that_may_be_sent() -> None:
    job = job_in(
        ItemState.DONE,
        ItemState.UNKNOWN,
        ItemState.SENT,
        ItemState.FAILED,
        ItemState.PENDING,
        ItemState.PENDING,
    )
    assert job.next_item() is job.items[4]
    assert job.next_item({4}) is job.items[5]
    assert job_in(ItemState.DONE, ItemState.UNKNOWN).next_item() is None
    assert job.counts == Counter(done=1, unknown=1, sent=1, failed=1, pending=2)


@pytest.mark.parametrize("state", ItemState)
def test_a_job_is_unfinished_while_anything_is_left_to_do_or_to_find_out(state: ItemState) -> None:
    expected = state not in (ItemState.DONE, ItemState.FAILED)
    assert job_in(ItemState.DONE, state, ItemState.FAILED).is_unfinished is expected


def test_only_what_was_not_sent_may_be_sent_again() -> None:
    assert [outcome for outcome in Outcome if state_after(outcome) is ItemState.PENDING] == [Outcome.NOT_SENT]
    assert ItemState.SENT not in map(state_after, Outcome)


# ---- keeping ----


async def test_a_job_is_kept_as_it_was_planned(engine: Engine) -> None:
    tasks = [
        WriteIntent("channels", "assign", (4, 12), {"type": "qr"}),
        WriteIntent("users", "subscribe", (9, 2), {"type": "yearly", "expiration": None}),
    ]
    async with engine.open(SCHEMA) as database:
        made = await Jobs(database, "mine").create("assign and subscribe", tasks, NOON)
        assert [item.intent for item in made.items] == tasks
    async with engine.open(SCHEMA) as database:
        assert await Jobs(database, "mine").load(made.id) == made
        assert await Jobs(database, "mine").unfinished() == [made]
        assert await Jobs(database, "another").load(made.id) is None
        assert await Jobs(database, "another").unfinished() == []


async def test_an_item_under_way_is_unknown_to_everybody_else(database: Database) -> None:
    mine, other = Jobs(database, "mine"), Jobs(database, "mine")
    job = await mine.create("delete", deletions(1), NOON)
    await sent(mine, Journal(database, "mine"), job, 0)
    assert not await other.claim(job.id, job.items[0], new_origin())
    for reader, state in ((mine, ItemState.SENT), (other, ItemState.UNKNOWN)):
        seen = await reader.load(job.id)
        assert seen is not None
        assert seen.items[0].state is state


async def test_an_item_that_was_claimed_and_has_no_entry_is_unknown(database: Database) -> None:
    mine = Jobs(database, "mine")
    job = await mine.create("delete", deletions(1), NOON)
    assert await mine.claim(job.id, job.items[0], new_origin())
    (item,) = (await mine.load(job.id) or job).items
    assert item.state is ItemState.UNKNOWN
    assert not await mine.claim(job.id, item, new_origin())


async def sent(jobs: Jobs, journal: Journal, job: Job, position: int) -> OpenEntry:
    """The journal's entry of an item that is on its way."""
    item, origin = job.items[position], new_origin()
    opened = await journal.open_entry(item.intent, "DELETE", "/api/pixel", origin)
    assert await jobs.claim(job.id, item, origin)
    return opened


async def ended(jobs: Jobs, journal: Journal, job: Job, position: int, outcome: Outcome) -> OpenEntry:
    """The journal's entry of an item whose write is over."""
    opened = await sent(jobs, journal, job, position)
    await journal.close_entry(opened, outcome, "said the service")
    jobs.ended(job.items[position].origin)
    return opened


@pytest.mark.parametrize("happened", [True, False])
@pytest.mark.parametrize("interrupted", [True, False])
async def test_what_the_journal_settles_is_settled_of_the_item(
    database: Database, *, happened: bool, interrupted: bool
) -> None:
    mine, journal = Jobs(database, "mine"), Journal(database, "mine")
    job = await mine.create("delete", deletions(2), NOON)
    if interrupted:
        opened = await sent(mine, journal, job, 0)
        mine = Jobs(database, "mine")
    else:
        opened = await ended(mine, journal, job, 0, Outcome.UNKNOWN)
    await journal.settle(opened.id, happened=happened, message="the pixel is gone")
    kept = await mine.load(job.id)
    assert kept is not None
    settled = ItemState.DONE if happened else ItemState.PENDING
    assert [item.state for item in kept.items] == [settled, ItemState.PENDING]
    assert [item.message for item in kept.items] == ["the pixel is gone", ""]
    assert [item.is_found_out for item in kept.items] == [True, False]
    assert await mine.claim(job.id, kept.items[0], new_origin()) is not happened
    assert not await mine.claim(job.id, kept.items[0], new_origin()), "it was taken since it was read"


@pytest.mark.parametrize("outcome", Outcome)
async def test_an_item_is_what_the_journal_knows(database: Database, outcome: Outcome) -> None:
    mine, journal = Jobs(database, "mine"), Journal(database, "mine")
    job = await mine.create("delete", deletions(1), NOON)
    await ended(mine, journal, job, 0, outcome)
    (item,) = (await Jobs(database, "mine").load(job.id) or job).items
    message = "" if outcome is Outcome.DONE else "said the service"
    assert (item.state, item.message) == (state_after(outcome), message)
    again = await mine.claim(job.id, item, new_origin())
    assert again is (outcome in (Outcome.NOT_SENT, Outcome.REJECTED))


async def test_a_job_of_the_same_writes_goes_on_unless_all_of_it_was_done_as_it_was_told(
    database: Database,
) -> None:
    mine, journal = Jobs(database, "mine"), Journal(database, "mine")
    wanted = deletions(2)
    job = await mine.create("delete", wanted, NOON)
    await ended(mine, journal, job, 0, Outcome.DONE)
    opened = await ended(mine, journal, job, 1, Outcome.UNKNOWN)
    assert await mine.to_go_on(wanted[::-1]) is None
    known = await mine.to_go_on(wanted)
    assert known is not None
    assert (known.is_unfinished, known.left) == (True, 0)
    await journal.settle(opened.id, happened=True, message="the pixel is gone")
    known = await mine.to_go_on(wanted)
    assert known is not None, "that is news"
    assert (known.is_done, known.is_news) == (True, True)
    again = await mine.create("delete", wanted, NOON)
    for position in (0, 1):
        await ended(mine, journal, again, position, Outcome.DONE)
    assert await mine.to_go_on(wanted) is None


async def test_what_was_rejected_is_to_do_when_it_is_gone_on_with(database: Database) -> None:
    mine, journal = Jobs(database, "mine"), Journal(database, "mine")
    job = await mine.create("delete", deletions(3), NOON)
    for position, outcome in enumerate((Outcome.DONE, Outcome.REJECTED, Outcome.UNKNOWN)):
        await ended(mine, journal, job, position, outcome)
    known = await mine.to_go_on(deletions(3))
    assert known is not None
    states = [item.state for item in known.with_refused_to_do().items]
    assert states == [ItemState.DONE, ItemState.PENDING, ItemState.UNKNOWN]


async def test_what_was_refused_for_all_is_as_before_its_claim(database: Database) -> None:
    mine, origin = Jobs(database, "mine"), new_origin()
    job = await mine.create("delete", deletions(1), NOON)
    assert await mine.claim(job.id, job.items[0], origin)
    await mine.give_back(job.id, job.items[0], origin)
    assert await mine.load(job.id) == job


async def test_an_answer_to_what_was_sent_anew_elsewhere_says_nothing_of_that(database: Database) -> None:
    """A program that stood still finds that its item was taken over, settled and sent anew."""
    ada, ben = Jobs(database, "mine"), Jobs(database, "mine")
    journal = Journal(database, "mine")
    job = await ada.create("delete", deletions(1), NOON)
    opened = await sent(ada, journal, job, 0)
    await journal.settle(opened.id, happened=False, message="it is still there")
    again = await ben.load(job.id)
    assert again is not None
    await sent(ben, journal, again, 0)
    await journal.close_entry(opened, Outcome.REJECTED, "too late")
    (item,) = (await ben.load(job.id) or job).items
    assert item.state is ItemState.SENT


async def test_a_claim_is_given_back_when_its_caller_is_cancelled(database: Database) -> None:
    mine = Jobs(database, "mine")
    job = await mine.create("delete", deletions(1), NOON)
    async with Held(database):  # so that the claim is recorded after
        await cancel(asyncio.create_task(mine.claim(job.id, job.items[0], new_origin())))
    assert await mine.load(job.id) == job


async def test_a_discarded_job_is_gone_alone(database: Database) -> None:
    mine = Jobs(database, "mine")
    first, second = [await mine.create("delete", deletions(2), NOON) for _ in range(2)]
    await mine.discard(first.id)
    assert await mine.load(first.id) is None
    assert await mine.unfinished() == [second]
    assert not await mine.claim(first.id, first.items[0], new_origin())


async def test_a_task_with_a_secret_is_refused(database: Database) -> None:
    mine = Jobs(database, "mine")
    with pytest.raises(InvalidBody, match="password"):
        await mine.create(
            "make users", [WriteIntent("users", "create", (), {"password": "correct-horse"})], NOON
        )
    assert await mine.unfinished() == []


# ---- run by one program at a time ----


def later(database: Database, seconds: int) -> Awaitable[int]:
    """Let so many seconds pass since a job was last confirmed."""
    return database.execute("UPDATE jobs SET runner_seen = runner_seen - ?", (seconds,))


async def test_a_job_is_run_by_one_program_until_it_is_gone(database: Database) -> None:
    ada, ben = (Jobs(database, "mine", Author(user, "desk")) for user in ("ada", "ben"))
    job = await ada.create("delete", deletions(2), NOON)
    assert job.author == Author("ada", "desk")
    assert await ada.hold(job.id)
    assert await ada.hold(job.id), "as often as it likes"
    assert not await ben.hold(job.id)
    await later(database, HELD_SECONDS - 10)
    assert not await ben.hold(job.id)
    await later(database, 11)
    assert await ben.hold(job.id)
    assert not await ada.hold(job.id), "it was taken over"
    await ada.release(job.id)
    assert not await ada.hold(job.id), "what it does not hold it cannot give away"
    await ben.release(job.id)
    assert await ada.hold(job.id)
    assert not await Jobs(database, "another").hold(job.id)
    with pytest.raises(JobHeld, match="ada@desk runs this job"):
        await ben.discard(job.id)
    await ada.discard(job.id)
    assert await ben.load(job.id) is None


@pytest.mark.skipif(sys.platform == "win32", reason="processes are looked for as POSIX has them")
async def test_a_program_on_this_machine_that_has_ended_is_gone_at_once(database: Database) -> None:
    ada, ben = (Jobs(database, "mine", Author("ada", host)) for host in ("desk", "laptop"))
    ended = subprocess.Popen(["true"])
    ended.wait()
    job = await ada.create("delete", deletions(1), NOON)
    assert await ada.hold(job.id)
    await database.execute("UPDATE jobs SET runner = ?", (f"ada@desk {ended.pid} 1 0123",))
    assert [job.runner for job in await ben.unfinished()] == ["ada@desk"], "nobody can look into a machine"
    assert not await ben.hold(job.id)
    assert [job.runner for job in await ada.unfinished()] == [""]
    assert await ada.hold(job.id)


async def test_what_another_program_sends_at_the_moment_is_no_unknown(database: Database) -> None:
    ada, ben = (Jobs(database, "mine", Author(user, "desk")) for user in ("ada", "ben"))
    job = await ada.create("delete", deletions(2), NOON)
    assert await ada.hold(job.id)
    opened = await sent(ada, Journal(database, "mine", author=Author("ada", "desk")), job, 0)
    (seen,) = await ben.unfinished()
    assert (seen.runner, seen.items[0].state) == ("ada@desk", ItemState.SENT)
    assert not await ben.claim(job.id, job.items[0], new_origin())
    await later(database, HELD_SECONDS + 1)
    (seen,) = await ben.unfinished()
    assert (seen.runner, seen.items[0].state) == ("", ItemState.UNKNOWN)
    (own,) = await ada.unfinished()
    assert (own.runner, own.items[0].state) == ("", ItemState.SENT)
    journal = Journal(database, "mine", author=Author("ben", "desk"))
    assert await journal.unknown() == [], "it may still be on its way"
    assert await ben.hold(job.id)
    (entry,) = await journal.unknown()
    assert (entry.id, entry.message) == (opened.id, INTERRUPTED), "whoever takes the job over can look"
    await journal.settle(entry.id, happened=False, message="It did not happen.")
    (seen,) = await ben.unfinished()
    assert await ben.claim(job.id, seen.items[0], new_origin())


# ---- spoilt rows ----


@pytest.mark.parametrize(
    "change", ["params = '{'", "params = '7'", "record_ids = '[null]'", "before = '[1]'"]
)
async def test_an_item_that_cannot_be_read_has_failed_and_is_not_sent(
    database: Database, change: str
) -> None:
    mine = Jobs(database, "mine")
    job = await mine.create("delete", deletions(3), NOON)
    await database.execute(f"UPDATE job_items SET {change} WHERE position = 1")
    (kept,) = await mine.unfinished()
    assert [item.state for item in kept.items] == [ItemState.PENDING, ItemState.FAILED, ItemState.PENDING]
    assert kept.items[1].message == UNREADABLE
    assert [item.intent for item in kept.items[::2]] == [item.intent for item in job.items[::2]]
    assert database.notices == ()


@pytest.mark.parametrize(
    "change", ["UPDATE jobs SET created = ''", "DELETE FROM job_items WHERE position = 0"]
)
async def test_a_job_that_cannot_be_read_is_left_out_and_told(database: Database, change: str) -> None:
    mine = Jobs(database, "mine")
    await mine.create("delete", deletions(2), NOON)
    await database.execute(change)
    whole = await mine.create("delete", deletions(2), NOON)
    assert await mine.unfinished() == [whole]
    assert database.notices == (f"{database.name}: some bulk jobs cannot be read and are left out.",)


# ---- never twice ----


class Killed(BaseException):
    """The end of the process: nothing after it runs."""


async def work_through(
    mine: Jobs, journal: Journal, job_id: int, send: Callable[[JobItem], Awaitable[Outcome]]
) -> None:
    """Do what is left of a job; one pass, in which what was not sent is not tried again."""
    job = await mine.load(job_id)
    assert job is not None
    for item in job.items:
        origin = new_origin()
        opened = await journal.open_entry(item.intent, "DELETE", "/api/pixel", origin)
        if item.state is ItemState.PENDING and await mine.claim(job_id, item, origin):
            await journal.close_entry(opened, await send(item))


@given(
    kills=st.lists(st.integers(0, 14), max_size=4),
    outcomes=st.lists(st.sampled_from(Outcome), min_size=5, max_size=5),
)
async def test_nothing_is_done_twice_wherever_it_is_killed(
    kills: list[int], outcomes: Sequence[Outcome]
) -> None:
    """Kill at any of the moments before the claim, before sending, after it, and go on each time."""
    sent: Counter[int] = Counter()

    async def life(path: Path, job_id: int, moments: int) -> None:
        """A run of the program that ends after so many moments."""
        left = itertools.count(moments, -1)

        def moment() -> None:
            if next(left) == 0:
                raise Killed

        async def send(item: JobItem) -> Outcome:
            moment()
            outcome = outcomes[item.position]
            sent[item.position] += outcome is not Outcome.NOT_SENT
            moment()
            return outcome

        async with SqliteDatabase.open(path, SCHEMA) as database:
            moment()
            await work_through(Jobs(database, "mine"), Journal(database, "mine"), job_id, send)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        async with SqliteDatabase.open(path, SCHEMA) as database:
            job = await Jobs(database, "mine").create("delete", deletions(5), NOON)
        for moments in (*kills, 1_000):
            try:
                await life(path, job.id, moments)
            except Killed:
                continue
        async with SqliteDatabase.open(path, SCHEMA) as database:
            final = await Jobs(database, "mine").load(job.id)
    assert final is not None
    for item, outcome in zip(final.items, outcomes, strict=True):
        assert sent[item.position] <= 1
        assert item.state in (state_after(outcome), ItemState.UNKNOWN)
        if item.state in (ItemState.DONE, ItemState.FAILED):
            assert sent[item.position] == 1
    assert sum(item.state is ItemState.UNKNOWN for item in final.items) <= len(kills) + outcomes.count(
        Outcome.UNKNOWN
    )


async def test_two_programs_on_one_job_do_each_item_once(engine: Engine) -> None:
    sent: Counter[int] = Counter()

    async def send(item: JobItem) -> Outcome:
        sent[item.position] += 1
        await asyncio.sleep(0)
        return Outcome.DONE

    async with engine.open(SCHEMA) as one, engine.open(SCHEMA) as two:
        job = await Jobs(one, "mine").create("delete", deletions(30), NOON)
        await asyncio.gather(
            *(work_through(Jobs(each, "mine"), Journal(each, "mine"), job.id, send) for each in (one, two))
        )
        assert await Jobs(one, "mine").unfinished() == []
    assert sent == Counter(range(30))


async def test_rows_of_a_file_take_the_place_of_those_of_before_and_secrets_are_masked(
    database: Database,
) -> None:
    mine, journal = Jobs(database, "mine", Author("ada", "desk")), Journal(database, "mine")
    made = [WriteIntent("users", "create", (), {"username": name, "password": "x"}) for name in ("a", "b")]
    rows = [JobItem(at, intent, row_key=f"new:{at + 1}/1") for at, intent in enumerate(made)]
    job = await mine.keep("import", rows, NOON)
    await ended(mine, journal, job, 0, Outcome.DONE)
    (kept,) = await mine.imports()
    assert [item.row_key for item in kept.items] == ["new:1/1", "new:2/1"]
    assert "x" not in str([item.intent.params for item in kept.items])
    later = await mine.keep("import", [kept.items[0], JobItem(1, made[1], row_key="new:3/1")], NOON, kept)
    (now,) = await mine.imports()
    assert now.id == later.id
    assert [(item.row_key, item.state) for item in now.items] == [
        ("new:1/1", ItemState.DONE),
        ("new:3/1", ItemState.PENDING),
    ]
    other = Jobs(database, "mine", Author("ada", "laptop"))
    with pytest.raises(JobHeld):
        await other.keep("import", now.items, NOON, now)
    await mine.release(later.id)
    assert (await other.keep("import", now.items, NOON, now)).items == now.items


async def test_jobs_of_an_earlier_version_are_as_they_were(engine: Engine) -> None:
    states = {"done": "a", "unknown": "b", "pending": "c", "failed": "d", "sent": "", "not_sent": ""}
    outcomes = {"a": "done", "b": "unknown", "c": "rejected", "d": "rejected"}
    async with engine.open(BEFORE) as database:
        await database.execute(
            "INSERT INTO jobs (profile, title, created) VALUES ('mine', 'delete', ?)", (stored_moment(NOON),)
        )
        for position, (state, origin) in enumerate(states.items()):
            values = (position, state.replace("not_sent", "pending"), origin)
            await database.execute(
                "INSERT INTO job_items (job, position, resource, action, record_ids, params, words, before,"
                " state, origin) VALUES (1, ?, 'pixels', 'delete', '[7]', '{}', '', 'null', ?, ?)",
                values,
            )
        for number, (origin, outcome) in enumerate(outcomes.items(), 1):
            await database.execute(
                "INSERT INTO journal (id, profile, begun, method, path, purpose, resource, action, record_id,"
                " body, before, outcome, origin) VALUES (?, 'mine', ?, 'DELETE', '/api/pixel', '', 'pixels',"
                " 'delete', 7, '{}', 'null', ?, ?)",
                (number, stored_moment(NOON), outcome, origin),
            )
    async with engine.open(SCHEMA) as database:
        (known,) = await Jobs(database, "mine").unfinished()
        assert [item.state for item in known.items] == [
            ItemState.DONE,
            ItemState.UNKNOWN,
            ItemState.PENDING,
            ItemState.FAILED,
            ItemState.UNKNOWN,
            ItemState.PENDING,
        ]


RUNNER = """
import asyncio, sys
from linkdash.store.jobs import Jobs
from linkdash.store.journal import Journal, Outcome, new_origin
from tests.store.engines import Engine
from tests.store.test_jobs import SCHEMA

async def main():
    async with Engine(sys.argv[1]).open(SCHEMA) as database:
        mine, journal = Jobs(database, "mine"), Journal(database, "mine")
        job = await mine.load(int(sys.argv[2]))
        for item in job.items:
            if item.position == 100:
                sys.stdin.readline()
            origin = new_origin()
            opened = await journal.open_entry(item.intent, "DELETE", "/api/pixel", origin)
            if await mine.claim(job.id, item, origin):
                print(item.position, flush=True)
                await journal.close_entry(opened, Outcome.DONE)

asyncio.run(main())
"""


@can_kill
async def test_a_job_is_resumed_after_kill_9(engine: Engine) -> None:
    """The first run is killed somewhere behind its 20th item; it waits before its 101st."""
    async with engine.open(SCHEMA) as database:
        job = await Jobs(database, "mine").create("delete", deletions(120), NOON)
    arguments = (engine.place, str(job.id))
    sent = lines_until_killed(RUNNER, *arguments, after=20)
    assert 20 <= len(sent) <= 100
    async with engine.open(SCHEMA) as database:
        (killed,) = await Jobs(database, "mine").unfinished()
        unknown = [item.position for item in killed.items if item.state is ItemState.UNKNOWN]
        assert len(unknown) <= 1
    command = [prestarted.program(RUNNER), *arguments]
    resumed = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=30, check=True
    )
    sent += resumed.stdout.splitlines()
    counted = Counter(map(int, sent))
    assert max(counted.values()) == 1
    assert counted.keys() | set(unknown) == set(range(120))
