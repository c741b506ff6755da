"""The time that requests will take, told before they are sent."""

import math
from dataclasses import dataclass, replace

from linkdash.api.budget.allowance import Allowance
from linkdash.api.budget.lanes import (
    Lane,
    duration,
    estimated_reserve,
    floor,
    held_back,
    pace,
    reserve,
    task_reserve,
)


@dataclass(frozen=True, slots=True)
class Quote:
    """The cost in time of a number of requests, as far as it can be known."""

    requests: int
    now: int
    later: int
    seconds: float | None
    """Seconds until the last of them may go; 0 if all go now, None if nothing is known yet."""

    def __str__(self) -> str:
        """Say it: `12 requests: 6 now, 6 in 41 s`."""
        total = "1 request" if self.requests == 1 else f"{self.requests} requests"
        if not self.later:
            return f"{total}, now"
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
    if renewed:  # a new one begins with the next request, which goes at once to find out
        window = replace(window, renewal=now + window.seconds)
        allowance = replace(allowance, window=window)
    free = (window.size if renewed else now_free) - ahead
    finding_out = int(renewed and not ahead)
    at_once = 0 if paused_for else max(finding_out, _at_once(free, floor(lane, allowance, now)))
    if at_once >= requests:
        return Quote(requests, requests, 0, 0.0)
    in_window = max(at_once, free - reserve(lane, allowance))
    seconds = _seconds(allowance, requests, free, in_window, lane, now)
    return Quote(requests, at_once, requests - at_once, max(seconds, paused_for))


def _estimated(allowance: Allowance, requests: int, free: int, lane: Lane, now: float) -> Quote:
    """The same for a service that does not tell what is left."""
    estimate, wait = allowance.estimate, max(0.0, allowance.paused_until - now)
    kept = estimated_reserve(lane, allowance)
    above = task_reserve(estimate.limit) if lane is Lane.TASK else kept
    at_once = 0 if wait else max(0, min(free - above, 1 if lane is Lane.BACKGROUND else requests, requests))
    later = requests - at_once
    if not later:
        return Quote(requests, requests, 0, 0.0)
    if free - at_once <= kept:
        back_at = estimate.back_at(allowance.window.log.entries, kept - free + at_once + 1, now)
        wait = max(wait, 0.0 if back_at is None else back_at - now)
    return Quote(requests, at_once, later, wait + later * estimate.spacing)


def _at_once(free: int, least: float) -> int:
    """Return how many can go one after another while more than `least` are free."""
    return max(0, math.ceil(free - least))


def _seconds(allowance: Allowance, requests: int, free: int, in_window: int, lane: Lane, now: float) -> float:
    """Seconds until the last of the requests may go; `in_window` of them can before the window is over."""
    window = allowance.window
    wait = max(0.0, window.renewal - now)
    if requests <= in_window:
        return wait - (free - requests + 1) / pace(window)
    rest = requests - in_window
    if window.trickles:
        return wait + (rest - 1) * window.spacing
    whole_windows, before = divmod(rest - 1, window.size - reserve(lane, allowance))
    wait += whole_windows * window.seconds
    free = window.size - before
    return wait + (window.seconds - free / pace(window) if held_back(lane, free, window.size) else 0.0)
