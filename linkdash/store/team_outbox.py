"""The outbox: readings made while the team's database is away, kept on this machine until handed in."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linkdash.store.database import Database, DatabaseConnection, DatabaseRow, Profile

SCHEMA = (
    # Ids are never used again: the team's database remembers those that it has.
    """CREATE TABLE spooled (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        profile TEXT NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        refusal TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE TABLE spool (name TEXT NOT NULL)",
    "INSERT INTO spool SELECT lower(hex(randomblob(16)))",
)

REFUSED = "INSERT INTO spooled (profile, kind, body, refusal) VALUES (?, ?, ?, ?)"
"""Keeps something that the team's database has refused, which is not lost so."""

Body = Mapping[str, Any]  # JSON


class OutboxEntry(NamedTuple):
    """Something written, as it is kept: it is done when it is handed in."""

    id: int
    kind: str
    body: Body


class Outbox:
    """The outbox of one profile. Belongs into a durable file. Every method raises StoreUnavailable."""

    def __init__(self, database: Database, profile: Profile) -> None:
        self._database = database
        self._profile = profile

    async def name(self) -> str:
        """Return the name that tells this outbox from those of other machines."""
        (row,) = await self._database.select("SELECT name FROM spool")
        return str(row["name"])

    async def add(self, kind: str, body: Body) -> None:
        """Keep something to be handed in."""
        insert = "INSERT INTO spooled (profile, kind, body) VALUES (?, ?, ?)"
        await self._database.execute(insert, (self._profile, kind, json.dumps(body)))

    async def oldest(self, limit: int) -> list[OutboxEntry]:
        """Return what is to be handed in next, in the order it was written."""
        return await self._select("AND refusal = '' ORDER BY id LIMIT ?", limit)

    async def of_kind(self, kind: str) -> list[OutboxEntry]:
        """All of a kind that is not handed in yet, in the order it was written."""
        return await self._select("AND kind = ? ORDER BY id", kind)

    async def count(self) -> int:
        """Return how much is still to be handed in."""
        (row,) = await self._database.select(
            "SELECT count(*) AS number FROM spooled WHERE profile = ? AND refusal = ''", (self._profile,)
        )
        return int(row["number"])

    async def drop(self, ids: Sequence[int]) -> None:
        """Forget what was handed in."""

        def delete(connection: DatabaseConnection) -> None:
            connection.executemany("DELETE FROM spooled WHERE id = ?", [(id,) for id in ids])

        await self._database.run(delete)

    async def refuse(self, id: int, why: str) -> None:
        """Keep something back that the team's database does not take, so that it does not block the rest."""
        await self._database.execute("UPDATE spooled SET refusal = ? WHERE id = ?", (why, id))

    async def _select(self, rest: str, *values: str | int) -> list[OutboxEntry]:
        rows = await self._database.select(
            f"SELECT * FROM spooled WHERE profile = ? {rest}", (self._profile, *values)
        )
        return self._database.decoded(rows, _outbox_entry, "outbox entries")


def _outbox_entry(row: DatabaseRow) -> OutboxEntry:
    """Raise what a spoilt value raises."""
    return OutboxEntry(row["id"], row["kind"], dict(json.loads(row["body"])))
