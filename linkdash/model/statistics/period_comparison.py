"""Comparison of what was added in a period with the period before. Pure.

The service tells totals at the moment of asking only (reference: QR code). What was added between two
moments is the difference of the totals there; where no reading was made at such a moment, the total lies on
a straight line between its neighbours. Where that line is long for what is asked, the amount is an estimate,
and where the history does not reach, it is partial. Neither is ever hidden.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from linkdash.model.statistics.readings import Step, cut, in_order, start_of
from linkdash.store.reading import Reading, Total

PeriodName: TypeAlias = Literal["day", "week", "month", "visit", "own"]
PERIODS: tuple[PeriodName, ...] = ("week", "month", "day", "visit", "own")
"""In the order one key goes through them."""

Key: TypeAlias = Total | tuple[str, str]
"""The key of a count: a total, or a breakdown and one of its labels."""

TELLING_PERCENT, TELLING_COUNT = 15, 40
"""From which change on, and from how many in both periods together, a change is more than noise."""

_LONG_GAP = 4
_WEEKS_FROM_DAYS = 46
_HOURS_FOR_DAYS = 3
_WEEK = 7  # days


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


# ---- totals at any moment ----


class _Known(NamedTuple):
    """A count at a moment, and how far the readings around it are apart where it lies between them."""

    value: float
    gap: timedelta


class Track:
    """The numbers of one code over time, to be asked at any moment within its readings."""

    def __init__(self, readings: Iterable[Reading]) -> None:
        self._readings = [(reading.at.astimezone(UTC), reading) for reading in in_order(readings)]
        self._full = [(at, reading) for at, reading in self._readings if not reading.tells_scans_only]
        self._telling: dict[str, tuple[list[datetime], list[Reading]]] = {}
        self._added: dict[tuple[Key, datetime, datetime], Amount | None] = {}

    def span(self, key: Key) -> tuple[datetime, datetime] | None:
        """The first and the last reading that tells it; None without any."""
        times, _ = self._tell(key)
        return (times[0], times[-1]) if times else None

    def labels(self, breakdown: str, moment: datetime) -> dict[str, int] | None:
        """The counts by label in the last reading up to a moment; None if none tells the breakdown."""
        times, readings = self._tell((breakdown, ""))
        index = bisect_right(times, moment.astimezone(UTC))
        return dict(readings[index - 1].breakdowns[breakdown]) if index else None

    def tells_in(self, breakdown: str, period: Period) -> bool:
        """Return whether some of the period lies between two readings that tell the breakdown."""
        span = self.span((breakdown, ""))
        return span is not None and max(span[0], period.start) < min(span[1], period.end)

    def known(self, key: Key, moment: datetime) -> _Known | None:
        """The count at a moment; None outside of the readings."""
        moment = moment.astimezone(UTC)
        times, readings = self._tell(key)
        after = bisect_left(times, moment)
        if after == len(times) or (after == 0 and times[0] != moment):
            return None
        high = _count(readings[after], key)
        if times[after] == moment:
            return _Known(high, timedelta())
        low, start = _count(readings[after - 1], key), times[after - 1]
        gap = times[after] - start
        value = low + (high - low) * ((moment - start) / gap)
        return _Known(value, gap if high != low else timedelta())

    def added(self, key: Key, start: datetime, end: datetime) -> "Amount | None":
        """Return what was added between two moments, in UTC; None where no reading tells.

        It is kept: a whole asks again for what its parts have asked for.
        """
        asked = key, start, end
        if asked not in self._added:
            self._added[asked] = self._difference(key, start, end)
        return self._added[asked]

    def _difference(self, key: Key, start: datetime, end: datetime) -> "Amount | None":
        span = self.span(key)
        if span is None:
            return None
        covered_start, covered_end = max(start, span[0]), min(end, span[1])
        if covered_start >= covered_end:
            return None
        first, last = self.known(key, covered_start), self.known(key, covered_end)
        if first is None or last is None:
            return None
        is_estimate = max(first.gap, last.gap) > (end - start) / _LONG_GAP
        is_partial = covered_start > start or covered_end < end
        # Both ends are rounded, so that amounts of neighbouring times add up.
        return Amount(round(last.value) - round(first.value), is_estimate, is_partial)

    def _tell(self, key: Key) -> tuple[list[datetime], list[Reading]]:
        name = key if isinstance(key, str) else key[0]
        if name not in self._telling:
            among = self._readings if name == "scans" else self._full
            told = [(at, reading) for at, reading in among if _tells(reading, key)]
            self._telling[name] = ([at for at, _ in told], [reading for _, reading in told])
        return self._telling[name]


def _tells(reading: Reading, key: Key) -> bool:
    return reading.total(key) is not None if isinstance(key, str) else key[0] in reading.breakdowns


def _count(reading: Reading, key: Key) -> int:
    if isinstance(key, str):
        return reading.total(key) or 0
    return reading.breakdowns[key[0]].get(key[1], 0)


# ---- what was added ----


@dataclass(frozen=True, slots=True)
class Amount:
    """The amount added in some time."""

    value: int
    is_estimate: bool = False
    """True if a reading is missing near its beginning or end, so that a good part of it is interpolated."""
    is_partial: bool = False
    """True if the history covers only a part of the time."""

    @property
    def sign(self) -> str:
        """Return what stands before the number so that it claims no more than the readings."""
        return "≥" if self.is_partial else "≈" if self.is_estimate else ""

    def __str__(self) -> str:
        return f"{self.sign}{self.value:,}"


def added(tracks: Sequence[Track], key: Key, start: datetime, end: datetime) -> Amount | None:
    """Return what was added between two moments, summed over the tracks; None where no reading tells.

    Amounts of neighbouring times add up to the amount of the whole.
    """
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if len(tracks) == 1:  # most often
        return tracks[0].added(key, start, end)
    amounts = [track.added(key, start, end) for track in tracks]
    known = [amount for amount in amounts if amount is not None]
    if not known:
        return None
    return Amount(
        sum(amount.value for amount in known),
        any(amount.is_estimate for amount in known),
        len(known) < len(amounts) or any(amount.is_partial for amount in known),
    )


class Comparison(NamedTuple):
    """The amount added in a period, and in the one before; None where no reading tells it."""

    now: Amount | None
    before: Amount | None

    @property
    def percent(self) -> int | None:
        """By how many percent more or less; None where one of them is not wholly known, or nothing was."""
        if self.now is None or self.before is None or self.now.is_partial or self.before.is_partial:
            return None
        return round((self.now.value / self.before.value - 1) * 100) if self.before.value > 0 else None

    @property
    def difference(self) -> int:
        """By how many more or fewer; 0 where one of both is not known."""
        return 0 if self.now is None or self.before is None else self.now.value - self.before.value

    @property
    def is_telling(self) -> bool:
        """Return whether the change is more than noise."""
        if self.percent is None or self.now is None or self.before is None:
            return False
        enough = self.now.value + self.before.value >= TELLING_COUNT
        return enough and abs(self.percent) >= TELLING_PERCENT

    @property
    def words(self) -> str:
        """`▼ 81 %`, `▲ 4 %`, `= 0 %`; empty where there is nothing to compare."""
        return "" if self.percent is None else percent_words(self.percent)


def percent_words(percent: int) -> str:
    """A change with its sign: `▼ 81 %`."""
    sign = "▲" if percent > 0 else "▼" if percent < 0 else "="
    return f"{sign} {abs(percent):,} %"


def compared(tracks: Sequence[Track], key: Key, period: Period) -> Comparison:
    """Return what was added in a period against the one before."""
    return Comparison(
        added(tracks, key, period.start, period.end),
        added(tracks, key, period.start_before, period.start),
    )


def in_steps(tracks: Sequence[Track], key: Key, period: Period) -> list[Amount | None]:
    """Return what was added in each step of the period before and of the period itself."""
    return [added(tracks, key, start, end) for start, end in period.steps]


# ---- since when ----


@dataclass(frozen=True, slots=True)
class Turn:
    """The step from which on less or more was added than before."""

    index: int
    """Among the steps of both periods."""
    at: datetime
    before: int
    """The amount of the step before it."""
    after: int
    mean_before: int
    mean_after: int


def turn(amounts: Sequence[Amount | None], period: Period) -> Turn | None:
    """Return where both periods fall into a lower and a higher part; None where neither is telling.

    That is the cut after which the means differ most for how long they last; a weekend after which they
    differ as after the one before is none.
    """
    values = [None if amount is None or amount.is_partial else amount.value for amount in amounts]
    if len(values) < 4 or None in values:
        return None
    known = [value for value in values if value is not None]
    best = max(range(2, len(known) - 1), key=lambda cut: _contrast(known, cut))
    before, after = _mean(known[:best]), _mean(known[best:])
    if sum(known) < TELLING_COUNT or abs(after - before) * 100 < TELLING_PERCENT * max(before, after):
        return None
    best = _sharpest(known, best, falling=after < before)
    if period.step == "day" and _is_as_a_week_before(known, best):
        return None
    start = period.steps[best][0]
    means = (round(_mean(known[:best])), round(_mean(known[best:])))
    return Turn(best, start, known[best - 1], known[best], *means)


def _contrast(values: Sequence[int], cut: int) -> float:
    difference = _mean(values[cut:]) - _mean(values[:cut])
    return difference * difference * cut * (len(values) - cut)


def _is_as_a_week_before(days: Sequence[int], cut: int) -> bool:
    """Return whether the days from a cut on, a week of them at most, are about those of the week before."""
    if cut < _WEEK:
        return False
    now, before = sum(days[cut : cut + _WEEK]), sum(days[cut - _WEEK : len(days) - _WEEK][:_WEEK])
    return abs(now - before) * 100 < TELLING_PERCENT * max(now, before)


def _sharpest(values: Sequence[int], cut: int, *, falling: bool) -> int:
    """The largest step in the direction of the turn, at the cut or beside it."""
    near = [index for index in (cut - 1, cut, cut + 1) if 1 <= index < len(values)]
    direction = -1 if falling else 1
    return max(near, key=lambda index: (direction * (values[index] - values[index - 1]), index == cut))


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)


# ---- breakdowns ----


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label of a breakdown: what was added in the period, or all there ever was."""

    label: str
    count: int
    share: float | None
    comparison: Comparison
    is_new: bool = False
    """True if it was first seen in the period."""
    was: int | None = None
    """The count that it had come to before it vanished; None where it is still there."""


