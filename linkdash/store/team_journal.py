"""The journal of a team, and the one on this machine in which waits what was written while that was away."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

from linkdash.store import team_outbox
from linkdash.store.database import (
    SPOILT,
    Database,
    DatabaseConnection,
    DatabaseRow,
    Profile,
    StoreAway,
    StoreUnavailable,
    Value,
)
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Author, JournalEntry, OpenEntry, Outcome, WriteIntent, new_origin
from linkdash.store.journal_table import COLUMNS, INSERTED, keep_entry

_AT_ONCE = 200


class WaitingJournal(Journal):
    """The entries that a team's database is to be given. Its ids are its own, and end with the waiting."""

    async def count(self) -> int:
        """Return how many there are."""
        rows = await self._database.select(
            "SELECT count(*) AS number FROM journal WHERE profile = ?", (self._profile,)
        )
        return int(rows[0]["number"])

    async def over(self) -> list[DatabaseRow]:
        """The rows of those that are under way no more, in the order in which they were written."""
        rows = await self._database.select(
            "SELECT * FROM journal WHERE profile = ? ORDER BY id", (self._profile,)
        )
        return [row for row in rows if not self.is_under_way(row)]

    async def forget(self, rows: Sequence[DatabaseRow]) -> None:
        """Delete what was handed in, as far as it is still the same."""
        same = [(row["id"], row["outcome"] or "") for row in rows]
        delete = "DELETE FROM journal WHERE id = ? AND coalesce(outcome, '') = ?"
        await self._database.run(lambda connection: connection.executemany(delete, same))

    async def refuse(self, row: DatabaseRow, why: str) -> None:
        """Put one aside, in the outbox, that the team's database does not take."""
        body = json.dumps({name: row[name] for name in COLUMNS if name != "profile"})

        def put_aside(connection: DatabaseConnection) -> None:
            connection.execute(team_outbox.REFUSED, (self._profile, INSERTED, body, why))
            connection.execute("DELETE FROM journal WHERE id = ?", (row["id"],))

        await self._database.run(put_aside)
        self._database.add_notice(
            f"{self._database.name}: a change is not taken by the team's store, and stays here: {why}"
        )

    def _entry(self, row: DatabaseRow) -> JournalEntry:
        return replace(super()._entry(row), waits=True)


class TeamJournal(Journal):
    """The journal that a team shares, as far as its database has it.

    What is written while that is away waits on this machine, and is neither checked nor undone until it is
    handed in: every method that reads raises StoreAway meanwhile, and hands in first what waits.
    """

    def __init__(self, database: Database, profile: Profile, author: Author, waiting: WaitingJournal) -> None:
        super().__init__(database, profile, author=author)
        self.waiting = waiting
        self.handed_in = 0
        """The number of entries that this program has handed in."""
        self._handing_in = asyncio.Lock()

    async def open_entry(self, intent: WriteIntent, method: str, path: str, origin: str = "") -> OpenEntry:
        origin = origin or new_origin()
        try:
            return await super().open_entry(intent, method, path, origin)
        except StoreAway:
            opened = await self.waiting.open_entry(intent, method, path, origin)
            return opened._replace(waits=True)

    async def close_entry(
        self,
        opened: OpenEntry,
        outcome: Outcome,
        message: str = "",
        *,
        requests: int = 1,
        answer: object = None,
    ) -> None:
        if not opened.waits:
            try:
                await super().close_entry(opened, outcome, message, requests=requests, answer=answer)
            except StoreAway:
                pass
            else:
                return
        await self.waiting.close_entry(opened, outcome, message, requests=requests, answer=answer)

    async def hand_in(self) -> None:
        """Hand in what is over, in order; a second time changes nothing. Raises StoreUnavailable."""
        async with self._handing_in:
            rows = await self.waiting.over()
            if rows:
                # A database that cannot be used refuses nothing.
                await self._database.select("SELECT 1")
            for start in range(0, len(rows), _AT_ONCE):
                await self._hand_in(rows[start : start + _AT_ONCE])

    async def _hand_in(self, rows: Sequence[DatabaseRow]) -> None:
        entries: list[dict[str, Value]] = [
            {name: row[name] for name in COLUMNS} | {"profile": self._profile} for row in rows
        ]

        def keep(connection: DatabaseConnection) -> None:
            for entry in entries:
                keep_entry(connection, entry)

        try:
            await self._database.run(keep)
        except StoreAway:
            raise
        except (StoreUnavailable, *SPOILT) as error:
            if len(rows) > 1:
                for row in rows:
                    await self._hand_in([row])
                return
            await self.waiting.refuse(rows[0], str(error))
        else:
            await self.waiting.forget(rows)
            self.handed_in += len(rows)

    async def _select(self, rest: str, *values: str | int) -> list[JournalEntry]:
        await self.hand_in()
        return await super()._select(rest, *values)
