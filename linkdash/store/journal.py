"""The journal: every write is recorded before it is sent, and again when its outcome is known."""

import enum
import getpass
import json
import platform
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Self

from linkdash.api.model import Body
from linkdash.store.database import (
    Connection,
    Database,
    Row,
    Value,
    read_moment,
    returned_id,
    stored_json,
    stored_moment,
    utc_now,
)

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

AUTHORS = (
    "ALTER TABLE journal ADD COLUMN user_name TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE journal ADD COLUMN host TEXT NOT NULL DEFAULT ''",
    # What makes an entry the same one wherever it is kept.
    "ALTER TABLE journal ADD COLUMN origin TEXT",
    "CREATE UNIQUE INDEX journal_by_origin ON journal (origin)",
    "CREATE INDEX journal_of_record ON journal (profile, resource, record_id)",
)

INTERRUPTED = "Interrupted: its outcome was never recorded."
"""The message of a write whose outcome was never recorded."""


UNREADABLE = "What was sent cannot be read any more."
"""Stands for what is spoilt in an entry."""


class Outcome(enum.StrEnum):
    """What became of a write."""

    NOT_SENT = "not sent"
    REJECTED = "rejected"
    DONE = "done"
    UNKNOWN = "unknown"


class Author(NamedTuple):
    """Who writes, and on which machine."""

    user: str
    host: str

    @classmethod
    def here(cls) -> Self:
        """The user of this process and the name of this machine."""
        try:
            user = getpass.getuser()
        except (OSError, KeyError):  # a user without a name, as containers have
            user = "unknown"
        return cls(user, platform.node() or "unknown")


NOBODY = Author("", "")
"""The author of what an earlier version has recorded."""


@dataclass(frozen=True, slots=True)
class WriteIntent:
    """One write as something to be done: what forms, deletes, bulk jobs and the journal speak of."""

    resource: str
    action: str
    """`create`, `update`, `delete`, `assign` or `subscribe`."""
    record_ids: tuple[int, ...]
    """The record, and where the action needs it, the one it is given to; empty for one to be made."""
    params: Mapping[str, object] = field(repr=False)
    """What is sent, in the body or in the path. It can hold secrets."""
    summary: str = ""
    """What it does: `rename the campaign Spring`."""
    before: Mapping[str, object] | None = field(default=None, repr=False)
    """The members that will be changed, as they were."""
    body: Body | None = field(default=None, repr=False, compare=False)
    """What was validated already, in this run; it is never stored."""

    @property
    def record_id(self) -> int | None:
        """The record it is about; None for one that is to be made."""
        return self.record_ids[0] if self.record_ids else None

    @property
    def draft_name(self) -> str:
        """The name under which the form that this was typed into keeps its draft."""
        return "/".join((self.resource, self.action, *map(str, self.record_ids[:1])))

    def is_same(self, other: "WriteIntent") -> bool:
        """Whether both do the same to the same records, whatever of it may be shown."""
        return (self.resource, self.action, self.record_ids, self.summary) == (
            other.resource,
            other.action,
            other.record_ids,
            other.summary,
        )


@dataclass(frozen=True, slots=True)
class Settlement:
    """What was read from the service later about a write of unknown outcome."""

    at: datetime
    happened: bool
    message: str
    """How that was seen."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One write in the journal."""

    id: int
    begun: datetime
    intent: WriteIntent
    method: str
    path: str
    outcome: Outcome | None
    """None while it is under way in this process."""
    ended: datetime | None = None
    message: str = ""
    requests: int = 0
    """How many requests it took."""
    answer: object = None
    settlement: Settlement | None = None
    author: Author = NOBODY

    @property
    def is_open(self) -> bool:
        """Whether nobody knows if it happened."""
        return self.outcome is Outcome.UNKNOWN and self.settlement is None


