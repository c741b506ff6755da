"""Bar charts: ranked bars of one series, and bars of several series side by side."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from linkdash.model.statistics.chart_data import Bars, MultiBars, compact, exact, label_text, share, total
from linkdash.widgets.charts.canvas import Bar, CanvasError, Run, draw_bars
from linkdash.widgets.charts.text import (
    Palette,
    crop,
    drawn,
    first_that_fits,
    flow,
    heading,
    to_left,
    to_right,
)

MOST_SERIES = 6
"""How many series one chart shows, as many as can be told apart."""

_WIDTH_FOR_SHARES = 28
_ROOM_FOR_BARS = 12
_ROOM_FOR_LONG_LABELS = 40
_WIDTH_FOR_GROUPS = 24
_HEIGHT_FOR_TITLE = 3


class _Row(NamedTuple):
    """One row: a label (empty inside a group), the key of its series (empty if there is one), its numbers."""

    label: str
    value: float | None
    share: str = ""
    key: str = ""
    series: int = 0


class _Columns(NamedTuple):
    """The widths of a row's parts in cells; 0 leaves a part out."""

    label: int
    key: int
    bar: int
    number: int
    share: int


def ranked_bars(data: Bars, width: int, height: int, palette: Palette) -> list[Text]:
    """A row for each label, the largest first: label, bar, count, share."""
    items = data.ranked
    whole = _whole([value for _, value in items])
    lines = []
    if data.title and height >= _HEIGHT_FOR_TITLE:
        lines.append(heading(label_text(data.title), exact(total([v for _, v in items])), width, palette))
    count = _how_many(len(items), height - len(lines))
    rows = [_Row(label_text(label), value, share(value, whole)) for label, value in items[:count]]
    lines += _bar_rows(rows, items[0][1], width, palette)
    if count < len(items):
        hidden = [total([value for _, value in items[count:]])]
        lines.append(_rest(len(items) - count, count, hidden, width, palette))
    return lines


def grouped_bars(data: MultiBars, width: int, height: int, palette: Palette) -> list[Text]:
    """A group of rows for each label, one for each series with its share of that series; in a small space
    one row for each label."""
    names = [label_text(name) for name in data.series[:MOST_SERIES]]
    items = [(label, values[:MOST_SERIES]) for label, values in data.ranked]
    sums = [total([values[number] for _, values in items]) for number in range(len(names))]
    lines = []
    if data.title and height >= _HEIGHT_FOR_TITLE:
        lines.append(heading(label_text(data.title), "", width, palette))
    if height - len(lines) >= len(names) + 2:
        lines += legend(names, sums, len(data.series), width, palette)
    room = height - len(lines)
    as_groups = width >= _WIDTH_FOR_GROUPS and room >= len(names) + (len(items) > 1)
    rows_each = len(names) if as_groups else 1
    gap = 1 if as_groups and len(items) * (rows_each + 1) - 1 <= room else 0
    count = _how_many(len(items), room, rows_each + gap, gap)
    if as_groups:
        wholes = [_whole([values[number] for _, values in items]) for number in range(len(names))]
        rows = [row for label, values in items[:count] for row in _group(label_text(label), values, wholes)]
        drawn_rows = _bar_rows(rows, _peak(items), width, palette)
        lines += _spaced(drawn_rows, rows_each) if gap else drawn_rows
    else:
        lines += [_numbers_row(label_text(label), values, width, palette) for label, values in items[:count]]
    if count < len(items):
        hidden = [total([values[number] for _, values in items[count:]]) for number in range(len(names))]
        lines.append(_rest(len(items) - count, count, hidden, width, palette))
    return lines


def legend(
    names: Sequence[str], sums: Sequence[float | None], series: int, width: int, palette: Palette
) -> list[Text]:
    """The key of each series, its name and its sum; and how many of them are not shown."""
    items = []
    for number, (name, value) in enumerate(zip(names, sums, strict=True)):
        written = exact(value)
        room = max(1, min(width, 40) - cell_len(written) - 3)
        key = (f"{number + 1} ", palette.of_series(number))
        items.append(Text.assemble(key, (crop(name, room), palette.label), " ", (written, palette.number)))
    if series > len(names):
        items.append(Text(f"and {series - len(names)} more not shown", palette.note))
    return flow(items, width)


