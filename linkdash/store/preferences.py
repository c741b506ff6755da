"""Preferences: small settings that the dashboard remembers, by name."""

import json

from linkdash.store.database import Database, stored_json

LARGEST = 1_000_000
"""Letters of the JSON of a value, beyond which it is not read."""

PREFERENCES_SCHEMA = (
    """CREATE TABLE preferences (
        profile TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (profile, name)
    ) WITHOUT ROWID""",
)


class Preferences:
    """The preferences of one profile, by name: "columns/qr". Every method raises StoreUnavailable."""

    def __init__(self, database: Database, profile: str) -> None:
        self._database = database
        self._profile = profile

    async def save(self, name: str, value: object) -> None:
        """Keep a value that JSON can hold, in place of what was kept before."""
        row = (self._profile, name, stored_json(value))
        await self._database.execute("INSERT OR REPLACE INTO preferences VALUES (?, ?, ?)", row)

    async def load(self, name: str) -> object:
        """Return the value kept under a name; None where there is none, or it cannot be read any more.

        One of more than `LARGEST` letters of JSON is of another's making, and is left where it is.
        """
        query = "SELECT value FROM preferences WHERE profile = ? AND name = ? AND length(value) <= ?"
        rows = await self._database.select(query, (self._profile, name, LARGEST))
        found: list[object] = self._database.decoded(
            rows, lambda row: json.loads(row["value"]), "preferences"
        )
        return found[0] if found else None
