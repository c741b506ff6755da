"""Time series: a curve for each series over one axis of time."""

from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import mean
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from linkdash.model.humanize import UNKNOWN, exact
from linkdash.model.statistics.chart_data import CurveChart, Number, finite, label_text
from linkdash.widgets.charts.chart_text import SIGNS, Palette, crop, drawn, flow, heading
from linkdash.widgets.charts.grouped_bars import MOST_SERIES
from linkdash.widgets.charts.plotext_curves import CanvasError, Point, Run, draw_curves, row_from_below
from linkdash.widgets.charts.scale import Tick, row_scale, seconds, time_ticks
from linkdash.widgets.styled_text import fit_text

_WIDTH_FOR_CURVES = 20
_WIDTH_FOR_LAST_VALUES = 60
_HEIGHT_FOR_CURVES = 4
_HEIGHT_FOR_TITLE = 3
_CELLS_A_TICK = 12
_ROWS_A_TICK = 2
_WIDEST_LEGEND = 48
_SHORTEST_NAME = 4
_TOO_NEAR = "no curve yet: it needs readings further apart"


class _Series(NamedTuple):
    """A series in the order of time, with what is known of it."""

    name: str
    points: list[tuple[datetime, float | None]]
    known: list[float]


def curves(data: CurveChart, width: int, height: int, palette: Palette) -> list[Text]:
    """Each series in words (its last value, its change) and, where there is room, as a curve."""
    series = [_cleaned(name, points) for name, points in data.series[:MOST_SERIES]]
    lines = []
    if data.title and height >= _HEIGHT_FOR_TITLE:
        lines.append(heading(label_text(data.title), "", width, palette))
    if data.has_legend:
        lines += _legend(series, len(data.series), width, palette)
    room = height - len(lines)
    moments = [moment for one in series for moment, value in one.points if value is not None]
    start, end = min(moments, key=seconds), max(moments, key=seconds)
    if start == end:
        return [*lines, Text(crop(_TOO_NEAR, width), palette.note)]
    if data.start is not None:
        start = min(start, data.start, key=seconds)
    try:
        if width < _WIDTH_FOR_CURVES or room < _HEIGHT_FOR_CURVES:
            raise CanvasError("too small a space")
        return lines + _plot(series, start, end, width, room, palette, data.unit)
    except CanvasError:
        return lines + _ranges(series, start, end, width, palette)


def _cleaned(name: str, points: Sequence[tuple[datetime, Number]]) -> _Series:
    clean = [
        (moment if moment.tzinfo else moment.replace(tzinfo=UTC), finite(value)) for moment, value in points
    ]
    clean.sort(key=lambda point: seconds(point[0]))
    return _Series(label_text(name), clean, [value for _, value in clean if value is not None])


def _legend(series: Sequence[_Series], count: int, width: int, palette: Palette) -> list[Text]:
    items = []
    for number, one in enumerate(series):
        value = exact(one.known[-1]) if one.known else UNKNOWN
        change = _changed(one.known) if len(one.known) > 1 else ""
        mark = f"{SIGNS[number]} " if len(series) > 1 else ""
        room = min(width, _WIDEST_LEGEND) - cell_len(f"{mark} {value}{change}")
        if room < min(cell_len(one.name), _SHORTEST_NAME):
            change = ""
            room = max(1, width - cell_len(f"{mark} {value}"))
        items.append(
            Text.assemble(
                (mark, palette.of_series(number)),
                (crop(one.name, room), palette.label),
                " ",
                (value, palette.number),
                (change, palette.note),
            )
        )
    if count > len(series):
        items.append(Text(f"and {count - len(series)} more not shown", palette.note))
    return flow(items, width)


def _changed(values: Sequence[float]) -> str:
    """The last of some values against the first."""
    change = values[-1] - values[0]
    if change == 0:
        return " (unchanged)" if min(values) == max(values) else " (as at first)"
    return f" (+{exact(change)})" if change > 0 else f" (−{exact(-change)})"


def _ranges(
    series: Sequence[_Series], start: datetime, end: datetime, width: int, palette: Palette
) -> list[Text]:
    """Return what the curves would have shown, in words."""
    words = [
        f"{one.name}: lowest {exact(min(one.known))}, highest {exact(max(one.known))}"
        for one in series
        if one.known
    ]
    words.append(f"from {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}")
    return [Text(crop(line, width), palette.note) for line in words]


