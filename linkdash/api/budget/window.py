"""The window of a key: when it resets or refills, learned from a service of whatever kind.

Nothing here ever adds to the budget. It only says when one request may go to find out.
"""

from dataclasses import dataclass, field

from linkdash.api.budget.answer_log import AnswerLog
from linkdash.api.budget.other_spenders import OtherSpenders
from linkdash.api.budget.rate_headers import RateHeaders
from linkdash.api.budget.refill_rate import RefillRate
from linkdash.api.budget.reset_drift import ROUNDING, ResetDrift

DEFAULT_WINDOW = 60.0
"""Seconds to wait for more when the service never says when that will be."""

_FOR_ONE = 2.0  # requests that come back in the time told for one, measured roughly


@dataclass(slots=True)
class BudgetWindow:
    """The known window of one key. All moments are monotonic seconds of the caller's clock."""

    limit: int | None = None
    most: int = 1
    """The most that was ever seen to be left, for a service which tells no limit."""
    length: float | None = None
    """Seconds: the longest time to a reset that was told."""
    used: int = 0
    """The number of the window's requests that had been used at the last answer."""
    learned_at: float = 0.0
    """When that came."""
    renewal: float = 0.0
    """The moment at which there may be more than before."""
    told: bool = False
    """True if `renewal` comes from the service."""
    early: bool = False
    """True if asking at the told moment came too early once."""
    trickles: bool = False
    """True if the service gives back a few requests at a time rather than all at once."""
    next_within: float = 0.0
    """The longest told reset when it turned out that the service tells when the next request comes back."""
    refill: RefillRate = field(default_factory=RefillRate)
    drift: ResetDrift = field(default_factory=ResetDrift)
    log: AnswerLog = field(default_factory=AnswerLog)
    others: OtherSpenders = field(default_factory=OtherSpenders)

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
        back = (self.refill.rate or 0.0) * (self.seconds - ROUNDING)
        return self.seconds <= 2 * self.next_within and back <= _FOR_ONE

    @property
    def is_ours(self) -> bool:
        """Return whether for a while our own requests have explained all that was used."""
        return self.told and self.others.unseen_for(self.learned_at) > max(self.seconds, DEFAULT_WINDOW)

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
        margin = self.margin if at_risk else 0.0
        if not self.told:
            answered_at = self.log.answered_at(requests, of_last=self.used)
            return margin + (self.renewal if answered_at is None else answered_at + self.seconds)
        if not self.trickles:
            return margin + self.renewal
        requests = min(requests, self.size)
        told = self.renewal + (requests - 1) * self.spacing
        if at_risk:
            return told + margin
        leaving = self._leaving()
        hint = leaving[requests - 1] if len(leaving) >= requests else told
        return max(told - ROUNDING, min(told, hint))

    def left_at(self, counted: int) -> float | None:
        """The moment from which at most `counted` of our own requests are still in the window.

        None if that cannot be said: others may be in it, or more would have to be remembered than is.
        """
        if not self.is_ours or counted < 0:
            return None
        answered_at = self.log.answered_before(counted)
        return None if answered_at is None else max(0.0, answered_at + self._surely_left_after + self.margin)

    @property
    def _surely_left_after(self) -> float:
        """Seconds after which a request of ours is not in the window any more.

        A short time told by a service that gives back a few at a time may be when the next one comes back.
        It is not where more were granted than one in each such time, besides those of a full window.
        """
        if not self.trickles or self.seconds >= DEFAULT_WINDOW:
            return self.seconds
        one_by_one = self.size + DEFAULT_WINDOW / self.seconds
        return self.seconds if self.log.sent_within(DEFAULT_WINDOW) > one_by_one + 1 else DEFAULT_WINDOW

    def learn(
        self, rate: RateHeaders, remaining: int, now: float, *, probed: bool, in_flight: int = 0
    ) -> None:
        """Learn from the newest answer; `probed` says that it was to find out what came back.

        `in_flight` requests are on their way besides.
        """
        self.others.watch(now)
        self.limit = rate.limit or self.limit
        self.most = max(self.most, remaining + 1)
        self.used, self.learned_at = self.size - remaining, now
        if probed:
            is_early = self.trickles and now < self.renewal  # no window that ends gives back before its end
            self.trickles = is_early or remaining + 1 < self.size / 2
        if self.trickles:
            self.refill.look(remaining, self.size, now)
        self.told = rate.reset_in is not None
        self.renewal = now + (self.seconds if rate.reset_in is None else rate.reset_in)
        if rate.reset_in is None:
            return
        self.length = max(self.length or 0.0, _round(rate.reset_in)) or None
        self._look_for_others(now, in_flight)
        full_in = self.used * max(self.seconds, DEFAULT_WINDOW) / self.size
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
        self.drift.steps, self.used = 0, 0
        self.others.seen_at = until
        self.renewal, self.told = until - self.margin, told

    def _look_for_others(self, now: float, in_flight: int) -> None:
        """Compare what is used with what we used ourselves."""
        if self.used > self.log.may_count(self.seconds) + in_flight:
            self.others.seen_at = now
        if not self.limit:
            return
        oldest = now - 2 * self.seconds - ROUNDING
        if self.trickles and self.log.remembers(oldest) and self._beyond_ours(oldest, in_flight) > 0:
            self.next_within = self.seconds
        is_short = not self.tells_next and self.seconds < DEFAULT_WINDOW
        if is_short and self._beyond_ours(now - DEFAULT_WINDOW, in_flight) <= 0:
            return  # what was told may be when the next request comes back, not when a window ends
        seconds = self.spacing * self.size if self.trickles else self.seconds
        began = (now if self.trickles else self.renewal) - seconds
        if self.others.watched_since(began - ROUNDING) and self.log.remembers(began - ROUNDING):
            spent = max(0, self._beyond_ours(began - ROUNDING, in_flight))
            self.others.measure(spent, max(now - began, self.seconds / 6))

    def _beyond_ours(self, since: float, in_flight: int) -> int:
        """Return how many more were used than we have sent since a moment."""
        return self.used - self.log.sent_since(since) - in_flight

    def _leaving(self) -> list[float]:
        """The moments at which our requests that counted at the last answer leave a window that slides."""
        return self.log.leaving(self.learned_at, self.seconds)


def _round(seconds: float) -> float:
    """The length of a window from a reset told in whole seconds: windows are round numbers."""
    return seconds if seconds < 20 else round(seconds / 5) * 5.0
