"""A chart drawn in lines."""

from functools import lru_cache

from rich.text import Text

from linkdash.model.statistics.chart_data import (
    NO_STATISTICS,
    Bars,
    ChartData,
    Columns,
    CurveChart,
    MultiBars,
    finite,
    label_text,
)
from linkdash.widgets.charts.chart_text import PLAIN, Palette, crop, fit
from linkdash.widgets.charts.curves import curves
from linkdash.widgets.charts.grouped_bars import grouped_bars, grouped_height
from linkdash.widgets.charts.period_columns import period_columns
from linkdash.widgets.charts.ranked_bars import ranked_bars

MOST_ROWS = 200
"""The rows a chart grows to; what is past them is counted in its last row."""

_DRAWINGS_KEPT = 128


@lru_cache(maxsize=_DRAWINGS_KEPT)
def draw_chart(data: ChartData | None, width: int, height: int, palette: Palette = PLAIN) -> tuple[Text, ...]:
    """`height` lines of exactly `width` cells; never fails, whatever the numbers and labels are.

    The lines are shared with later callers: do not change them. Without colors, `line.plain` is the chart.
    It can take 100 ms: not for an event loop.
    """
    if width < 1 or height < 1:
        return ()
    if data is None or is_empty(data):
        lines = _nothing(data, width, height, palette)
    elif isinstance(data, Bars):
        lines = ranked_bars(data, width, height, palette)
    elif isinstance(data, MultiBars):
        lines = grouped_bars(data, width, height, palette)
    elif isinstance(data, Columns):
        lines = period_columns(data, width, height, palette)
    else:
        lines = curves(data, width, height, palette)
    lines = lines[:height] + [Text()] * (height - len(lines))
    return tuple(fit(line, width) for line in lines)


def is_empty(data: ChartData) -> bool:
    """Return whether there is nothing to show, which is not the same as zeros."""
    match data:
        case Bars(items=items):
            return not items
        case MultiBars(series=series, rows=rows):
            return not series or all(finite(value) is None for _, values in rows for value in values)
        case Columns(before=before, now=now):
            return all(finite(column.value) is None for column in (*before, *now))
        case CurveChart(series=series):
            return all(finite(value) is None for _, points in series for _, value in points)


def natural_height(data: ChartData | None, width: int) -> int:
    """The rows a chart of so many cells would like to have, at most `MOST_ROWS`.

    A time series takes what there is.
    """
    if data is None or is_empty(data):
        return 1
    match data:
        case Bars(title=title, items=items):
            return min(MOST_ROWS, bool(title) + len(items))
        case MultiBars(title=title):
            return min(MOST_ROWS, bool(title) + grouped_height(data, width))
        case _:
            return 1


def _nothing(data: ChartData | None, width: int, height: int, palette: Palette) -> list[Text]:
    lines = [Text(crop(_words_for_nothing(data), width), palette.note)]
    if data is not None and data.title and height > 1:
        lines.insert(0, Text(crop(label_text(data.title), width), palette.title))
    return lines


def _words_for_nothing(data: ChartData | None) -> str:
    return data.if_empty if isinstance(data, MultiBars | CurveChart) else NO_STATISTICS
