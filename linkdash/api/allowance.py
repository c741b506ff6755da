"""What is known of a key's allowance: causal accounting from the answers' headers, and the same as text.

No clock decides how much may be spent. `base` is the last `Remaining` that is causally known; whatever is on
its way, or was lost on its way, is charged on top of it.

As text several programs on a key know it together. Moments are written on a clock the programs share and read
back onto the reader's own. Whatever is read is checked: the file may be torn, old, or written by another
version.
"""

import json
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import isfinite

from linkdash.api.rate_headers import LONGEST_PAUSE, LONGEST_PROVEN_RESET, RateHeaders
from linkdash.api.window import LONGEST, MOST, SHORTEST, SLOWEST, Drift, Estimate, Refill, Window

_SAME_RESET = 2.0  # seconds: resets closer than this, or than half a window, may be the same one
_FIRST_BACKOFF, _LAST_BACKOFF = 15.0, 60.0
_DOUBT = 1.0  # seconds to wait after what may have been a refusal
_SILENCE = 3  # answers in a row without a word of what is left: the service has ceased to tell


@dataclass(slots=True)
class Charge:
    """One request on its way."""

    since: float
    probe: bool
    least: int | None = None
    """The least `Remaining` that arrived while it was on its way."""


@dataclass(slots=True)
class Allowance:
    """The account of one key. All moments are monotonic seconds of the caller's clock."""

    base: int | None = None
    stamp: int = 0
    """How many requests had been sent when `base` came."""
    sent: int = 0
    in_flight: dict[int, Charge] = field(default_factory=dict)
    lost: list[int] = field(default_factory=list)
    """For each lost request, how many had been sent when its loss was noticed."""
    silent: int = 0
    """Answers in a row which did not tell what is left."""
    estimate: Estimate = field(default_factory=Estimate)
    window: Window = field(default_factory=Window)
    resets_at: float | None = None
    """The reset that came with `base`, on the service's clock."""
    background_at: float = 0.0
    """When background sent its last request."""
    paused_until: float = 0.0
    refusals: int = 0
    """Refused requests in a row, those of one burst counted once."""
    refused_stamp: int = 0
    """How many requests had been sent when the last of those came."""

    @property
    def is_estimate(self) -> bool:
        """Whether what may be spent is estimated, since the service does not tell."""
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
        return self.estimate.free(self.window.answered, now) - self.charged

    @property
    def limit(self) -> int | None:
        """The limit that was told, else the estimate; None before the first answer."""
        return self.estimate.limit if self.is_estimate else self.window.limit

    @property
    def seconds(self) -> float | None:
        """The length of the window that was told, else the estimate; None before the first answer."""
        return self.estimate.seconds if self.is_estimate else self.window.length

    def seen(self, now: float) -> int | None:
        """What is probably left: `free`, and what has come back since if the window has certainly turned."""
        free, window = self.free(now), self.window
        late = now - window.renewal - window.margin
        if free is None or self.is_estimate or not window.told or late < 0 or self.paused_until > now:
            return free
        back = 1 + int(late / window.spacing) if window.trickles else window.size
        return max(free, min(window.size - self.charged, free + back))

    def reset_in(self, now: float) -> float | None:
        """Seconds until the window is over, or until all should be there again on what is estimated."""
        if not self.is_estimate:
            return self.window.reset_in(now)
        full_at = self.estimate.full_at(self.window.answered, now)
        return None if full_at is None else full_at - now

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

    def send(self, now: float, *, probe: bool) -> int:
        """Charge a request that goes now; return its number."""
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
        self.window.answered.append((charge.since, now))
        if self.base is not None and len(self.lost) < self.window.size:
            self.lost.append(self.sent)

    def answer(self, number: int, rate: RateHeaders, now: float) -> None:
        """Learn from an answer that was no refusal."""
        charge = self.in_flight.pop(number, None) or Charge(since=now, probe=False)
        self.window.answered.append((charge.since, now))
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
            self.window.longest = LONGEST_PROVEN_RESET
        early = charge is not None and charge.probe and self.window.told
        margin = self.window.margin * (1 + jitter)
        self.paused_until = max(self.paused_until, now + self._pause(told) + margin)
        self._rebase(0)
        self.window.close(self.paused_until, told=told is not None, early=early)

    def _refuse_in_silence(self, told: float | None, now: float, jitter: float, *, is_new: bool) -> None:
        self.silent = max(self.silent, 1)
        if is_new:
            self.estimate.refuse(self.window.answered, now, again=self.refusals > 1, told=told)
        pause = self.estimate.backoff(self.refusals) if told is None else self._pause(told)
        self.paused_until = max(self.paused_until, now + pause + self.window.margin * jitter)

    def _answer_in_silence(self, now: float, *, after_refusal: bool) -> None:
        """Learn from an answer which does not tell what is left."""
        self.silent += 1
        if self.silent >= _SILENCE:
            self.base, self.lost = None, []
        if self.is_estimate:
            self.estimate.grant(self.window.answered, now, after_refusal=after_refusal)

    def abandon(self, before: float, ours: set[int], now: float) -> bool:
        """Count as lost what others sent before a moment and never ended: their program is gone."""
        gone = [n for n, charge in self.in_flight.items() if charge.since < before and n not in ours]
        for number in gone:
            self.lose(number, now)
        return bool(gone)

    def _proves_resets(self, rate: RateHeaders, told: float) -> bool:
        """Whether a refusal shows that far resets are true: it names one, or the moment they pointed to."""
        agrees = rate.reset_in is not None and abs(rate.reset_in - told) <= _SAME_RESET
        return told > self.window.longest or (agrees and not self.window.told)

    def _pause(self, told: float | None) -> float:
        """Seconds to wait after a refusal. A time that was told is doubted once it proved too short."""
        if told is None:
            return min(_FIRST_BACKOFF * 2.0 ** min(self.refusals - 1, 8), _LAST_BACKOFF)
        return max(told, min(2.0 ** min(self.refusals, 8), _LAST_BACKOFF) if self.refusals > 1 else 0.0)

    def _rebase(self, remaining: int) -> None:
        self.base = remaining
        self.stamp = self.sent

    def _believed(self, rate: RateHeaders) -> int:
        """What an answer says is left, but never more than the limit."""
        remaining, limit = rate.remaining or 0, rate.limit or self.window.limit
        return min(remaining, limit) if limit else remaining

    def _windows_later(self, rate: RateHeaders) -> int:
        """Whether an answer is about a later window than `base` (1) or an earlier one (-1); 0 if unsure."""
        if rate.resets_at is None or self.resets_at is None:
            return 0
        away = rate.resets_at - self.resets_at
        return (away > 0) - (away < 0) if abs(away) > max(_SAME_RESET, self.window.seconds / 2) else 0


