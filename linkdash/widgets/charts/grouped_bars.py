"""Ranked bars of several series in groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from linkdash.model.humanize import exact, share
from linkdash.model.statistics.chart_data import (
    MultiBars,
    label_text,
    percents_of,
    sum_of,
    total,
)
from linkdash.widgets.charts.chart_text import SIGNS, Palette, crop, heading
from linkdash.widgets.charts.ranked_bars import (
    HEIGHT_FOR_TITLE,
    Row,
    bar_length,
    bar_rows,
    how_many,
    rest,
)
from linkdash.widgets.styled_text import fit_text

MOST_SERIES = 6
"""The most series that one chart shows, as many as can be told apart."""
_WIDTH_FOR_GROUPS = 24


def grouped_bars(data: MultiBars, width: int, height: int, palette: Palette) -> list[Text]:
    """A group of rows for each label, one for each series; in a small space the numbers side by side.

    Where bars are shares, the largest difference between series is what stands out.
    """
    names = [label_text(name) for name in data.series[:MOST_SERIES]]
    items = _shown_items(data)
    lines = []
    if data.title and height >= HEIGHT_FOR_TITLE:
        lines.append(heading(label_text(data.title), "", width, palette))
    room = height - len(lines)
    as_groups = width >= _WIDTH_FOR_GROUPS and room >= len(items) * len(names)
    groups = _groups(data, items)
    layout = _matrix_layout(groups, width)
    count = how_many(len(items), room, len(names) if as_groups else layout.rows_each)
    if as_groups:
        rows = [row for group in groups[:count] for row in group]
        peak = max(
            (abs(row.value) for group in groups for row in group if row.value is not None), default=None
        )
        lines += bar_rows(rows, peak, width, palette)
    else:
        lines += _matrix(groups[:count], layout, width, palette)
    if count < len(items):
        hidden = [total([values[number] for _, values in items[count:]]) for number in range(len(names))]
        lines.append(rest(len(items) - count, count, [] if data.is_change else hidden, width, palette))
    if len(data.series) > MOST_SERIES and len(lines) < height:
        words = f"and {len(data.series) - MOST_SERIES} more not shown"
        lines.append(Text(crop(words, width), palette.note))
    return lines


def grouped_height(data: MultiBars, width: int) -> int:
    """The rows that all labels take with their numbers side by side."""
    items = _shown_items(data)
    rows = len(items) * _matrix_layout(_groups(data, items), width).rows_each
    return rows + (len(data.series) > MOST_SERIES)


def _shown_items(data: MultiBars) -> list[tuple[str, list[float | None]]]:
    return [(label, values[:MOST_SERIES]) for label, values in data.ranked]


def _groups(data: MultiBars, items: Sequence[tuple[str, Sequence[float | None]]]) -> list[list[Row]]:
    """The rows of each label, one a series."""
    columns = zip(*(values for _, values in items), strict=True)
    wholes = [sum_of(column) for column in columns]
    return [_rows_of_group(data, label, values, wholes) for label, values in items]


_TELLING_POINTS = 15
"""Points between the shares of two series from which on the larger one stands out."""


def bold_words(data: MultiBars) -> str:
    """Say what is bold; empty where nothing is."""
    groups = _groups(data, _shown_items(data))
    is_any = any(row.is_strong for group in groups for row in group)
    return f"bold: {_TELLING_POINTS} points apart" if is_any else ""


def _rows_of_group(
    data: MultiBars, label: str, values: Sequence[float | None], wholes: Sequence[float | None]
) -> list[Row]:
    shares = percents_of(values, wholes)
    known = [one for one in shares if one is not None]
    differs = data.by_share and bool(known) and max(known) - min(known) >= _TELLING_POINTS
    rows = []
    for number, value in enumerate(values):
        written = _percent(value) if data.is_change else share(value, wholes[number]) if data.by_share else ""
        written = written.replace(" %", "%")  # one way beside each other, however little room one has
        shown = shares[number] if data.by_share else value
        beside = "" if data.by_share or data.is_change else share(value, wholes[number])
        is_strong = differs and shares[number] == max(known)
        row = Row(
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
    """The layout of the numbers of a label: beside it, or below it where there is no room for that."""

    numbers: list[list[str]]
    """Of each label the number of each series, as it is written."""
    label: int
    """Cells of the label where the numbers stand beside it; 0 where they stand below."""
    abreast: int
    """The number of numbers in one line."""

    @property
    def count(self) -> int:
        """Return how many series there are."""
        return len(self.numbers[0]) if self.numbers else 0

    @property
    def widest(self) -> int:
        """The cells of the widest number."""
        return max((len(number) for row in self.numbers for number in row), default=0)

    @property
    def rows_each(self) -> int:
        """The lines that a label takes with its numbers."""
        return 1 if self.label else 1 + -(-self.count // self.abreast)


def _matrix_layout(groups: Sequence[Sequence[Row]], width: int) -> _MatrixLayout:
    """Numbers beside the label, which is cut; below it, in some lines, where it has no room."""
    needed = max((cell_len(group[0].label) for group in groups), default=0)
    numbers = [[row.number or exact(row.value) for row in group] for group in groups]
    each = _SIGN + max((len(number) for row in numbers for number in row), default=0)
    count = len(groups[0]) if groups else 1
    room = width - count * each
    if room >= min(needed, _LEAST_LABEL):
        return _MatrixLayout(numbers, min(needed, room), count)
    return _MatrixLayout(numbers, 0, max(1, width // each))


def _matrix(
    groups: Sequence[Sequence[Row]], layout: _MatrixLayout, width: int, palette: Palette
) -> list[Text]:
    """For each label the sign and the number of each series, with a small bar where there is room."""
    widest = layout.widest
    bar = min(12, (width - layout.label) // layout.abreast - _SIGN - widest - 1)
    peak = max((abs(row.value) for group in groups for row in group if row.value is not None), default=0)
    lines = []
    for group, written in zip(groups, layout.numbers, strict=False):
        lines.append(Text(fit_text(group[0].label, layout.label or width), palette.label))
        for place, (row, number) in enumerate(zip(group, written, strict=True)):
            if not layout.label and place % layout.abreast == 0:
                lines.append(Text())
            line = lines[-1]
            line.append(f" {row.key} ", palette.of_series(row.series))
            if bar >= _LEAST_MINI_BAR:
                length = bar_length(row.value, peak, bar)
                line.append(fit_text(MINI_BAR * length, bar), palette.of_series(row.series))
                line.append(" ")
            some = palette.number if row.is_strong else palette.note
            line.append(fit_text(number, widest, "right"), some if row.value else palette.faint)
    return lines


_SIGN = 3
"""Cells that the sign of a series takes."""
MINI_BAR = "━"
_LEAST_MINI_BAR = 3
_LEAST_LABEL = 8
"""Cells of a label below which it cannot be told from others."""
