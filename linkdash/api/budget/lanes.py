"""The lanes of requests: their order, and what each leaves of the budget to the others."""

import math
from enum import IntEnum

from linkdash.api.budget.account import BudgetAccount

PERSON_RATE = 1.0
"""Requests a second that people cause at most: background keeps no more for the rest of a window."""

_TASK_RESERVE = 6

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


def reserve(lane: Lane, account: BudgetAccount) -> int:
    """The requests which a lane leaves untouched at any time; after refusals a few more, for a while."""
    if lane <= Lane.READ:
        return 0
    least = min(3, account.size // 10)
    return least if account.counts else min(least + account.caution, max(least, account.size // 2))


def least_kept(lane: Lane, account: BudgetAccount) -> int:
    """The same of a lane that is paced, which leaves more where requests come back one by one."""
    kept = reserve(lane, account)
    return max(kept, account.size // 7) if lane >= Lane.TASK and account.is_even else kept


def floor(lane: Lane, account: BudgetAccount, now: float) -> float:
    """The requests which a lane leaves untouched now; the user's task spends down to a few at once."""
    kept = least_kept(lane, account)
    if lane <= Lane.REFRESH or account.counts:
        return kept
    least = max(kept, (account.reset_in(now) or 0.0) * pace(account))
    return min(least, max(kept, task_reserve(account.size))) if lane is Lane.TASK else least


def pace(account: BudgetAccount) -> float:
    """Requests a second that background leaves to people for the rest of a window."""
    return min(account.size / account.window, PERSON_RATE)


def task_reserve(limit: int) -> int:
    """The requests of a limit that the user's task leaves before it is paced like background."""
    return min(_TASK_RESERVE, limit // 5)


def duration(seconds: float) -> str:
    """Seconds as people say them: 41 s, 3 min, 2 h 5 min."""
    whole = math.ceil(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes = math.ceil(whole / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
