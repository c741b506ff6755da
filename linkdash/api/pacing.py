"""Who may spend how much of what is free: lanes, what each leaves to those above it, what that costs."""

import math
from dataclasses import dataclass
from enum import IntEnum

from linkdash.api.allowance import Allowance
from linkdash.api.estimate import Estimate
from linkdash.api.window import Window

PERSON_RATE = 1.0
"""Requests a second that people cause at most: background keeps no more for the rest of a window."""

_TASK_RESERVE = 6
_STALE = 4.0  # seconds of what others spend that is kept back: what is left is known from the last answer

CATCH_UP = 0.8
"""Background goes a little faster than a trickling service gives back, to make up for gaps."""


class Lane(IntEnum):
    """Who asks; a lower number goes first."""

    WRITE = 0
    READ = 1
    REFRESH = 2
    TASK = 3
    """What a person began and waits for: all pages, a bulk job, a comparison."""
    BACKGROUND = 4

    @property
    def purpose(self) -> str:
        """The lane in words."""
        return _PURPOSES[self]


_PURPOSES = (
    "a person's change",
    "a person's read",
    "a refresh on the screen",
    "a person's task",
    "background",
)


def reserve(lane: Lane, window: Window) -> int:
    """The requests which a lane leaves untouched at any time."""
    if lane <= Lane.READ:
        return 0
    least = min(3 if lane is Lane.REFRESH else 2, window.size // 10)
    if not window.told:
        least = window.size // 7
    elif window.trickles:
        least += round(3 * _STALE * window.foreign) + for_people(window.people, window.size, window.seconds)
    else:
        least += round(_STALE * window.foreign)
    return min(least, window.size // 2)


def for_people(asked: float, size: int, seconds: float) -> int:
    """What is kept for people where requests come back one by one: none waits long for the next then.

    They asked for so many in the last minute or so; `size` is how many the window of so many seconds has.
    """
    in_window = asked * min(seconds, 60.0) / 60.0
    return round(min(in_window / 4, size / 6))


def paced(lane: Lane) -> bool:
    """Whether a lane spreads its requests over the window."""
    return lane >= Lane.TASK


def estimated_reserve(lane: Lane, estimate: Estimate, window: Window) -> int:
    """The requests which a lane leaves untouched on a service that does not tell what is left."""
    if lane <= Lane.READ:
        return 0
    if lane is Lane.REFRESH:
        return min(3, estimate.reserve)
    if lane is Lane.TASK:
        return estimate.reserve
    return estimate.reserve + for_people(window.people, estimate.limit, estimate.seconds)


def task_reserve(limit: int) -> int:
    """The requests of a limit that a person's task leaves before it is paced like background."""
    return min(_TASK_RESERVE, limit // 5)


def pace(window: Window) -> float:
    """Requests which background keeps back for each second until the reset, for people and for others."""
    return min(window.size / window.seconds, PERSON_RATE) + window.foreign


def floor(lane: Lane, window: Window, now: float) -> float:
    """More than this must be free so that a request of a lane may go on what is known."""
    kept = reserve(lane, window)
    if not paced(lane):
        return kept
    reset_in = window.reset_in(now)
    least = kept if reset_in is None else max(kept, reset_in * pace(window))
    return min(least, task_reserve(window.size)) if lane is Lane.TASK else least


def falls_below(free: int, lane: Lane, window: Window) -> float:
    """The moment from which a lane's floor is below what is free, which is more than its reserve."""
    if not paced(lane) or (lane is Lane.TASK and free > task_reserve(window.size)):
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


@dataclass(frozen=True, slots=True)
class Quote:
    """What a number of requests costs in time, as far as it can be known."""

    requests: int
    now: int
    later: int
    seconds: float | None
    """Seconds until the last of them may go; 0 if all go now, None if nothing is known yet."""

    def __str__(self) -> str:
        """Say it: `12 requests: 6 now, 6 in 41 s`."""
        total = "1 request" if self.requests == 1 else f"{self.requests} requests"
        if not self.later:
            return f"{total}: now"
        when = "once the budget is known" if self.seconds is None else f"in {duration(self.seconds)}"
        return f"{total}: {self.now} now, {self.later} {when}" if self.now else f"{total}: {when}"


def quote(allowance: Allowance, requests: int, ahead: int, lane: Lane, now: float) -> Quote:
    """Say how many of so many requests could go now and when the last could, after `ahead` others."""
    window, paused_for = allowance.window, max(0.0, allowance.paused_until - now)
    now_free = allowance.free(now)
    if now_free is None:
        at_once = 0 if allowance.in_flight or ahead or paused_for else min(1, requests)
        return Quote(requests, at_once, requests - at_once, 0.0 if at_once == requests else None)
    if allowance.is_estimate:
        return _estimated(allowance, requests, now_free - ahead, lane, now)
    renewed = now >= window.renewal and not window.trickles
    free = (window.size if renewed else now_free) - ahead
    at_once = 0 if paused_for else _at_once(free, floor(lane, window, now))
    if at_once >= requests:
        return Quote(requests, requests, 0, 0.0)
    in_window = max(at_once, free - reserve(lane, window), 0)
    seconds = _seconds(allowance, requests, free, in_window, lane, now)
    return Quote(requests, at_once, requests - at_once, max(seconds, paused_for))


def _estimated(allowance: Allowance, requests: int, free: int, lane: Lane, now: float) -> Quote:
    """The same for a service that does not tell what is left."""
    estimate, wait = allowance.estimate, max(0.0, allowance.paused_until - now)
    kept = estimated_reserve(lane, estimate, allowance.window)
    above = task_reserve(estimate.limit) if lane is Lane.TASK else kept
    at_once = 0 if wait else max(0, min(free - above, 1 if lane is Lane.BACKGROUND else requests, requests))
    later = requests - at_once
    if not later:
        return Quote(requests, requests, 0, 0.0)
    if free - at_once <= kept:
        back_at = estimate.back_at(allowance.window.answered, kept - free + at_once + 1, now)
        wait = max(wait, 0.0 if back_at is None else back_at - now)
    return Quote(requests, at_once, later, wait + later * estimate.spacing)


def _at_once(free: int, least: float) -> int:
    """How many can go one after another while more than `least` are free."""
    return max(0, math.ceil(free - least))


def _seconds(allowance: Allowance, requests: int, free: int, in_window: int, lane: Lane, now: float) -> float:
    """Seconds until the last of the requests may go; `in_window` of them can before the window is over."""
    window = allowance.window
    wait = max(0.0, window.renewal - now)
    if requests <= in_window:
        return max(0.0, wait - (free - requests + 1) / pace(window))
    rest = requests - in_window
    if window.trickles:
        return wait + (rest - 1) * window.spacing
    whole_windows, before = divmod(rest - 1, max(1, window.size - reserve(lane, window)))
    wait += whole_windows * window.seconds
    return wait + (window.seconds - (window.size - before) / pace(window) if paced(lane) else 0.0)
