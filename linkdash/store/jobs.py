"""Bulk jobs: many writes, each claimed before it is sent, so that none is ever done twice."""

import enum
import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from linkdash.api.secrecy import masked
from linkdash.store.database import Database, read_moment, stored_json, stored_moment
from linkdash.store.journal import Outcome
from linkdash.store.tasks import Task

SCHEMA = (
    """CREATE TABLE jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        profile TEXT NOT NULL,
        title TEXT NOT NULL,
        created TEXT NOT NULL
    )""",
    """CREATE TABLE job_items (
        job INTEGER NOT NULL,
        position INTEGER NOT NULL,
        resource TEXT NOT NULL,
        action TEXT NOT NULL,
        record_ids TEXT NOT NULL,
        params TEXT NOT NULL,
        words TEXT NOT NULL,
        before TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (job, position)
    ) WITHOUT ROWID""",
)

# ---- planning: pure ----


class State(enum.StrEnum):
    """How far one item of a job is."""

    PENDING = "pending"
    SENT = "sent"
    """Under way in this process."""
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Sent, and nobody knows what became of it. It is never sent again by itself."""


@dataclass(frozen=True, slots=True)
class Item:
    """A task of a job and what has become of it so far."""

    position: int
    task: Task
    state: State = State.PENDING
    message: str = ""
    """Why it failed, or what the service said."""

    @property
    def words(self) -> str:
        """What it does."""
        return self.task.words


@dataclass(frozen=True, slots=True)
class Job:
    """Many writes that a person started as one."""

    id: int
    title: str
    """What it does, in words: "delete 40 pixels"."""
    created: datetime
    items: tuple[Item, ...]

    @property
    def next_item(self) -> Item | None:
        """The item to do next; None when nothing is left that may be sent."""
        return next((item for item in self.items if item.state is State.PENDING), None)

    @property
    def counts(self) -> Counter[State]:
        """How many items are in each state."""
        return Counter(item.state for item in self.items)

    def after(self, position: int, state: State, message: str = "") -> "Job":
        """The same job with another state of one item."""
        item = replace(self.items[position], state=state, message=message)
        return replace(self, items=(*self.items[:position], item, *self.items[position + 1 :]))

    @property
    def left(self) -> int:
        """How many items may still be sent."""
        return sum(item.state is State.PENDING for item in self.items)

    @property
    def over(self) -> int:
        """How many items are done, have failed or are unknown."""
        return sum(item.state not in (State.PENDING, State.SENT) for item in self.items)

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something left to do or to find out."""
        return any(item.state not in (State.DONE, State.FAILED) for item in self.items)


def state_after(outcome: Outcome) -> State:
    """What an item is after its write: one that was not sent may be sent later."""
    return {
        Outcome.NOT_SENT: State.PENDING,
        Outcome.REJECTED: State.FAILED,
        Outcome.DONE: State.DONE,
        Outcome.UNKNOWN: State.UNKNOWN,
    }[outcome]


# ---- keeping ----


