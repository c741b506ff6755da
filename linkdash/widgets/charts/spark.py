"""A row of numbers in as many cells."""

from collections.abc import Sequence

from linkdash.model.statistics.chart_data import Number, finite

_LEVELS = "▁▂▃▄▅▆▇"  # never a full block: neighbouring rows must not melt into one
_UNKNOWN = " "


def sparkline(values: Sequence[Number], width: int = 0) -> str:
    """A cell a value, from 0 to the largest of them; a blank where nothing is known.

    With a `width`, neighbours are added up where there are more values than cells.
    """
    each = -(-len(values) // width) if width else 1
    grouped = [_sum(values[start : start + each]) for start in range(0, len(values), max(1, each))]
    peak = max((value for value in grouped if value is not None), default=0)
    return "".join(_level(value, peak) for value in grouped)


def _sum(values: Sequence[Number]) -> float | None:
    known = [value for one in values if (value := finite(one)) is not None]
    return sum(known) if known else None


def _level(value: float | None, peak: float) -> str:
    if value is None:
        return _UNKNOWN
    if peak <= 0 or value <= 0:
        return _LEVELS[0]
    return _LEVELS[round(value / peak * (len(_LEVELS) - 1))]
