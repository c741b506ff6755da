"""Columns per day or hour, the earlier period beside the later."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from linkdash.model.statistics.chart_data import (
    ChartColumn,
    Columns,
    Tone,
    finite,
)
from linkdash.widgets.charts.cell_pictures import EDGE
from linkdash.widgets.charts.chart_text import Palette, crop, heading
from linkdash.widgets.charts.scale import Scale, row_scale
from linkdash.widgets.styled_text import fit_text

EIGHTHS = " ▁▂▃▄▅▆▇█"
UNSURE = "▒"
"""The fill of whole cells of a column that is partly interpolated, or not over yet."""
_PART = "│"
"""What parts two periods, below the axis."""
_UNKNOWN = "·"
_LEAST_ROWS = 2
_ROWS_A_TICK = 2
_WIDE_SLOT = 6
_ROWS_BELOW = 2
_LEAST_WIDTH = 24


@dataclass
class _Plot:
    """The measures of the plot: `slot` cells a column, of which `bar` are filled."""

    columns: list[ChartColumn]
    split: int
    left: int
    slot: int
    bar: int
    rows: int
    scale: Scale
    turn: int | None
    each: int
    """The columns that one bar is the sum of."""
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
    each = -(-(len(data.before) + len(data.now) + 1) // max(1, width - 10))
    plot = _with_bars_of(data, each, width, rows)
    while plot.end > width and plot.slot == 1 and len(plot.columns) > 2:  # its numbers took the room of bars
        each += 1
        plot = _with_bars_of(data, each, width, rows)
    return plot


def _with_bars_of(data: Columns, each: int, width: int, rows: int) -> _Plot:
    """The measures where a bar is the sum of so many columns."""
    before, now, turn = _merged(data, each)
    shown = [*before, *now, *([data.running] if data.running else [])]
    values = [value for column in shown if (value := finite(column.value)) is not None]
    most = max([1.0, *values])
    scale = row_scale(0.0, most, rows, _ROWS_A_TICK)
    short = row_scale(0.0, most, rows, _ROWS_A_TICK, is_short=True)
    if _slot(short, width, len(shown)) > _slot(scale, width, len(shown)) == 1:
        scale = short  # then there is a gap between bars, and room for what they are
    left, slot = _left(scale), _slot(scale, width, len(shown))
    gap = 0 if slot < 2 else 1 if slot < _WIDE_SLOT else 2
    return _Plot(shown, len(before), left, slot, slot - gap, rows, scale, turn, each)


def _left(scale: Scale) -> int:
    """The cells of the numbers, and of the line beside them."""
    return max(cell_len(tick.label) for tick in scale.ticks) + 2


def _slot(scale: Scale, width: int, columns: int) -> int:
    slot = max(1, (width - _left(scale)) // max(1, columns))
    return min(slot, max(1, width // 8))


def _merged(data: Columns, each: int) -> tuple[list[ChartColumn], list[ChartColumn], int | None]:
    """The columns of both periods, so many neighbours added up; and the one that begins the turn."""
    before, now = [*data.before], [*data.now]
    if each <= 1:
        return before, now, data.turn
    turn = None
    if data.turn is not None:
        inside = data.turn - len(before)
        groups = -(-len(before) // each)
        turn = groups + inside // each if inside >= 0 else data.turn // each
    return _added_up(before, each), _added_up(now, each), turn


def _added_up(items: Sequence[ChartColumn], each: int) -> list[ChartColumn]:
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
    """Each at the edge where a column that reaches it ends; that of 0 is the axis itself."""
    for cells in plot.cells:
        cells[plot.left - 1] = ("│", palette.note)
    for tick in plot.scale.ticks[1:]:
        row = plot.rows - round(tick.position * plot.rows)
        for x, letter in enumerate(_tick(tick.label, plot)):
            plot.cells[row][x] = (letter, palette.note)


def _tick(label: str, plot: _Plot) -> str:
    return f"{fit_text(label, plot.left - 2, 'right')}{EDGE}"


def _draw_column(plot: _Plot, number: int, column: ChartColumn, style: Style) -> None:
    value = finite(column.value)
    start = plot.start(number)
    if value is None:
        plot.cells[-1][start + plot.bar // 2] = (_UNKNOWN, style)
        return
    faint = style + Style(dim=True)  # there are no signs for parts of a shaded cell
    eighths = max(1, round(plot.scale.position(value) * plot.rows * 8)) if value > 0 else 0
    for row in range(plot.rows):
        filled = max(0, min(8, eighths - row * 8))
        letter = UNSURE if filled == 8 and not column.is_sure else EIGHTHS[filled]
        for x in range(start, start + plot.bar):
            if filled:
                plot.cells[plot.rows - 1 - row][x] = (letter, style if column.is_sure else faint)


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
    """`▔▔ 7 before: 1,600 ▔▔│▔▔ last 7 days: 300 ▼ ▔▔│▔▔▔`, the last part under the step that is running."""
    split = plot.start(plot.split)
    last = len(plot.columns) - (data.running is not None)
    end, width = max(plot.start(last), split + 1), min(width, plot.end)
    room_before, room_now = split - plot.left, min(width, end) - split - 1
    tone: Tone = data.tone
    return Text.assemble(
        (_tick(plot.scale.ticks[0].label, plot) + EDGE, palette.note),
        *_captioned(data.caption_before, room_before, palette.of_series(0), palette.note),
        (_PART if plot.split else EDGE, palette.of_tone(tone) if plot.split else palette.note),
        *_captioned(data.caption_now, room_now, palette.of_tone(tone), palette.note),
        (_PART.ljust(width - end, EDGE) if end < width else "", palette.note),
    )


def _captioned(caption: str, room: int, style: Style, rule: Style) -> list[tuple[str, Style]]:
    """A caption in the middle of a rule; where there is no room for all of it its number, or nothing."""
    texts = (f" {caption} ", caption, f" {caption.rpartition(': ')[2]} ")
    text = next((text for text in texts if cell_len(text) <= room), "")
    left = max(0, room - cell_len(text)) // 2
    return [(EDGE * left, rule), (text, style), (EDGE * max(0, room - left - cell_len(text)), rule)]


def _column_labels(plot: _Plot, width: int, data: Columns, palette: Palette) -> Text:
    """The label of each column, or of every second, third and so on where they are wider than that.

    Where a bar is the sum of several, that is said behind them.
    """
    told = f" {plot.each} {data.steps} a bar" if plot.each > 1 else ""
    width -= cell_len(told)
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
    if told:
        line.append(" " * (width - line.cell_len) + told, palette.note)
    return line


def _is_near(number: int, turn: int | None, every: int) -> bool:
    return turn is not None and every > 1 and abs(number - turn) < every


def _line(cells: Sequence[tuple[str, Style]]) -> Text:
    """A row, with as few changes of style as there are: each costs a terminal a dozen bytes."""
    runs = groupby(cells, key=lambda cell: cell[1])
    return Text.assemble(*(("".join(letter for letter, _ in run), style) for style, run in runs))
