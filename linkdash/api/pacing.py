"""Who may spend how much of the budget: the lanes, what each leaves to the lanes above it, and quotes in words."""

import math
from dataclasses import dataclass
from enum import IntEnum

PERSON_RATE = 1.0
"""Requests a second that a person can cause at most; background keeps no more than this for the rest of a window."""


class Lane(IntEnum):
    """Who asks; a lower number goes first."""

    WRITE = 0
    READ = 1
    REFRESH = 2
    BACKGROUND = 3

    @property
    def purpose(self) -> str:
        """The lane in words."""
        return ("a person's change", "a person's read", "a refresh on the screen", "background")[self]


@dataclass(frozen=True, slots=True)
class Quote:
    """What a number of requests costs in time, as far as it can be known before they are sent."""

    requests: int
    now: int
    later: int
    seconds: float | None
    """Seconds until the last of them may go; 0 if all go now, None if nothing is known yet."""

    def __str__(self) -> str:
        noun = "request" if self.requests == 1 else "requests"
        if not self.later:
            return f"{self.requests} {noun}: now"
        when = "when the budget is known" if self.seconds is None else f"in {duration(self.seconds)}"
        if not self.now:
            return f"{self.requests} {noun}: {when}"
        return f"{self.requests} {noun}: {self.now} now, {self.later} {when}"


def reserve(lane: Lane, limit: int) -> int:
    """The requests a lane leaves untouched at any time, for the lanes above it."""
    if lane <= Lane.READ:
        return 0
    return min(3 if lane is Lane.REFRESH else 2, limit // 10)


def pace(limit: int, window: float) -> float:
    """Requests a second that background keeps back for what is left of a window."""
    return min(limit / window, PERSON_RATE)


def duration(seconds: float) -> str:
    """Seconds as people say them: 41 s, 3 min, 2 h 5 min."""
    whole = math.ceil(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes = math.ceil(whole / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
