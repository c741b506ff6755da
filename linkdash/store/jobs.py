"""Bulk jobs: many writes, each claimed before it is sent, so that none is ever done twice."""

import enum
import json
import os
import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from linkdash.api.secrecy import masked
from linkdash.store.database import (
    Connection,
    Database,
    Row,
    StoreAway,
    Values,
    read_moment,
    returned_id,
    stored_json,
    stored_moment,
)
from linkdash.store.journal import NOBODY, Author, Outcome, WriteIntent
from linkdash.store.spool import Spool, Spooled

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

RUNNERS = (
    "ALTER TABLE jobs ADD COLUMN user_name TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE jobs ADD COLUMN host TEXT NOT NULL DEFAULT ''",
    # Who runs it, and when that was last confirmed, in seconds of the database's clock.
    "ALTER TABLE jobs ADD COLUMN runner TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE jobs ADD COLUMN runner_seen INTEGER NOT NULL DEFAULT 0",
)

HELD_SECONDS = 30
"""How long a program that was not seen again still counts as the one that runs a job."""

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
    author: Author = NOBODY
    runner: str = ""
    """The other program that runs it at the moment, as user@host; empty where none does."""

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

    Belongs into a durable database. One program at a time runs a job; should two do so all the same, each
    item is claimed by one of them only. Every method raises StoreUnavailable.
    """

    def __init__(
        self, database: Database, profile: str, author: Author = NOBODY, spool: Spool | None = None
    ) -> None:
        self._database = database
        self._profile = profile
        self._author = author
        self._spool = spool
        self._me = f"{author} {os.getpid()} {uuid.uuid4().hex}"
        self._under_way: set[tuple[int, int]] = set()

    async def create(self, title: str, intents: Sequence[WriteIntent], at: datetime) -> Job:
        """Records a job before its first write. Raises ValueError if one holds a secret."""
        if any(masked(intent.params) != dict(intent.params) for intent in intents):
            raise ValueError("a job is kept in a file, and secrets are not")
        items = tuple(JobItem(position, intent) for position, intent in enumerate(intents))

        def insert(connection: Connection) -> int:
            made = connection.execute(_INSERT_JOB, (self._profile, title, stored_moment(at), *self._author))
            job_id = returned_id(made)
            connection.executemany(_INSERT_ITEM, [_item_row(job_id, item) for item in items])
            return job_id

        return Job(await self._database.run(insert), title, at, items, self._author)

    async def hold(self, job_id: int) -> bool:
        """Makes this program the one that runs a job; to be repeated well within `HELD_SECONDS` meanwhile.

        False: another program runs it. One on this machine that has ended is known to be gone at once.
        """

        def hold(connection: Connection) -> bool:
            now = int(connection.now())
            row = connection.execute("SELECT runner FROM jobs WHERE id = ?", (job_id,)).fetchone()
            gone = row["runner"] if row is not None and self._has_ended(row["runner"]) else self._me
            mine = (self._me, now, job_id, self._profile, self._me, gone, now - HELD_SECONDS)
            return connection.execute(_HOLD, mine).rowcount == 1

        return await self._database.run(hold)

    def _has_ended(self, runner: str) -> bool:
        """Whether a program on this machine, as `_me` names it, is no more."""
        who, _, rest = runner.partition(" ")
        pid = rest.partition(" ")[0]
        if who != str(self._author) or not pid.isdecimal() or sys.platform == "win32":
            return False
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    async def release(self, job_id: int) -> None:
        """Lets another program run a job that this one has held."""
        await self._database.execute(
            "UPDATE jobs SET runner = '' WHERE id = ? AND runner = ?", (job_id, self._me)
        )

    async def claim(self, job_id: int, position: int) -> bool:
        """Records that an item is about to be sent. Only if this says True may it be sent.

        False: it is not pending, because another process or an earlier run has sent it.
        """
        pending, sent = (ItemState.PENDING.value, ItemState.SENT.value)
        move = "UPDATE job_items SET state = ? WHERE job = ? AND position = ? AND state = ?"

        def claim(connection: Connection) -> bool:
            return connection.execute(move, (sent, job_id, position, pending)).rowcount == 1

        def release(connection: Connection, claimed: bool) -> None:
            if claimed:
                connection.execute(move, (pending, job_id, position, sent))

        claimed = await self._database.run_or_revoke(claim, release)
        if claimed:
            self._under_way.add((job_id, position))
        return claimed

    async def finish(self, job_id: int, position: int, outcome: Outcome, message: str = "") -> None:
        """Records what became of a claimed item; done even if the caller is cancelled meanwhile.

        With a spool, it is kept there while the database is away.
        """
        self._under_way.discard((job_id, position))
        finished = (state_after(outcome).value, message, job_id, position)
        try:
            await self._database.execute(_FINISH, finished)
        except StoreAway:
            if self._spool is None:
                raise
            await self._spool.add(FINISHED, {"finished": finished})

    async def settle(self, job_id: int, position: int, *, happened: bool, message: str) -> None:
        """Records what was read later about an unknown item: it is done, or pending again.

        Nothing happens to an item that is not unknown.
        """
        job = await self.load(job_id)
        if job is None or job.items[position].state is not ItemState.UNKNOWN:
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

        def delete(connection: Connection) -> None:
            connection.execute("DELETE FROM job_items WHERE job = ?", (job_id,))
            connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

        await self._database.run(delete)

    async def _select(self, rest: str, *values: int) -> list[Job]:
        def select(connection: Connection) -> tuple[Sequence[Row], dict[int, Sequence[Row]], float]:
            jobs = connection.execute(
                f"SELECT * FROM jobs WHERE profile = ? {rest}", (self._profile, *values)
            ).fetchall()
            query = "SELECT * FROM job_items WHERE job = ? ORDER BY position"
            items = {job["id"]: connection.execute(query, (job["id"],)).fetchall() for job in jobs}
            return jobs, items, connection.now()

        jobs, items_of, now = await self._database.read(select)
        return self._database.decoded(jobs, lambda job: self._job(job, items_of[job["id"]], now), "bulk jobs")

    def _job(self, row: Row, rows: Sequence[Row], now: float) -> Job:
        """Raises what a spoilt value raises, and ValueError where an item is missing."""
        runner = row["runner"]
        is_recent = row["runner_seen"] > now - HELD_SECONDS
        is_held = runner not in ("", self._me) and is_recent and not self._has_ended(runner)
        items = tuple(self._item(item, is_held=is_held) for item in rows)
        if [item.position for item in items] != list(range(len(items))):
            raise ValueError("the items of a job are not in a row")
        return Job(
            id=row["id"],
            title=row["title"],
            created=read_moment(row["created"]),
            items=items,
            author=Author(row["user_name"], row["host"]),
            runner=runner.partition(" ")[0] if is_held else "",
        )

    def _item(self, row: Row, *, is_held: bool) -> JobItem:
        """An item as it stands; one that cannot be read has failed, for it can never be sent.

        One that was sent is under way where the program that holds its job may still wait for the answer.
        """
        try:
            intent, state = _intent(row), ItemState(row["state"])
        except (ValueError, TypeError, RecursionError):
            intent = WriteIntent(row["resource"], row["action"], (), {}, row["words"])
            return JobItem(row["position"], intent, ItemState.FAILED, UNREADABLE)
        is_under_way = is_held or (row["job"], row["position"]) in self._under_way
        if state is ItemState.SENT and not is_under_way:
            state = ItemState.UNKNOWN
        return JobItem(row["position"], intent, state, row["message"])


FINISHED = "job item"
"""The kind of what jobs keep in the spool."""


def hand_in(connection: Connection, _: str, written: Spooled) -> None:
    """Does in the team's database what was kept in the spool."""
    connection.execute(_FINISH, written.body["finished"])


_FINISH = "UPDATE job_items SET state = ?, message = ? WHERE job = ? AND position = ?"
_INSERT_JOB = """
    INSERT INTO jobs (profile, title, created, user_name, host) VALUES (?, ?, ?, ?, ?) RETURNING id
"""
_INSERT_ITEM = """
    INSERT INTO job_items
    (job, position, resource, action, record_ids, params, words, before, state, message)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_HOLD = """
    UPDATE jobs SET runner = ?, runner_seen = ? WHERE id = ? AND profile = ?
    AND (runner IN ('', ?, ?) OR runner_seen < ?)
"""


def _intent(row: Row) -> WriteIntent:
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


def _item_row(job_id: int, item: JobItem) -> Values:
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
