"""Ranked bars: the largest first, each with its value and share."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from linkdash.model.humanize import compact, exact, share
from linkdash.model.statistics.chart_data import (
    Bars,
    Note,
    label_text,
    sum_of,
    total,
)
from linkdash.widgets.charts.chart_text import (
    Palette,
    first_that_fits,
    heading,
)
from linkdash.widgets.styled_text import fit_text

_WIDTH_FOR_SHARES = 20
_WIDTH_FOR_NUMBERS = 30
_WIDTH_FOR_NOTES = 36
_ROOM_FOR_BARS = 12
_ROOM_FOR_LONG_LABELS = 40
_LONG_LABEL, _SHORT_BAR = 24, 3
HEIGHT_FOR_TITLE = 3

BAR = "▆"
"""The fill of bars: a quarter of a row stays open, so that neighbours never melt into one block."""


class Row(NamedTuple):
    """A row: its label (empty inside a group), the sign of its series if there are several, its numbers."""

    label: str
    value: float | None
    share: str = ""
    key: str = ""
    series: int = 0
    note: Note | None = None
    number: str = ""
    """The value as it is written; empty for a count."""
    is_strong: bool = False


class _Widths(NamedTuple):
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
    whole = sum_of([value for _, value in items])
    lines = []
    if data.title and height >= HEIGHT_FOR_TITLE:
        lines.append(heading(label_text(data.title), exact(total([v for _, v in items])), width, palette))
    count = how_many(len(items), height - len(lines))
    notes = {note.label: note for note in data.notes}
    rows = [
        Row(label_text(label), value, share(value, whole), series=data.hue, note=notes.get(label))
        for label, value in items[:count]
    ]
    lines += bar_rows(rows, items[0][1], width, palette)
    if count < len(items):
        hidden = [total([value for _, value in items[count:]])]
        lines.append(rest(len(items) - count, count, hidden, width, palette))
    return lines


def how_many(items: int, room: int, rows_each: int = 1) -> int:
    """Return how many items there is room for, with a row left to name the rest if there is a rest."""
    if items * rows_each <= room:
        return items
    return max(0, (room - 1) // rows_each)


def bar_rows(rows: Sequence[Row], peak: float | None, width: int, palette: Palette) -> list[Text]:
    if not rows:
        return []
    numbers = [row.number or exact(row.value) for row in rows]
    if max(map(len, numbers)) > width // 3:
        numbers = [row.number or compact(row.value) for row in rows]
    rows, widths = _with_notes(rows, numbers, width)
    return [
        _bar_row(row, number, bar_length(row.value, peak, widths.bar), widths, palette)
        for row, number in zip(rows, numbers, strict=True)
    ]


def _with_notes(rows: Sequence[Row], numbers: Sequence[str], width: int) -> tuple[Sequence[Row], _Widths]:
    """The rows with their notes whole where label, bar and numbers leave room for that."""
    whole = [
        row._replace(note=row.note._replace(text=f"{row.note.text}{row.note.more}")) if row.note else row
        for row in rows
    ]
    widths, widest = _widths(whole, numbers, width), max(cell_len(row.label) for row in rows)
    if widths.number and widths.note and widths.label >= widest and widths.bar >= _SHORT_BAR:
        return whole, widths
    return rows, _widths(rows, numbers, width)


def _widths(rows: Sequence[Row], numbers: Sequence[str], width: int) -> _Widths:
    """The label first, then the bar; in a small space the number goes, then the share, then the note.

    Where there is no room for both share and note, it is the share, in every chart of that width.
    """
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
        return _Widths(room, key, 0, number, share, note)
    label = max(cell_len(row.label) for row in rows)
    least = room // 2 if room < _ROOM_FOR_LONG_LABELS else room * 2 // 5
    label = min(label, max(least, min(_LONG_LABEL, room - _SHORT_BAR)))
    return _Widths(label, key, room - label - 1, number, share, note)


def bar_length(value: float | None, peak: float | None, width: int) -> int:
    """The cells of a bar against the longest; whatever is not 0 is seen."""
    if not value or not peak or peak < 0 or width < 1:
        return 0
    share = min(1.0, abs(value) / peak)
    return max(1, round(share * width)) if share == share else 1


def _bar_row(row: Row, number: str, bar: int, widths: _Widths, palette: Palette) -> Text:
    is_new = row.note is not None and row.note.tone == "good" and row.note.text.endswith("new")
    is_gone = row.note is not None and not row.value
    label = palette.note if is_gone else palette.number if row.is_strong or is_new else palette.label
    line = Text(fit_text(row.label, widths.label), label)
    if widths.key:
        line.append(" ").append(fit_text(row.key, widths.key), palette.of_series(row.series))
    if is_gone and row.note is not None:
        return line.append(" ").append(row.note.text, palette.of_tone(row.note.tone))
    if widths.bar:
        line.append(" ").append(fit_text(BAR * bar, widths.bar), palette.of_series(row.series))
    if widths.number:
        style = palette.number if not row.number or row.is_strong else palette.note
        line.append(" ").append(fit_text(number, widths.number, "right"), style)
    if widths.share:
        line.append(" ").append(fit_text(row.share, widths.share, "right"), palette.note)
    if widths.note and row.note is not None:
        line.append(" ").append(row.note.text, palette.of_tone(row.note.tone))
    return line


def rest(items: int, shown: int, hidden: Sequence[float | None], width: int, palette: Palette) -> Text:
    """The row that names what there was no room for."""
    words = f"and {items:,} more" if shown else f"{items:,} in all"
    texts = [f"{words}: {_joined(hidden, exact)}", f"{words}: {_joined(hidden, compact)}"]
    texts += [f"+{items:,}: {_joined(hidden, compact)}", f"+{items:,} more", f"+{compact(items)}"]
    return Text(first_that_fits(texts, width), palette.note)


def _joined(values: Sequence[float | None], written: Callable[[float | None], str]) -> str:
    return " · ".join(map(written, values))
