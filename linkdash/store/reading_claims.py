"""Claims to read a code, so that programs on one history do not read it twice."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from linkdash.store.database import (
    Database,
    DatabaseConnection,
    DatabaseRow,
    Profile,
    StoreAway,
    read_moment,
    stored_moment,
)

CLAIMS_SCHEMA = (
    """CREATE TABLE turns (
        profile TEXT NOT NULL,
        code_id INTEGER NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (profile, code_id)
    ) WITHOUT ROWID""",
)

_CLAIM = """
    INSERT INTO turns (profile, code_id, at) VALUES (?, ?, ?)
    ON CONFLICT (profile, code_id) DO UPDATE SET at = excluded.at
"""

_RESTORE = "UPDATE turns SET at = ? WHERE profile = ? AND code_id = ? AND at = ?"

FAILED = "/failed"
"""Ends the owner of the moments at which codes could not be read; before it stands the profile."""

LONG_AGO = datetime.fromtimestamp(0, UTC)


def longest_unread_first(code_ids: Iterable[int], *lasts: Mapping[int, datetime]) -> list[int]:
    """Return the codes never read first, then the one read longest ago.

    Each of `lasts` says when some codes were read; the latest of them counts. Pure.
    """
    return sorted(
        dict.fromkeys(code_ids), key=lambda code_id: max(last.get(code_id, LONG_AGO) for last in lasts)
    )


class ReadingClaims:
    """The claims on one profile's codes. Several processes may claim at once: each gets other codes.

    Every method raises StoreUnavailable.
    """

    def __init__(self, database: Database, profile: Profile) -> None:
        self._database = database
        self._profile = profile
        self._failed = profile + FAILED

    async def last(self) -> dict[int, datetime]:
        """The last claim on each code."""
        return await self._moments(self._profile)

    async def failed(self) -> dict[int, datetime]:
        """The last failed read of each code that ever had one; its claim was released."""
        return await self._moments(self._failed)

    async def _moments(self, owner: Profile) -> dict[int, datetime]:
        query = "SELECT code_id, at FROM turns WHERE profile = ?"
        rows = await self._database.select(query, (owner,))
        return dict(self._database.decoded(rows, lambda row: (row["code_id"], _claimed_at(row)), "claims"))

    async def claim(self, code_id: int, at: datetime, last: datetime | None) -> bool:
        """Claim a code at `at`; False if another process has claimed it since the `last` one."""

        def insert(connection: DatabaseConnection) -> bool:
            connection.lock("turns", self._profile)
            row = connection.execute(
                "SELECT at FROM turns WHERE profile = ? AND code_id = ?", (self._profile, code_id)
            ).fetchone()
            told = [] if row is None else self._database.decoded([row], _claimed_at, "claims")
            if told and told[0] != last:
                return False
            connection.execute(_CLAIM, (self._profile, code_id, stored_moment(at)))
            return True

        try:
            return await self._database.run(insert)
        except StoreAway:  # the database is away: better two read a code than none
            return True

    async def release(self, code_id: int, at: datetime, last: datetime | None, *, failed: bool) -> None:
        """Release the claim made at `at`, as no reading came of it; `failed` keeps that it was tried."""
        mine = (self._profile, code_id, stored_moment(at))

        def restore(connection: DatabaseConnection) -> None:
            if failed:
                connection.execute(_CLAIM, (self._failed, code_id, stored_moment(at)))
            if last is None:
                connection.execute("DELETE FROM turns WHERE profile = ? AND code_id = ? AND at = ?", mine)
            else:
                connection.execute(_RESTORE, (stored_moment(last), *mine))

        with suppress(StoreAway):  # what was claimed while the database was away belongs to no one
            await self._database.run(restore)


def _claimed_at(row: DatabaseRow) -> datetime:
    """Raise what a spoilt value raises."""
    return read_moment(row["at"])
