"""Kinds of rate limiters as services run them, and the ways in which services tell of them."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Verdict:
    """A limiter's answer to one request; `resets_at` is on the limiter's clock."""

    granted: bool
    remaining: int
    resets_at: float


class Limiter(Protocol):
    """The requests of one key."""

    limit: int

    def request(self, now: float) -> Verdict:
        """Count one request, or refuse it."""
        ...


class Fixed:
    """A window that begins anew at every multiple of its length, or with the first request after its end."""

    def __init__(self, limit: int, window: float, *, anchored: bool) -> None:
        self.limit, self._window, self._anchored = limit, window, anchored
        self._ends, self._used = -math.inf, 0

    def request(self, now: float) -> Verdict:
        if now >= self._ends:
            begins = now if self._anchored else now // self._window * self._window
            self._ends, self._used = begins + self._window, 0
        granted = self._used < self.limit
        self._used += granted
        return Verdict(granted, self.limit - self._used, self._ends)


class Sliding:
    """The requests of the last window; tells when the oldest, or the newest, of them leaves it.

    `charged` counts refused requests, too.
    """

    def __init__(self, limit: int, window: float, *, tells_oldest: bool, charged: bool = False) -> None:
        self.limit, self._window, self._tells_oldest = limit, window, tells_oldest
        self._charged = charged
        self._times: deque[float] = deque()

    def request(self, now: float) -> Verdict:
        while self._times and self._times[0] <= now - self._window:
            self._times.popleft()
        granted = len(self._times) < self.limit
        if granted or self._charged:
            self._times.append(now)
        told = self._times[0 if self._tells_oldest else -1]
        return Verdict(granted, max(0, self.limit - len(self._times)), told + self._window)


class TokenBucket:
    """A bucket that refills steadily; tells when the next request is granted, or when it is full."""

    def __init__(self, limit: int, window: float, *, tells_next: bool) -> None:
        self.limit, self._rate, self._tells_next = limit, limit / window, tells_next
        self._tokens, self._at = float(limit), 0.0

    def request(self, now: float) -> Verdict:
        self._tokens = min(self.limit, self._tokens + (now - self._at) * self._rate)
        self._at = now
        granted = self._tokens >= 1
        self._tokens -= granted
        missing = (1 - self._tokens % 1) if self._tells_next else self.limit - self._tokens
        return Verdict(granted, int(self._tokens), now + missing / self._rate)


Spelling = Callable[[float, float], str]
"""Spells a moment of reset, given it and the moment of the answer."""

SPELLINGS: dict[str, Spelling] = {
    "seconds left": lambda resets_at, now: str(math.ceil(resets_at - now)),
    "epoch seconds": lambda resets_at, now: str(math.ceil(resets_at)),
    "epoch seconds, rounded down": lambda resets_at, now: str(math.floor(resets_at)),
    "epoch millis": lambda resets_at, now: str(math.ceil(resets_at * 1000)),
    "local time": lambda resets_at, now: (
        f"{datetime.fromtimestamp(math.ceil(resets_at) + 5.75 * 3600, UTC):%Y-%m-%d %H:%M:%S}"
    ),
}


def headers(verdict: Verdict, limit: int, now: float, spelling: Spelling) -> dict[str, str]:
    """The headers of an answer given at `now` on the service's clock."""
    found = {
        "Date": format_datetime(datetime.fromtimestamp(int(now), UTC), usegmt=True),
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(verdict.remaining),
        "X-RateLimit-Reset": spelling(verdict.resets_at, now),
    }
    if not verdict.granted:
        found["Retry-After"] = str(math.ceil(verdict.resets_at - now))
    return found


@dataclass(frozen=True, slots=True)
class Manner:
    """The manner of a service: which headers it leaves away, and the status of a refusal.

    With status 200 a refusal is known only by the error in its body.
    """

    spelling: str = "epoch seconds"
    leaves_away: frozenset[str] = frozenset()
    refuses_with: int = 429
    in_words: bool = False
    """Whether the text of a refusal speaks of too many requests."""

    def headers(self, verdict: Verdict, limit: int, now: float) -> dict[str, str]:
        """The headers of an answer given at `now` on the service's clock."""
        told = headers(verdict, limit, now, SPELLINGS[self.spelling])
        return {name: value for name, value in told.items() if name not in self.leaves_away}


RATE_HEADERS = frozenset({"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"})
