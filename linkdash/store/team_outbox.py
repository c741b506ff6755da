"""The outbox: entries written while the team's database is away, kept on this machine until handed in."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linkdash.store.database import Database, DatabaseConnection, DatabaseRow, Profile, returned_id

SCHEMA = (
    # Ids are never used again: the team's database remembers up to which one it has everything.
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

    async def add(self, kind: str, body: Body, *, revoked: tuple[str, Body] | None = None) -> int:
        """Keep something to be handed in and return its id.

        `revoked` is kept after it if the caller is cancelled meanwhile.
        """

        def revoke(connection: DatabaseConnection, _: int) -> None:
            if revoked is not None:
                self._insert(connection, *revoked)

        return await self._database.run_or_revoke(
            lambda connection: self._insert(connection, kind, body), revoke
        )

    async def oldest(self, limit: int) -> list[OutboxEntry]:
        """Return what is to be handed in next, in the order it was written."""
        return await self._select("AND refusal = '' ORDER BY id LIMIT ?", limit)

    async def of_kinds(self, *kinds: str) -> list[OutboxEntry]:
        """All of some kinds that is not handed in yet, in the order it was written."""
        return await self._select(f"AND kind IN ({', '.join('?' * len(kinds))}) ORDER BY id", *kinds)

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

    def _insert(self, connection: DatabaseConnection, kind: str, body: Body) -> int:
        insert = "INSERT INTO spooled (profile, kind, body) VALUES (?, ?, ?) RETURNING id"
        return returned_id(connection.execute(insert, (self._profile, kind, json.dumps(body))))

    async def _select(self, rest: str, *values: str | int) -> list[OutboxEntry]:
        rows = await self._database.select(
            f"SELECT * FROM spooled WHERE profile = ? {rest}", (self._profile, *values)
        )
        return self._database.decoded(rows, _outbox_entry, "outbox entries")


def _outbox_entry(row: DatabaseRow) -> OutboxEntry:
    """Raise what a spoilt value raises."""
    return OutboxEntry(row["id"], row["kind"], dict(json.loads(row["body"])))
