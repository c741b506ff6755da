"""Readings over time, cut into hours, days and weeks as people cut them. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple, TypeAlias

from linkdash.model.statistics.readings import in_order
from linkdash.store.history import Reading, Total

Step: TypeAlias = Literal["hour", "day", "week"]


class Point(NamedTuple):
    """A value at the beginning of an hour, day or week; None for a time without readings."""

    at: datetime
    value: int | None


def series(readings: Iterable[Reading], name: Total, step: Step, tz: tzinfo) -> list[Point]:
    """The last known value in each hour, day or week of the zone, in the order of time.

    However long nothing was read, one None stands for it. Readings may come in any order, as they do after
    a clock was set back; of two at the same moment the later given counts.
    """
    values = {start: known[-1] for start, known in _buckets(readings, name, step, tz).items()}
    return list(_with_gaps(values, step, tz))


def _buckets(readings: Iterable[Reading], name: Total, step: Step, tz: tzinfo) -> dict[datetime, list[int]]:
    """The known values of each hour, day or week, by its beginning in UTC, all in the order of time."""
    buckets: dict[datetime, list[int]] = {}
    for reading in in_order(readings):
        value = reading.total(name)
        if value is not None:
            start = _STARTS[step](reading.at.astimezone(tz))
            buckets.setdefault(start.astimezone(UTC), []).append(value)
    return buckets


def _with_gaps(values: Mapping[datetime, int], step: Step, tz: tzinfo) -> Iterator[Point]:
    expected: datetime | None = None
    for start, value in values.items():
        if expected is not None and start > expected:
            yield Point(expected.astimezone(tz), None)
        yield Point(start.astimezone(tz), value)
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
