"""The records that were opened and the codes that are watched, kept from run to run."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from linkdash.store.preferences import Preferences

_NAME = "at hand"


class RecentRecord(BaseModel):
    """A record that was opened."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, defer_build=True)

    resource: str
    id: int
    name: str


class KeptRecents(BaseModel):
    """The recents that one run leaves to the next."""

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    recent: tuple[RecentRecord, ...] = ()
    """The records that were opened, the latest first."""
    watched: dict[int, str] = {}
    """The codes that were watched last, by id, with their names."""


async def load(preferences: Preferences) -> KeptRecents:
    """Return what was kept. Raises StoreUnavailable."""
    try:
        return KeptRecents.model_validate(await preferences.load(_NAME) or {})
    except ValidationError:  # of another version
        return KeptRecents()


async def save(preferences: Preferences, kept: KeptRecents) -> None:
    """Keep it in place of what was kept before. Raises StoreUnavailable."""
    await preferences.save(_NAME, kept.model_dump(mode="json"))
