"""A chart drawn in lines, or told in words."""

from collections.abc import Iterator
from functools import lru_cache
from textwrap import wrap

from rich.text import Text

from linkdash.model.humanize import exact, share
from linkdash.model.statistics.chart_data import (
    NO_STATISTICS,
    Bars,
    ChartColumn,
    ChartData,
    Columns,
    CurveChart,
    MultiBars,
    finite,
    label_text,
    total,
)
from linkdash.widgets.charts.chart_text import PLAIN, Palette, crop, fit
from linkdash.widgets.charts.curves import curves
from linkdash.widgets.charts.grouped_bars import grouped_bars, grouped_height
from linkdash.widgets.charts.period_columns import period_columns
from linkdash.widgets.charts.ranked_bars import ranked_bars

# ---- as lines ----

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


# ---- in sentences ----

_MOST_POINTS = 60
"""Points of a curve that are said; of more, every second, third, …"""


def spoken_lines(data: ChartData | None) -> list[str]:
    """The chart as lines of text, without its title."""
    if data is None or is_empty(data):
        return [_words_for_nothing(data)]
    match data:
        case Bars():
            return [*_bars(data)]
        case MultiBars():
            return [*_rows(data)]
        case Columns():
            return [*_columns(data)]
        case CurveChart():
            return [*_curves(data)]


def speak(data: ChartData | None, width: int) -> tuple[Text, ...]:
    """The same for a widget of so many cells; what is longer goes on below."""
    lines = (part for line in spoken_lines(data) for part in wrap(line, max(1, width)))
    return tuple(Text(crop(line, width), PLAIN.label) for line in lines)


def _bars(data: Bars) -> Iterator[str]:
    whole = total([value for _, value in data.ranked])
    notes = {note.label: f"{note.text}{note.more}" for note in data.notes}
    for label, value in data.ranked:
        facts = (exact(value), share(value, whole), notes.get(label, ""))
        yield f"{label_text(label)}: {', '.join(filter(None, facts))}"


def _rows(data: MultiBars) -> Iterator[str]:
    sums = [total([values[at] for _, values in data.ranked]) for at in range(len(data.series))]
    for label, values in data.ranked:
        facts = (
            f"{label_text(name)} {_value(data, value, whole)}"
            for name, value, whole in zip(data.series, values, sums, strict=True)
        )
        yield f"{label_text(label)}: {', '.join(facts)}"


def _value(data: MultiBars, value: float | None, whole: float | None) -> str:
    if data.by_share:
        return share(value, whole)
    return f"{exact(value)} %" if data.is_change and value is not None else exact(value)


def _columns(data: Columns) -> Iterator[str]:
    yield from data.notes
    for caption, shown in ((data.caption_before, data.before), (data.caption_now, data.now)):
        if shown:
            yield caption
        yield from map(_column, shown)
    if data.running is not None:
        yield f"{_column(data.running)}, not over yet"


def _column(column: ChartColumn) -> str:
    return (
        f"{label_text(column.label)}: {exact(finite(column.value))}{'' if column.is_sure else ', estimated'}"
    )


def _curves(data: CurveChart) -> Iterator[str]:
    for name, points in data.series:
        if len(data.series) > 1:
            yield f"{label_text(name)}:"
        said = points[:: -(-len(points) // _MOST_POINTS) or 1]
        form = "%a %d %b" if all(at.hour == at.minute == 0 for at, _ in points) else "%a %d %b %H:%M"
        yield from (f"{at:{form}}: {exact(finite(value))}{data.unit}" for at, value in said)
        if len(said) < len(points):
            yield f"{len(said)} of {len(points)} readings"
