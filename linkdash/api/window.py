"""When a key gets more: what is learned of a service's window, whatever kind of window it is.

Nothing here ever adds to the budget. It only says when one request may go to find out.
"""

from collections import deque
from dataclasses import dataclass, field

from linkdash.api.rate_headers import LONGEST_RESET, RateHeaders

DEFAULT_WINDOW = 60.0
"""Seconds to wait for more when the service never says when that will be."""

_DRIFT_STEP = 4.0  # seconds between two looks at a reset that may run away
_DRIFT_STEPS = 3
_ROUNDING = 2.0  # seconds: a told reset is off by less than this
_KEPT_ANSWERS = 100


@dataclass(slots=True)
class Drift:
    """Tells a reset that runs away with the time from one that stands. Moments are monotonic seconds."""

    reset: float = 0.0
    at: float = 0.0
    steps: int = 0

    @property
    def is_sure(self) -> bool:
        """Whether the reset ran away several times in a row."""
        return self.steps >= _DRIFT_STEPS

    def look(self, reset: float, full_at: float, now: float) -> None:
        """Compare a reset with the one told some seconds before, unless that has passed.

        A bucket which refills steadily until `full_at` may well tell later and later moments, but none beyond
        that.
        """
        if now < self.reset:
            if now - self.at < _DRIFT_STEP:
                return
            if reset - self.reset < (now - self.at) / 2:
                self.steps = 0
            elif reset > full_at + _ROUNDING:
                self.steps = min(self.steps + 1, _DRIFT_STEPS)
        self.reset, self.at = reset, now


@dataclass(slots=True)
class Window:
    """What is known of the window of one key. All moments are monotonic seconds of the caller's clock."""

    limit: int | None = None
    most: int = 1
    """The most that was ever seen to be left, for a service which tells no limit."""
    length: float | None = None
    """Seconds: the longest time to a reset that was told."""
    renewal: float = 0.0
    """The moment at which there may be more than before."""
    told: bool = False
    """Whether `renewal` comes from the service."""
    trickles: bool = False
    """Whether the service gives back a few requests at a time rather than all at once."""
    early: bool = False
    """Whether asking at the told moment came too early once."""
    longest: float = LONGEST_RESET
    """Seconds: a reset further away is not believed."""
    learned_at: float = 0.0
    drift: Drift = field(default_factory=Drift)
    answered: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=_KEPT_ANSWERS))
    """When the last requests were sent and answered."""

    @property
    def size(self) -> int:
        """The requests of a whole window, as far as is known."""
        return self.limit or self.most

    @property
    def seconds(self) -> float:
        """The length of the window, as far as is known."""
        return self.length or DEFAULT_WINDOW

    @property
    def margin(self) -> float:
        """Seconds to wait past a told moment, since services round them."""
        return 1.0 if self.early or self.length is None else min(1.0, self.length / 20)

    @property
    def spacing(self) -> float:
        """Seconds between two requests that come back, if they come back one by one."""
        return max(self.seconds, DEFAULT_WINDOW) / self.size

    def reset_in(self, now: float) -> float | None:
        """Seconds until the told reset, 0 once it has passed, None if the service tells none."""
        return max(0.0, self.renewal - now) if self.told else None

    def back_at(self, requests: int, *, at_risk: bool) -> float:
        """The moment at which so many requests should have come back, so that one may go to find out.

        That one is `at_risk` if nothing is known to be free. If not, it may go a little before the told
        moment when our own requests should be leaving the window, since the worst is that less came back than
        was hoped for.
        """
        if not self.trickles:
            return self.renewal + (self.margin if at_risk else 0.0)
        requests = min(max(1, requests), self.size)
        told = self.renewal + (requests - 1) * self.spacing
        if at_risk:
            return told + self.margin
        leaving = self._leaving()
        hint = leaving[requests - 1] if len(leaving) >= requests else told
        return max(told - _ROUNDING, min(told, hint))

    def learn(self, rate: RateHeaders, remaining: int, now: float, *, probed: bool) -> None:
        """Learn from the newest answer; `probed` says that it was to find out what came back."""
        self.learned_at = now
        self.limit = rate.limit or self.limit
        self.most = max(self.most, remaining + 1)
        if probed:
            self.trickles = remaining + 1 < self.size / 2
        self.told = rate.reset_in is not None
        if rate.reset_in is None:
            self.renewal = now + self.seconds
            return
        self.renewal = now + rate.reset_in
        self.length = max(self.length or 0.0, _round(rate.reset_in)) or None
        self.drift.look(self.renewal, now + (self.size - remaining) * self.spacing, now)
        if self.drift.is_sure:
            self.renewal = min([self.renewal, *self._leaving()[:1]])

    def defer(self, rate: RateHeaders, now: float) -> None:
        """Learn from an answer that may be older than the newest: the later of two told moments holds."""
        if rate.reset_in is not None and not self.drift.is_sure:
            self.renewal = max(self.renewal, now + rate.reset_in)

    def close(self, until: float, *, told: bool, early: bool) -> None:
        """Nobody asks until a moment; `early` says that the told one before it was believed too soon."""
        self.early = self.early or early
        self.drift.steps = 0
        self.renewal, self.told = until - self.margin, told

    def _leaving(self) -> list[float]:
        """When those of our requests that counted at the last answer leave a window that slides."""
        oldest = self.learned_at - self.seconds
        return [answered + self.seconds for sent, answered in self.answered if sent > oldest]


def _round(seconds: float) -> float:
    """The length of a window from a reset told in whole seconds: windows are round numbers."""
    return seconds if seconds < 20 else round(seconds / 5) * 5.0
