"""A matrix: a column each, with fixed titles and heads, and one chosen column."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget

from linkdash.widgets.charts.ranked_bars import BAR, bar_length
from linkdash.widgets.styled_text import UNDER_CURSOR, Piece, Tone, content, fit_text, fitted
from linkdash.widgets.table.row_line import CURSOR_SIGN

DIFFERENT = "≠"

_GAP = 2
_LEAST, _MOST = 8, 30  # cells of a column
_LEAST_BAR, _WIDEST_BAR = 3, 8  # cells
_USED = "You"
_JOINED = "\0"  # a blank at which no row ends; no shown text holds it
_SIGN = 2  # a row's sign and a blank


@dataclass(frozen=True)
class MatrixRow:
    """A title and a piece a column; rows of one group stand under its name."""

    group: str
    title: str
    cells: tuple[Piece, ...]
    is_marked: bool = False
    shares: tuple[float | None, ...] = ()
    """For a bar beside each cell, its part of the largest of the row."""
    used: str = ""
    """The number of it that the account has, behind the title."""


class _MatrixWidths(NamedTuple):
    """Cells of the titles, of what is used at their end, and of each column."""

    titles: int
    uses: int
    column: int


class Matrix(Widget, can_focus=True):
    """A table that scrolls by rows, and by whole columns so that the chosen one is in sight."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next row", id="table.down", show=False),
        Binding("up,k", "move(-1)", "Previous row", id="table.up", show=False),
        Binding("pagedown", "move(10)", "One screen down", id="table.page_down", show=False),
        Binding("pageup", "move(-10)", "One screen up", id="table.page_up", show=False),
        Binding("home,g", "move(-1000)", "First row", id="table.first", show=False),
        Binding("end,G", "move(1000)", "Last row", id="table.last", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.chosen = 0
        """The position of the chosen column."""
        self._heads: tuple[str, ...] = ()
        self._rows: tuple[MatrixRow, ...] = ()
        self._below: tuple[str, ...] = ()
        self._shorter: tuple[Sequence[MatrixRow], Sequence[str]] | None = None
        self._left = 0
        self._top = 0

    def show(
        self,
        heads: Sequence[str],
        rows: Sequence[MatrixRow],
        below: Sequence[str] = (),
        shorter: tuple[Sequence[MatrixRow], Sequence[str]] | None = None,
    ) -> None:
        """Show other rows, and sentences below; what was chosen stays so, if there are as many columns.

        `shorter` are the rows and sentences that say the same where these have no room.
        """
        self._shorter = shorter
        self._heads, self._rows = tuple(heads), tuple(rows)
        self._below = tuple(below)
        self.choose(self.chosen)

    def choose(self, column: int) -> None:
        """Choose a column, or the nearest there is."""
        self.chosen = max(0, min(column, len(self._heads) - 1))
        self.refresh()

    def action_move(self, rows: int) -> None:
        """Scroll; nothing happens where all is in sight."""
        body, room = self._body(), self._room
        self._top = max(0, min(self._top + rows, len(body) - room))
        self.refresh()

    @property
    def _room(self) -> int:
        return max(1, self.size.height - 1)

    def _body(self) -> list[MatrixRow | str | Content]:
        """Rows under the names of their groups, which stand apart, or are left out where there is no room."""
        below = self._sentences(self._below)
        for is_apart in (True, False):
            lines = [*self._grouped(is_apart=is_apart), *([""] if is_apart and below else []), *below]
            if len(lines) <= self._room:
                return lines
        lines = [*self._rows, *below]
        if len(lines) <= self._room or self._shorter is None:
            return lines
        rows, sentences = self._shorter
        return [*rows, *self._sentences(sentences)]

    def _sentences(self, told: Sequence[str]) -> list[Content]:
        """Sentences, wrapped between words, and a list at their end between its names."""
        width = max(20, self.size.width - 2 * _SIGN)
        wrapped = (wrap(_with_names_whole(sentence), width, subsequent_indent="  ") for sentence in told)
        lines = (line.replace(_JOINED, " ") for sentence in wrapped for line in sentence)
        return [content([Piece(f"  {line}", Tone.MUTED)]) for line in lines]

    def _grouped(self, *, is_apart: bool) -> list[MatrixRow | str]:
        lines: list[MatrixRow | str] = []
        for group, rows in groupby(self._rows, key=lambda row: row.group):
            lines += [*([""] if is_apart else []), group, *rows]
        return lines

    # ---- drawing ----

    def render(self) -> Content:
        body, room = self._body(), self._room
        self._top = max(0, min(self._top, len(body) - room))
        widths = self._widths()
        count = max(1, (self.size.width - widths.titles) // (widths.column + _GAP))
        self._left = max(self.chosen - count + 1, min(self._left, self.chosen), 0)
        self._left = max(0, min(self._left, len(self._heads) - count))
        shown = range(self._left, min(len(self._heads), self._left + count))
        lines = [self._head(shown, widths)]
        lines += [self._line(line, shown, widths) for line in body[self._top : self._top + room]]
        below = len(body) - self._top - room
        if below > 0 and len(lines) > 2:
            lines[-1] = content([Piece(f"  {below + 1} more rows below", Tone.MUTED)])
        return Content("\n").join(lines)

    def _widths(self) -> _MatrixWidths:
        """Share out the room; what is used is left out where it would cost a column."""
        heads = (f"{CURSOR_SIGN}{head}" for head in self._heads)
        texts = [*heads, *(cell.text for row in self._rows for cell in row.cells)]
        widest = max(_LEAST, min(max(map(cell_len, texts), default=0), _MOST))
        titles = _SIGN + max((cell_len(row.title) for row in self._rows), default=0)
        uses = max(map(cell_len, [_USED, *(row.used for row in self._rows)]))
        used = max((_SIGN + cell_len(row.title) + 1 + uses for row in self._rows if row.used), default=0)
        in_sight = min(len(self._heads), (self.size.width - titles) // (widest + _GAP))
        if not used or (self.size.width - used) // (widest + _GAP) < in_sight:
            uses = used = 0
        titles = min(max(titles, used), self.size.width // 2)
        even = (self.size.width - titles) // max(1, len(self._heads)) - _GAP
        return _MatrixWidths(titles, uses, max(widest, min(even, _MOST)))

    def _head(self, shown: range, widths: _MatrixWidths) -> Content:
        hidden = len(self._heads) - len(shown)
        where = f"  {shown.start + 1}–{shown.stop} of {len(self._heads)}" if hidden else ""
        signs = (CURSOR_SIGN if column == self.chosen else "" for column in range(len(self._heads)))
        cells = [Piece(f"{sign}{head}", Tone.HERO) for sign, head in zip(signs, self._heads, strict=True)]
        return self._joined(_titled(Piece(where, Tone.MUTED), _USED, widths), cells, shown, widths)

    def _line(self, line: MatrixRow | str | Content, shown: range, widths: _MatrixWidths) -> Content:
        width = widths.column
        if isinstance(line, Content):
            return line
        if isinstance(line, str) and not line:
            return content([])
        if isinstance(line, str):
            rule = "─" * max(0, widths.titles + len(shown) * (width + _GAP) - cell_len(line) - 1)
            return content([Piece(line, Tone.KEY), Piece(f" {rule}", Tone.FAINT)])
        sign = f"{DIFFERENT} " if line.is_marked else "  "
        title = Piece(f"{sign}{line.title}", Tone.PLAIN if line.is_marked else Tone.MUTED)
        room = self._bar_cells(width) if _bar_room(line, width) >= _LEAST_BAR else 0
        bars = [_bar(share, room) for share in line.shares]
        return self._joined(_titled(title, line.used, widths), line.cells, shown, widths, bars)

    def _bar_cells(self, width: int) -> int:
        """The cells of the longest bar, in every row the same, so that bars compare down a column too."""
        rooms = [_bar_room(row, width) for row in self._rows if row.shares]
        return min([_WIDEST_BAR, *(room for room in rooms if room >= _LEAST_BAR)])

    def _joined(
        self,
        title: Sequence[Piece],
        cells: Sequence[Piece],
        shown: range,
        widths: _MatrixWidths,
        bars: Sequence[str] = (),
    ) -> Content:
        made = content(fitted(title, widths.titles))
        for column in shown:
            cell, bar = cells[column], bars[column] if bars else ""
            bar = f"{bar} " if bar else ""
            fitting = fit_text(cell.text, widths.column - cell_len(bar), "right")
            text = fitting.lstrip()
            blank = " " * (len(fitting) - len(text))
            pieces = blank, Piece(bar, Tone.TREND), cell._replace(text=text)
            if column == self.chosen:
                part = content([" " * (_GAP - 1), *pieces, " "], UNDER_CURSOR).stylize("on $cursor")
            else:
                part = content([" " * (_GAP - 1), *pieces, " "])
            made = made + part
        return made


def _with_names_whole(sentence: str) -> str:
    """`4 features: custom alias, …` with the blanks within its names joined."""
    said, colon, names = sentence.partition(": ")
    return said + colon + ", ".join(name.replace(" ", _JOINED) for name in names.split(", "))


def _titled(title: Piece, used: str, widths: _MatrixWidths) -> list[Piece]:
    """A title, and at its end what is used, where there is room for that."""
    if not used or not widths.uses:
        return [title]
    return [*fitted([title], widths.titles - widths.uses), Piece(fit_text(used, widths.uses, "right"))]


def _bar_room(row: MatrixRow, width: int) -> int:
    """The cells that the longest text beside a bar leaves for that in a column of `width` cells."""
    beside = [cell_len(cell.text) for cell, share in zip(row.cells, row.shares, strict=False) if share]
    return width - 1 - max(beside, default=0)


def _bar(share: float | None, room: int) -> str:
    """A bar as long as its part of `room`; whatever is not 0 is seen. Nothing where there is no room."""
    if not share or not room:
        return ""
    return BAR * bar_length(share, 1, room)
