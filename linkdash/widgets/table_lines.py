"""How one line of a table is drawn: a row under its columns, an unreadable one over all, the header."""

from collections.abc import Sequence
from typing import Protocol

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from linkdash.api.model import Unreadable
from linkdash.model.columns import GAP, Column, Row, total_width
from linkdash.widgets.cells import Piece, Tone, cell
from linkdash.widgets.fitting import fit_text

ROW, ALTERNATE, CURSOR = "record-table--row", "record-table--alternate", "record-table--cursor"
HEADER, SORTED = "record-table--header", "record-table--sorted"
SIGN, UNREADABLE = "record-table--sign", "record-table--unreadable"
_TONES = {tone: f"record-table--{tone}" for tone in Tone}
COMPONENTS = frozenset({ROW, ALTERNATE, CURSOR, HEADER, SORTED, SIGN, UNREADABLE, *_TONES.values()})
"""The component classes by which a style sheet says how all this looks."""

UP_SIGN, DOWN_SIGN = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"

Widths = Sequence[tuple[Column[Row], int]]


class StyleOf(Protocol):
    """The look that component classes have together, the later ones over the earlier."""

    def __call__(self, *classes: str) -> Style: ...


def row_line(row: Row, widths: Widths[Row], look: str, style: StyleOf) -> Strip:
    """A row, its cells side by side; `look` is the component class of the whole line."""
    segments: list[Segment] = []
    for column, width in widths:
        if segments:
            segments.append(Segment(" " * GAP, style(look)))
        pieces = cell(column.shown(row), column.kind, width, column.align)
        segments.extend(_segment(piece, look, style) for piece in pieces)
    return Strip(segments, total_width(widths))


def unreadable_line(row: Unreadable, width: int, look: str, style: StyleOf) -> Strip:
    """A row that could not be read, as one text over `width` cells."""
    text = fit_text(f"unreadable record: {row.text}", width)
    return Strip([Segment(text, style(look, UNREADABLE))], width)


def header_line(widths: Widths[Row], sort: tuple[str, bool] | None, style: StyleOf) -> Strip:
    """The titles; the column of this name carries the sign of its order, upside down if it is reversed."""
    segments = []
    for column, width in widths:
        if sort is None or sort[0] != column.name:
            title = fit_text(column.title, width, column.align)
            segments.append(Segment(title + " " * GAP, style(HEADER)))
        else:
            title = fit_text(column.title, width, column.align).rstrip() + (DOWN_SIGN if sort[1] else UP_SIGN)
            segments.append(Segment(fit_text(title, width + GAP), style(HEADER, SORTED)))
    return Strip(segments, total_width(widths) + GAP)


def _segment(piece: Piece, look: str, style: StyleOf) -> Segment:
    drawn = style(look, _TONES[piece.tone])
    if piece.color is not None:
        drawn += Style(color=Color.from_rgb(*piece.color))
    return Segment(piece.text, drawn)
