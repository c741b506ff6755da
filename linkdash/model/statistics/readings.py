"""Readings of a QR code that can be kept, cut into time and compared. Pure.

(Reference: QR code.) Totals can fall, because services forget what is old; readings and parts of them can be
missing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple, TypeAlias

from linkdash.api.fields import Kind, fields_of
from linkdash.api.records import as_sent
from linkdash.api.resources.qr import QrCode, QrReading, Statistics
from linkdash.model.humanize import exact
from linkdash.store.reading import TOTALS, Reading, Total

# ---- readings ----

BREAKDOWN_TITLES = {field.name: field.title for field in fields_of(Statistics) if field.kind is Kind.NESTED}
"""The breakdowns of statistics with their titles, in the order they are shown."""

_TITLES = {field.name: field.title for field in (*fields_of(Statistics), *fields_of(QrCode))}
TOTAL_TITLES: dict[Total, str] = {
    "clicks": _TITLES["clicks"],
    "unique": _TITLES["unique_clicks"],
    "scans": _TITLES["scans"],
}
"""The totals with their titles, in the order they are shown."""


def reading_of(answer: QrReading, at: datetime) -> Reading | None:
    """The numbers in an answer that came at `at`; None where it holds none at all.

    A total or a breakdown that the service did not say is missing, which is not zero.
    """
    code, statistics = answer.code, None if answer.statistics is None else as_sent(answer.statistics)
    scans = code.scans
    at = at.replace(microsecond=0)  # as the history keeps it
    if statistics is None:
        return None if scans is None else Reading(at, scans=scans)
    said = [name for name in BREAKDOWN_TITLES if name in statistics.model_fields_set]
    breakdowns = {name: dict(getattr(statistics, name)) for name in said}
    reading = Reading(at, statistics.clicks, statistics.unique_clicks, scans, breakdowns)
    return reading if has_statistics(reading) or scans is not None else None


def scans_of(codes: Iterable[QrCode], at: datetime) -> dict[int, list[Reading]]:
    """Return what a page of the list tells, as readings."""
    return {code.id: [Reading(at, scans=code.scans)] for code in codes if code.scans is not None}


def has_statistics(reading: Reading | None) -> bool:
    """Return whether a reading says more than the list of codes does, which tells scans only."""
    return reading is not None and not reading.tells_scans_only


def ratio(part: int | None, whole: int | None) -> float | None:
    """Return how much of `whole` is `part`; None where either is not known or there is no whole."""
    return None if part is None or not whole else part / whole


class InAll(NamedTuple):
    """A total as the latest readings of some codes tell it together."""

    value: int | None
    """None where none of them tells it."""
    told: int
    """The number of codes that tell it."""
    codes: int

    @property
    def reach(self) -> str:
        """`1 of 9 codes`, where some of them do not tell it."""
        return f"{self.told:,} of {self.codes:,} codes" if 0 < self.told < self.codes else ""

    def __str__(self) -> str:
        return f"≥{exact(self.value)}" if self.reach else exact(self.value)


def in_all(latest: Sequence[Reading | None]) -> dict[Total, InAll]:
    """Return what each total had come to; `latest` is a reading of each code, None where there is none."""
    found = dict[Total, InAll]()
    for name in TOTAL_TITLES:
        told = [value for one in latest if one is not None and (value := one.total(name)) is not None]
        found[name] = InAll(sum(told) if told else None, len(told), len(latest))
    return found


def in_order(readings: Iterable[Reading]) -> list[Reading]:
    """The readings in the order of time, one a moment.

    Of several the one given last counts, but none that tells scans only takes the place of a full one.
    """
    by_moment: dict[datetime, Reading] = {}
    for reading in readings:
        moment = reading.at.astimezone(UTC)
        known = by_moment.get(moment)
        if known is None or known.tells_scans_only or not reading.tells_scans_only:
            by_moment[moment] = reading
    return [by_moment[moment] for moment in sorted(by_moment)]


def latest(readings: Sequence[Reading]) -> Reading | None:
    """The newest of readings in order that tells more than scans, else the newest."""
    telling = (reading for reading in reversed(readings) if not reading.tells_scans_only)
    return next(telling, readings[-1] if readings else None)


# ---- cut into hours, days and weeks ----

Step: TypeAlias = Literal["hour", "day", "week"]


class Point(NamedTuple):
    """A value at the moment it was read; None from the beginning of a time without readings."""

    at: datetime
    value: int | None


def series(readings: Iterable[Reading], name: Total, step: Step, tz: tzinfo) -> list[Point]:
    """The last known value in each hour, day or week of the zone, when it was read, in the order of time.

    However long nothing was read, one None stands for it. Readings may come in any order, as they do after
    a clock was set back; of two at the same moment the later given counts.
    """
    return list(_with_gaps(_last_of_each(readings, name, step, tz), step, tz))


def _last_of_each(readings: Iterable[Reading], name: Total, step: Step, tz: tzinfo) -> dict[datetime, Point]:
    """The last known value of each hour, day or week, by its beginning in UTC, in the order of time."""
    points: dict[datetime, Point] = {}
    for reading in in_order(readings):
        value = reading.total(name)
        if value is not None:
            moment = reading.at.astimezone(tz)
            points[_STARTS[step](moment).astimezone(UTC)] = Point(moment, value)
    return points


def _with_gaps(points: Mapping[datetime, Point], step: Step, tz: tzinfo) -> Iterator[Point]:
    expected: datetime | None = None
    for start, point in points.items():
        if expected is not None and start > expected:
            yield Point(expected.astimezone(tz), None)
        yield point
        expected = _next_start(start, step, tz)


def _hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def _week(moment: datetime) -> datetime:
    return _day(moment - timedelta(days=moment.weekday()))


_STARTS: dict[Step, Callable[[datetime], datetime]] = {"hour": _hour, "day": _day, "week": _week}
# Longer than any one of them, however the clocks change, and shorter than two.
_PAST_ONE = {"hour": timedelta(minutes=90), "day": timedelta(hours=36), "week": timedelta(days=10)}


def start_of(step: Step, moment: datetime, tz: tzinfo, back: int = 0) -> datetime:
    """The beginning of the hour, day or week that a moment is in, or of the one `back` steps before."""
    start = _STARTS[step](moment.astimezone(tz))
    if step == "hour":
        return (start.astimezone(UTC) - timedelta(hours=back)).astimezone(tz)
    # Counted on the wall clock, so that midnights stay midnights when the clocks change.
    return start - timedelta(days=back * (7 if step == "week" else 1))


def cut(start: datetime, end: datetime, step: Step, tz: tzinfo) -> list[datetime]:
    """`start`, every beginning of an hour, day or week between, and `end`."""
    marks = [start.astimezone(tz)]
    following = _next_start(start_of(step, start, tz), step, tz)
    while following < end:
        marks.append(following.astimezone(tz))
        following = _next_start(following, step, tz)
    return [*marks, end.astimezone(tz)]


def _next_start(start: datetime, step: Step, tz: tzinfo) -> datetime:
    """The beginning of the next hour, day or week, in UTC."""
    return _STARTS[step]((start + _PAST_ONE[step]).astimezone(tz)).astimezone(UTC)


# ---- from one reading to another ----

RETENTION = "A falling number usually means that the service dropped its oldest entries (retention)."


class Delta(NamedTuple):
    """A number before and after; None where it was not there."""

    before: int | None
    after: int | None

    @property
    def by(self) -> int:
        """Return what was added, negative for a drop; what was not there counts as nothing."""
        return (self.after or 0) - (self.before or 0)

    def words(self) -> str:
        """The delta for the user: "+12", "−3, dropped", "unchanged"."""
        if self.by < 0:
            return f"−{-self.by:,}, dropped"
        return f"+{self.by:,}" if self.by else "unchanged"


@dataclass(frozen=True, slots=True)
class ReadingChange:
    """The change between two readings."""

    before: Reading
    after: Reading

    def total(self, name: Total) -> Delta | None:
        """The change of a total; None unless both readings have it."""
        delta = Delta(self.before.total(name), self.after.total(name))
        return None if None in delta else delta

    def labels(self, breakdown: str) -> dict[str, Delta]:
        """The change of each label, unchanged ones too; nothing unless both readings have the breakdown."""
        before, after = self.before.breakdowns.get(breakdown), self.after.breakdowns.get(breakdown)
        if before is None or after is None:
            return {}
        return {label: Delta(before.get(label), after.get(label)) for label in {**before, **after}}

    @property
    def breakdowns(self) -> list[str]:
        """The breakdowns that both readings have."""
        return [name for name in self.after.breakdowns if name in self.before.breakdowns]

    @property
    def is_nothing(self) -> bool:
        """Return whether every number that both readings have is the same."""
        return all(delta.before == delta.after for delta in self._deltas())

    def _deltas(self) -> Iterator[Delta]:
        for name in TOTALS:
            if delta := self.total(name):
                yield delta
        for breakdown in self.breakdowns:
            yield from self.labels(breakdown).values()


def has_news(before: Reading | None, after: Reading | None) -> bool:
    """Return whether a reading says anything that the one before it did not."""
    if before is None or after is None:
        return before is not after
    return not ReadingChange(before, after).is_nothing
