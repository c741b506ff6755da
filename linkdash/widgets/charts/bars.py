"""Bar charts: ranked bars of one series, and bars of several series side by side."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from linkdash.model.humanize import compact, exact, share
from linkdash.model.statistics.chart_data import Bars, MultiBars, Note, label_text, total
from linkdash.widgets.charts.canvas import (
    SIGNS,
    Palette,
    crop,
    first_that_fits,
    heading,
    to_left,
    to_right,
)

MOST_SERIES = 6
"""How many series one chart shows, as many as can be told apart."""

_WIDTH_FOR_SHARES = 20
_WIDTH_FOR_NUMBERS = 30
_WIDTH_FOR_NOTES = 36
_ROOM_FOR_BARS = 12
_ROOM_FOR_LONG_LABELS = 40
_LONG_LABEL, _SHORT_BAR = 24, 8
_WIDTH_FOR_GROUPS = 24
_HEIGHT_FOR_TITLE = 3


BAR = "▆"
"""What bars are made of: a quarter of a row stays open, so that neighbours never melt into one block."""


class _Row(NamedTuple):
    """One row: its label (empty inside a group), the sign of its series if there are several, its numbers."""

    label: str
    value: float | None
    share: str = ""
    key: str = ""
    series: int = 0
    note: Note | None = None
    number: str = ""
    """How the value is written; empty for a count."""
    is_strong: bool = False


class _Columns(NamedTuple):
    """The widths of a row's parts in cells; 0 leaves a part out."""

    label: int
    key: int
    bar: int
    number: int
    share: int
    note: int


def ranked_bars(data: Bars, width: int, height: int, palette: Palette) -> list[Text]:
    """A row for each label, the largest first: label, bar, count, share."""
    items = data.ranked
    whole = _whole([value for _, value in items])
    lines = []
    if data.title and height >= _HEIGHT_FOR_TITLE:
        lines.append(heading(label_text(data.title), exact(total([v for _, v in items])), width, palette))
    count = _how_many(len(items), height - len(lines))
    notes = {note.label: note for note in data.notes}
    rows = [
        _Row(label_text(label), value, share(value, whole), series=data.hue, note=notes.get(label))
        for label, value in items[:count]
    ]
    lines += _bar_rows(rows, items[0][1], width, palette)
    if count < len(items):
        hidden = [total([value for _, value in items[count:]])]
        lines.append(_rest(len(items) - count, count, hidden, width, palette))
    return lines


def grouped_bars(data: MultiBars, width: int, height: int, palette: Palette) -> list[Text]:
    """A group of rows for each label, one for each series; in a small space one row for each label.

    Where bars are shares, the largest difference between series is what stands out.
    """
    names = [label_text(name) for name in data.series[:MOST_SERIES]]
    items = [(label, values[:MOST_SERIES]) for label, values in data.ranked]
    lines = []
    if data.title and height >= _HEIGHT_FOR_TITLE:
        lines.append(heading(label_text(data.title), "", width, palette))
    room = height - len(lines)
    as_groups = width >= _WIDTH_FOR_GROUPS and room >= len(items) * len(names)
    count = _how_many(len(items), room, len(names) if as_groups else 1)
    wholes = [_whole([values[number] for _, values in items]) for number in range(len(names))]
    groups = [_group(data, label, values, wholes) for label, values in items]
    if as_groups:
        rows = [row for group in groups[:count] for row in group]
        peak = max(
            (abs(row.value) for group in groups for row in group if row.value is not None), default=None
        )
        lines += _bar_rows(rows, peak, width, palette)
    else:
        lines += _matrix(groups[:count], width, palette)
    if count < len(items):
        hidden = [total([values[number] for _, values in items[count:]]) for number in range(len(names))]
        lines.append(_rest(len(items) - count, count, [] if data.is_change else hidden, width, palette))
    if len(data.series) > MOST_SERIES and len(lines) < height:
        words = f"and {len(data.series) - MOST_SERIES} more not shown"
        lines.append(Text(crop(words, width), palette.note))
    return lines


def _whole(values: Sequence[float | None]) -> float | None:
    """What shares are shares of: the sum of what is there."""
    return total([value for value in values if value is None or value > 0])


_TELLING_POINTS = 15
"""Points between the shares of two series from which on the larger one stands out."""


def _group(
    data: MultiBars, label: str, values: Sequence[float | None], wholes: Sequence[float | None]
) -> list[_Row]:
    shares = [
        value / whole * 100 if value is not None and whole else None
        for value, whole in zip(values, wholes, strict=True)
    ]
    known = [one for one in shares if one is not None]
    differs = data.by_share and bool(known) and max(known) - min(known) >= _TELLING_POINTS
    rows = []
    for number, value in enumerate(values):
        written = _percent(value) if data.is_change else share(value, wholes[number]) if data.by_share else ""
        shown = shares[number] if data.by_share else value
        beside = "" if data.by_share or data.is_change else share(value, wholes[number])
        is_strong = differs and shares[number] == max(known)
        row = _Row(
            "" if number else label_text(label),
            shown,
            beside,
            SIGNS[number],
            number,
            number=written,
            is_strong=is_strong,
        )
        rows.append(row)
    return rows


def _percent(value: float | None) -> str:
    if value is None:
        return exact(value)
    return f"{'▲' if value > 0 else '▼' if value < 0 else '='} {exact(abs(value))} %"


