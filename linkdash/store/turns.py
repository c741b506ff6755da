"""Whose turn it is: when each code was last collected, so that collecting goes on where it stopped."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from linkdash.store.database import Connection, Database, StoreAway, read_moment, stored_moment

SCHEMA = (
    """CREATE TABLE turns (
        profile TEXT NOT NULL,
        code_id INTEGER NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (profile, code_id)
    ) WITHOUT ROWID""",
)

_TAKE = """
    INSERT INTO turns (profile, code_id, at) VALUES (?, ?, ?)
    ON CONFLICT (profile, code_id) DO UPDATE SET at = excluded.at
"""

LONG_AGO = datetime.fromtimestamp(0, UTC)


def by_turn(code_ids: Iterable[int], *lasts: Mapping[int, datetime]) -> list[int]:
    """The codes in the order of their turns: those never read first, then the one read longest ago.

    Each of `lasts` says when some codes were read; the latest of them counts. Pure.
    """
    return sorted(
        dict.fromkeys(code_ids), key=lambda code_id: max(last.get(code_id, LONG_AGO) for last in lasts)
    )


class Turns:
    """The turns of one profile's codes. Several processes may take turns at once: each gets other codes.

    Every method raises StoreUnavailable.
    """

    def __init__(self, database: Database, profile: str) -> None:
        self._database = database
        self._profile = profile

    async def last(self) -> dict[int, datetime]:
        """When each code had its last turn."""
        query = "SELECT code_id, at FROM turns WHERE profile = ?"
        rows = await self._database.select(query, (self._profile,))
        return {row["code_id"]: read_moment(row["at"]) for row in rows}

    async def take(self, code_id: int, at: datetime, last: datetime | None) -> bool:
        """Takes a code's turn at `at`; False if another process has taken it since the `last` one."""

        def claim(connection: Connection) -> bool:
            connection.lock("turns", self._profile)
            row = connection.execute(
                "SELECT at FROM turns WHERE profile = ? AND code_id = ?", (self._profile, code_id)
            ).fetchone()
            if row is not None and row["at"] != (stored_moment(last) if last else None):
                return False
            connection.execute(_TAKE, (self._profile, code_id, stored_moment(at)))
            return True

        try:
            return await self._database.run(claim)
        except StoreAway:  # nobody can be asked: better two read a code than none
            return True
