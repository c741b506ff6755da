"""Preferences: small settings that the dashboard remembers, by name."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from linkdash.store.database import SPOILT, Database, DatabaseConnection, DatabaseRow, Profile, stored_json

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


_LOAD = "SELECT value FROM preferences WHERE profile = ? AND name = ? AND length(value) <= ?"


class Preferences:
    """The preferences of one profile, by name: "columns/qr". Every method raises StoreUnavailable."""

    def __init__(self, database: Database, profile: Profile) -> None:
        self._database = database
        self._profile = profile

    async def save(self, name: str, value: object) -> None:
        """Keep a value that JSON can hold, in place of what was kept before."""
        await self.change(name, lambda _: value)

    async def change(self, name: str, change: Callable[[object], object]) -> None:
        """Keep what `change` makes of what `load` returns; no other comes between."""

        def work(connection: DatabaseConnection) -> None:
            kept = self._loaded(connection.execute(_LOAD, (self._profile, name, LARGEST)))
            row = (self._profile, name, stored_json(change(kept)))
            connection.execute("INSERT OR REPLACE INTO preferences VALUES (?, ?, ?)", row)

        await self._database.run(work)

    async def load(self, name: str) -> object:
        """Return the value kept under a name; None where there is none, or it cannot be read any more.

        One of more than `LARGEST` letters of JSON is of another's making, and is left where it is.
        """
        return self._loaded(await self._database.select(_LOAD, (self._profile, name, LARGEST)))

    def _loaded(self, rows: Iterable[DatabaseRow]) -> object:
        found: list[object] = self._database.decoded(
            rows, lambda row: json.loads(row["value"]), "preferences"
        )
        return found[0] if found else None