class Journal:
    """The writes of one profile. Secrets are masked before they reach the file.

    Belongs into a durable database. Every method raises StoreUnavailable.
    """

    def __init__(
        self,
        database: Database,
        profile: str,
        clock: Callable[[], datetime] = utc_now,
        author: Author = NOBODY,
    ) -> None:
        self._database = database
        self._profile = profile
        self._clock = clock
        self._author = author
        self._under_way: set[int] = set()

    async def begin(self, intent: WriteIntent, method: str, path: str) -> int:
        """Records a write that is about to be sent as this request, and returns its entry's id.

        If the caller is cancelled here, the write is recorded as not sent.
        """
        columns = self._columns(intent, method, path)
        entry_id = await self._database.run_or_revoke(
            lambda connection: _insert(connection, columns), _withdraw
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

    async def settle(self, entry_id: int, *, happened: bool, message: str) -> None:
        """Records what was read later about a write of unknown outcome."""
        await self._database.execute(
            "UPDATE journal SET settled = ?, found = ?, finding = ? WHERE id = ? AND profile = ?",
            (stored_moment(self._clock()), int(happened), message, entry_id, self._profile),
        )

    async def entry(self, entry_id: int) -> JournalEntry | None:
        """One entry."""
        entries = await self._select("AND id = ?", entry_id)
        return entries[0] if entries else None

    async def recent(
        self, limit: int = 100, offset: int = 0, *, user: str | None = None, host: str | None = None
    ) -> list[JournalEntry]:
        """Entries, the newest first; with `user` or `host`, only those of one person or machine."""
        wanted = [
            (column, value) for column, value in (("user_name", user), ("host", host)) if value is not None
        ]
        conditions = "".join(f"AND {column} = ? " for column, _ in wanted)
        values = [value for _, value in wanted]
        return await self._select(f"{conditions}ORDER BY id DESC LIMIT ? OFFSET ?", *values, limit, offset)

    async def changed_by_others(self, resource: str, record_id: int, since: datetime) -> JournalEntry | None:
        """The newest write to a record, done or perhaps done since a moment, that was not made from here."""
        entries = await self._select(
            "AND resource = ? AND record_id = ? AND begun >= ? AND (user_name <> ? OR host <> ?)"
            " AND (outcome IS NULL OR outcome IN (?, ?)) ORDER BY id DESC LIMIT 1",
            *(resource, record_id, stored_moment(since), *self._author),
            *(Outcome.DONE.value, Outcome.UNKNOWN.value),
        )
        return entries[0] if entries else None

    async def unknown(self) -> list[JournalEntry]:
        """Writes of which nobody knows if they happened, the newest first."""
        entries = await self._select(
            "AND (outcome IS NULL OR outcome = ?) ORDER BY id DESC", Outcome.UNKNOWN.value
        )
        return [entry for entry in entries if entry.is_open]

    def _columns(self, intent: WriteIntent, method: str, path: str) -> dict[str, Value]:
        record_id, other_id = (*intent.record_ids, None, None)[:2]
        return {
            "profile": self._profile,
            "begun": stored_moment(self._clock()),
            "method": method,
            "path": path,
            "purpose": intent.summary,
            "resource": intent.resource,
            "action": intent.action,
            "record_id": record_id,
            "other_id": other_id,
            "body": stored_json(intent.params),
            "before": stored_json(intent.before),
            "user_name": self._author.user,
            "host": self._author.host,
            "origin": uuid.uuid4().hex,
        }

    async def _select(self, rest: str, *values: str | int) -> list[JournalEntry]:
        rows = await self._database.select(
            f"SELECT * FROM journal WHERE profile = ? {rest}", (self._profile, *values)
        )
        return self._database.decoded(
            rows, lambda row: _entry(row, under_way=row["id"] in self._under_way), "journal entries"
        )


def _insert(connection: Connection, columns: Mapping[str, Value]) -> int:
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    insert = f"INSERT INTO journal ({names}) VALUES ({marks}) RETURNING id"
    return returned_id(connection.execute(insert, [*columns.values()]))


def _withdraw(connection: Connection, entry_id: int) -> None:
    connection.execute(
        "UPDATE journal SET outcome = ?, ended = begun, message = ? WHERE id = ?",
        (Outcome.NOT_SENT.value, "Cancelled before it was sent.", entry_id),
    )


def _entry(row: Row, *, under_way: bool) -> JournalEntry:
    """Raises what a spoilt value raises, except for what was sent: the rest still tells much."""
    params, before, answer = (_json(row[column]) for column in ("body", "before", "answer"))
    is_whole = isinstance(params, Mapping | None) and isinstance(before, Mapping | None)
    message = row["message"] if row["outcome"] or under_way else INTERRUPTED
    return JournalEntry(
        id=row["id"],
        begun=read_moment(row["begun"]),
        intent=WriteIntent(
            resource=row["resource"],
            action=row["action"],
            record_ids=tuple(id for id in (row["record_id"], row["other_id"]) if id is not None),
            params=params if isinstance(params, Mapping) else {},
            summary=row["purpose"],
            before=before if isinstance(before, Mapping) else None,
        ),
        method=row["method"],
        path=row["path"],
        outcome=_outcome(row["outcome"], under_way=under_way),
        ended=read_moment(row["ended"]) if row["ended"] else None,
        message=message if is_whole else f"{message} {UNREADABLE}".strip(),
        requests=row["requests"],
        answer=answer,
        settlement=_settlement(row),
        author=Author(row["user_name"], row["host"]),
    )


def _json(text: object) -> object:
    """The JSON of a column; `UNREADABLE` where it is spoilt."""
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return UNREADABLE


def _outcome(recorded: str | None, *, under_way: bool) -> Outcome | None:
    """What was recorded; a write without an outcome that nobody here waits for is unknown."""
    if recorded is None:
        return None if under_way else Outcome.UNKNOWN
    return Outcome(recorded)


def _settlement(row: Row) -> Settlement | None:
    if row["settled"] is None:
        return None
    return Settlement(read_moment(row["settled"]), bool(row["found"]), row["finding"])
