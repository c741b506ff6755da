"""The lanes of requests: their order, and what each leaves of the budget to the others."""

import math
from enum import IntEnum

from linkdash.api.budget.allowance import Allowance
from linkdash.api.budget.window import BudgetWindow

PERSON_RATE = 1.0
"""Requests a second that people cause at most: background keeps no more for the rest of a window."""

_TASK_RESERVE = 6
_SOON = 0.5  # seconds: where one comes back as soon as that, less has to be kept
_STALE = 4.0  # seconds of what others spend that is kept back: what is left is known from the last answer

CATCH_UP = 0.8
"""Background goes a little faster than a trickling service gives back, to make up for gaps."""


class Lane(IntEnum):
    """The lane of a request; a lower number goes first."""

    WRITE = 0
    READ = 1
    REFRESH = 2
    TASK = 3
    """Work that the user began and waits for: all pages, a bulk job, a comparison."""
    BACKGROUND = 4

    @property
    def purpose(self) -> str:
        """The lane in words."""
        return _PURPOSES[self]


_PURPOSES = (
    "your changes",
    "what you open",
    "screen refresh",
    "long loads",
    "background",
)


def counts_as(lane: Lane, label: str) -> Lane:
    """The lane whose purpose a request had: what a job of the user changes is the user's change."""
    return Lane.WRITE if lane is Lane.TASK and not label.startswith("GET ") else lane


def reserve(lane: Lane, allowance: Allowance) -> int:
    """The requests which a lane leaves untouched at any time."""
    if lane <= Lane.READ:
        return 0
    window, others = allowance.window, allowance.window.others
    least = min(3 if lane is Lane.REFRESH else 2, window.size // 10)
    if not window.told:
        least = window.size // 7
    elif window.trickles:
        least = min(least, int(window.spacing / _SOON))
        least += round(3 * _STALE * others.rate) + for_people(allowance.people, window.size, window.seconds)
    else:
        least += round(_STALE * others.rate)
    return min(least, window.size // 2)


def for_people(asked: float, size: int, seconds: float) -> int:
    """Return the reserve for users where requests come back one by one, so that none waits long for the next.

    They asked for so many in the last minute or so; `size` is how many the window of so many seconds has.
    """
    in_window = asked * min(seconds, 60.0) / 60.0
    return round(min(in_window / 4, size / 6))


def paced(lane: Lane) -> bool:
    """Return whether a lane spreads its requests over the window."""
    return lane >= Lane.TASK


def estimated_reserve(lane: Lane, allowance: Allowance) -> int:
    """The requests which a lane leaves untouched on a service that does not tell what is left."""
    if lane <= Lane.READ:
        return 0
    estimate = allowance.estimate
    if lane is Lane.REFRESH:
        return min(3, estimate.reserve)
    if lane is Lane.TASK:
        return estimate.reserve
    above = max(0, estimate.limit - int(estimate.ceiling))
    return above + estimate.reserve + for_people(allowance.people, estimate.limit, estimate.seconds)


def task_reserve(limit: int) -> int:
    """The requests of a limit that the user's task leaves before it is paced like background."""
    return min(_TASK_RESERVE, limit // 5)


def held_back(lane: Lane, free: int, limit: int) -> bool:
    """Return whether a lane is paced with so many free of a limit; while plenty is, the user's are not."""
    return paced(lane) and (lane is not Lane.TASK or free <= task_reserve(limit))


def pace(window: BudgetWindow) -> float:
    """Requests which background keeps back for each second until the reset, for people and for others."""
    return min(window.size / window.seconds, PERSON_RATE) + window.others.rate


def floor(lane: Lane, allowance: Allowance, now: float) -> float:
    """More than this must be free so that a request of a lane may go on what is known."""
    kept, window = reserve(lane, allowance), allowance.window
    if not paced(lane):
        return kept
    reset_in = window.reset_in(now)
    least = kept if reset_in is None else max(kept, reset_in * pace(window))
    return min(least, task_reserve(window.size)) if lane is Lane.TASK else least


def falls_below(free: int, lane: Lane, window: BudgetWindow) -> float:
    """The moment from which a lane's floor is below what is free, which is more than its reserve."""
    if not held_back(lane, free, window.size):
        return 0.0
    return window.renewal - free / pace(window) + 0.001 if window.told else 0.0


def duration(seconds: float) -> str:
    """Seconds as people say them: 41 s, 3 min, 2 h 5 min."""
    whole = math.ceil(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes = math.ceil(whole / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