def _matrix(groups: Sequence[Sequence[_Row]], width: int, palette: Palette) -> list[Text]:
    """A row a label: the sign and the number of each series, with a small bar where there is room."""
    if not groups:
        return []
    needed = max(cell_len(group[0].label) for group in groups)
    count = len(groups[0])
    numbers = [[row.number or exact(row.value) for row in group] for group in groups]
    if width - count * (_widest(numbers) + _SIGN) < min(needed, width // 3):
        numbers = [[row.number.removesuffix(" %") or compact(row.value) for row in group] for group in groups]
    widest = _widest(numbers)
    label = max(1, min(needed, width - count * (widest + _SIGN)))
    each = (width - label) // count - 1
    bar = min(12, each - widest - 4)
    peak = max((abs(row.value) for group in groups for row in group if row.value is not None), default=0)
    lines = []
    for group, written in zip(groups, numbers, strict=True):
        line = Text(to_left(group[0].label, label), palette.label)
        for row, number in zip(group, written, strict=True):
            line.append(f" {row.key} ", palette.of_series(row.series))
            if bar >= _LEAST_MINI_BAR:
                length = _length(row.value, peak, bar)
                line.append(to_left(MINI_BAR * length, bar), palette.of_series(row.series))
                line.append(" ")
            line.append(to_right(number, widest), palette.number if row.is_strong else palette.note)
        lines.append(line)
    return lines


def _widest(numbers: Sequence[Sequence[str]]) -> int:
    return max(len(number) for row in numbers for number in row)


_SIGN = 3
"""Cells that the sign of a series takes."""
MINI_BAR = "━"
_LEAST_MINI_BAR = 4


def _how_many(items: int, room: int, rows_each: int = 1, gap: int = 0) -> int:
    """How many items there is room for, with a row left to name the rest if there is a rest."""
    if items * rows_each - gap <= room:
        return items
    return max(0, (room - 1) // rows_each)


def _bar_rows(rows: Sequence[_Row], peak: float | None, width: int, palette: Palette) -> list[Text]:
    if not rows:
        return []
    numbers = [row.number or exact(row.value) for row in rows]
    if max(map(len, numbers)) > width // 3:
        numbers = [row.number or compact(row.value) for row in rows]
    columns = _columns(rows, numbers, width)
    return [
        _bar_row(row, number, _length(row.value, peak, columns.bar), columns, palette)
        for row, number in zip(rows, numbers, strict=True)
    ]


def _columns(rows: Sequence[_Row], numbers: Sequence[str], width: int) -> _Columns:
    """The label first, then the bar; in a small space the number goes before the share does."""
    number = max(map(len, numbers))
    key = max(len(row.key) for row in rows)
    share = max(len(row.share) for row in rows)
    note = max((cell_len(row.note.text) for row in rows if row.note and row.value), default=0)
    if share and width < _WIDTH_FOR_NUMBERS:
        number = 0
    if width < _WIDTH_FOR_SHARES:
        number, share = max(map(len, numbers)), 0
    if width < _WIDTH_FOR_NOTES:
        note = 0
    room = width - sum(column + 1 for column in (number, key, share, note) if column)
    if room < _ROOM_FOR_BARS:
        return _Columns(room, key, 0, number, share, note)
    label = max(cell_len(row.label) for row in rows)
    least = room // 2 if room < _ROOM_FOR_LONG_LABELS else room * 2 // 5
    label = min(label, max(least, min(_LONG_LABEL, room - _SHORT_BAR)))
    return _Columns(label, key, room - label - 1, number, share, note)


def _length(value: float | None, peak: float | None, width: int) -> int:
    """The cells of a bar against the longest; whatever is not 0 is seen."""
    if not value or not peak or peak < 0 or width < 1:
        return 0
    share = min(1.0, abs(value) / peak)
    return max(1, round(share * width)) if share == share else 1


def _bar_row(row: _Row, number: str, bar: int, columns: _Columns, palette: Palette) -> Text:
    is_new = row.note is not None and row.note.tone == "good" and row.note.text.endswith("new")
    is_gone = row.note is not None and not row.value
    label = palette.note if is_gone else palette.number if row.is_strong or is_new else palette.label
    line = Text(to_left(row.label, columns.label), label)
    if columns.key:
        line.append(" ").append(to_left(row.key, columns.key), palette.of_series(row.series))
    if is_gone and row.note is not None:
        return line.append(" ").append(row.note.text, palette.of_tone(row.note.tone))
    if columns.bar:
        line.append(" ").append(to_left(BAR * bar, columns.bar), palette.of_series(row.series))
    if columns.number:
        style = palette.number if not row.number or row.is_strong else palette.note
        line.append(" ").append(to_right(number, columns.number), style)
    if columns.share:
        line.append(" ").append(to_right(row.share, columns.share), palette.note)
    if columns.note and row.note is not None:
        line.append(" ").append(row.note.text, palette.of_tone(row.note.tone))
    return line


def _rest(items: int, shown: int, hidden: Sequence[float | None], width: int, palette: Palette) -> Text:
    """The row that names what there was no room for."""
    words = f"and {items:,} more" if shown else f"{items:,} in all"
    texts = [f"{words}: {_joined(hidden, exact)}", f"{words}: {_joined(hidden, compact)}"]
    texts += [f"+{items:,}: {_joined(hidden, compact)}", f"+{items:,} more", f"+{compact(items)}"]
    return Text(first_that_fits(texts, width), palette.note)


def _joined(values: Sequence[float | None], written: Callable[[float | None], str]) -> str:
    return " · ".join(map(written, values))
