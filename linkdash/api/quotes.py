"""What a number of requests costs in time, said before they are sent."""

import math
from dataclasses import dataclass

from linkdash.api.allowance import Allowance
from linkdash.api.pacing import Lane, duration, floor, pace, paced, reserve


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
    renewed = now >= window.renewal and not window.trickles
    free = (window.size if renewed else now_free) - ahead
    at_once = 0 if paused_for else _at_once(free, floor(lane, window, now))
    if at_once >= requests:
        return Quote(requests, requests, 0, 0.0)
    in_window = max(at_once, free - reserve(lane, window), 0)
    seconds = _seconds(allowance, requests, free, in_window, lane, now)
    return Quote(requests, at_once, requests - at_once, max(seconds, paused_for))


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
