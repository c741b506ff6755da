"""Drafts: what was typed into a form and not saved."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from linkdash.api.http.secrecy import is_secret
from linkdash.store.database import Database, DatabaseRow, Profile, read_moment, stored_json, stored_moment

LARGEST = 20_000_000
"""Letters of the JSON of a draft; a larger one is of another's making, and is not read."""

DRAFTS_SCHEMA = (
    """CREATE TABLE drafts (
        profile TEXT NOT NULL,
        form TEXT NOT NULL,
        at TEXT NOT NULL,
        fields TEXT NOT NULL,
        left_out TEXT NOT NULL,
        PRIMARY KEY (profile, form)
    ) WITHOUT ROWID""",
)


class SavedDraft(NamedTuple):
    """The input of one form, not saved yet."""

    form: str
    values: Mapping[str, str]
    """The text of each field; a secret is never among them."""
    left_out: tuple[str, ...]
    """The secret fields that were filled in and have to be typed again."""
    at: datetime


class Drafts:
    """The drafts of one profile, by form: "pixels/create", "campaigns/update/12".

    Every method raises StoreUnavailable.
    """

    def __init__(self, database: Database, profile: Profile) -> None:
        self._database = database
        self._profile = profile

    async def save(self, form: str, values: Mapping[str, str], at: datetime) -> None:
        """Keep what was typed, in place of what was kept before, without its secrets."""
        hidden = {name for name in values if is_secret(name)}
        kept = {name: text for name, text in values.items() if name not in hidden}
        left_out = sorted(name for name in hidden if values[name])
        row = (self._profile, form, stored_moment(at), stored_json(kept), stored_json(left_out))
        await self._database.execute("INSERT OR REPLACE INTO drafts VALUES (?, ?, ?, ?, ?)", row)

    async def load(self, form: str) -> SavedDraft | None:
        """The draft of a form, if there is one."""
        drafts = await self._select("AND form = ?", form)
        return drafts[0] if drafts else None

    async def all(self) -> list[SavedDraft]:
        """Every draft, the newest first."""
        return await self._select("ORDER BY at DESC, form")

    async def discard(self, form: str) -> None:
        """Throw a draft away; nothing happens if there is none."""
        await self._database.execute(
            "DELETE FROM drafts WHERE profile = ? AND form = ?", (self._profile, form)
        )

    async def _select(self, rest: str, *values: str) -> list[SavedDraft]:
        rows = await self._database.select(
            f"SELECT * FROM drafts WHERE profile = ? AND length(fields) + length(left_out) <= ? {rest}",
            (self._profile, LARGEST, *values),
        )
        return self._database.decoded(rows, _draft, "drafts")


def _draft(row: DatabaseRow) -> SavedDraft:
    """Raise what a spoilt value raises."""
    return SavedDraft(
        form=row["form"],
        values={str(name): str(text) for name, text in dict(json.loads(row["fields"])).items()},
        left_out=tuple(map(str, json.loads(row["left_out"]))),
        at=read_moment(row["at"]),
    )