def _whole(values: Sequence[float | None]) -> float | None:
    """What shares are shares of: the sum of what is there."""
    return total([value for value in values if value is None or value > 0])


def _group(label: str, values: Sequence[float | None], wholes: Sequence[float | None]) -> list[_Row]:
    return [
        _Row("" if number else label, value, share(value, wholes[number]), str(number + 1), number)
        for number, value in enumerate(values)
    ]


def _peak(items: Sequence[tuple[str, Sequence[float | None]]]) -> float | None:
    return max((value for _, values in items for value in values if value is not None), default=None)


def _how_many(items: int, room: int, rows_each: int = 1, gap: int = 0) -> int:
    """How many items there is room for, with a row left to name the rest if there is a rest."""
    if items * rows_each - gap <= room:
        return items
    return max(0, (room - 1) // rows_each)


def _spaced(lines: list[Text], rows_each: int) -> list[Text]:
    """The lines with an empty one between groups."""
    spaced: list[Text] = []
    for index, line in enumerate(lines):
        if index and index % rows_each == 0:
            spaced.append(Text())
        spaced.append(line)
    return spaced


def _bar_rows(rows: Sequence[_Row], peak: float | None, width: int, palette: Palette) -> list[Text]:
    if not rows:
        return []
    numbers = [exact(row.value) for row in rows]
    if max(map(len, numbers)) > width // 3:
        numbers = [compact(row.value) for row in rows]
    columns = _columns(rows, numbers, width)
    bars = _drawn_bars(rows, peak, columns.bar)
    return [
        _bar_row(row, number, bar, columns, palette)
        for row, number, bar in zip(rows, numbers, bars, strict=True)
    ]


def _columns(rows: Sequence[_Row], numbers: Sequence[str], width: int) -> _Columns:
    number = max(map(len, numbers))
    key = max(len(row.key) for row in rows)
    share = max(len(row.share) for row in rows) if width >= _WIDTH_FOR_SHARES else 0
    room = width - sum(column + 1 for column in (number, key, share) if column)
    if room < _ROOM_FOR_BARS:
        return _Columns(room, key, 0, number, share)
    label = max(cell_len(row.label) for row in rows)
    label = min(label, room // 2 if room < _ROOM_FOR_LONG_LABELS else room * 2 // 5)
    return _Columns(label, key, room - label - 1, number, share)


def _bar_row(row: _Row, number: str, bar: Sequence[Run], columns: _Columns, palette: Palette) -> Text:
    line = Text(to_left(row.label, columns.label), palette.label)
    if columns.key:
        line.append(" ").append(to_left(row.key, columns.key), palette.of_series(row.series))
    if columns.bar:
        line.append(" ").append_text(drawn(bar, palette))
    line.append(" ").append(to_right(number, columns.number), palette.number)
    if columns.share:
        line.append(" ").append(to_right(row.share, columns.share), palette.note)
    return line


def _drawn_bars(rows: Sequence[_Row], peak: float | None, width: int) -> list[list[Run]]:
    """The bars of the rows against the longest; nothing where there is no room or they cannot be drawn."""
    if width < 1:
        return [[] for _ in rows]
    if not peak or peak < 0:
        return [[(" " * width, None)] for _ in rows]
    try:
        return draw_bars([Bar((row.value or 0) / peak, row.series) for row in rows], width)
    except CanvasError:
        return [[(" " * width, None)] for _ in rows]


def _numbers_row(label: str, values: Sequence[float | None], width: int, palette: Palette) -> Text:
    room = max(width // 2, width - cell_len(label) - 1)
    numbers = first_that_fits([_joined(values, exact), _joined(values, compact)], room)
    return heading(label, numbers, width, palette)


def _rest(items: int, shown: int, hidden: Sequence[float | None], width: int, palette: Palette) -> Text:
    """The row that names what there was no room for."""
    words = f"and {items:,} more" if shown else f"{items:,} in all"
    texts = [f"{words}: {_joined(hidden, exact)}", f"{words}: {_joined(hidden, compact)}"]
    texts += [f"+{items:,}: {_joined(hidden, compact)}", f"+{items:,} more", f"+{compact(items)}"]
    return Text(first_that_fits(texts, width), palette.note)


def _joined(values: Sequence[float | None], written: Callable[[float | None], str]) -> str:
    return " · ".join(map(written, values))
