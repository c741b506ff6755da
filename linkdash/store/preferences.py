"""Preferences: small settings that the dashboard remembers, by name."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from linkdash.store.database import SPOILT, Database, DatabaseConnection, Profile, stored_json

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


VIEWS = "views/"
"""Begins the names of the lists of views that were saved, each with a name of its own."""


def take_over_views(connection: DatabaseConnection, old: str, new: str) -> None:
    """Add to the views of one owner those of another that have other names."""
    query = f"SELECT name, value FROM preferences WHERE profile = ? AND name LIKE '{VIEWS}%'"
    found = {row["name"]: row["value"] for row in connection.execute(query, (old,))}
    for row in connection.execute(query, (new,)).fetchall():
        if row["name"] in found:
            with suppress(*SPOILT):
                both = _both(json.loads(row["value"]), json.loads(found[row["name"]]))
                connection.execute(
                    "UPDATE preferences SET value = ? WHERE profile = ? AND name = ?",
                    (json.dumps(both, separators=(",", ":")), new, row["name"]),
                )


def _both(mine: Sequence[Mapping[str, object]], others: Sequence[Mapping[str, object]]) -> object:
    """Raise what a spoilt value raises."""
    names = {view["name"] for view in mine}
    return sorted(
        [*mine, *(view for view in others if view["name"] not in names)],
        key=lambda view: str(view["name"]).casefold(),
    )


class Preferences:
    """The preferences of one profile, by name: "columns/qr". Every method raises StoreUnavailable."""

    def __init__(self, database: Database, profile: Profile) -> None:
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
