"""Bar charts: ranked bars, bars of several series side by side, and columns of two periods over time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from linkdash.model.humanize import compact, exact, share
from linkdash.model.statistics.chart_data import (
    Bars,
    Column,
    Columns,
    MultiBars,
    Note,
    Tone,
    finite,
    label_text,
    total,
)
from linkdash.widgets.charts.canvas import (
    SIGNS,
    Palette,
    Scale,
    crop,
    first_that_fits,
    heading,
    number_scale,
    to_left,
    to_right,
)

# ---- ranked bars, and bars of several series ----

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
    """A group of rows for each label, one for each series; in a small space the numbers side by side.

    Where bars are shares, the largest difference between series is what stands out.
    """
    names = [label_text(name) for name in data.series[:MOST_SERIES]]
    items = _shown_items(data)
    lines = []
    if data.title and height >= _HEIGHT_FOR_TITLE:
        lines.append(heading(label_text(data.title), "", width, palette))
    room = height - len(lines)
    as_groups = width >= _WIDTH_FOR_GROUPS and room >= len(items) * len(names)
    groups = _groups(data, items)
    layout = _matrix_layout(groups, width, room)
    count = _how_many(len(items), room, len(names) if as_groups else layout.rows_each)
    if as_groups:
        rows = [row for group in groups[:count] for row in group]
        peak = max(
            (abs(row.value) for group in groups for row in group if row.value is not None), default=None
        )
        lines += _bar_rows(rows, peak, width, palette)
    else:
        lines += _matrix(groups[:count], layout, width, palette)
    if count < len(items):
        hidden = [total([values[number] for _, values in items[count:]]) for number in range(len(names))]
        lines.append(_rest(len(items) - count, count, [] if data.is_change else hidden, width, palette))
    if len(data.series) > MOST_SERIES and len(lines) < height:
        words = f"and {len(data.series) - MOST_SERIES} more not shown"
        lines.append(Text(crop(words, width), palette.note))
    return lines


def grouped_height(data: MultiBars, width: int) -> int:
    """The rows that all labels take with their numbers side by side."""
    items = _shown_items(data)
    return len(items) * _matrix_layout(_groups(data, items), width, MOST_SERIES + 2).rows_each


def _shown_items(data: MultiBars) -> list[tuple[str, list[float | None]]]:
    return [(label, values[:MOST_SERIES]) for label, values in data.ranked]


def _groups(data: MultiBars, items: Sequence[tuple[str, Sequence[float | None]]]) -> list[list[_Row]]:
    """The rows of each label, one a series."""
    columns = zip(*(values for _, values in items), strict=True)
    wholes = [_whole(column) for column in columns]
    return [_rows_of_group(data, label, values, wholes) for label, values in items]


def _whole(values: Sequence[float | None]) -> float | None:
    """What shares are shares of: the sum of what is there."""
    return total([value for value in values if value is None or value > 0])


_TELLING_POINTS = 15
"""Points between the shares of two series from which on the larger one stands out."""


def _rows_of_group(
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


@dataclass(frozen=True, slots=True)
class _MatrixLayout:
    """How the numbers of a label stand: beside it, or below it where there is no room for that."""

    numbers: list[list[str]]
    """Of each label the number of each series, as it is written."""
    label: int
    """Cells of the label where the numbers stand beside it; 0 where they stand below."""
    abreast: int
    """How many numbers stand in one line."""

    @property
    def count(self) -> int:
        """How many series there are."""
        return len(self.numbers[0]) if self.numbers else 0

    @property
    def widest(self) -> int:
        """The cells of the widest number."""
        return max((len(number) for row in self.numbers for number in row), default=0)

    @property
    def rows_each(self) -> int:
        """The lines that a label takes with its numbers."""
        return 1 if self.label else 1 + -(-self.count // self.abreast)


def _matrix_layout(groups: Sequence[Sequence[_Row]], width: int, height: int) -> _MatrixLayout:
    """Numbers in full beside the label, or short ones, or below it: whichever is the first to fit.

    Where there is no height for any label with numbers below it, the label gives way.
    """
    needed = max((cell_len(group[0].label) for group in groups), default=0)
    count = len(groups[0]) if groups else 1
    full = _MatrixLayout([[row.number or exact(row.value) for row in group] for group in groups], 0, count)
    short = replace(
        full,
        numbers=[[row.number.removesuffix(" %") or compact(row.value) for row in group] for group in groups],
    )
    for layout, least in ((full, min(needed, width // 3)), (short, min(needed, _LEAST_LABEL))):
        room = width - count * (layout.widest + _SIGN)
        if room >= max(1, least):
            return replace(layout, label=min(needed, room))
    below = min((_below(full, width), _below(short, width)), key=lambda layout: layout.rows_each)
    return below if below.rows_each < height else replace(short, label=max(1, room))


def _below(layout: _MatrixLayout, width: int) -> _MatrixLayout:
    """Numbers in as few lines as can be, about as many in each."""
    most = max(1, width // (layout.widest + _SIGN))
    lines = -(-layout.count // most)
    return replace(layout, label=0, abreast=-(-layout.count // lines))


def _matrix(
    groups: Sequence[Sequence[_Row]], layout: _MatrixLayout, width: int, palette: Palette
) -> list[Text]:
    """For each label the sign and the number of each series, with a small bar where there is room."""
    widest = layout.widest
    each = (width - layout.label) // layout.abreast - 1
    bar = min(12, each - widest - 4)
    peak = max((abs(row.value) for group in groups for row in group if row.value is not None), default=0)
    lines = []
    for group, written in zip(groups, layout.numbers, strict=False):
        lines.append(Text(to_left(group[0].label, layout.label or width), palette.label))
        for place, (row, number) in enumerate(zip(group, written, strict=True)):
            if not layout.label and place % layout.abreast == 0:
                lines.append(Text())
            line = lines[-1]
            line.append(f" {row.key} ", palette.of_series(row.series))
            if bar >= _LEAST_MINI_BAR:
                length = _length(row.value, peak, bar)
                line.append(to_left(MINI_BAR * length, bar), palette.of_series(row.series))
                line.append(" ")
            line.append(to_right(number, widest), palette.number if row.is_strong else palette.note)
    return lines


_SIGN = 3
"""Cells that the sign of a series takes."""
MINI_BAR = "━"
_LEAST_MINI_BAR = 4
_LEAST_LABEL = 8
"""Cells of a label below which it cannot be told from others."""


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
    widths = _widths(rows, numbers, width)
    return [
        _bar_row(row, number, _length(row.value, peak, widths.bar), widths, palette)
        for row, number in zip(rows, numbers, strict=True)
    ]


def _widths(rows: Sequence[_Row], numbers: Sequence[str], width: int) -> _Widths:
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
        return _Widths(room, key, 0, number, share, note)
    label = max(cell_len(row.label) for row in rows)
    least = room // 2 if room < _ROOM_FOR_LONG_LABELS else room * 2 // 5
    label = min(label, max(least, min(_LONG_LABEL, room - _SHORT_BAR)))
    return _Widths(label, key, room - label - 1, number, share, note)


def _length(value: float | None, peak: float | None, width: int) -> int:
    """The cells of a bar against the longest; whatever is not 0 is seen."""
    if not value or not peak or peak < 0 or width < 1:
        return 0
    share = min(1.0, abs(value) / peak)
    return max(1, round(share * width)) if share == share else 1


def _bar_row(row: _Row, number: str, bar: int, widths: _Widths, palette: Palette) -> Text:
    is_new = row.note is not None and row.note.tone == "good" and row.note.text.endswith("new")
    is_gone = row.note is not None and not row.value
    label = palette.note if is_gone else palette.number if row.is_strong or is_new else palette.label
    line = Text(to_left(row.label, widths.label), label)
    if widths.key:
        line.append(" ").append(to_left(row.key, widths.key), palette.of_series(row.series))
    if is_gone and row.note is not None:
        return line.append(" ").append(row.note.text, palette.of_tone(row.note.tone))
    if widths.bar:
        line.append(" ").append(to_left(BAR * bar, widths.bar), palette.of_series(row.series))
    if widths.number:
        style = palette.number if not row.number or row.is_strong else palette.note
        line.append(" ").append(to_right(number, widths.number), style)
    if widths.share:
        line.append(" ").append(to_right(row.share, widths.share), palette.note)
    if widths.note and row.note is not None:
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


# ---- two periods side by side: a column for each step, the axis that names both, the turn between them ----

EIGHTHS = " ▁▂▃▄▅▆▇█"
UNSURE = "▒"
"""What a column is made of that is partly interpolated, or not over yet."""
_UNKNOWN = "·"
_LEAST_ROWS = 2
_ROWS_A_TICK = 2
_WIDE_SLOT = 6
_ROWS_BELOW = 2
_LEAST_WIDTH = 24


@dataclass
class _Plot:
    """Where things stand: `slot` cells a column, of which `bar` are filled."""

    columns: list[Column]
    split: int
    left: int
    slot: int
    bar: int
    rows: int
    scale: Scale
    turn: int | None
    cells: list[list[tuple[str, Style]]] = field(default_factory=list)

    def start(self, number: int) -> int:
        """The first cell of a column."""
        return self.left + number * self.slot

    @property
    def end(self) -> int:
        """The cell after the last column."""
        return self.start(len(self.columns))


def period_columns(data: Columns, width: int, height: int, palette: Palette) -> list[Text]:
    """The columns with their axis in `height` lines; where there is no room for them, the captions alone."""
    captions = [
        Text.assemble((crop(data.caption_before, width), palette.of_series(0))),
        Text.assemble((crop(data.caption_now, width), palette.of_tone(data.tone))),
    ]
    head = [heading(data.title, "", width, palette)] if data.title else []
    rows = height - len(head) - _ROWS_BELOW
    if rows < _LEAST_ROWS or width < _LEAST_WIDTH:
        return [*head, *captions]
    plot = _layout(data, width, rows)
    plot.cells = [[(" ", palette.frame)] * width for _ in range(rows)]
    _draw_ticks(plot, palette)
    for number, column in enumerate(plot.columns):
        _draw_column(plot, number, column, _column_style(data, plot, number, palette))
    _draw_notes(plot, data, width, palette)
    lines = [_line(row) for row in plot.cells]
    return [
        *head,
        *lines,
        _column_axis(plot, data, width, palette),
        _column_labels(plot, width, data, palette),
    ]


def _layout(data: Columns, width: int, rows: int) -> _Plot:
    before, now, turn = _merged(data, width - 10)
    shown = [*before, *now, *([data.running] if data.running else [])]
    values = [value for column in shown if (value := finite(column.value)) is not None]
    scale = _column_scale(max([1.0, *values]), max(2, rows // _ROWS_A_TICK + 1))
    left = max(cell_len(tick.label) for tick in scale.ticks) + 1
    slot = max(1, (width - left) // max(1, len(shown)))
    slot = min(slot, max(1, width // 8))
    gap = 0 if slot < 2 else 1 if slot < _WIDE_SLOT else 2
    return _Plot(shown, len(before), left, slot, slot - gap, rows, scale, turn)


def _column_scale(peak: float, ticks: int) -> Scale:
    """From 0 to the highest column, with round ticks as far as they reach."""
    rounded = number_scale(0.0, peak, ticks)
    marks = [tick._replace(position=tick.position * rounded.high / peak) for tick in rounded.ticks]
    return Scale(0.0, peak, [mark for mark in marks if mark.position <= 1])


def _merged(data: Columns, room: int) -> tuple[list[Column], list[Column], int | None]:
    """As many columns as there is room for: neighbours are added up where there are more."""
    before, now = [*data.before], [*data.now]
    each = -(-(len(before) + len(now) + 1) // max(1, room))
    if each <= 1:
        return before, now, data.turn
    turn = None
    if data.turn is not None:
        inside = data.turn - len(before)
        groups = -(-len(before) // each)
        turn = groups + inside // each if inside >= 0 else data.turn // each
    return _added_up(before, each), _added_up(now, each), turn


def _added_up(items: Sequence[Column], each: int) -> list[Column]:
    grouped = []
    for start in range(0, len(items), each):
        group = items[start : start + each]
        known = [value for column in group if (value := finite(column.value)) is not None]
        is_sure = len(known) == len(group) and all(column.is_sure for column in group)
        grouped.append(group[0]._replace(value=sum(known) if known else None, is_sure=is_sure))
    return grouped


def _column_style(data: Columns, plot: _Plot, number: int, palette: Palette) -> Style:
    if data.running and number == len(plot.columns) - 1:
        return palette.note
    if number < plot.split or data.tone == "muted":
        return palette.of_series(0)
    return palette.of_tone(data.tone)


def _draw_ticks(plot: _Plot, palette: Palette) -> None:
    for tick in plot.scale.ticks:
        row = plot.rows - 1 - round(tick.position * plot.rows - 0.5)
        if tick.position > 0 and 0 <= row < plot.rows:
            label = to_right(tick.label, plot.left - 1)
            for x, letter in enumerate(f"{label}┤"):
                plot.cells[row][x] = (letter, palette.note)
    for cells in plot.cells:
        if cells[plot.left - 1][0] == " ":
            cells[plot.left - 1] = ("│", palette.note)


def _draw_column(plot: _Plot, number: int, column: Column, style: Style) -> None:
    value = finite(column.value)
    start = plot.start(number)
    if value is None:
        plot.cells[-1][start + plot.bar // 2] = (_UNKNOWN, style)
        return
    eighths = max(1, round(plot.scale.position(value) * plot.rows * 8)) if value > 0 else 0
    for row in range(plot.rows):
        filled = max(0, min(8, eighths - row * 8))
        letter = EIGHTHS[filled] if column.is_sure or not filled else UNSURE
        for x in range(start, start + plot.bar):
            if filled:
                plot.cells[plot.rows - 1 - row][x] = (letter, style)


def _draw_notes(plot: _Plot, data: Columns, width: int, palette: Palette) -> None:
    """The notes in the corner above the lower columns, if all the cells there are empty."""
    widest = max((cell_len(note) for note in data.notes), default=0)
    if not widest or len(data.notes) >= plot.rows:
        return
    for x in (width - widest - 1, plot.end - widest - plot.slot, plot.left + 1):
        cells = [plot.cells[row][x - 1 : x + widest + 1] for row in range(len(data.notes))]
        if plot.left < x <= width - widest and all(letter == " " for row in cells for letter, _ in row):
            for row, note in enumerate(data.notes):
                style = palette.of_tone(data.tone) if row == 0 else palette.note
                for at, letter in enumerate(note):
                    plot.cells[row][x + at] = (letter, style)
            return


def _column_axis(plot: _Plot, data: Columns, width: int, palette: Palette) -> Text:
    """`└── 7 before: 1,600 ──┴── last 7 days: 300 ▼ ──┴───`, the last part under the step that is running."""
    split = plot.start(plot.split)
    last = len(plot.columns) - (data.running is not None)
    end, width = max(plot.start(last), split + 1), min(width, plot.end)
    room_before, room_now = split - plot.left, min(width, end) - split - 1
    tone: Tone = data.tone
    return Text.assemble(
        (" " * (plot.left - 1) + "└", palette.note),
        *_captioned(data.caption_before, room_before, palette.of_series(0), palette.note),
        ("┴", palette.of_tone(tone)),
        *_captioned(data.caption_now, room_now, palette.of_tone(tone), palette.note),
        ("┴".ljust(width - end, "─") if end < width else "", palette.note),
    )


def _captioned(caption: str, room: int, style: Style, rule: Style) -> list[tuple[str, Style]]:
    """A caption in the middle of a rule."""
    text = f" {caption} "
    if cell_len(text) > room:
        text = crop(caption, room) if room >= len("…") + 4 else ""
    left = max(0, room - cell_len(text)) // 2
    return [("─" * left, rule), (text, style), ("─" * max(0, room - left - cell_len(text)), rule)]


def _column_labels(plot: _Plot, width: int, data: Columns, palette: Palette) -> Text:
    """The label of each column, or of every second, third and so on where they are wider than that."""
    is_long = all(cell_len(column.label) < plot.slot for column in plot.columns)
    written = [column.label if is_long else column.short for column in plot.columns]
    widest = max((cell_len(label) for label in written), default=0)
    every = max(1, -(-(widest + 1) // plot.slot))
    line = Text(" " * plot.left)
    for number, label in enumerate(written):
        is_turn = number == plot.turn
        if not is_turn and (number % every or _is_near(number, plot.turn, every)):
            continue
        start = plot.start(number)
        if start < line.cell_len or start + cell_len(label) > width:
            continue
        line.append(" " * (start - line.cell_len))
        line.append(label, palette.of_tone(data.tone) + Style(bold=True) if is_turn else palette.note)
    return line


def _is_near(number: int, turn: int | None, every: int) -> bool:
    return turn is not None and every > 1 and abs(number - turn) < every


def _line(cells: Sequence[tuple[str, Style]]) -> Text:
    """A row, with as few changes of style as there are: each costs a terminal a dozen bytes."""
    runs = groupby(cells, key=lambda cell: cell[1])
    return Text.assemble(*(("".join(letter for letter, _ in run), style) for style, run in runs))
