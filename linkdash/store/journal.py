"""The journal: every write is recorded before it is sent, and again when its outcome is known."""

import enum
import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from linkdash.store.database import Database, read_moment, stored_json, stored_moment, utc_now
from linkdash.store.tasks import Task

SCHEMA = (
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY,
        profile TEXT NOT NULL,
        begun TEXT NOT NULL,
        method TEXT NOT NULL,
        path TEXT NOT NULL,
        purpose TEXT NOT NULL,
        resource TEXT NOT NULL,
        action TEXT NOT NULL,
        record_id INTEGER,
        other_id INTEGER,
        body TEXT NOT NULL,
        before TEXT NOT NULL,
        outcome TEXT,
        ended TEXT,
        message TEXT NOT NULL DEFAULT '',
        requests INTEGER NOT NULL DEFAULT 0,
        answer TEXT NOT NULL DEFAULT 'null',
        settled TEXT,
        found INTEGER,
        finding TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX journal_of_profile ON journal (profile, id)",
)

INTERRUPTED = "Interrupted: its outcome was never recorded."
"""The message of a write whose outcome was never recorded."""


class Outcome(enum.StrEnum):
    """What became of a write."""

    NOT_SENT = "not sent"
    REJECTED = "rejected"
    DONE = "done"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Write:
    """A write as it is about to be sent."""

    method: str
    path: str
    purpose: str
    """What it is for, in words: "rename the campaign Spring"."""
    resource: str
    record_id: int | None = None
    """The record it is about; None for one that is to be made."""
    body: Mapping[str, object] | None = None
    """What is sent, in the body or in the path."""
    before: Mapping[str, object] | None = None
    """The members that will be changed, as they were."""
    action: str = ""
    """`create`, `update`, `delete`, `assign` or `subscribe`."""
    other_id: int | None = None
    """The record that it is given to, where the action needs one."""

    @classmethod
    def of(cls, task: Task, method: str, path: str) -> "Write":
        """The write that a task has become as a request."""
        other_id = task.record_ids[1] if len(task.record_ids) > 1 else None
        return cls(
            method=method,
            path=path,
            purpose=task.words,
            resource=task.resource,
            record_id=task.record_id,
            body=dict(task.params) or None,
            before=task.before,
            action=task.action,
            other_id=other_id,
        )

    @property
    def task(self) -> Task:
        """What was to be done."""
        ids = tuple(id for id in (self.record_id, self.other_id) if id is not None)
        return Task(self.resource, self.action, ids, self.body or {}, self.purpose, self.before)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a look at the service said about a write of unknown outcome."""

    at: datetime
    found: bool
    """Whether the write had happened."""
    words: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One write in the journal."""

    id: int
    begun: datetime
    write: Write
    outcome: Outcome | None
    """None while it is under way in this process."""
    ended: datetime | None = None
    message: str = ""
    requests: int = 0
    """How many requests it took."""
    answer: object = None
    settlement: Settlement | None = None

    @property
    def is_open(self) -> bool:
        """Whether nobody knows if it happened."""
        return self.outcome is Outcome.UNKNOWN and self.settlement is None


