"""The window of a key: when it resets or refills, learned from a service of whatever kind.

Nothing here ever adds to the budget. It only says when one request may go to find out.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp

from linkdash.api.budget.rate_headers import (
    LONGEST_RESET,
    RateHeaders,
    ResetSpelling,
    ServiceClock,
    parse_rate_headers,
)

DEFAULT_WINDOW = 60.0
"""Seconds to wait for more when the service never says when that will be."""

_DRIFT_STEP = 4.0  # seconds between two looks at a reset that may run away
_DRIFT_STEPS = 3
_ROUNDING = 2.0  # seconds: a told reset is off by less than this
_KEPT_ANSWERS = 200
_STRETCH = 8  # answers over which it is measured how fast requests come back
_FOR_ONE = 2.0  # requests that come back in the time told for one, measured roughly
SLOWEST = 0.001  # requests a second
_SMOOTHING = 0.2  # the weight of the newest measurement of what others spend


@dataclass(slots=True)
class Drift:
    """The judge of a reset: it runs away with the time, or stands. Moments are monotonic seconds."""

    reset: float = 0.0
    at: float = 0.0
    steps: int = 0

    @property
    def is_sure(self) -> bool:
        """Return whether the reset ran away several times in a row."""
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
class Refill:
    """The pace of a service that gives back steadily, measured by what is left over some answers."""

    at: float | None = None
    remaining: int = 0
    answers: int = 0
    rate: float | None = None
    """Requests a second that come back; None if not measured."""

    def look(self, remaining: int, size: int, now: float) -> None:
        """Look at what an answer says is left of `size`."""
        if self.at is None:
            self.at, self.remaining = now, remaining
            return
        self.answers += 1
        if self.answers < _STRETCH or now <= self.at:
            return
        rate = (remaining - self.remaining + self.answers) / (now - self.at)
        is_full = remaining + 1 >= size  # more may have come back than is seen
        if self.rate is None or (is_full and rate > self.rate):
            self.rate = max(rate, SLOWEST)
        elif not is_full:
            self.rate = max((self.rate + rate) / 2, SLOWEST)
        self.at, self.remaining, self.answers = now, remaining, 0


@dataclass(slots=True)
class BudgetWindow:
    """The known window of one key. All moments are monotonic seconds of the caller's clock."""

    limit: int | None = None
    used: int = 0
    """The number of the window's requests that had been used at the last answer."""
    most: int = 1
    """The most that was ever seen to be left, for a service which tells no limit."""
    length: float | None = None
    """Seconds: the longest time to a reset that was told."""
    renewal: float = 0.0
    """The moment at which there may be more than before."""
    told: bool = False
    """True if `renewal` comes from the service."""
    trickles: bool = False
    """True if the service gives back a few requests at a time rather than all at once."""
    next_within: float = 0.0
    """The longest told reset when it turned out that the service tells when the next request comes back."""
    early: bool = False
    """True if asking at the told moment came too early once."""
    longest: float = LONGEST_RESET
    """Seconds: a reset further away is not believed."""
    foreign: float = 0.0
    """Requests a second that others on the key spend."""
    is_ours: bool = False
    """True if for a while our own requests have explained all that was used."""
    people: float = 0.0
    """The requests of users in a minute; what is longer ago counts less and less."""
    people_at: float = 0.0
    since: float | None = None
    """When the first answer came: what was used before that cannot be told apart."""
    learned_at: float = 0.0
    unexplained_at: float = 0.0
    """When more had been used, at an answer, than our own requests explain."""
    refill: Refill = field(default_factory=Refill)
    drift: Drift = field(default_factory=Drift)
    clock: ServiceClock = field(default_factory=ServiceClock)
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
        """Seconds between two requests that come back, if they come back one by one.

        No longer than the service ever told of the next one, however slow its pace was measured.
        """
        if not self.tells_next or not self.trickles:
            return self.seconds / self.size
        if self.refill.rate is None:
            return max(DEFAULT_WINDOW, self.seconds) / self.size
        return min(1 / self.refill.rate, self.seconds)

    @property
    def tells_next(self) -> bool:
        """Return whether the service tells when the next request comes back, not when a window ends.

        It does not where several come back in the time that it tells for one.
        """
        back = (self.refill.rate or 0.0) * (self.seconds - _ROUNDING)
        return self.seconds <= 2 * self.next_within and back <= _FOR_ONE

    def reset_in(self, now: float) -> float | None:
        """Seconds until the told reset, 0 once it has passed, None if the service tells none."""
        return max(0.0, self.renewal - now) if self.told else None

    def back_at(self, requests: int, *, at_risk: bool) -> float:
        """The moment at which so many requests should have come back, so that one may go to find out.

        That one is `at_risk` if nothing is known to be free. If not, it may go a little before the told
        moment when our own requests should be leaving the window, since the worst is that less came back than
        was hoped for.
        """
        requests = max(1, requests)
        if not self.told:
            counted = list(self.answered)[-self.used :] if self.used else []
            moment = counted[requests - 1][1] + self.seconds if requests <= len(counted) else self.renewal
            return moment + (self.margin if at_risk else 0.0)
        if not self.trickles:
            return self.renewal + (self.margin if at_risk else 0.0)
        requests = min(requests, self.size)
        told = self.renewal + (requests - 1) * self.spacing
        if at_risk:
            return told + self.margin
        leaving = self._leaving()
        hint = leaving[requests - 1] if len(leaving) >= requests else told
        return max(told - _ROUNDING, min(told, hint))

    def left_at(self, counted: int) -> float | None:
        """The moment from which at most `counted` of our own requests are still in the window.

        None if that cannot be said: others may be in it, or more would have to be remembered than is.
        """
        leaving = len(self.answered) - counted
        if not self.is_ours or counted < 0 or (leaving <= 0 and len(self.answered) == _KEPT_ANSWERS):
            return None
        return self.answered[leaving - 1][1] + self._surely_left_after + self.margin if leaving > 0 else 0.0

    @property
    def _surely_left_after(self) -> float:
        """Seconds after which a request of ours is not in the window any more.

        A short time told by a service that gives back a few at a time may be when the next one comes back.
        It is not where more were granted than one in each such time, besides those of a full window.
        """
        if not self.trickles or self.seconds >= DEFAULT_WINDOW:
            return self.seconds
        granted = self._sent_since(self.answered[-1][0] - DEFAULT_WINDOW)
        one_by_one = self.size + DEFAULT_WINDOW / self.seconds
        return self.seconds if granted > one_by_one + 1 else DEFAULT_WINDOW

    def note(self, now: float, *, person: bool) -> None:
        """Note that a request was sent, by the user or not."""
        self.people = self.people * exp(min(0.0, self.people_at - now) / 60) + person
        self.people_at = now

    def read(
        self, headers: Mapping[str, str], sent: float, now: float, ahead: float, longest: float
    ) -> RateHeaders:
        """Read the rate headers of an answer to a request sent at a moment.

        `ahead` leads from `now` to the time of day of this machine, which stands in for the service's if it
        tells none and that is possible.
        """
        rate = parse_rate_headers(headers, longest)
        if rate.reset_in is not None or rate.spelling is ResetSpelling.MISSING:
            return rate
        if rate.resets_at is not None:
            self.clock.learn(rate.resets_at, sent, now, longest)
        return parse_rate_headers(headers, longest, now + self.clock.ahead(ahead))

    def learn(
        self, rate: RateHeaders, remaining: int, now: float, *, probed: bool, in_flight: int = 0
    ) -> None:
        """Learn from the newest answer; `probed` says that it was to find out what came back.

        `in_flight` requests are on their way besides.
        """
        self.learned_at = now
        self.since = now if self.since is None else self.since
        self.limit = rate.limit or self.limit
        self.most = max(self.most, remaining + 1)
        self.used = self.size - remaining
        if probed:
            is_early = self.trickles and now < self.renewal  # no window that ends gives back before its end
            self.trickles = is_early or remaining + 1 < self.size / 2
        self.told = rate.reset_in is not None
        if self.trickles:
            self.refill.look(remaining, self.size, now)
        if rate.reset_in is None:
            self.renewal, self.is_ours = now + self.seconds, False
            return
        self.renewal = now + rate.reset_in
        self.length = max(self.length or 0.0, _round(rate.reset_in)) or None
        self._look_at_others(now, in_flight)
        if self.used > self._may_count(now) + in_flight:
            self.unexplained_at = now
        self.is_ours = now - max(self.unexplained_at, self.since) > max(self.seconds, DEFAULT_WINDOW)
        full_in = (self.size - remaining) * max(self.seconds, DEFAULT_WINDOW) / self.size
        self.drift.look(self.renewal, now + full_in, now)
        if self.drift.is_sure:
            self.renewal = min([self.renewal, *self._leaving()])

    def defer(self, rate: RateHeaders, now: float) -> None:
        """Learn from an answer that may be older than the newest: the later of two told moments holds."""
        if rate.reset_in is not None and not self.drift.is_sure:
            self.renewal = max(self.renewal, now + rate.reset_in)

    def close(self, until: float, *, told: bool, early: bool) -> None:
        """Send no request until a moment; `early` says that the told one before it was believed too soon."""
        self.early = self.early or early
        self.drift.steps = 0
        self.used, self.is_ours = 0, False
        self.renewal, self.told = until - self.margin, told

    def _look_at_others(self, now: float, in_flight: int) -> None:
        """Compare what is used with what we used ourselves since the window began."""
        if not self.limit:
            return
        used = self.used
        oldest = now - 2 * self.seconds - _ROUNDING
        if self.trickles and self._remembers(oldest) and used > self._sent_since(oldest) + in_flight:
            self.next_within = self.seconds
        is_short = not self.tells_next and self.seconds < DEFAULT_WINDOW
        if is_short and used <= self._sent_since(now - DEFAULT_WINDOW) + in_flight:
            return  # what was told may be when the next request comes back, not when a window ends
        seconds = self.spacing * self.size if self.trickles else self.seconds
        began = (now if self.trickles else self.renewal) - seconds
        if self.since is None or began <= self.since + _ROUNDING or not self._remembers(began - _ROUNDING):
            return
        others = max(0, used - self._sent_since(began - _ROUNDING) - in_flight)
        rate = others / max(now - began, seconds / 6)
        self.foreign += _SMOOTHING * (rate - self.foreign)

    def _remembers(self, moment: float) -> bool:
        """Return whether every request of ours that was sent since a moment is remembered."""
        return len(self.answered) < _KEPT_ANSWERS or self.answered[0][0] < moment

    def _sent_since(self, moment: float) -> int:
        return sum(sent >= moment for sent, _ in self.answered)

    def _may_count(self, now: float) -> int:
        """Return how many of our requests may have counted at the last answer, itself included."""
        asked = self.answered[-1][0] if self.answered else now
        return sum(answered > asked - self.seconds for _, answered in self.answered)

    def _leaving(self) -> list[float]:
        """The moments at which our requests that counted at the last answer leave a window that slides."""
        oldest = self.learned_at - self.seconds
        return [answered + self.seconds for sent, answered in self.answered if sent > oldest]


def _round(seconds: float) -> float:
    """The length of a window from a reset told in whole seconds: windows are round numbers."""
    return seconds if seconds < 20 else round(seconds / 5) * 5.0
