"""Any chart as sentences, for a screen reader: every number that is drawn, one thing a line."""

from collections.abc import Iterator

from rich.text import Text

from linkdash.model.statistics.chart_data import (
    NO_STATISTICS,
    Bars,
    ChartData,
    Column,
    Columns,
    Lines,
    MultiBars,
    exact,
    finite,
    label_text,
    share,
    total,
)
from linkdash.widgets.charts.text import PLAIN, Palette, crop

_MOST_POINTS = 60
"""Points of a curve that are said; of more, every second, third, …"""


def spoken_lines(data: ChartData | None) -> list[str]:
    """The chart as lines of text, without its title."""
    match data:
        case Bars():
            said = [*_bars(data)]
        case MultiBars():
            said = [*_rows(data)]
        case Columns():
            said = [*_columns(data)]
        case Lines():
            said = [*_curves(data)]
        case _:
            said = []
    return said or [NO_STATISTICS]


def speak(data: ChartData | None, width: int, palette: Palette = PLAIN) -> tuple[Text, ...]:
    """The same for a widget of so many cells."""
    return tuple(Text(crop(line, width), palette.label) for line in spoken_lines(data))


def _bars(data: Bars) -> Iterator[str]:
    whole = total([value for _, value in data.ranked])
    notes = {note.label: note.text for note in data.notes}
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
    for caption, columns in ((data.caption_before, data.before), (data.caption_now, data.now)):
        yield f"{caption}:"
        yield from map(_column, columns)
    if data.running is not None:
        yield f"{_column(data.running)}, not over yet"


def _column(column: Column) -> str:
    return (
        f"{label_text(column.label)}: {exact(finite(column.value))}{'' if column.is_sure else ', estimated'}"
    )


def _curves(data: Lines) -> Iterator[str]:
    for name, points in data.series:
        if len(data.series) > 1:
            yield f"{label_text(name)}:"
        said = points[:: -(-len(points) // _MOST_POINTS) or 1]
        form = "%a %d %b" if all(at.hour == at.minute == 0 for at, _ in points) else "%a %d %b %H:%M"
        yield from (f"{at:{form}}: {exact(finite(value))}{data.unit}" for at, value in said)
        if len(said) < len(points):
            yield f"{len(said)} of {len(points)} readings"