def breakdown(
    tracks: Sequence[Track], name: str, period: Period | None, now: datetime
) -> list[LabelRow] | None:
    """The labels of a breakdown, the largest first and those that vanished last; None where it is not told.

    With a period, counts are what was added in it; without one, all there is.
    """
    told = telling(tracks, name, period, now)
    latest = _summed([track.labels(name, now) for track in told])
    if latest is None:
        return None
    start = _summed([track.labels(name, period.start) for track in told]) if period else None
    rows = [_label_row(tracks, name, label, latest, start, period) for label in {**latest, **(start or {})}]
    whole = sum(row.count for row in rows if row.count > 0)
    rows = [
        LabelRow(
            row.label, row.count, row.count / whole if whole else None, row.comparison, row.is_new, row.was
        )
        for row in rows
    ]
    return sorted(rows, key=lambda row: (row.was is not None, -row.count, row.label))


def telling(tracks: Sequence[Track], name: str, period: Period | None, now: datetime) -> list[Track]:
    """The tracks that tell a breakdown, in a period or at all; its counts are of these alone."""
    return [
        track
        for track in tracks
        if (track.labels(name, now) is not None if period is None else track.tells_in(name, period))
    ]


def _label_row(
    tracks: Sequence[Track],
    name: str,
    label: str,
    latest: dict[str, int],
    start: dict[str, int] | None,
    period: Period | None,
) -> LabelRow:
    was = (start or {}).get(label) if label not in latest else None
    is_new = start is not None and label not in start
    if period is None:
        return LabelRow(label, latest.get(label, 0), None, Comparison(None, None), is_new, was)
    comparison = compared(tracks, (name, label), period)
    count = 0 if was is not None or comparison.now is None else comparison.now.value
    return LabelRow(label, count, None, comparison, is_new, was)


def _summed(counts: Sequence[dict[str, int] | None]) -> dict[str, int] | None:
    told = [one for one in counts if one is not None]
    if not told:
        return None
    labels = dict.fromkeys(label for one in told for label in one)
    return {label: sum(one.get(label, 0) for one in told) for label in labels}
