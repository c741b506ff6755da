"""What a key may spend on a service that tells no rate headers: learned from what is refused.

The log of what was granted is counted over a window that slides. That is right for a service whose window
slides and careful for all others. A refusal tells that the limit is less, some windows that were used up
without one that it may be more.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

DOCUMENTED_LIMIT, DOCUMENTED_WINDOW = 30, 60.0
"""What the reference says, until the service shows otherwise (reference: Limits)."""

MOST, SHORTEST, LONGEST = 180, 1.0, 3600.0
"""Bounds of what is learned: requests, and seconds of a window."""

_FIRST_BACKOFF, _LAST_BACKOFF = 4.0, 60.0
_GROWTH = 10  # a limit that seems too small grows by one in so many
_UNUSED = 5  # a limit is used up when less than its reserve and this part of it is left
_CLEAN = 3  # windows without a refusal before it does
_NO_GROWTH = 600.0  # seconds after a refusal that showed the limit

Log = Sequence[tuple[float, float]]
"""The granted requests in the order of their answers: when each was sent and answered."""


@dataclass(slots=True)
class Estimate:
    """The limit and the window as they seem to be. Moments are monotonic seconds of the caller's clock."""

    limit: int = DOCUMENTED_LIMIT
    seconds: float = DOCUMENTED_WINDOW
    fixed_until: float | None = None
    """The limit does not grow before this; None until something was granted."""
    recovered_at: float = 0.0
    """When a request was granted after the last refusal."""
    run_since: float = 0.0
    """When the oldest request was sent that counted at the last refusal."""
    run_counts: bool = False
    """Whether that run of requests was long enough to tell the length of the window."""

    @property
    def spacing(self) -> float:
        """Seconds between two requests of background."""
        return self.seconds / max(1, self.limit - self.reserve)

    @property
    def reserve(self) -> int:
        """The requests that background leaves to people."""
        return self.limit // 7

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
            self.run_counts = False
            self.recovered_at = log[-1][0]
        elif self.fixed_until is None:
            self.fixed_until = now + _CLEAN * self.seconds
        elif now >= self.fixed_until and self.free(log, now) <= self.reserve + self.limit // _UNUSED:
            self.limit = min(MOST, self.limit + max(1, self.limit // _GROWTH))
            self.fixed_until = now + _CLEAN * self.seconds

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
            return
        left = max(self._left(log, now), self._before_recovery(log))
        granted = len(log) - left
        # Far fewer than the limit were rather spent by somebody else than too many.
        self.run_counts = granted >= max(1, self.limit // 2)
        self.run_since = log[left][0] if granted else now
        self.limit = max(1, min(self.limit - 1, max(granted, self.limit // 2)))
        self.fixed_until = now + (_NO_GROWTH if self.run_counts else self.seconds)

    def backoff(self, refusals: int) -> float:
        """Seconds to wait after so many refusals in a row, if the service does not say."""
        return min(_FIRST_BACKOFF * 2.0 ** min(refusals - 1, 8), _LAST_BACKOFF)

    def _before_recovery(self, log: Log) -> int:
        """How many of the log belong to the window before, if it works again since then."""
        before = sum(sent < self.recovered_at for sent, _ in log)
        return before if len(log) - before >= self.limit // 2 else 0

    def _left(self, log: Log, now: float) -> int:
        """How many of the log no longer count."""
        return bisect_right(log, now - self.seconds, key=_answered)


def _answered(entry: tuple[float, float]) -> float:
    return entry[1]


class Refusal(Enum):
    """Whether an answer is a refusal for the rate."""

    NONE = "none"
    SUSPECTED = "suspected"
    SURE = "sure"


@dataclass(slots=True)
class Suspicion:
    """Tells a refusal that looks like any other no (HTTP 200 with error 1) from a true one.

    No text is read. Such an answer is suspicious to a request which cannot be wrong in itself and was granted
    before; it is a refusal if the next such request gets the same, with nothing granted in between.
    """

    granted: set[str] = field(default_factory=set)
    """What was granted before, by method and path."""
    is_proven: bool = False
    """Whether the service has refused like that and granted the same later."""
    refused: set[str] = field(default_factory=set)
    """What was refused since then."""
    doubts: int = 0

    def judge(self, label: str, *, rejected: bool | None) -> Refusal:
        """Judge an answer; `rejected` is None where the request could be wrong."""
        name = label.partition("?")[0]
        if rejected is False:
            self.is_proven = self.is_proven or (self.doubts > 1 and name in self.refused)
            self.granted.add(name)
            self.refused.clear()
            self.doubts = 0
        if not rejected or name not in self.granted:
            return Refusal.NONE
        self.doubts += 1
        self.refused.add(name)
        return Refusal.SURE if self.is_proven or self.doubts > 1 else Refusal.SUSPECTED
