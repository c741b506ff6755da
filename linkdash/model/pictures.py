"""Values of a row that are best drawn: how much, how it went, how it changed. Plain numbers, no drawing."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias

TELLING_SHARE = 0.15
"""The least part by which a number has to rise or fall for that to be worth a color."""
TELLING_COUNT = 40
"""The least both periods have to have together for a share of them to mean anything."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A number beside the largest of its kind."""

    value: int | None
    most: int


@dataclass(frozen=True, slots=True)
class Change:
    """A number of a period and of the one before it."""

    now: int
    before: int

    @property
    def is_small(self) -> bool:
        """Whether both are too small to speak of a share."""
        return self.now + self.before < TELLING_COUNT

    @property
    def share(self) -> float | None:
        """By which part of what was before it changed; None where that was nothing."""
        return (self.now - self.before) / self.before if self.before else None

    @property
    def direction(self) -> int:
        """1 for a rise, -1 for a fall that are worth a color, else 0."""
        telling = not self.is_small and (self.share is None or abs(self.share) >= TELLING_SHARE)
        return ((self.now > self.before) - (self.now < self.before)) if telling else 0


@dataclass(frozen=True, slots=True)
class Trend:
    """A number day by day, the latest last, and how it changed; where there is little room, the last days."""

    days: tuple[int, ...]
    change: Change | None = None


Ending: TypeAlias = Literal["done", "failed", "unknown", "under way", "waiting"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How something ended, in words, and what that means."""

    words: str
    how: Ending


@dataclass(frozen=True, slots=True)
class Badge:
    """What somebody is, in a word, and how much that allows."""

    word: str
    rank: Literal["low", "usual", "high"]


SOON, LATER = timedelta(days=7), timedelta(days=30)
"""Until when an end is soon, and until when it is worth a look."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The time until something ends, less than nothing where that is over; None where it never does."""

    time: timedelta | None