class Jobs:
    """The jobs of one profile.

    Belongs into a durable database. Two processes may work on one job: each item is claimed by one of
    them only. Every method raises StoreUnavailable.
    """

    def __init__(self, database: Database, profile: str) -> None:
        self._database = database
        self._profile = profile
        self._under_way: set[tuple[int, int]] = set()

    async def create(self, title: str, tasks: Sequence[Task], at: datetime) -> Job:
        """Records a job before its first write. Raises ValueError if a task holds a secret, never stored."""
        if any(masked(task.params) != dict(task.params) for task in tasks):
            raise ValueError("a job is kept in a file, and secrets are not")
        items = tuple(Item(position, task) for position, task in enumerate(tasks))

        def insert(connection: sqlite3.Connection) -> int:
            (job_id,) = connection.execute(
                "INSERT INTO jobs (profile, title, created) VALUES (?, ?, ?) RETURNING id",
                (self._profile, title, stored_moment(at)),
            ).fetchone()
            connection.executemany(
                f"INSERT INTO job_items VALUES ({', '.join('?' * 10)})",
                [_item_row(job_id, item) for item in items],
            )
            return int(job_id)

        return Job(await self._database.run(insert), title, at, items)

    async def claim(self, job_id: int, position: int) -> bool:
        """Records that an item is about to be sent. Only if this says True may it be sent.

        False: it is not pending, because another process or an earlier run has sent it.
        """
        pending, sent = (State.PENDING.value, State.SENT.value)
        move = "UPDATE job_items SET state = ? WHERE job = ? AND position = ? AND state = ?"

        def claim(connection: sqlite3.Connection) -> bool:
            return connection.execute(move, (sent, job_id, position, pending)).rowcount == 1

        def release(connection: sqlite3.Connection, claimed: bool) -> None:
            if claimed:
                connection.execute(move, (pending, job_id, position, sent))

        claimed = await self._database.run_or_revoke(claim, release)
        if claimed:
            self._under_way.add((job_id, position))
        return claimed

    async def finish(self, job_id: int, position: int, outcome: Outcome, message: str = "") -> None:
        """Records what became of a claimed item; done even if the caller is cancelled meanwhile."""
        self._under_way.discard((job_id, position))
        await self._database.execute(
            "UPDATE job_items SET state = ?, message = ? WHERE job = ? AND position = ?",
            (state_after(outcome).value, message, job_id, position),
        )

    async def settle(self, job_id: int, position: int, *, found: bool, words: str) -> None:
        """Records what a look at the service said about an unknown item: it is done, or pending again.

        Nothing happens to an item that is not unknown.
        """
        if (job_id, position) in self._under_way:
            return
        state = State.DONE if found else State.PENDING
        await self._database.execute(
            "UPDATE job_items SET state = ?, message = ? WHERE job = ? AND position = ? AND state IN (?, ?)",
            (state.value, words, job_id, position, State.SENT.value, State.UNKNOWN.value),
        )

    async def load(self, job_id: int) -> Job | None:
        """A job as it stands."""
        jobs = await self._select("AND id = ?", job_id)
        return jobs[0] if jobs else None

    async def unfinished(self) -> list[Job]:
        """Jobs with something left to do or to find out, the newest first."""
        return [job for job in await self._select("ORDER BY id DESC") if job.is_unfinished]

    async def discard(self, job_id: int) -> None:
        """Forgets a job; its writes stay in the journal."""

        def delete(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM job_items WHERE job = ?", (job_id,))
            connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

        await self._database.run(delete)

    async def _select(self, rest: str, *values: int) -> list[Job]:
        def select(connection: sqlite3.Connection) -> list[tuple[sqlite3.Row, list[sqlite3.Row]]]:
            jobs = connection.execute(
                f"SELECT * FROM jobs WHERE profile = ? {rest}", (self._profile, *values)
            ).fetchall()
            items = "SELECT * FROM job_items WHERE job = ? ORDER BY position"
            return [(job, connection.execute(items, (job["id"],)).fetchall()) for job in jobs]

        return [self._job(job, items) for job, items in await self._database.read(select)]

    def _job(self, row: sqlite3.Row, items: Sequence[sqlite3.Row]) -> Job:
        return Job(
            id=row["id"],
            title=row["title"],
            created=read_moment(row["created"]),
            items=tuple(self._item(item) for item in items),
        )

    def _item(self, row: sqlite3.Row) -> Item:
        state = State(row["state"])
        if state is State.SENT and (row["job"], row["position"]) not in self._under_way:
            state = State.UNKNOWN
        task = Task(
            resource=row["resource"],
            action=row["action"],
            record_ids=tuple(json.loads(row["record_ids"])),
            params=json.loads(row["params"]),
            words=row["words"],
            before=json.loads(row["before"]),
        )
        return Item(row["position"], task, state, row["message"])


def _item_row(job_id: int, item: Item) -> tuple[object, ...]:
    task = item.task
    return (
        job_id,
        item.position,
        task.resource,
        task.action,
        stored_json(task.record_ids),
        stored_json(task.params),
        task.words,
        stored_json(task.before),
        item.state.value,
        item.message,
    )
