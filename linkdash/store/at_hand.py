"""What a person leaves from run to run: how lists are shown, what is at hand, drafts of forms."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from linkdash.api.secrecy import is_secret
from linkdash.store.database import Database, Row, read_moment, stored_json, stored_moment

# ---- how lists are shown ----

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
        """Keeps a value that JSON can hold, in place of what was kept before."""
        row = (self._profile, name, stored_json(value))
        await self._database.execute("INSERT OR REPLACE INTO preferences VALUES (?, ?, ?)", row)

    async def load(self, name: str) -> object:
        """What was kept under a name; None where nothing was, or it cannot be read any more."""
        query = "SELECT value FROM preferences WHERE profile = ? AND name = ?"
        rows = await self._database.select(query, (self._profile, name))
        found: list[object] = self._database.decoded(
            rows, lambda row: json.loads(row["value"]), "preferences"
        )
        return found[0] if found else None


# ---- what is at hand ----

_NAME = "at hand"


class Opened(BaseModel):
    """A record that was opened."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True)

    resource: str
    id: int
    name: str


class KeptAtHand(BaseModel):
    """What one run leaves to the next."""

    recent: tuple[Opened, ...] = ()
    """The records that were opened, the latest first."""
    watched: dict[int, str] = {}
    """The codes that were watched last, by id, with their names."""


async def load(preferences: Preferences) -> KeptAtHand:
    """What was kept. Raises StoreUnavailable."""
    try:
        return KeptAtHand.model_validate(await preferences.load(_NAME) or {})
    except ValidationError:  # of another version
        return KeptAtHand()


async def save(preferences: Preferences, kept: KeptAtHand) -> None:
    """Keeps it in place of what was kept before. Raises StoreUnavailable."""
    await preferences.save(_NAME, kept.model_dump(mode="json"))


# ---- drafts of forms ----

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
    """What was typed into one form."""

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

    def __init__(self, database: Database, profile: str) -> None:
        self._database = database
        self._profile = profile

    async def save(
        self, form: str, values: Mapping[str, str], at: datetime, *, secrets: Collection[str] = ()
    ) -> None:
        """Keeps what was typed, in place of what was kept before, without the fields named in `secrets`."""
        hidden = {name for name in values if name in secrets or is_secret(name)}
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
        """Throws a draft away; nothing happens if there is none."""
        await self._database.execute(
            "DELETE FROM drafts WHERE profile = ? AND form = ?", (self._profile, form)
        )

    async def _select(self, rest: str, *values: str) -> list[SavedDraft]:
        rows = await self._database.select(
            f"SELECT * FROM drafts WHERE profile = ? {rest}", (self._profile, *values)
        )
        return self._database.decoded(rows, _draft, "drafts")


def _draft(row: Row) -> SavedDraft:
    """Raises what a spoilt value raises."""
    return SavedDraft(
        form=row["form"],
        values={str(name): str(text) for name, text in dict(json.loads(row["fields"])).items()},
        left_out=tuple(map(str, json.loads(row["left_out"]))),
        at=read_moment(row["at"]),
    )