def _plot(
    series: Sequence[_Series],
    start: datetime,
    end: datetime,
    width: int,
    height: int,
    palette: Palette,
    unit: str,
) -> list[Text]:
    values = [value for one in series for value in one.known]
    rows = height - 1  # the lowest is the axis, with what lies on it
    scale = row_scale(min(values), max(values), rows - 1, _ROWS_A_TICK)
    span = seconds(end) - seconds(start)
    marks = {round((1 - tick.position) * (rows - 1)): f"{tick.label}{unit}" for tick in scale.ticks}
    left = max(map(cell_len, marks.values()))
    ends = [
        (number, scale.position(one.known[-1]))
        for number, one in enumerate(series)
        if one.known and len(series) > 1
    ]
    last = {number: f" {exact(round(series[number].known[-1]))}{unit}" for number, _ in ends}
    if width < _WIDTH_FOR_LAST_VALUES or len(ends) > rows:
        last = dict.fromkeys(last, "")
    signs = 1 + -(-len(ends) // rows) + max(map(cell_len, last.values())) if ends else 0
    room = width - left - 1 - signs
    shown = []
    for one in series:
        points = [
            ((seconds(moment) - seconds(start)) / span, None if value is None else scale.position(value))
            for moment, value in one.points
        ]
        shown.append(_thinned([point for point in points if 0 <= point[0] <= 1], room))
    ticks = _placed(time_ticks(start, end, room // _CELLS_A_TICK), room)
    canvas = draw_curves(shown, room, rows)
    canvas[-1] = _with_axis(canvas[-1], [x for x, _, _ in ticks])
    lines = []
    for row, runs in enumerate(canvas):
        edge = "└" if row == rows - 1 else "┤" if row in marks else "│"
        label = Text(f"{fit_text(marks.get(row, ''), left, 'right')}{edge}", palette.frame)
        lines.append(Text.assemble(label, drawn(runs, palette)))
    for row, numbers in _signs_by_row(ends, rows).items():
        lines[row].append(" ")
        for number in numbers:
            lines[row].append(f"{SIGNS[number]}{last[number]}", palette.of_series(number))
    below = Text(" " * (left + 1))
    for _, begin, label_of_time in ticks:
        below.append(" " * (left + 1 + begin - below.cell_len))
        below.append(label_of_time, palette.frame)
    return [*lines, below]


def _placed(ticks: Sequence[Tick], room: int) -> list[tuple[int, int, str]]:
    """Of each tick that there is room for: its cell, the cell in which its label begins, and the label."""
    placed, free = [], 0
    for tick in ticks:
        x, width = round(tick.position * (room - 1)), cell_len(tick.label)
        begin = max(0, min(room - width, x - width // 2))
        if begin >= free:
            placed.append((x, begin, tick.label))
            free = begin + width + 1
    return placed


def _with_axis(runs: Sequence[Run], ticks: Sequence[int]) -> list[Run]:
    """The lowest row of a canvas with the line of the axis wherever no curve lies on it."""
    found: list[Run] = []
    x = 0
    for text, series in runs:
        if text.strip():
            found.append((text, series))
        else:
            found.append(("".join("┬" if x + at in ticks else "─" for at in range(len(text))), None))
        x += len(text)
    return found


def _signs_by_row(ends: Sequence[tuple[int, float]], rows: int) -> dict[int, list[int]]:
    """The series whose signs stand in each of the upper `rows`, from their numbers and where they end.

    A sign stands beside the end of its curve. Where ends crowd, the signs spread around them in the order of
    the ends; where there are more of them than rows, several share one.
    """
    from_the_top = sorted(ends, key=lambda end: -end[1])
    if len(ends) > rows:
        places = [number * rows // len(ends) for number in range(len(ends))]
    else:
        places = _spread([_row_of(position, rows) for _, position in from_the_top], rows)
    signs: dict[int, list[int]] = {}
    for row, (number, _) in zip(places, from_the_top, strict=True):
        signs.setdefault(row, []).append(number)
    return signs


def _row_of(position: float, rows: int) -> int:
    """The row that a curve is drawn in at a position."""
    return rows - 1 - row_from_below(position, rows)


def _spread(wanted: Sequence[int], rows: int) -> list[int]:
    """A row of its own for each of some wanted rows, in their order and as near to them as can be."""
    crowds: list[list[int]] = []
    for number, row in enumerate(wanted):
        # With its number taken off, a row may be that of its neighbour, but not above it.
        crowds.append([row - number])
        while len(crowds) > 1 and mean(crowds[-2]) > mean(crowds[-1]):
            last = crowds.pop()
            crowds[-1] += last
    lowest = rows - len(wanted)
    firsts = [max(0, min(lowest, round(mean(crowd)))) for crowd in crowds for _ in crowd]
    return [first + number for number, first in enumerate(firsts)]


def _thinned(points: Sequence[tuple[float, float | None]], columns: int) -> list[Point | None]:
    """The points that make the same picture: of each column the first, lowest, highest and last.

    A gap stays where a whole column says nothing, or where the points are few enough to keep them all.
    """
    if len(points) <= 4 * columns:
        return [None if y is None else (x, y) for x, y in points]
    cells: dict[int, list[Point]] = {}
    for x, y in points:
        cell = cells.setdefault(int(x * columns), [])
        if y is not None:
            cell.append((x, y))
    thinned: list[Point | None] = []
    for cell in cells.values():
        if not cell:
            thinned.append(None)
        else:
            lowest, highest = min(cell, key=_height), max(cell, key=_height)
            thinned += sorted({cell[0], lowest, highest, cell[-1]})
    return thinned


def _height(point: Point) -> float:
    return point[1]
