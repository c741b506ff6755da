"""Lines of a table: a row, the header, a row that could not be read."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from linkdash.api.records import Unreadable
from linkdash.model.lists.columns import GAP, Column, Row, total_width
from linkdash.widgets.styled_text import STYLES, UNDER_CURSOR, Piece, Tone, fit_text
from linkdash.widgets.table.cell_text import cell

CURSOR_SIGN, MARK_SIGN = "\N{LEFT HALF BLOCK}", "*"
NOTE_SIGNS = {"changed": "~", "new": "+", "yours": "\N{BULLET}"}
"""The sign of a note left of its row; "!" for any other note."""

IndexOf = Callable[[Hashable], int | None]


@dataclass(frozen=True)
class KeyedRows(Generic[Row]):
    """A sequence of rows, maybe a lazy one, and what tells them apart."""

    rows: Sequence[Row | Unreadable]
    key: Callable[[Row], Hashable]
    index_of: IndexOf | None = None
    """Finds the position of a key without looking at the rows, where something knows how."""

    def __len__(self) -> int:
        return len(self.rows)

    def clamp(self, index: int) -> int:
        """The position nearest to `index` that has a row; 0 where there are none."""
        return max(0, min(index, len(self.rows) - 1))

    def key_at(self, index: int) -> Hashable:
        """The key of the row at a position; None where there is no row, or none that can be read."""
        if not 0 <= index < len(self.rows):
            return None
        row = self.rows[index]
        return None if isinstance(row, Unreadable) else self.key(row)

    def find(self, key: Hashable) -> int | None:
        """The position of a key; without `index_of`, every row may be looked at."""
        if self.index_of is not None:
            return self.index_of(key)
        return next((index for index in range(len(self.rows)) if self.key_at(index) == key), None)

    def follow(self, key: Hashable, before: int) -> int:
        """Return where the row of a key is now that was at `before`; as near to there as can be, if gone."""
        same = key is None or self.key_at(before) == key
        index = before if same else self.find(key)
        return self.clamp(before if index is None else index)


ROW, CURSOR, RESTING_CURSOR = "", "on $cursor", "on $track"
"""The style of a whole line: of the one under the cursor where keys move it, and where they do not."""
HEADER = "$muted"
_FIRST, _SORTED, _UNREADABLE = "bold", "bold $primary", "italic $muted"

UP_SIGN, DOWN_SIGN = "\N{BLACK UP-POINTING SMALL TRIANGLE}", "\N{BLACK DOWN-POINTING SMALL TRIANGLE}"

Widths = Sequence[tuple[Column[Row], int]]


class StyleOf(Protocol):
    """The style that some have together, the later ones over the earlier."""

    def __call__(self, *styles: str) -> Style: ...


def looks_on(look: str) -> Mapping[Tone, str]:
    """The looks of tones in a line of this style."""
    return STYLES if look == ROW else UNDER_CURSOR


def row_line(row: Row, widths: Widths[Row], look: str, style: StyleOf) -> Strip:
    """A row, its cells side by side; `look` is the style of the whole line.

    Under the cursor the first column is bold, so that the row is found without color too.
    """
    segments: list[Segment] = []
    for column, width in widths:
        looks = (look, _FIRST) if look != ROW and not segments else (look,)
        if segments:
            segments.append(Segment(" " * GAP, style(look)))
        pieces = cell(column.shown(row), column.kind, width, column.align)
        segments.extend(_segment(piece, looks, style) for piece in pieces)
    return Strip(segments, total_width(widths))


def unreadable_line(row: Unreadable, width: int, look: str, style: StyleOf) -> Strip:
    """A row that could not be read, as one text over `width` cells."""
    text = fit_text(f"unreadable record: {row.text}", width)
    return Strip([Segment(text, style(look, _UNREADABLE))], width)


def header_line(widths: Widths[Row], sort: tuple[str, bool] | None, style: StyleOf) -> Strip:
    """The titles; the column of this name carries the sign of its order, upside down if it is reversed."""
    segments = []
    for column, width in widths:
        if sort is None or sort[0] != column.name:
            title = fit_text(column.title, width, column.align)
            segments.append(Segment(title + " " * GAP, style(HEADER)))
        else:
            title = _sorted_title(column, width, DOWN_SIGN if sort[1] else UP_SIGN)
            segments.append(Segment(fit_text(title, width + GAP), style(HEADER, _SORTED)))
    return Strip(segments, total_width(widths) + GAP)


def _sorted_title(column: Column[Row], width: int, sign: str) -> str:
    """A title with its sign: within the column where there is room, else in the gap behind it."""
    signed = f"{column.title} {sign}"
    if cell_len(signed) <= width:
        return fit_text(signed, width, column.align)
    return fit_text(column.title, width, column.align).rstrip() + sign


def _segment(piece: Piece, looks: tuple[str, ...], style: StyleOf) -> Segment:
    drawn = style(*looks, looks_on(looks[0])[piece.tone])
    if piece.color is not None:
        drawn += Style(color=Color.from_rgb(*piece.color))
    return Segment(piece.text, drawn)
