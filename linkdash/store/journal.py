"""The journal: every write is recorded before it is sent, and again when its outcome is known."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from linkdash.store.database import (
    Database,
    DatabaseRow,
    Profile,
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
    OpenEntry,
    Outcome,
    WriteIntent,
    facts_text,
    new_origin,
)
from linkdash.store.journal_table import UNFINISHED, decode_entry, insert_entry, keep_entry, withdraw_entry
from linkdash.store.programs import is_running, this_program


class Journal:
    """The writes of one profile. Secrets are masked before they reach the database.

    Belongs into a durable database. Every method raises StoreUnavailable.
    """

    def __init__(
        self,
        database: Database,
        profile: Profile,
        clock: Callable[[], datetime] = utc_now,
        author: Author = NOBODY,
    ) -> None:
        self._database = database
        self._profile = profile
        self._clock = clock
        self._author = author
        self._program = this_program(author)
        self._under_way: set[str] = set()

    async def open_entry(self, intent: WriteIntent, method: str, path: str, origin: str = "") -> OpenEntry:
        """Record a write that is about to be sent as this request, and return what `close_entry` ends.

        `origin` is what the item of a job, or the row of an import, names its write by. If the caller is
        cancelled here, the write is recorded as not sent.
        """
        origin = origin or new_origin()
        columns = self._columns(intent, method, path, origin)
        entry_id = await self._database.run_or_revoke(
            lambda connection: insert_entry(connection, {**columns, "profile": self._profile}),
            withdraw_entry,
        )
        self._under_way.add(origin)
        return OpenEntry(entry_id, origin, columns)

    async def close_entry(
        self,
        opened: OpenEntry,
        outcome: Outcome,
        message: str = "",
        *,
        requests: int = 1,
        answer: object = None,
    ) -> None:
        """Record what became of a write; done even if the caller is cancelled meanwhile.

        An answer that came after all counts more than what was read meanwhile.
        """
        entry: dict[str, Value] = {
            **UNFINISHED,
            **opened.columns,
            "profile": self._profile,
            "outcome": outcome.value,
            "ended": stored_moment(self._clock()),
            "message": message,
            "requests": requests,
            "answer": stored_json(answer),
        }
        try:
            await self._database.run(lambda connection: keep_entry(connection, entry))
        finally:
            self._under_way.discard(opened.origin)  # until then it would be read as interrupted

    async def settle(
        self, entry_id: int, *, happened: bool, message: str, created: int | None = None
    ) -> None:
        """Record what was read later about a write of unknown outcome; `created` is the record it made."""
        values: list[Value] = [stored_moment(self._clock()), int(happened), message]
        answer = "" if created is None else ", answer = ?"
        if created is not None:
            values.append(stored_json({"id": created}))
        await self._database.execute(
            f"UPDATE journal SET settled = ?, found = ?, finding = ?{answer} WHERE id = ? AND profile = ?",
            (*values, entry_id, self._profile),
        )

    async def entry(self, entry_id: int) -> JournalEntry | None:
        """Return one entry."""
        entries = await self._select("AND id = ?", entry_id)
        return entries[0] if entries else None

    async def of_origins(self, origins: Iterable[str]) -> dict[str, JournalEntry]:
        """The entries of writes, by what the items of jobs and the rows of imports name them by."""
        wanted = sorted({*origins})
        found = dict[str, JournalEntry]()
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            entries = await self._select(f"AND origin IN ({marks})", *part)
            found.update((entry.origin, entry) for entry in entries)
        return found

    async def recent(
        self, limit: int = 100, offset: int = 0, *, user: str | None = None, host: str | None = None
    ) -> list[JournalEntry]:
        """Entries, the newest first; with `user` or `host`, only those of one person or machine."""
        asked = {"user_name": user, "host": host}
        wanted = {column: value for column, value in asked.items() if value is not None}
        conditions = "".join(f"AND {column} = ? " for column in wanted)
        rest = f"{conditions}ORDER BY begun DESC, id DESC LIMIT ? OFFSET ?"
        return await self._select(rest, *wanted.values(), limit, offset)

    async def of_record(self, resource: str, record_id: int, limit: int = 100) -> list[JournalEntry]:
        """The writes about one record, also that which made it; the newest first."""
        entries = await self._select(
            "AND resource = ? AND record_id = ? ORDER BY begun DESC, id DESC LIMIT ?",
            *(resource, record_id, limit),
        )
        is_made = "AND resource = ? AND record_id IS NULL AND (answer LIKE ? OR answer LIKE ?)"
        made = await self._select(is_made, resource, f'%":{record_id}%', f'%":"{record_id}"%')
        found = [one for one in (*entries, *made) if one.record_id == record_id]
        return found[:limit]

    async def authors(self) -> list[Author]:
        """Everybody who has written, on each machine; by name."""
        query = "SELECT DISTINCT user_name, host FROM journal WHERE profile = ?"
        rows = await self._database.select(query, (self._profile,))
        return sorted({Author(row["user_name"], row["host"]) for row in rows} - {NOBODY})

    async def unknown(self) -> list[JournalEntry]:
        """Writes of unknown outcome, the newest first."""
        entries = await self._select(
            "AND (outcome IS NULL OR outcome = ?) ORDER BY begun DESC, id DESC", Outcome.UNKNOWN.value
        )
        return [entry for entry in entries if entry.is_open]

    async def updates_since(self, resource: str, record_id: int, since: datetime) -> list[JournalEntry]:
        """The updates of a record, done or perhaps done since a moment, by any user; the oldest first."""
        return await self._select(
            "AND resource = ? AND record_id = ? AND action = 'update' AND coalesce(ended, begun) >= ?"
            f" AND {_PERHAPS_DONE} ORDER BY begun, id",
            *(resource, record_id, stored_moment(since)),
        )

    def is_by_others(self, entry: JournalEntry) -> bool:
        """Return whether an entry was made by another user or on another machine."""
        return entry.author not in (self._author, NOBODY)

    async def created(self, resource: str) -> dict[int, datetime]:
        """The records of a resource that writes in the journal have made, and when each write began."""
        entries = await self._select("AND resource = ? AND action = 'create'", resource)
        return {id: entry.begun for entry in entries if (id := entry.created_id)}

    async def last_change(self, resource: str) -> datetime | None:
        """The end of the newest write to a resource that was, or may have been, done; None without any."""
        entries = await self._select(
            f"AND resource = ? AND {_PERHAPS_DONE} ORDER BY coalesce(ended, begun) DESC LIMIT 1",
            resource,
        )
        return next((entry.ended or entry.begun for entry in entries), None)

    def _columns(self, intent: WriteIntent, method: str, path: str, origin: str) -> dict[str, Value]:
        """An entry as it is when its write begins, in whichever database it is kept."""
        record_id, other_id = (*intent.record_ids, None, None)[:2]
        return {
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

    async def _select(self, rest: str, *values: str | int) -> list[JournalEntry]:
        rows = await self._database.select(
            f"SELECT * FROM journal WHERE profile = ? {rest}", (self._profile, *values)
        )
        return self._decoded(rows)

    def _decoded(self, rows: Iterable[DatabaseRow]) -> list[JournalEntry]:
        return self._database.decoded(rows, self._entry, "journal entries")

    def _entry(self, row: DatabaseRow) -> JournalEntry:
        return decode_entry(row, under_way=self.is_under_way(row))

    def is_under_way(self, row: DatabaseRow) -> bool:
        """Return whether this program, or perhaps another, still waits for the answer to a write."""
        if row["origin"] in self._under_way:
            return True
        return row["outcome"] is None and self._is_under_way_elsewhere(row)

    def _is_under_way_elsewhere(self, row: DatabaseRow) -> bool:
        """Return whether another program may still wait for the answer to a write.

        Where nobody can tell, as of a program on another machine, that is so for a few minutes.
        """
        if row["program"] == self._program:
            return False
        is_known = is_running(row["program"], self._author)
        if is_known is not None:
            return is_known
        if not row["program"] and Author(row["user_name"], row["host"]) in (self._author, NOBODY):
            return False
        return self._clock() - read_moment(row["begun"]) < _LONGEST_WRITE


_PERHAPS_DONE = f"(outcome IS NULL OR outcome IN ('{Outcome.DONE.value}', '{Outcome.UNKNOWN.value}'))"
"""The condition of a write that was done, or perhaps was."""
_AT_ONCE = 500
_LONGEST_WRITE = timedelta(minutes=5)
