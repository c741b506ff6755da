"""Ticks at round numbers and at round times."""

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeAlias

from linkdash.model.humanize import compact, exact

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 24
_HOURS = (1, 2, 3, 6, 12, _DAY, 2 * _DAY, 3 * _DAY, 7 * _DAY, 14 * _DAY, 28 * _DAY)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 600, 1200)
_WIDEST_EXACT = 9
_ROWS_FOR_A_MIDDLE = 4  # from which on there is a tick between the ends
_LEAST_SPAN = 1e-290  # below it, steps are less than a float can hold


class Tick(NamedTuple):
    """A place on an axis, from 0 to 1, and its label."""

    position: float
    label: str


class Scale(NamedTuple):
    """An axis of numbers along rows: what its lowest and its highest row stand for, and its ticks."""

    low: float
    high: float
    ticks: list[Tick]

    def position(self, value: float) -> float:
        """Return the position of `value` on the axis, from 0 to 1."""
        # Halved, because the distance of two huge ends is more than a float can hold.
        return max(0.0, min(1.0, (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)))


def row_scale(low: float, high: float, rows: int, rows_a_tick: int, *, is_short: bool = False) -> Scale:
    """An axis of `rows` rows with ticks on round numbers, whole rows apart.

    They are `rows_a_tick` apart at least, or as many as leave one between the ends. Of all such axes it is
    the one on which the values take most rows. It begins at zero unless that would press all that happens
    into its outer half. Values on both sides of zero take two rows at least. Where it is short, thousands
    stand on it as `30k`.
    """
    whole = low.is_integer() and high.is_integer()
    if low > 0 and (low <= high / 2 or low == high):
        low = 0.0
    elif high < 0 and (high >= low / 2 or low == high):
        high = 0.0
    if high - low <= max(abs(high) * 1e-9, _LEAST_SPAN):
        high = low + max(1.0, abs(low) / 10)
    fewest = 2 if low < 0 < high or rows >= _ROWS_FOR_A_MIDDLE else 1
    most = max(fewest, rows // rows_a_tick)
    axes = [
        _with_steps(low, high, count, rows // count, _steps(factors, whole))
        for count in range(fewest, most + 1)
        for factors in (_ROUND, _LESS_ROUND)
    ]
    step, each = max(axes, key=_worth)
    first = math.floor(low / step)
    scale = Scale(first * step, (first + rows / each) * step, [])
    values = [(first + number) * step for number in range(rows // each + 1)]
    return scale._replace(
        ticks=[
            Tick(number * each / rows, _thousands(value) if is_short else _written(value))
            for number, value in enumerate(values)
        ]
    )


_NextStep: TypeAlias = Callable[[float], float]


class _Steps(NamedTuple):
    """The numbers and the rows between two ticks."""

    step: float
    each: int


_ROUND, _LESS_ROUND = (1, 2, 2.5, 5), (1, 1.5, 2, 2.5, 3, 5)
"""What a step begins with, and with what besides where that shows the values much larger."""
_WORTH_OF_LESS_ROUND = 0.8  # of rows at the others


def _steps(factors: Sequence[float], whole: bool) -> _NextStep:
    """Return the function that finds the next round step, a whole one where all numbers are."""

    def next_step(step: float) -> float:
        step = max(step, 1.0) if whole else step
        magnitude = 10.0 ** math.floor(math.log10(step))
        usable = (factor * magnitude for factor in (*factors, 10))
        return next(one for one in usable if one >= step * 0.999999 and not (whole and one != round(one)))

    return next_step


def _with_steps(low: float, high: float, count: int, each: int, next_step: _NextStep) -> _Steps:
    """The smallest round step of which `count` reach from below `low` to `high`."""
    step = next_step(high / count - low / count)
    while (math.floor(low / step) + count) * step < high - abs(high) * 1e-12:
        step = next_step(step * 1.01)
    return _Steps(step, each)


def _worth(axis: _Steps) -> float:
    """Return the rows that a number takes on an axis, less where its steps are less round."""
    first = round(axis.step / 10.0 ** math.floor(math.log10(axis.step * 1.000001)), 3)
    return axis.each / axis.step * (1.0 if first in _ROUND else _WORTH_OF_LESS_ROUND)


def _thousands(value: float) -> str:
    """A round number, whole: `2.5k`, `30k`."""
    return f"{value / 1000:g}k" if 1000 <= abs(value) < 1e6 else _written(value)


def _written(value: float) -> str:
    text = exact(value)
    return text if len(text) <= _WIDEST_EXACT else compact(value)


def seconds(moment: datetime) -> float:
    """The seconds from the epoch to `moment`; one without a zone is read as UTC."""
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH).total_seconds()


def time_ticks(start: datetime, end: datetime, count: int) -> list[Tick]:
    """At most `count` ticks between two moments on whole hours, midnights or months of their zone."""
    span = seconds(end) - seconds(start)
    hours = span / 3600 / max(1, count)
    step = next((step for step in _HOURS if step >= hours), None)
    try:
        if step is not None:
            moments = list(_each_hours(start, end, step))
        else:
            months = next((months for months in _MONTHS if months * 30 * _DAY >= hours), _MONTHS[-1])
            moments = list(_each_months(start, end, months))
    except (OverflowError, ValueError):  # the calendar ends with the year 9999
        return []
    ticks = [
        Tick((seconds(moment) - seconds(start)) / span, _moment_label(moment, step)) for moment in moments
    ]
    return [tick for tick in ticks if 0 <= tick.position <= 1]


def _moment_label(moment: datetime, step: int | None) -> str:
    if step is None:
        return f"{moment:%b %Y}"
    if step >= _DAY or moment.hour == 0:
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M}"


def _each_hours(start: datetime, end: datetime, step: int) -> Iterator[datetime]:
    moment = start.replace(hour=0, minute=0, second=0, microsecond=0)
    while moment <= end:
        yield moment
        # Added on the wall clock, so that midnights stay midnights when the clocks change.
        moment += timedelta(hours=step)


def _each_months(start: datetime, end: datetime, step: int) -> Iterator[datetime]:
    moment = start.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
    while moment <= end:
        yield moment
        months = moment.year * 12 + moment.month - 1 + step
        moment = moment.replace(year=months // 12, month=months % 12 + 1)