# ---- the same as text ----

VERSION = 3
LONG_AGO = 600.0
"""Seconds after which nothing that was counted is worth more than the next answer."""

_FAR = LONGEST_PAUSE + 120.0  # seconds: no moment lies further ahead; clocks can be set


def encode(allowance: Allowance, now: float, shift: float) -> str:
    """Write what is known; `shift` is added to every moment."""
    window, estimate = allowance.window, allowance.estimate
    drift, refill = window.drift, window.refill
    return json.dumps(
        {
            "version": VERSION,
            "at": now + shift,
            "base": allowance.base,
            "stamp": allowance.stamp,
            "sent": allowance.sent,
            "in_flight": [[n, c.since + shift, c.probe, c.least] for n, c in allowance.in_flight.items()],
            "lost": allowance.lost,
            "resets_at": allowance.resets_at,
            "background_at": allowance.background_at + shift,
            "paused_until": allowance.paused_until + shift,
            "refusals": allowance.refusals,
            "refused_stamp": allowance.refused_stamp,
            "silent": allowance.silent,
            "estimate": {
                "limit": estimate.limit,
                "seconds": estimate.seconds,
                "ceiling": estimate.ceiling,
                "is_shown": estimate.is_shown,
                "fixed_until": None if estimate.fixed_until is None else estimate.fixed_until + shift,
                "recovered_at": estimate.recovered_at + shift,
                "run_since": estimate.run_since + shift,
                "run_counts": estimate.run_counts,
            },
            "limit": window.limit,
            "used": window.used,
            "most": window.most,
            "length": window.length,
            "renewal": window.renewal + shift,
            "told": window.told,
            "trickles": window.trickles,
            "early": window.early,
            "longest": window.longest,
            "since": None if window.since is None else window.since + shift,
            "learned_at": window.learned_at + shift,
            "unexplained_at": window.unexplained_at + shift,
            "next_within": window.next_within,
            "foreign": window.foreign,
            "people": window.people,
            "people_at": window.people_at + shift,
            "refill": [
                None if refill.at is None else refill.at + shift,
                refill.remaining,
                refill.answers,
                refill.rate,
            ],
            "drift": [drift.reset + shift, drift.at + shift, drift.steps],
            "answered": [[sent + shift, answered + shift] for sent, answered in window.answered],
        }
    )


