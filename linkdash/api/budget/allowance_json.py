"""The allowance as JSON, for programs that share it: written whole, read with suspicion.

Moments are written on a clock the programs share and read back onto the reader's own. Whatever is read is
checked: the file may be torn, old, or written by another version.
"""

import json
from math import isfinite

from linkdash.api.budget.allowance import Allowance, Charge
from linkdash.api.budget.limit_estimate import LONGEST, MOST, SHORTEST, Estimate
from linkdash.api.budget.other_spenders import OtherSpenders
from linkdash.api.budget.rate_headers import LONGEST_PAUSE
from linkdash.api.budget.refill_rate import SLOWEST, RefillRate
from linkdash.api.budget.reset_drift import ResetDrift
from linkdash.api.budget.window import BudgetWindow

VERSION = 3
LONG_AGO = 600.0
"""Seconds after which nothing that was counted is worth more than the next answer."""

_CLOCKS_APART = 5.0
"""Seconds: what was written later than that from now was written before the clock was set back."""
_FAR = LONGEST_PAUSE + 120.0  # seconds: no moment lies further ahead; clocks can be set


def encode(allowance: Allowance, now: float, shift: float) -> str:
    """Write what is known; `shift` is added to every moment."""
    window, estimate = allowance.window, allowance.estimate
    drift, refill, others = window.drift, window.refill, window.others
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
            "longest": allowance.longest_reset,
            "since": None if others.since is None else others.since + shift,
            "learned_at": window.learned_at + shift,
            "unexplained_at": others.seen_at + shift,
            "next_within": window.next_within,
            "foreign": others.rate,
            "people": allowance.people,
            "people_at": allowance.people_at + shift,
            "refill": [
                None if refill.at is None else refill.at + shift,
                refill.remaining,
                refill.answers,
                refill.rate,
            ],
            "drift": [drift.reset + shift, drift.at + shift, drift.steps],
            "answered": [[sent + shift, answered + shift] for sent, answered in window.log.entries],
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
    """A reader that checks every value and brings every moment onto its own clock."""

    def __init__(self, now: float, shift: float) -> None:
        self._now, self._shift = now, shift

    def allowance(self, found: dict[str, object]) -> Allowance:
        written_in = _number(found["at"]) - self._shift - self._now
        if written_in > _CLOCKS_APART:  # how long ago it was cannot be told: as if it were now
            self._shift += written_in
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
            longest_reset=_number(found["longest"]),
            resets_at=_optional_number(found["resets_at"]),
            people=max(0.0, _number(found["people"])),
            people_at=self._moment(found["people_at"]),
            background_at=self._moment(found["background_at"]),
            paused_until=paused_until,
            refusals=_whole(found["refusals"]),
            refused_stamp=_whole(found["refused_stamp"]),
        )

    def _window(self, found: dict[str, object]) -> BudgetWindow:
        reset, at, steps = _rows(found["drift"])
        window = BudgetWindow(
            limit=_optional_whole(found["limit"]) or None,
            used=_whole(found["used"]),
            most=max(1, _whole(found["most"])),
            length=_optional_number(found["length"]) or None,
            renewal=self._moment(found["renewal"]),
            told=_flag(found["told"]),
            trickles=_flag(found["trickles"]),
            early=_flag(found["early"]),
            learned_at=self._moment(found["learned_at"]),
            next_within=_number(found["next_within"]),
            refill=self._refill(found["refill"]),
            drift=ResetDrift(self._moment(reset), self._moment(at), _whole(steps)),
            others=OtherSpenders(
                rate=max(0.0, _number(found["foreign"])),
                since=self._optional_moment(found["since"]),
                seen_at=self._moment(found["unexplained_at"]),
            ),
        )
        window.log.entries.extend(self._answered(row) for row in _rows(found["answered"]))
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

    def _refill(self, row: object) -> RefillRate:
        at, remaining, answers, rate = _rows(row)
        measured = _optional_number(rate)
        refill = RefillRate(self._optional_moment(at), _whole(remaining), _whole(answers))
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
