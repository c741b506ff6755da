"""The limit of a service that names none, learned from its refusals.

The log of what was granted is counted over a window that slides. That is right for a service whose window
slides and careful for all others. A refusal tells that the limit is less. While there is none, background
feels its way up.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

DOCUMENTED_LIMIT, DOCUMENTED_WINDOW = 30, 60.0
"""The limit of the reference, until the service shows otherwise (reference: Limits)."""

MOST, SHORTEST, LONGEST = 180, 1.0, 3600.0
"""Bounds of what is learned: requests, and seconds of a window."""

_FIRST_BACKOFF, _LAST_BACKOFF, _BACKOFF_GROWTH = 4.0, 60.0, 1.2
_MOST_RESERVED = 4
_UNUSED = 5  # the ceiling is used up when less than the reserve and this part of it is left
_FIRST_CEILING = 26.0
_TESTED = 38.0  # a ceiling that leads a little above the documented limit
_PROOF = 55.0  # seconds for which that is kept up: by then a service of the documented limit has refused
_TO_TESTED, _BEYOND, _LATER = 0.35, 1.2, 0.05  # how much a granted request adds: until there, beyond, later
_BEGIN = 20.0  # seconds before anything is added
_NO_GROWTH = 600.0  # seconds after a refusal that showed the limit

Log = Sequence[tuple[float, float]]
"""The granted requests in the order of their answers: when each was sent and answered."""


@dataclass(slots=True)
class Estimate:
    """The limit and the window as they seem to be. Moments are monotonic seconds of the caller's clock."""

    limit: int = DOCUMENTED_LIMIT
    seconds: float = DOCUMENTED_WINDOW
    ceiling: float = _FIRST_CEILING
    """The limit that background requests assume: it begins below the documented one and feels its way up."""
    is_shown: bool = False
    """True if a refusal has shown the limit."""
    fixed_until: float | None = None
    """The ceiling does not grow before this; None until something was granted."""
    recovered_at: float = 0.0
    """When a request was granted after the last refusal."""
    run_since: float = 0.0
    """When the oldest request was sent that counted at the last refusal."""
    run_counts: bool = False
    """True if that run of requests was long enough to tell the length of the window."""

    @property
    def spacing(self) -> float:
        """Seconds between two requests of background."""
        return self.seconds / max(1.0, self.ceiling - self.reserve)

    @property
    def reserve(self) -> int:
        """The requests that background leaves to people."""
        return min(self.limit // 7, _MOST_RESERVED)

    def free(self, log: Log, now: float) -> int:
        """The requests that may go, before what is on its way is taken off."""
        return self.limit - len(log) + self._left(log, now)

    def back_at(self, log: Log, requests: int, now: float) -> float | None:
        """The moment at which so many of the counted requests no longer count; None if there are fewer."""
        last = self._left(log, now) + requests - 1
        return log[last][1] + self.seconds if last < len(log) else None

    def full_at(self, log: Log, now: float) -> float | None:
        """The moment at which none counts any more; None if none does."""
        return log[-1][1] + self.seconds if self._left(log, now) < len(log) else None

    def grant(self, log: Log, now: float, *, after_refusal: bool) -> None:
        """Learn from a request that was granted, which is the last of the log."""
        if after_refusal:
            # It works again: the oldest that counted at the refusal has left the window.
            if self.run_counts:
                self.seconds = min(self.seconds, max(SHORTEST, now - self.run_since))
            self.recovered_at = log[-1][0]
        elif self.fixed_until is None:
            self.fixed_until = now + _BEGIN
        elif now >= self.fixed_until and self._is_used_up(log, now):
            self._grow(now)

    def _grow(self, now: float) -> None:
        """Raise the ceiling a little, the limit with it.

        Of a window that ends as a whole, the time that is left when it is used up is lost to everybody. So
        the documented limit is passed slowly, for that time to be short; what lies far beyond is sought fast.
        """
        is_tested = self.ceiling >= _TESTED
        growth = _LATER if self.is_shown else _BEYOND if is_tested else _TO_TESTED
        self.ceiling = min(MOST, self.ceiling + growth)
        self.limit = max(self.limit, int(self.ceiling))
        if not (self.is_shown or is_tested) and self.ceiling >= _TESTED:
            self.fixed_until = now + _PROOF

    def _is_used_up(self, log: Log, now: float) -> bool:
        """Return whether the requests granted of late are all that the ceiling allows the background."""
        left = self._left(log, now)
        passed = (now - log[left][1]) / self.seconds
        return len(log) - left >= passed * (self.ceiling - self.ceiling / _UNUSED - self.reserve)

    def refuse(self, log: Log, now: float, *, again: bool, told: float | None) -> None:
        """Learn from a refusal: what was granted before it was all there is.

        `again` says that no request was granted since the last refusal, `told` how many seconds the service
        says to wait.
        """
        if told is not None:
            self.seconds = min(LONGEST, max(self.seconds, told))
        if again:
            waited = now - self.run_since
            if self.run_counts and waited > 2 * self.seconds:
                self.seconds = min(waited, LONGEST)
            elif self.run_counts:
                # What was granted longer ago than a window did not lead to this.
                self.limit = min(self.limit, max(1, self.limit // 2, len(log) - self._left(log, now)))
                self.ceiling = self.limit
            return
        left = max(self._left(log, now), self._before_recovery(log))
        granted = len(log) - left
        # Far fewer than the limit were rather spent by another program than too many.
        self.run_counts = granted >= max(1, self.limit // 2)
        self.run_since = log[left][0] if granted else now
        self.limit = max(1, min(self.limit - 1, max(granted, self.limit // 2)))
        self.ceiling, self.is_shown = self.limit, True
        self.fixed_until = now + (_NO_GROWTH if self.run_counts else self.seconds)

    def backoff(self, refusals: int) -> float:
        """Seconds to wait after so many refusals in a row, if the service does not say."""
        return min(_FIRST_BACKOFF * _BACKOFF_GROWTH ** min(refusals - 1, 20), _LAST_BACKOFF)

    def _before_recovery(self, log: Log) -> int:
        """Return how many of the log belong to the window before, if it works again since then."""
        before = sum(sent < self.recovered_at for sent, _ in log)
        return before if len(log) - before >= self.limit // 2 else 0

    def _left(self, log: Log, now: float) -> int:
        """Return how many of the log no longer count."""
        return bisect_right(log, now - self.seconds, key=_answered)


def _answered(entry: tuple[float, float]) -> float:
    return entry[1]


class LimitRefusal(Enum):
    """The likelihood that an answer is a refusal because of the rate."""

    NONE = "none"
    SUSPECTED = "suspected"
    SURE = "sure"
    TOLD = "told"


@dataclass(slots=True)
class Suspicion:
    """The difference between a refusal that looks like any other no (HTTP 200 with error 1) and a true one.

    Such an answer is suspicious to a request which cannot be wrong in itself and was granted before; it is a
    refusal if the next such request gets the same, with nothing granted in between. One whose words speak of
    too many requests is suspicious to any request: texts are translated, so words alone decide nothing.
    """

    granted: set[str] = field(default_factory=set)
    """Requests granted before, by method and path."""
    is_proven: bool = False
    """True if the service has refused like that and granted the same later."""
    refused: set[str] = field(default_factory=set)
    """Requests refused since then."""
    doubts: int = 0
    is_proven_in_words: bool = False
    """True if the service has refused in words again and again, and granted something later."""
    _in_words: int = 0

    def judge(self, label: str, *, rejected: bool | None, in_words: bool = False) -> LimitRefusal:
        """Judge an answer; `rejected` is None where the request could be wrong.

        `in_words` says that the answer is a no, and that its words speak of too many requests.
        """
        name = label.partition("?")[0]
        if in_words:
            self.doubts, self._in_words = self.doubts + 1, self._in_words + 1
            self.refused.add(name)
            is_sure = self.is_proven_in_words or self.doubts > 1
            return LimitRefusal.SURE if is_sure else LimitRefusal.SUSPECTED
        if rejected is False:
            self.is_proven = self.is_proven or (self.doubts > 1 and name in self.refused)
            self.is_proven_in_words = self.is_proven_in_words or self._in_words > 1
            self._in_words = 0
            self.granted.add(name)
            self.refused.clear()
            self.doubts = 0
        if not rejected or name not in self.granted:
            return LimitRefusal.NONE
        self.doubts += 1
        self.refused.add(name)
        return LimitRefusal.SURE if self.is_proven or self.doubts > 1 else LimitRefusal.SUSPECTED