def decode(text: str, now: float, shift: float) -> Allowance | None:
    """Read what another program knew, or None if it cannot be read.

    Of what is long ago only what was learned about the service remains.
    """
    try:
        found = json.loads(text)
        return _Reader(now, shift).allowance(found) if found["version"] == VERSION else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


class _Reader:
    """Checks every value and brings every moment onto the reader's clock."""

    def __init__(self, now: float, shift: float) -> None:
        self._now, self._shift = now, shift

    def allowance(self, found: dict[str, object]) -> Allowance:
        paused_until = self._moment(found["paused_until"])
        if self._moment(found["at"]) < self._now - LONG_AGO and paused_until <= self._now:
            return Allowance(estimate=self._estimate(found["estimate"]))
        return Allowance(
            base=_optional_whole(found["base"]),
            stamp=_whole(found["stamp"]),
            sent=_whole(found["sent"]),
            in_flight=dict(self._charge(row) for row in _rows(found["in_flight"])),
            lost=[_whole(mark) for mark in _rows(found["lost"])],
            silent=_whole(found["silent"]),
            estimate=self._estimate(found["estimate"]),
            window=self._window(found),
            resets_at=_optional_number(found["resets_at"]),
            background_at=self._moment(found["background_at"]),
            paused_until=paused_until,
            refusals=_whole(found["refusals"]),
            refused_stamp=_whole(found["refused_stamp"]),
        )

    def _window(self, found: dict[str, object]) -> Window:
        reset, at, steps = _rows(found["drift"])
        window = Window(
            limit=_optional_whole(found["limit"]) or None,
            used=_whole(found["used"]),
            most=max(1, _whole(found["most"])),
            length=_optional_number(found["length"]) or None,
            renewal=self._moment(found["renewal"]),
            told=_flag(found["told"]),
            trickles=_flag(found["trickles"]),
            early=_flag(found["early"]),
            longest=_number(found["longest"]),
            since=self._optional_moment(found["since"]),
            learned_at=self._moment(found["learned_at"]),
            unexplained_at=self._moment(found["unexplained_at"]),
            next_within=_number(found["next_within"]),
            people=max(0.0, _number(found["people"])),
            people_at=self._moment(found["people_at"]),
            foreign=max(0.0, _number(found["foreign"])),
            refill=self._refill(found["refill"]),
            drift=Drift(self._moment(reset), self._moment(at), _whole(steps)),
        )
        window.answered.extend(self._answered(row) for row in _rows(found["answered"]))
        return window

    def _estimate(self, found: object) -> Estimate:
        if not isinstance(found, dict):
            raise TypeError("not an object")
        return Estimate(
            limit=min(MOST, max(1, _whole(found["limit"]))),
            seconds=min(LONGEST, max(SHORTEST, _number(found["seconds"]))),
            ceiling=min(float(MOST), max(1.0, _number(found["ceiling"]))),
            is_shown=_flag(found["is_shown"]),
            fixed_until=self._optional_moment(found["fixed_until"]),
            recovered_at=self._moment(found["recovered_at"]),
            run_since=self._moment(found["run_since"]),
            run_counts=_flag(found["run_counts"]),
        )

    def _refill(self, row: object) -> Refill:
        at, remaining, answers, rate = _rows(row)
        measured = _optional_number(rate)
        refill = Refill(self._optional_moment(at), _whole(remaining), _whole(answers))
        refill.rate = None if measured is None else max(SLOWEST, measured)
        return refill

    def _answered(self, row: object) -> tuple[float, float]:
        sent, answered = _rows(row)
        return self._moment(sent), self._moment(answered)

    def _charge(self, row: object) -> tuple[int, Charge]:
        number, since, probe, least = _rows(row)
        return _whole(number), Charge(self._moment(since), _flag(probe), _optional_whole(least))

    def _optional_moment(self, value: object) -> float | None:
        return None if value is None else self._moment(value)

    def _moment(self, value: object) -> float:
        return min(_number(value) - self._shift, self._now + _FAR)


def _rows(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("not a truth value")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("not a count")
    return value


def _optional_whole(value: object) -> int | None:
    return None if value is None else _whole(value)


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise TypeError("not a number")
    return float(value)


def _optional_number(value: object) -> float | None:
    return None if value is None else _number(value)
