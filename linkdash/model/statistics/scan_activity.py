"""The scans of every code, out of the history alone: for lists, the overview and the sidebar. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import TELLING_COUNT, CountChange, Trend
from linkdash.model.statistics.period import Period, period
from linkdash.model.statistics.period_comparison import (
    Amount,
    Comparison,
    Track,
    added,
    compared,
    in_steps,
    silence,
    sum_amounts,
)
from linkdash.store.reading import Reading, Scans

# ---- how much ----

_MONTH = 30
REACH = timedelta(days=_MONTH + 2)
"""The reach of the scans that `activities` is given: a month, and the day that is running."""


class Activity(NamedTuple):
    """The scans of one code in the last whole days, from what was kept."""

    code_id: int
    days: tuple[int | None, ...]
    """Scans added on each of the last 14 whole days, the latest last; None where no reading tells it."""
    week: Comparison
    """The last 7 whole days against the 7 before."""
    day: Comparison
    """The last whole day against the same weekday a week before."""
    day_before: Comparison
    """The day before it against the same weekday a week before that."""
    month: int | None
    """Scans added in the last 30 whole days; None where that is not wholly known."""
    scans: int
    """The scans in the latest reading."""
    quiet_since: datetime | None = None
    """The moment after which it was scanned no more, where that is more than chance."""
    quiet_days: int = 0
    """The last whole days without a scan, where that is more than chance."""

    @property
    def change(self) -> CountChange | None:
        """Return how the week changed; None where the history does not reach over both weeks."""
        change = self.week.change
        return None if change is None else change._replace(quiet_days=self.quiet_days)

    @property
    def trend(self) -> Trend | None:
        """The last 14 days, as far as they are known, with that change."""
        days = tuple(day for day in self.days if day is not None)
        return Trend(days, self.change) if days else None

    @property
    def is_news(self) -> bool:
        """Return whether its last day is the first that differs from its weekday by more than noise."""
        before = self.day_before
        was_so = before.is_telling and (before.difference > 0) is (self.day.difference > 0)
        return self.day.is_telling and not was_so

    def comparison(self, of: Literal["day", "week"]) -> Comparison:
        """The last day, or the last week."""
        return self.day if of == "day" else self.week


class Movers(NamedTuple):
    """The codes that changed most, the largest first, and how many could be compared."""

    risers: tuple[Activity, ...]
    fallers: tuple[Activity, ...]
    compared: int


def activities(scans: Mapping[int, Scans], now: datetime) -> dict[int, Activity]:
    """Return the scans of every code; `now` is aware, in the zone of the user.

    `scans` is what `History.scans(now - REACH)` gives. Some 0.15 ms a code.
    """
    week, month = _in_utc(period("week", now)), _in_utc(period("own", now, days=_MONTH))
    found = (_activity(code_id, of_code, week, month) for code_id, of_code in scans.items() if of_code)
    return {activity.code_id: activity for activity in found}


def _in_utc(of: Period) -> Period:
    """The same moments, each put into UTC once instead of once for each code."""
    marks_before, marks = ([mark.astimezone(UTC) for mark in side] for side in (of.marks_before, of.marks))
    return of._replace(marks_before=tuple(marks_before), marks=tuple(marks))


def _activity(code_id: int, scans: Scans, week: Period, month: Period) -> Activity:
    tracks = [Track(Reading(at, scans=count) for at, count in scans)]
    amounts = in_steps(tracks, "scans", week)
    *_, day_before, day = map(Comparison, amounts[7:], amounts[:7])
    quiet_since = silence(tracks, "scans", week) if scans[-1][1] else None
    return Activity(
        code_id,
        tuple(map(_whole, amounts)),
        compared(tracks, "scans", week),
        day,
        day_before,
        _whole(added(tracks, "scans", month.start, month.end)),
        scans[-1][1],
        quiet_since,
        0 if quiet_since is None else (week.end - quiet_since).days,
    )


def _whole(amount: Amount | None) -> int | None:
    return None if amount is None or amount.is_partial else amount.value


def movers(
    found: Iterable[Activity], of: Literal["day", "week"], *, most: int, telling: bool = False
) -> Movers:
    """Return the codes that rose and fell most in scans; with `telling`, only those above noise."""
    known = [one for one in found if one.comparison(of).is_whole]
    moved = [
        (one.comparison(of).difference, one) for one in known if one.comparison(of).is_telling or not telling
    ]
    moved.sort(key=lambda item: (-abs(item[0]), item[1].code_id))
    risers = tuple(one for by, one in moved if by > 0)[:most]
    return Movers(risers, tuple(one for by, one in moved if by < 0)[:most], len(known))


class Together(NamedTuple):
    """The scans of several codes together, against the time before."""

    comparison: Comparison
    compared: int
    """The number of codes it is of."""
    scanned: int
    """The number of codes that were ever scanned; another adds nothing to either time."""


def together(found: Sequence[Activity], of: Literal["day", "week"]) -> Together:
    """The codes that are known in both times together; where none is, all of them."""
    scanned = [one.comparison(of) for one in found if one.scans] or [one.comparison(of) for one in found]
    among = [side for side in scanned if side.is_whole] or scanned
    comparison = Comparison(
        sum_amounts([side.now for side in among]), sum_amounts([side.before for side in among])
    )
    return Together(comparison, len(among), len(scanned))


# ---- what happened to all of them ----

_HEADLINES = 4  # codes that moved yesterday


class Pulse(NamedTuple):
    """The course of the scans of all codes, from the history."""

    day: Together
    """All codes on the last whole day against the same weekday a week before."""
    week: Together
    """The last seven whole days against the seven before."""
    headlines: tuple[Activity, ...]
    """Codes whose last day is the first to differ from its weekday by more than noise, falls first."""
    changed: tuple[Activity, ...]
    """Codes whose week changed most, the largest change first."""
    fell: tuple[Activity, ...]
    """Codes whose week fell by more than noise, the largest fall first."""
    rose: tuple[Activity, ...]
    """Codes whose week rose by more than noise, the largest rise first."""
    top: tuple[Activity, ...]
    """Codes with the most scans in the last week, the largest first; where no week is known, in all."""
    days: tuple[Amount | None, ...]
    """Scans of all codes on each of the last 14 whole days, as far as they are known, the latest last."""
    untold: int
    """The number of codes that were not read on each of those days."""
    codes: int
    """The number of codes with a history."""
    compared: int
    """The number of them that reach back far enough for the week to be compared."""


def pulse(found: Iterable[Activity], *, most: int) -> Pulse:
    """Return what is worth saying of the scans of all codes; at most `most` codes in each list."""
    codes = [*found]
    many = [one for one in codes if one.is_news and abs(one.day.difference) >= TELLING_COUNT]
    day = movers(many, "day", most=_HEADLINES // 2, telling=True)
    week = movers(codes, "week", most=most)
    telling = movers(codes, "week", most=len(codes), telling=True)
    changed = sorted([*week.risers, *week.fallers], key=lambda one: (-abs(one.week.difference), one.code_id))
    top = sorted(codes, key=lambda one: (-_week_scans(one), -one.scans, one.code_id))
    return Pulse(
        together(codes, "day"),
        together(codes, "week"),
        (*day.fallers, *day.risers),
        tuple(changed[:most]),
        telling.fallers,
        telling.risers,
        tuple(top[:most]),
        tuple(_sum_of(day) for day in zip(*(one.days for one in codes), strict=True)),
        sum(None in one.days for one in codes),
        len(codes),
        week.compared,
    )


def _week_scans(one: Activity) -> int:
    return -1 if one.week.now is None else one.week.now.value


def _sum_of(day: Sequence[int | None]) -> Amount | None:
    """The scans of all codes together on a day; None where it is known of none."""
    known = [count for count in day if count is not None]
    return Amount(sum(known)) if known else None


# ---- codes that belong together ----

_SEPARATOR = re.compile(r"\s+[·|/–—-]\s+|:\s+|/")
_FEWEST = 2


def prefix(name: str) -> str:
    """Return the start of a name, up to the first separator: `Harbor Coffee` of `Harbor Coffee · Table 4`."""
    found = _SEPARATOR.search(name)
    return name[: found.start()].strip() if found else ""


def by_prefix(codes: Iterable[QrCode]) -> dict[str, list[QrCode]]:
    """The codes of every beginning that several names share, the most codes first."""
    groups: dict[str, list[QrCode]] = {}
    for code in codes:
        if beginning := prefix(code.name):
            groups.setdefault(beginning, []).append(code)
    shared = [(name, found) for name, found in groups.items() if len(found) >= _FEWEST]
    return dict(sorted(shared, key=lambda group: (-len(group[1]), group[0])))
