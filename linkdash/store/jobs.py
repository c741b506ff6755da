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
from linkdash.store.journal import Outcome, WriteIntent

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

UNREADABLE = "What was to be sent cannot be read any more."
"""The message of an item that is spoilt in the store."""

# ---- planning: pure ----


class ItemState(enum.StrEnum):
    """How far one item of a job is."""

    PENDING = "pending"
    SENT = "sent"
    """Under way in this process."""
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Sent, and nobody knows what became of it. It is never sent again by itself."""


@dataclass(frozen=True, slots=True)
class JobItem:
    """One write of a job and what has become of it so far."""

    position: int
    intent: WriteIntent
    state: ItemState = ItemState.PENDING
    message: str = ""
    """Why it failed, or what the service said."""


@dataclass(frozen=True, slots=True)
class Job:
    """Many writes that a person started as one."""

    id: int
    title: str
    """What it does, in words: "delete 40 pixels"."""
    created: datetime
    items: tuple[JobItem, ...]

    @property
    def next_item(self) -> JobItem | None:
        """The item to do next; None when nothing is left that may be sent."""
        return next((item for item in self.items if item.state is ItemState.PENDING), None)

    @property
    def counts(self) -> Counter[ItemState]:
        """How many items are in each state."""
        return Counter(item.state for item in self.items)

    def after(self, position: int, state: ItemState, message: str = "") -> "Job":
        """The same job with another state of one item."""
        item = replace(self.items[position], state=state, message=message)
        return replace(self, items=(*self.items[:position], item, *self.items[position + 1 :]))

    @property
    def left(self) -> int:
        """How many items may still be sent."""
        return sum(item.state is ItemState.PENDING for item in self.items)

    @property
    def over(self) -> int:
        """How many items are done, have failed or are unknown."""
        return sum(item.state not in (ItemState.PENDING, ItemState.SENT) for item in self.items)

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something left to do or to find out."""
        return any(item.state not in (ItemState.DONE, ItemState.FAILED) for item in self.items)


def state_after(outcome: Outcome) -> ItemState:
    """What an item is after its write: one that was not sent may be sent later."""
    return {
        Outcome.NOT_SENT: ItemState.PENDING,
        Outcome.REJECTED: ItemState.FAILED,
        Outcome.DONE: ItemState.DONE,
        Outcome.UNKNOWN: ItemState.UNKNOWN,
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

    async def create(self, title: str, intents: Sequence[WriteIntent], at: datetime) -> Job:
        """Records a job before its first write. Raises ValueError if one holds a secret."""
        if any(masked(intent.params) != dict(intent.params) for intent in intents):
            raise ValueError("a job is kept in a file, and secrets are not")
        items = tuple(JobItem(position, intent) for position, intent in enumerate(intents))

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
        pending, sent = (ItemState.PENDING.value, ItemState.SENT.value)
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

    async def settle(self, job_id: int, position: int, *, happened: bool, message: str) -> None:
        """Records what was read later about an unknown item: it is done, or pending again.

        Nothing happens to an item that is not unknown.
        """
        if (job_id, position) in self._under_way:
            return
        state = ItemState.DONE if happened else ItemState.PENDING
        await self._database.execute(
            "UPDATE job_items SET state = ?, message = ? WHERE job = ? AND position = ? AND state IN (?, ?)",
            (state.value, message, job_id, position, ItemState.SENT.value, ItemState.UNKNOWN.value),
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

        found = await self._database.read(select)
        items_of = {job["id"]: items for job, items in found}
        jobs = [job for job, _ in found]
        return self._database.decoded(jobs, lambda job: self._job(job, items_of[job["id"]]), "bulk jobs")

    def _job(self, row: sqlite3.Row, rows: Sequence[sqlite3.Row]) -> Job:
        """Raises what a spoilt value raises, and ValueError where an item is missing."""
        items = tuple(self._item(item) for item in rows)
        if [item.position for item in items] != list(range(len(items))):
            raise ValueError("the items of a job are not in a row")
        return Job(id=row["id"], title=row["title"], created=read_moment(row["created"]), items=items)

    def _item(self, row: sqlite3.Row) -> JobItem:
        """An item as it stands; one that cannot be read has failed, for it can never be sent."""
        try:
            intent, state = _intent(row), ItemState(row["state"])
        except (ValueError, TypeError, RecursionError):
            intent = WriteIntent(row["resource"], row["action"], (), {}, row["words"])
            return JobItem(row["position"], intent, ItemState.FAILED, UNREADABLE)
        if state is ItemState.SENT and (row["job"], row["position"]) not in self._under_way:
            state = ItemState.UNKNOWN
        return JobItem(row["position"], intent, state, row["message"])


def _intent(row: sqlite3.Row) -> WriteIntent:
    """Raises what a spoilt value raises."""
    before = json.loads(row["before"])
    return WriteIntent(
        resource=row["resource"],
        action=row["action"],
        record_ids=tuple(int(id) for id in json.loads(row["record_ids"])),
        params=dict(json.loads(row["params"])),
        summary=row["words"],
        before=None if before is None else dict(before),
    )


def _item_row(job_id: int, item: JobItem) -> tuple[object, ...]:
    intent = item.intent
    return (
        job_id,
        item.position,
        intent.resource,
        intent.action,
        stored_json(intent.record_ids),
        stored_json(intent.params),
        intent.summary,
        stored_json(intent.before),
        item.state.value,
        item.message,
    )
