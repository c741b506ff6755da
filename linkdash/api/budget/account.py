"""The account of a key: what the service told last, what was sent since, what is lost.

Free is told minus sent: no clock decides how much may be spent. A reset that was told only says when one
request may go to find out. A service that tells nothing is held to the documented limit, counted here.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from linkdash.api.budget.rate_headers import LONGEST_PAUSE, LONGEST_PROVEN_RESET, LONGEST_RESET, RateHeaders

DOCUMENTED_LIMIT, DOCUMENTED_WINDOW = 30, 60.0
"""The limit of the reference, for a service that tells none (reference: Limits)."""

_MARGIN = 1.0  # seconds past a told moment: services round them
_SAME_RESET = 2.0  # seconds: resets closer than this, or than half a window, may be the same one
_FIRST_BACKOFF, _LAST_BACKOFF = 15.0, 60.0
_DOUBT = 1.0  # seconds to wait after what may have been a refusal
_SILENCE = 3  # answers in a row without a word of what is left: the service has ceased to tell
_CAUTION = 3  # requests that are left more after a refusal
_RELAXES = 120.0  # seconds without another one until one of these goes
_LONG_AGO = 600.0  # seconds after which nothing that was counted is worth more than the next answer
_CLOCKS_APART = 5.0  # seconds: what was written later than that from now was written before a clock was set
_FAR = LONGEST_PAUSE + 120.0  # seconds: no moment lies further ahead

_Count = Annotated[int, Field(strict=True, ge=0)]
_Moment = Annotated[float, Field(allow_inf_nan=False)]
_Seconds = Annotated[float, Field(ge=0, le=_FAR)]


@dataclass(slots=True)
class Charge:
    """A request on its way."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    since: _Moment
    probe: bool
    least: _Count | None = None
    """The least `Remaining` that arrived while it was on its way."""


