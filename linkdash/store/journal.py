"""The journal: every write is recorded before it is sent, and again when its outcome is known."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from linkdash.store.database import (
    Database,
    DatabaseConnection,
    DatabaseRow,
    Profile,
    StoreAway,
    Value,
    read_moment,
    stored_json,
    stored_moment,
    utc_now,
)
from linkdash.store.journal_entry import (
    NOBODY,
    Author,
    JournalEntry,
    Outcome,
    WriteIntent,
    facts_text,
    new_origin,
)
from linkdash.store.journal_table import (
    INSERTED,
    UNFINISHED,
    UPDATED,
    WITHOUT_FACTS,
    decode_entry,
    insert_entry,
    update_entry,
    withdrawal,
)
from linkdash.store.programs import is_running, this_program
from linkdash.store.team_outbox import Outbox


class Journal:
    """The writes of one profile. Secrets are masked before they reach the database.

    Belongs into a durable database. With an outbox, what is written while the database is away is kept there,
    and shown from there; such an entry has a negative id. Every method raises StoreUnavailable.
    """

    def __init__(
        self,
        database: Database,
        profile: Profile,
        clock: Callable[[], datetime] = utc_now,
        author: Author = NOBODY,
        outbox: Outbox | None = None,
    ) -> None:
        self._database = database
        self._profile = profile
        self._clock = clock
        self._author = author
        self._program = this_program(author)
        self._outbox = outbox
        self._under_way: set[int] = set()
        self._origins: dict[int, str] = {}

    async def open_entry(self, intent: WriteIntent, method: str, path: str, origin: str = "") -> int:
        """Record a write that is about to be sent as this request, and return its entry's id.

        `origin` is what the item of a job, or the row of an import, names its write by. If the caller is
        cancelled here, the write is recorded as not sent.
        """
        origin = origin or new_origin()
        columns = self._columns(intent, method, path, origin)
        try:
            entry_id = await self._database.run_or_revoke(
                lambda connection: insert_entry(connection, columns),
                lambda connection, id: update_entry(connection, "id", id, withdrawal(columns)),
            )
        except StoreAway:
            if self._outbox is None:
                raise
            revoked = (UPDATED, {"origin": origin, **withdrawal(columns)})
            kept = {name: value for name, value in columns.items() if name != "profile"}
            entry_id = -await self._outbox.add(INSERTED, kept, revoked=revoked)
        self._under_way.add(entry_id)
        self._origins[entry_id] = origin
        return entry_id

    async def close_entry(
        self, entry_id: int, outcome: Outcome, message: str = "", *, requests: int = 1, answer: object = None
    ) -> None:
        """Record what became of a write; done even if the caller is cancelled meanwhile.

        An answer that came after all counts more than what was read meanwhile.
        """
        changes: dict[str, Value] = {
            "outcome": outcome.value,
            "ended": stored_moment(self._clock()),
            "message": message,
            "requests": requests,
            "answer": stored_json(answer),
        }
        if outcome is not Outcome.UNKNOWN:
            changes.update({"settled": None, "found": None, "finding": ""})
        try:
            await self._change(entry_id, changes)
        finally:
            self._under_way.discard(entry_id)  # until then it would be read as interrupted

    async def settle(
        self, entry_id: int, *, happened: bool, message: str, created: int | None = None
    ) -> None:
        """Record what was read later about a write of unknown outcome; `created` is the record it made."""
        changes: dict[str, Value] = {
            "settled": stored_moment(self._clock()),
            "found": int(happened),
            "finding": message,
        }
        if created is not None:
            changes["answer"] = stored_json({"id": created})
        await self._change(entry_id, changes)

    async def entry(self, entry_id: int) -> JournalEntry | None:
        """Return one entry."""
        if entry_id < 0:
            return next((entry for entry in await self._in_outbox() if entry.id == entry_id), None)
        entries = await self._select("AND id = ?", entry_id)
        return entries[0] if entries else None

    async def of_origins(self, origins: Iterable[str]) -> dict[str, JournalEntry]:
        """The entries of writes, by what the items of jobs and the rows of imports name them by."""
        wanted = sorted({*origins})
        found = {entry.origin: entry for entry in await self._in_outbox() if entry.origin in wanted}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            for entry in await self._select_or_nothing(f"AND origin IN ({marks})", *part):
                found.setdefault(entry.origin, entry)
        self._origins.update({entry.id: entry.origin for entry in found.values()})
        return found

    async def recent(
        self, limit: int = 100, offset: int = 0, *, user: str | None = None, host: str | None = None
    ) -> list[JournalEntry]:
        """Entries, the newest first; with `user` or `host`, only those of one person or machine."""
        waiting = [
            entry
            for entry in await self._in_outbox()
            if user in (None, entry.author.user) and host in (None, entry.author.host)
        ]
        shown = waiting[offset : offset + limit]
        asked = {"user_name": user, "host": host}
        wanted = {column: value for column, value in asked.items() if value is not None}
        conditions = "".join(f"AND {column} = ? " for column in wanted)
        rest = f"{conditions}ORDER BY begun DESC, id DESC LIMIT ? OFFSET ?"
        left = (limit - len(shown), max(0, offset - len(waiting)))
        return _each_once(shown, await self._select_or_nothing(rest, *wanted.values(), *left))

    async def of_record(self, resource: str, record_id: int, limit: int = 100) -> list[JournalEntry]:
        """The writes about one record, also that which made it; the newest first."""
        waiting = [one for one in await self._in_outbox() if one.intent.resource == resource]
        entries = await self._select_or_nothing(
            "AND resource = ? AND record_id = ? ORDER BY begun DESC, id DESC LIMIT ?",
            *(resource, record_id, limit),
        )
        is_made = "AND resource = ? AND record_id IS NULL AND answer LIKE ?"
        made = await self._select_or_nothing(is_made, resource, f'%"id":{record_id}%')
        found = [one for one in _each_once(waiting, [*entries, *made]) if one.record_id == record_id]
        return found[:limit]

    async def authors(self) -> list[Author]:
        """Everybody who has written, on each machine; by name."""
        query = "SELECT DISTINCT user_name, host FROM journal WHERE profile = ?"
        try:
            rows = await self._database.select(query, (self._profile,))
        except StoreAway:
            if self._outbox is None:
                raise
            rows = []
        found = {Author(row["user_name"], row["host"]) for row in rows}
        return sorted((found | {entry.author for entry in await self._in_outbox()}) - {NOBODY})

    async def unknown(self) -> list[JournalEntry]:
        """Writes of unknown outcome, the newest first."""
        waiting = await self._in_outbox()
        entries = await self._select_or_nothing(
            "AND (outcome IS NULL OR outcome = ?) ORDER BY begun DESC, id DESC", Outcome.UNKNOWN.value
        )
        return [entry for entry in _each_once(waiting, entries) if entry.is_open]

    async def updates_since(self, resource: str, record_id: int, since: datetime) -> list[JournalEntry]:
        """The updates of a record, done or perhaps done since a moment, by any user; the oldest first."""
        waiting = [
            entry
            for entry in await self._in_outbox()
            if (entry.intent.resource, entry.intent.record_id) == (resource, record_id)
            and entry.intent.action == "update"
            and (entry.ended or entry.begun) >= since
            and entry.outcome in _HAPPENED
        ]
        entries = await self._select_or_nothing(
            "AND resource = ? AND record_id = ? AND action = 'update' AND coalesce(ended, begun) >= ?"
            f" AND {_PERHAPS_DONE} ORDER BY begun DESC, id DESC",
            *(resource, record_id, stored_moment(since)),
        )
        found = _each_once(waiting, entries)
        return sorted(found, key=lambda entry: entry.begun)

    def is_by_others(self, entry: JournalEntry) -> bool:
        """Return whether an entry was made by another user or on another machine."""
        return entry.author not in (self._author, NOBODY)

    async def created(self, resource: str) -> dict[int, datetime]:
        """The records of a resource that writes in the journal have made, and when each write began."""
        entries = await self._select_or_nothing("AND resource = ? AND action = 'create'", resource)
        known = [entry for entry in (*await self._in_outbox(), *entries) if entry.intent.resource == resource]
        return {id: entry.begun for entry in known if (id := entry.created_id)}

    async def last_change(self, resource: str) -> datetime | None:
        """The end of the newest write to a resource that was, or may have been, done; None without any."""
        waiting = [entry for entry in await self._in_outbox() if entry.intent.resource == resource]
        entries = waiting + await self._select_or_nothing(
            f"AND resource = ? AND {_PERHAPS_DONE} ORDER BY coalesce(ended, begun) DESC LIMIT 1",
            resource,
        )
        moments = [entry.ended or entry.begun for entry in entries if entry.outcome in _HAPPENED]
        return max(moments, default=None)

    def _columns(self, intent: WriteIntent, method: str, path: str, origin: str) -> dict[str, Value]:
        record_id, other_id = (*intent.record_ids, None, None)[:2]
        return {
            "profile": self._profile,
            "begun": stored_moment(self._clock()),
            "method": method,
            "path": path,
            "purpose": intent.told,
            "resource": intent.resource,
            "action": intent.action,
            "record_id": record_id,
            "other_id": other_id,
            "body": stored_json(intent.params),
            "before": stored_json(intent.before),
            "user_name": self._author.user,
            "host": self._author.host,
            "program": self._program,
            "origin": origin,
            "facts": facts_text(intent),
            "kept": int(intent.is_kept),
        }

    async def _change(self, entry_id: int, changes: dict[str, Value]) -> None:
        """Change an entry where it is; where that cannot be reached, the change is kept for it."""
        origin = self._origins.get(entry_id)
        if entry_id > 0:
            try:
                await self._database.run(lambda connection: self._change_here(connection, entry_id, changes))
            except StoreAway:
                if self._outbox is None or origin is None:
                    raise
            else:
                return
        if self._outbox is not None and origin is not None:
            await self._outbox.add(UPDATED, {"origin": origin, **changes})

    def _change_here(self, connection: DatabaseConnection, entry_id: int, changes: dict[str, Value]) -> None:
        row = connection.execute("SELECT profile FROM journal WHERE id = ?", (entry_id,)).fetchone()
        if row is not None and row["profile"] == str(self._profile):
            update_entry(connection, "id", entry_id, changes)

    async def _in_outbox(self) -> list[JournalEntry]:
        """Return what is not handed in yet, the newest first."""
        if self._outbox is None:
            return []
        rows: dict[str, dict[str, Any]] = {}  # as the database has them
        for written in await self._outbox.of_kinds(INSERTED, UPDATED):
            origin = written.body["origin"]
            if written.kind == INSERTED:
                rows[origin] = {**WITHOUT_FACTS, **UNFINISHED, **written.body, "id": -written.id}
                self._origins[-written.id] = origin
            elif origin in rows:
                rows[origin].update(written.body)
        return [*reversed(self._decoded(rows.values()))]

    async def _select(self, rest: str, *values: str | int) -> list[JournalEntry]:
        rows = await self._database.select(
            f"SELECT * FROM journal WHERE profile = ? {rest}", (self._profile, *values)
        )
        return self._decoded(rows)

    async def _select_or_nothing(self, rest: str, *values: str | int) -> list[JournalEntry]:
        """Like `_select`; nothing where the database is away and there is an outbox to go on with."""
        try:
            return await self._select(rest, *values)
        except StoreAway:
            if self._outbox is None:
                raise
            return []

    def _decoded(self, rows: Iterable[DatabaseRow]) -> list[JournalEntry]:
        return self._database.decoded(rows, self._entry, "journal entries")

    def _entry(self, row: DatabaseRow) -> JournalEntry:
        return decode_entry(row, under_way=row["id"] in self._under_way or self._is_under_way_elsewhere(row))

    def _is_under_way_elsewhere(self, row: DatabaseRow) -> bool:
        """Return whether another program may still wait for the answer to a write.

        Where nobody can tell, as of a program on another machine, that is so for a few minutes.
        """
        if row["outcome"] is not None or row["program"] == self._program:
            return False
        is_known = is_running(row["program"], self._author)
        if is_known is not None:
            return is_known
        if not row["program"] and Author(row["user_name"], row["host"]) in (self._author, NOBODY):
            return False
        return self._clock() - read_moment(row["begun"]) < _LONGEST_WRITE


_HAPPENED = (None, Outcome.DONE, Outcome.UNKNOWN)
"""The outcomes of a write that was done, or perhaps was."""
_PERHAPS_DONE = f"(outcome IS NULL OR outcome IN ('{Outcome.DONE.value}', '{Outcome.UNKNOWN.value}'))"
"""The same as a condition of a query."""
_AT_ONCE = 500
_LONGEST_WRITE = timedelta(minutes=5)


def _each_once(waiting: Sequence[JournalEntry], entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Entries of the outbox and of the database, which has some of the outbox's while they are handed in.

    What is in both is shown as the outbox has it, which knows how it ended before the database does.
    """
    known = {entry.origin for entry in waiting}
    return [*waiting, *(entry for entry in entries if entry.origin not in known)]
