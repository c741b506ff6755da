"""The known allowance of a key: causal accounting from the answers' rate headers.

No clock decides how much may be spent. `base` is the last `Remaining` that is causally known; whatever is on
its way, or was lost on its way, is charged on top of it.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import exp

from linkdash.api.budget.limit_estimate import Estimate
from linkdash.api.budget.rate_headers import LONGEST_PROVEN_RESET, LONGEST_RESET, RateHeaders
from linkdash.api.budget.window import BudgetWindow

_SAME_RESET = 2.0  # seconds: resets closer than this, or than half a window, may be the same one
_FIRST_BACKOFF, _LAST_BACKOFF = 15.0, 60.0
_DOUBT = 1.0  # seconds to wait after what may have been a refusal
_SILENCE = 3  # answers in a row without a word of what is left: the service has ceased to tell


@dataclass(slots=True)
class Charge:
    """A request on its way."""

    since: float
    probe: bool
    least: int | None = None
    """The least `Remaining` that arrived while it was on its way."""


@dataclass(slots=True)
class Allowance:
    """The account of one key. All moments are monotonic seconds of the caller's clock."""

    base: int | None = None
    stamp: int = 0
    """The number of requests sent when `base` came."""
    sent: int = 0
    in_flight: dict[int, Charge] = field(default_factory=dict)
    lost: list[int] = field(default_factory=list)
    """For each lost request, how many had been sent when its loss was noticed."""
    silent: int = 0
    """Answers in a row which did not tell what is left."""
    estimate: Estimate = field(default_factory=Estimate)
    window: BudgetWindow = field(default_factory=BudgetWindow)
    longest_reset: float = LONGEST_RESET
    """Seconds: a reset further away is not believed."""
    resets_at: float | None = None
    """The reset that came with `base`, on the service's clock."""
    people: float = 0.0
    """The requests of users in a minute; what is longer ago counts less and less."""
    people_at: float = 0.0
    background_at: float = 0.0
    """When background sent its last request."""
    paused_until: float = 0.0
    refusals: int = 0
    """Refused requests in a row, those of one burst counted once."""
    refused_stamp: int = 0
    """The number of requests sent when the last of those came."""

    @property
    def is_estimate(self) -> bool:
        """Return whether the allowance is estimated, since the service does not tell."""
        return self.base is None and self.silent > 0

    @property
    def charged(self) -> int:
        """Requests which the service may have counted or may count yet: on their way, or lost there."""
        return len(self.in_flight) + len(self.lost)

    def free(self, now: float) -> int | None:
        """Requests which may be sent on what is known, or None if nothing is. Can be negative."""
        if self.base is not None:
            return self.base - self.charged
        if not self.silent:
            return None
        return self.estimate.free(self.window.log.entries, now) - self.charged

    @property
    def limit(self) -> int | None:
        """The limit that was told, else the estimate; None before the first answer."""
        return self.estimate.limit if self.is_estimate else self.window.limit

    @property
    def seconds(self) -> float | None:
        """The length of the window that was told, else the estimate; None before the first answer."""
        return self.estimate.seconds if self.is_estimate else self.window.length

    def seen(self, now: float) -> int | None:
        """Return what is probably left: `free`, and what came back since if the window has surely turned."""
        free, window = self.free(now), self.window
        late = now - window.renewal - window.margin
        if free is None or self.is_estimate or not window.told or late < 0 or self.paused_until > now:
            return free
        back = 1 + int(late / window.spacing) if window.trickles else window.size
        return max(free, min(window.size - self.charged, free + back))

    def reset_in(self, now: float) -> float | None:
        """Seconds until the window is over, or until all should be there again on what is estimated."""
        if not self.is_estimate:
            reset_in = self.window.reset_in(now)
            is_paused = self.paused_until > now  # for as long as was told, which may be several windows
            return reset_in if reset_in is None or is_paused else min(reset_in, self.window.seconds)
        full_at = self.estimate.full_at(self.window.log.entries, now)
        return None if full_at is None else min(full_at - now, self.estimate.seconds)

    def mark(self) -> Hashable:
        """A value that changes whenever anything but the time does."""
        return self.base, self.charged, self.sent, self.limit, self.silent, self.window.renewal

    def probe_at(self, kept: int, now: float) -> float | None:
        """The moment at which more than `kept` should be free, so that one request may go to find out.

        One at a time; and if nothing is free, only once all answers are there: it could take the place of one
        of the requests on their way. It cannot if, all of them counted, what we sent leaves room for it. None
        if an answer has to come first.
        """
        free = self.free(now) or 0
        moment = self.window.back_at(kept - free + 1, at_risk=free <= 0)
        if not (self.in_flight if free <= 0 else any(charge.probe for charge in self.in_flight.values())):
            return moment
        fits_at = self.fits_at(kept)
        return None if fits_at is None else max(moment, fits_at)

    def fits_at(self, kept: int) -> float | None:
        """The moment from which one more leaves `kept` free even if all counted that still may.

        None if that cannot be said: others may have used something.
        """
        return self.window.left_at(self.window.size - self.charged - kept - 1)

    def count_sent(self, now: float, *, probe: bool, person: bool) -> int:
        """Charge a request that goes now, of the user or not; return its number."""
        self.people = self.people * exp(min(0.0, self.people_at - now) / 60) + person
        self.people_at = now
        self.sent += 1
        self.in_flight[self.sent] = Charge(since=now, probe=probe)
        return self.sent

    def take_back(self, number: int) -> None:
        """Drop the charge of a request which never left this machine."""
        self.in_flight.pop(number, None)

    def lose(self, number: int, now: float) -> None:
        """Keep the charge of a request whose answer will not come: the service may have counted it."""
        charge = self.in_flight.pop(number, None)
        if charge is None:
            return
        self.window.log.add(charge.since, now)
        if self.base is not None and len(self.lost) < self.window.size:
            self.lost.append(self.sent)

    def answer(self, number: int, rate: RateHeaders, now: float) -> None:
        """Learn from an answer that was no refusal."""
        charge = self.in_flight.pop(number, None) or Charge(since=now, probe=False)
        self.window.log.add(charge.since, now)
        if rate.remaining is None:
            self._answer_in_silence(now, after_refusal=self.refusals > 0 and number > self.refused_stamp)
        if number > self.refused_stamp:
            self.refusals = 0
        distance = self._windows_later(rate)
        if rate.remaining is None or (distance < 0 and number <= self.stamp):
            self.base = None if self.base is None else max(0, self.base - 1)
            return
        self.silent = 0
        remaining = self._believed(rate)
        if self.base is None or number > self.stamp or distance > 0:
            least = charge.least if distance <= 0 else None
            probed = charge.probe and self.base is not None
            self._rebase(remaining if least is None else min(remaining, least))
            self.lost = [mark for mark in self.lost if mark >= number]
            self.resets_at = rate.resets_at
            self.window.learn(rate, remaining, now, probed=probed, in_flight=len(self.in_flight))
        elif remaining <= self.base:
            self._rebase(remaining)
            self.window.defer(rate, now)
        for other in self.in_flight.values():
            other.least = remaining if other.least is None or distance > 0 else min(other.least, remaining)

    def doubt(self, number: int, now: float) -> None:
        """Wait for a moment after an answer that may have been a refusal."""
        self.in_flight.pop(number, None)
        self.paused_until = max(self.paused_until, now + _DOUBT)

    def refuse(self, number: int, rate: RateHeaders, now: float, jitter: float) -> None:
        """Pause the whole key after a refusal; `jitter` is from 0 to 1."""
        charge = self.in_flight.pop(number, None)
        is_new = number > self.refused_stamp
        if is_new:
            self.refusals += 1
            self.refused_stamp = self.sent
        told = rate.reset_in if rate.retry_after is None else rate.retry_after
        if self.base is None and rate.remaining is None:
            self._refuse_in_silence(told, now, jitter, is_new=is_new)
            return
        if told is not None and self._proves_resets(rate, told):
            self.longest_reset = LONGEST_PROVEN_RESET
        early = charge is not None and charge.probe and self.window.told
        margin = self.window.margin * (1 + jitter)
        self.paused_until = max(self.paused_until, now + self._pause(told) + margin)
        self._rebase(0)
        self.window.close(self.paused_until, told=told is not None, early=early)

    def _refuse_in_silence(self, told: float | None, now: float, jitter: float, *, is_new: bool) -> None:
        self.silent = max(self.silent, 1)
        if is_new:
            self.estimate.refuse(self.window.log.entries, now, again=self.refusals > 1, told=told)
        pause = self.estimate.backoff(self.refusals) if told is None else self._pause(told)
        self.paused_until = max(self.paused_until, now + pause + self.window.margin * jitter)

    def _answer_in_silence(self, now: float, *, after_refusal: bool) -> None:
        """Learn from an answer which does not tell what is left."""
        self.silent += 1
        if self.silent >= _SILENCE:
            self.base, self.lost = None, []
        if self.is_estimate:
            self.estimate.grant(self.window.log.entries, now, after_refusal=after_refusal)

    def abandon(self, before: float, ours: set[int], now: float) -> bool:
        """Count as lost what others sent before a moment and never ended: their program is gone."""
        gone = [n for n, charge in self.in_flight.items() if charge.since < before and n not in ours]
        for number in gone:
            self.lose(number, now)
        return bool(gone)

    def _proves_resets(self, rate: RateHeaders, told: float) -> bool:
        """Return whether a refusal shows that far resets are true: it names one, or the moment they named."""
        agrees = rate.reset_in is not None and abs(rate.reset_in - told) <= _SAME_RESET
        return told > self.longest_reset or (agrees and not self.window.told)

    def _pause(self, told: float | None) -> float:
        """Seconds to wait after a refusal. A time that was told is doubted once it proved too short."""
        if told is None:
            return min(_FIRST_BACKOFF * 2.0 ** min(self.refusals - 1, 8), _LAST_BACKOFF)
        return max(told, min(2.0 ** min(self.refusals, 8), _LAST_BACKOFF) if self.refusals > 1 else 0.0)

    def _rebase(self, remaining: int) -> None:
        self.base = remaining
        self.stamp = self.sent

    def _believed(self, rate: RateHeaders) -> int:
        """Return what an answer says is left, but never more than the limit."""
        remaining, limit = rate.remaining or 0, rate.limit or self.window.limit
        return min(remaining, limit) if limit else remaining

    def _windows_later(self, rate: RateHeaders) -> int:
        """Return 1 if an answer is about a later window than `base`, -1 for an earlier one, 0 if unsure."""
        if rate.resets_at is None or self.resets_at is None:
            return 0
        away = rate.resets_at - self.resets_at
        return (away > 0) - (away < 0) if abs(away) > max(_SAME_RESET, self.window.seconds / 2) else 0