@dataclass(slots=True)
class BudgetAccount:
    """The account of one key. All moments are monotonic seconds of the caller's clock."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    base: _Count | None = None
    """What was left, as the service told last; None where it does not tell."""
    stamp: _Count = 0
    """The number of requests sent when that came."""
    sent: _Count = 0
    in_flight: dict[_Count, Charge] = field(default_factory=dict)
    lost: list[_Count] = field(default_factory=list)
    """For each lost request, how many had been sent when its loss was noticed."""
    limit: _Count | None = None
    """The limit that was told."""
    length: _Seconds = 0.0
    """The longest time to a reset that was told."""
    longest_reset: _Seconds = LONGEST_RESET
    """A reset further away is not believed."""
    learned_at: _Moment = 0.0
    """When `base` came."""
    resets_at: _Moment | None = None
    """The reset that was told with it, or the end of a pause."""
    service_reset: _Moment | None = None
    """The same on the service's own clock, which orders answers."""
    is_told: bool = True
    """False if the service did not tell that."""
    trickles: bool = False
    """True if the service gives back a few requests at a time rather than all at once."""
    silent: _Count = 0
    """Answers in a row that did not tell what is left."""
    recent: list[_Moment] = field(default_factory=list)
    """When those of the last two windows were answered, or lost."""
    paused_until: _Moment = 0.0
    refusals: _Count = 0
    """Refused requests in a row, those of one burst counted once."""
    refused_stamp: _Count = 0
    """The number of requests sent when the last of those came."""
    caution: _Count = 0
    """The requests that are left more since refusals, or taken off the documented limit."""
    cautious_at: _Moment = 0.0
    """When that was changed."""
    background_at: _Moment = 0.0
    """When background sent its last request."""

    # ---- what is known ----

    @property
    def counts(self) -> bool:
        """Return whether requests are counted here, since the service does not tell what is left."""
        return self.base is None and self.silent > 0

    @property
    def size(self) -> int:
        """The requests of a whole window."""
        return max(1, DOCUMENTED_LIMIT - self.caution) if self.counts else self.limit or DOCUMENTED_LIMIT

    @property
    def window(self) -> float:
        """Seconds that it lasts."""
        if self.counts:
            return DOCUMENTED_WINDOW
        return max(self.length, DOCUMENTED_WINDOW) if self.trickles else self.length or DOCUMENTED_WINDOW

    @property
    def spacing(self) -> float:
        """Seconds between two requests that come back, if they come back one by one."""
        return self.window / self.size

    @property
    def is_even(self) -> bool:
        """Return whether requests come back one by one, as far as is known."""
        return self.trickles or self.counts or self.resets_at is None

    @property
    def margin(self) -> float:
        """Seconds to wait past a told moment."""
        return min(_MARGIN, self.window / 20)

    @property
    def charged(self) -> int:
        """Requests which the service may have counted or may count yet: on their way, or lost there."""
        return len(self.in_flight) + len(self.lost)

    def free(self, now: float) -> int | None:
        """Requests which may be sent on what is known, or None if nothing is. Can be negative."""
        if self.counts:
            return self.size - len(self.counting(now)) - len(self.in_flight)
        return None if self.base is None else self.base - self.charged

    def counting(self, now: float) -> list[float]:
        """The moments at which those were answered that are within a window."""
        return [moment for moment in self.recent if moment > now - self.window]

    @property
    def renewal(self) -> float:
        """The moment at which there may be more than before: as told, else when our oldest has left."""
        used, begun = self.size - (self.base or 0), self.learned_at - self.window
        ours = [moment for moment in self.recent[-used:] if moment > begun] if used > 0 else []
        leaves_at = (ours[0] if ours else self.learned_at) + self.window
        if self.resets_at is None:
            return leaves_at
        return min(self.resets_at, leaves_at) if self.trickles else self.resets_at

    @property
    def is_probing(self) -> bool:
        """Return whether a request is on its way to find out what is left."""
        return any(charge.probe for charge in self.in_flight.values())

    # ---- what is shown ----

    def seen(self, now: float) -> int | None:
        """Return what is probably left: `free`, and all that comes back where the window is surely over."""
        free = self.free(now)
        is_over = self.reset_in(now) == 0 and now >= self.renewal + self.margin
        if free is None or self.counts or not is_over or self.paused_until > now:
            return free
        back = 1 + int((now - self.renewal - self.margin) / self.spacing) if self.trickles else self.size
        return max(free, min(self.size - self.charged, free + back))

    def reset_in(self, now: float) -> float | None:
        """Seconds until the window is over; where that is not told, until all should be there again."""
        if self.counts:
            counting = self.counting(now)
            return counting[-1] + self.window - now if counting else None
        return max(0.0, self.renewal - now) if self.resets_at is not None and self.is_told else None

    def mark(self) -> Hashable:
        """A value that changes whenever anything but the time does."""
        return self.base, self.charged, self.sent, self.limit, self.silent, self.resets_at, self.paused_until

    # ---- what happens ----

    def send(self, now: float, *, probe: bool) -> int:
        """Charge a request that goes now; return its number."""
        self.sent += 1
        self.in_flight[self.sent] = Charge(now, probe)
        return self.sent

    def take_back(self, number: int) -> None:
        """Drop the charge of a request which never left this machine."""
        self.in_flight.pop(number, None)

    def lose(self, number: int, now: float) -> None:
        """Keep the charge of a request whose answer will not come: the service may have counted it."""
        if self.in_flight.pop(number, None) is not None:
            self._note(now)
            if len(self.lost) < self.size and not self.counts:
                self.lost.append(self.sent)

    def abandon(self, before: float, ours: set[int], now: float) -> bool:
        """Count as lost what others sent before a moment and never ended: their program is gone."""
        gone = [n for n, charge in self.in_flight.items() if charge.since < before and n not in ours]
        for number in gone:
            self.lose(number, now)
        return bool(gone)

    def answer(self, number: int, rate: RateHeaders, now: float) -> None:
        """Learn from an answer that was no refusal."""
        charge = self.in_flight.pop(number, None) or Charge(now, probe=False)
        self._note(now)
        if number > self.refused_stamp:
            self.refusals = 0
        if self.caution and now > self.cautious_at + _RELAXES:
            self.caution, self.cautious_at = self.caution - 1, now
        if rate.remaining is None:
            self._answer_in_silence()
            return
        self.silent = 0
        self.limit = rate.limit or self.limit
        told = None if rate.reset_in is None else now + rate.reset_in
        later = self._windows_later(rate)
        if self.base is None or number > self.stamp or later > 0:
            least = None if later > 0 else charge.least
            self._rebase(charge, rate.remaining if least is None else min(least, rate.remaining), told, now)
            self.service_reset = rate.resets_at
            self.lost = [mark for mark in self.lost if mark >= number]
            self.length = max(self.length, _rounded(rate.reset_in or 0.0))
        elif later < 0:
            self.base = max(0, self.base - 1)
            return
        else:
            self.base = min(self.base, rate.remaining)
        for other in self.in_flight.values():
            is_least = other.least is None or later > 0 or rate.remaining < other.least
            other.least = rate.remaining if is_least else other.least

    def _windows_later(self, rate: RateHeaders) -> int:
        """Return 1 if an answer is about a later window than `base`, -1 for an earlier one, 0 if unsure."""
        if rate.resets_at is None or self.service_reset is None:
            return 0
        away = rate.resets_at - self.service_reset
        return (away > 0) - (away < 0) if abs(away) > max(_SAME_RESET, self.window / 2) else 0

    def _answer_in_silence(self) -> None:
        self.silent += 1
        if self.silent >= _SILENCE:
            self.base, self.lost = None, []
        elif self.base is not None:
            self.base = max(0, self.base - 1)

    def _rebase(self, charge: Charge, remaining: int, told: float | None, now: float) -> None:
        """Take what an answer told as what is left."""
        before = self.resets_at
        if charge.probe and self.base is not None:
            if remaining + 1 < self.size / 2:
                self.trickles = True
            elif remaining + 1 >= self.size - 1:
                self.trickles = False
        if told is not None and before is not None and now + _SAME_RESET < before < told - _SAME_RESET:
            self.trickles = True  # the reset runs away
        self.base, self.stamp = min(remaining, self.size), self.sent
        self.learned_at, self.resets_at, self.is_told = now, told, True

    def doubt(self, number: int, now: float) -> None:
        """Wait for a moment after an answer that may have been a refusal."""
        self.in_flight.pop(number, None)
        self.paused_until = max(self.paused_until, now + _DOUBT)

    def refuse(self, number: int, rate: RateHeaders, now: float, jitter: float) -> None:
        """Pause the whole key after a refusal, and go slower for a while; `jitter` is from 0 to 1."""
        self.in_flight.pop(number, None)
        counts = self.base is None and rate.remaining is None
        is_new = number > self.refused_stamp
        if is_new:
            self.refusals += 1
            self.refused_stamp = self.sent
        told = rate.reset_in if rate.retry_after is None else rate.retry_after
        if counts:
            self.silent = max(1, self.silent)
        if is_new:
            self._be_cautious(now)
        if told is not None and (told > self.longest_reset or self.resets_at is None):
            self.longest_reset = LONGEST_PROVEN_RESET
        self.paused_until = max(self.paused_until, now + self._pause(told) + self.margin * (1 + jitter))
        if not counts:
            self.base, self.stamp = 0, self.sent
            self.resets_at, self.is_told = self.paused_until - self.margin, told is not None

    def _be_cautious(self, now: float) -> None:
        """Leave a few more from now on; of the documented limit as much as was more than is granted."""
        if self.counts:
            self.caution = min(DOCUMENTED_LIMIT - _CAUTION, DOCUMENTED_LIMIT - self.size + 1)
            self.caution = max(self.caution, DOCUMENTED_LIMIT - max(_CAUTION, len(self.counting(now))))
        else:
            self.caution = min(self.caution + _CAUTION, self.size // 4)
        self.cautious_at = now

    def _pause(self, told: float | None) -> float:
        """Seconds to wait after a refusal. A time that was told is doubted once it proved too short."""
        if told is None:
            return min(_FIRST_BACKOFF * 2.0 ** min(self.refusals - 1, 8), _LAST_BACKOFF)
        return max(told, min(2.0 ** min(self.refusals, 8), _LAST_BACKOFF) if self.refusals > 1 else 0.0)

    def _note(self, now: float) -> None:
        self.recent = [*(moment for moment in self.recent if moment > now - 2 * self.window), now]


def _rounded(seconds: float) -> float:
    """The length of a window from a reset told in whole seconds: windows are round numbers."""
    return seconds if seconds < 20 else round(seconds / 5) * 5.0


# ---- as text, for programs that share it ----


@dataclass(slots=True)
class _Written:
    """An account as it is written: its moments are on the clock that the programs share."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    at: _Moment
    account: BudgetAccount


_WRITTEN = TypeAdapter(_Written)


def encode(account: BudgetAccount, now: float, shift: float) -> str:
    """Write what is known; `shift` is added to every moment."""
    return _WRITTEN.dump_json(_Written(now + shift, _moved(account, shift))).decode()


def decode(text: str, now: float, shift: float) -> BudgetAccount | None:
    """Read what another program wrote; None for what is none, or long ago. The file may be torn."""
    try:
        written = _WRITTEN.validate_json(text)
    except ValidationError:
        return None
    at, pause = written.at - shift, written.account.paused_until - shift
    if at < now - _LONG_AGO and pause <= now:
        return None
    return _moved(written.account, -shift if at <= now + _CLOCKS_APART else now - written.at, now + _FAR)


def _moved(account: BudgetAccount, by: float, latest: float = float("inf")) -> BudgetAccount:
    """The same on a clock that is so far ahead, no moment later than `latest`."""

    def moved(moment: float) -> float:
        return min(moment + by, latest)

    return replace(
        account,
        in_flight={n: replace(one, since=moved(one.since)) for n, one in account.in_flight.items()},
        recent=[*map(moved, account.recent)],
        learned_at=moved(account.learned_at),
        resets_at=None if account.resets_at is None else moved(account.resets_at),
        paused_until=moved(account.paused_until),
        cautious_at=moved(account.cautious_at),
        background_at=moved(account.background_at),
    )
