"""Periods that are compared with the one before, and their words. Pure."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from linkdash.model.humanize import counted
from linkdash.model.statistics.readings import Step, cut, start_of

PeriodName: TypeAlias = Literal["day", "week", "month", "visit", "own"]
PERIODS: tuple[PeriodName, ...] = ("week", "month", "day", "visit", "own")
"""In the order one key goes through them."""

_WEEKS_FROM_DAYS = 46
_HOURS_FOR_DAYS = 3


class Period(NamedTuple):
    """A period that ends now or a little before, cut into steps, and the one before it of the same length."""

    name: PeriodName
    words: str
    """`last 7 days`"""
    words_before: str
    """`7 before`"""
    step: Step
    marks_before: tuple[datetime, ...]
    """The beginnings of the steps of the period before, and its end."""
    marks: tuple[datetime, ...]
    """The beginnings of the period's own steps, and its end."""

    @property
    def title_before(self) -> str:
        """The period before where it stands alone: `7 days before`."""
        unit = "hours" if self.step == "hour" else "days"
        count, is_counted, _ = self.words_before.partition(" before")
        return f"{count} {unit} before" if is_counted and count.isdecimal() else self.words_before

    @property
    def both(self) -> str:
        """The cover of a chart of both periods: `14 days: 7 before, 7 last`."""
        unit, length = ("hours", 24 * self.days) if self.step == "hour" else ("days", self.days)
        if self.name == "visit":
            return f"as long before, and the {self.words}"
        if length == 1:
            return "2 days: the one before, the last full one"
        return f"{2 * length} {unit}: {length} before, {length} last"

    @property
    def start(self) -> datetime:
        """The start of the period."""
        return self.marks[0]

    @property
    def end(self) -> datetime:
        """The end of the period."""
        return self.marks[-1]

    @property
    def start_before(self) -> datetime:
        """The start of the period before."""
        return self.marks_before[0]

    @property
    def length(self) -> timedelta:
        """Return how long it is."""
        return self.end.astimezone(UTC) - self.start.astimezone(UTC)

    @property
    def days(self) -> int:
        """Return how many days that is, one at the least; a part of a day is rounded."""
        return max(1, round(self.length / timedelta(days=1)))

    def last_moment(self, now: datetime) -> datetime:
        """Up to when it is told: now, or the end of a period that was over before today."""
        return self.end if self.is_over(now) else now

    def is_over(self, now: datetime) -> bool:
        """Return whether it ended before today began."""
        return self.end.date() < now.date()

    @property
    def steps(self) -> list[tuple[datetime, datetime]]:
        """The steps of both periods, beginning and end of each."""
        return [*_pairs(self.marks_before), *_pairs(self.marks)]


def period(name: PeriodName, now: datetime, *, days: int = 14, last_visit: datetime | None = None) -> Period:
    """The period of this name as of `now`, which is aware, in the user's zone.

    Hours and days are whole ones, the running one left out. `days` is the length of an own period; without a
    `last_visit`, the period since then is the last 24 hours.
    """
    zone = now.tzinfo or UTC
    if name == "visit" and last_visit is not None and last_visit < now:
        length = now.astimezone(UTC) - last_visit.astimezone(UTC)
        step: Step = "hour" if length < timedelta(days=_HOURS_FOR_DAYS) else "day"
        since = last_visit.astimezone(zone)
        before = (last_visit.astimezone(UTC) - length).astimezone(zone)
        words = f"time since your last visit ({moment_words(since, now)})"
        return _cut("visit", words, "as long before", step, (before, since, now), zone)
    if name in ("day", "visit"):
        marks = tuple(start_of("hour", now, zone, back) for back in (48, 24, 0))
        return _cut("day", "last 24 hours", "24 before", "hour", marks, zone)
    days = {"week": 7, "month": 30}.get(name, max(1, days))
    marks = tuple(start_of("day", now, zone, back) for back in (2 * days, days, 0))
    step = "day" if days < _WEEKS_FROM_DAYS else "week"
    is_one = days == 1
    words = "last full day" if is_one else f"last {days} days"
    words_before = "day before" if is_one else f"{days} before"
    return _cut(name, words, words_before, step, marks, zone)


def between(first: date, last: date, zone: tzinfo) -> Period:
    """The period from one day to another, both with it, and as many days before it."""
    days = (last - first).days + 1
    start_before, start, end = (
        datetime(day.year, day.month, day.day, tzinfo=zone)
        for day in (first - timedelta(days=days), first, last + timedelta(days=1))
    )
    words = f"{days} days to {last.day} {last:%b %Y}" if days > 1 else f"day {last.day} {last:%b %Y}"
    words_before = f"{days} before" if days > 1 else "day before"
    step: Step = "day" if days < _WEEKS_FROM_DAYS else "week"
    return _cut("own", words, words_before, step, (start_before, start, end), zone)


def _cut(
    name: PeriodName, words: str, before: str, step: Step, marks: Sequence[datetime], zone: tzinfo
) -> Period:
    start_before, start, end = marks
    return Period(
        name,
        words,
        before,
        step,
        tuple(cut(start_before, start, step, zone)),
        tuple(cut(start, end, step, zone)),
    )


def _pairs(marks: Sequence[datetime]) -> list[tuple[datetime, datetime]]:
    return [*pairwise(marks)]


def moment_words(moment: datetime, now: datetime) -> str:
    """A moment near `now`: `13:05` today, `Fri 13:05` within a week, else `Fri 6 Nov`."""
    moment = moment.astimezone(now.tzinfo)
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    if abs(moment - now) < timedelta(days=6):
        return f"{moment:%a %H:%M}"
    return day_words(moment) if abs(moment - now) < timedelta(days=300) else f"{moment:%Y-%m-%d}"


def span_words(days: int, now: datetime) -> str:
    """The own period of so many days in words: `7 to 20 Sep, compared with 24 Aug to 6 Sep`."""
    own = period("own", now, days=days)
    return f"{_days_words(own.start, own.end)}, compared with {_days_words(own.start_before, own.start)}"


def kept_words(days: int, first: datetime, now: datetime) -> str:
    """The part of the own period and of the days before that is kept, since the `first` reading.

    Nothing where all of it is.
    """
    own = period("own", now, days=days)
    first = first.astimezone(own.end.tzinfo)
    if first <= own.start_before:
        return ""
    whole = max(0, (own.end.date() - first.date()).days - (first.time() != time.min))
    if whole == 0:
        known = "no whole day is known yet"
    elif whole < days:
        known = f"{whole} of these {days} days are known, none before"
    else:
        known = f"{whole - days} of the {counted(days, 'day')} before are known"
    longest = f"\nUp to {counted(whole // 2, 'day')} can be compared" if whole > 1 else ""
    return f"Kept since {first.day} {first:%b}: {known}{longest}"


def _days_words(start: datetime, end: datetime) -> str:
    """The days from one midnight to another."""
    last = end - timedelta(hours=12)
    if last.date() == start.date():
        return f"{start.day} {start:%b %Y}"
    month = "" if (start.year, start.month) == (last.year, last.month) else f" {start:%b}"
    year = "" if start.year == last.year else f" {start.year}"
    return f"{start.day}{month}{year} to {last.day} {last:%b %Y}"


def day_words(moment: datetime) -> str:
    """`Sat 14 Nov`"""
    return f"{moment:%a} {moment.day} {moment:%b}"