class Journal:
    """The writes of one profile. Secrets are masked before they reach the file.

    Belongs into a durable database. Every method raises StoreUnavailable.
    """

    def __init__(self, database: Database, profile: str, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._profile = profile
        self._clock = clock
        self._under_way: set[int] = set()

    async def begin(self, write: Write) -> int:
        """Records a write that is about to be sent and returns its entry's id.

        If the caller is cancelled here, the write is recorded as not sent.
        """
        begun = self._clock()
        entry_id = await self._database.run_or_revoke(
            lambda connection: _insert(connection, self._profile, begun, write), _withdraw
        )
        self._under_way.add(entry_id)
        return entry_id

    async def finish(
        self, entry_id: int, outcome: Outcome, message: str = "", *, requests: int = 1, answer: object = None
    ) -> None:
        """Records what became of a write; done even if the caller is cancelled meanwhile."""
        ended = stored_moment(self._clock())
        self._under_way.discard(entry_id)
        await self._database.execute(
            "UPDATE journal SET outcome = ?, ended = ?, message = ?, requests = ?, answer = ?"
            " WHERE id = ? AND profile = ?",
            (outcome.value, ended, message, requests, stored_json(answer), entry_id, self._profile),
        )

    async def settle(self, entry_id: int, *, found: bool, words: str) -> None:
        """Records what one look at the service said about a write of unknown outcome."""
        await self._database.execute(
            "UPDATE journal SET settled = ?, found = ?, finding = ? WHERE id = ? AND profile = ?",
            (stored_moment(self._clock()), found, words, entry_id, self._profile),
        )

    async def entry(self, entry_id: int) -> Entry | None:
        """One entry."""
        entries = await self._select("AND id = ?", entry_id)
        return entries[0] if entries else None

    async def recent(self, limit: int = 100, offset: int = 0) -> list[Entry]:
        """Entries, the newest first."""
        return await self._select("ORDER BY id DESC LIMIT ? OFFSET ?", limit, offset)

    async def unknown(self) -> list[Entry]:
        """Writes of which nobody knows if they happened, the newest first."""
        entries = await self._select(
            "AND (outcome IS NULL OR outcome = ?) ORDER BY id DESC", Outcome.UNKNOWN.value
        )
        return [entry for entry in entries if entry.is_open]

    async def _select(self, rest: str, *values: str | int) -> list[Entry]:
        rows = await self._database.select(
            f"SELECT * FROM journal WHERE profile = ? {rest}", (self._profile, *values)
        )
        return [_entry(row, under_way=row["id"] in self._under_way) for row in rows]


def _insert(connection: sqlite3.Connection, profile: str, begun: datetime, write: Write) -> int:
    columns = {
        "profile": profile,
        "begun": stored_moment(begun),
        "method": write.method,
        "path": write.path,
        "purpose": write.purpose,
        "resource": write.resource,
        "action": write.action,
        "record_id": write.record_id,
        "other_id": write.other_id,
        "body": stored_json(write.body),
        "before": stored_json(write.before),
    }
    (entry_id,) = connection.execute(
        f"INSERT INTO journal ({', '.join(columns)}) VALUES (:{', :'.join(columns)}) RETURNING id", columns
    ).fetchone()
    return int(entry_id)


def _withdraw(connection: sqlite3.Connection, entry_id: int) -> None:
    connection.execute(
        "UPDATE journal SET outcome = ?, ended = begun, message = ? WHERE id = ?",
        (Outcome.NOT_SENT.value, "Cancelled before it was sent.", entry_id),
    )


def _entry(row: sqlite3.Row, *, under_way: bool) -> Entry:
    return Entry(
        id=row["id"],
        begun=read_moment(row["begun"]),
        write=Write(
            method=row["method"],
            path=row["path"],
            purpose=row["purpose"],
            resource=row["resource"],
            record_id=row["record_id"],
            body=json.loads(row["body"]),
            before=json.loads(row["before"]),
            action=row["action"],
            other_id=row["other_id"],
        ),
        outcome=_outcome(row["outcome"], under_way=under_way),
        ended=read_moment(row["ended"]) if row["ended"] else None,
        message=row["message"] if row["outcome"] or under_way else INTERRUPTED,
        requests=row["requests"],
        answer=json.loads(row["answer"]),
        settlement=_settlement(row),
    )


def _outcome(recorded: str | None, *, under_way: bool) -> Outcome | None:
    """What was recorded; a write without an outcome that nobody here waits for is unknown."""
    if recorded is None:
        return None if under_way else Outcome.UNKNOWN
    return Outcome(recorded)


def _settlement(row: sqlite3.Row) -> Settlement | None:
    if row["settled"] is None:
        return None
    return Settlement(read_moment(row["settled"]), bool(row["found"]), row["finding"])
