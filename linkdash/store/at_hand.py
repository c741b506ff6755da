"""What a person has at hand in every run: records that were opened, codes that are watched."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from linkdash.store.store import Preferences

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
