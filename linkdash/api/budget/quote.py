"""The time that requests will take, told before they are sent."""

import math
from dataclasses import dataclass, replace

from linkdash.api.budget.account import BudgetAccount
from linkdash.api.budget.lanes import Lane, duration, floor, pace, reserve, task_reserve


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


def quote(account: BudgetAccount, requests: int, ahead: int, lane: Lane, now: float) -> Quote:
    """Say how many of so many requests could go now and when the last could, after `ahead` others."""
    paused_for, free = max(0.0, account.paused_until - now), account.free(now)
    if free is None:
        at_once = 0 if account.in_flight or ahead or paused_for else min(1, requests)
        return Quote(requests, at_once, requests - at_once, 0.0 if at_once == requests else None)
    is_over = not account.is_even and not paused_for and now >= account.renewal + account.margin
    if is_over:  # one goes at once to find out
        account, free = replace(account, resets_at=now + account.window), account.size
    least = floor(lane, account, now)
    at_once = 0 if paused_for else max(int(is_over and not ahead), math.ceil(free - ahead - least))
    at_once = max(0, min(at_once, 1 if lane is Lane.BACKGROUND and account.is_even else requests, requests))
    if at_once == requests:
        return Quote(requests, requests, 0, 0.0)
    later = requests - at_once
    seconds = _evenly if account.is_even else _by_windows
    return Quote(
        requests, at_once, later, max(paused_for, seconds(account, later, free - ahead - at_once, lane, now))
    )


def _evenly(account: BudgetAccount, later: int, free: int, lane: Lane, now: float) -> float:
    """Seconds until the last of so many may go where requests come back one by one."""
    lacking = max(0, math.floor(floor(lane, account, now) - free) + 1)
    counting = account.counting(now)
    waits = [moment + account.window - now for moment in counting[lacking : lacking + 1]]
    first = max(0.0, account.renewal - now) if not account.counts else next(iter(waits), 0.0)
    return first + (later - 1) * account.spacing if lacking else later * account.spacing


def _by_windows(account: BudgetAccount, later: int, free: int, lane: Lane, now: float) -> float:
    """The same where all come back at once; what is left of a window is spread over it."""
    kept, wait = reserve(lane, account), account.reset_in(now) or 0.0
    is_paced = lane >= Lane.TASK
    if later <= free - kept and is_paced:
        return wait - (free - later + 1) / pace(account)
    rest = later - max(0, free - kept)
    whole_windows, before = divmod(rest - 1, max(1, account.size - kept))
    left = account.size - before
    is_held = is_paced and (lane is not Lane.TASK or left <= task_reserve(account.size))
    return wait + whole_windows * account.window + (account.window - left / pace(account) if is_held else 0.0)
