"""A matrix: a column each, of which one is chosen, beside titles that stay."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from linkdash.api.inert_text import inert
from linkdash.model.humanize import counted
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import STYLES, Piece, Tone, rich_style


class MatrixRow(NamedTuple):
    """A title and a piece a column."""

    title: str
    cells: Sequence[Piece]


_PADDING = 1  # cells on both sides of a column


class Matrix(DataTable[Text], inherit_bindings=False):
    """Textual's table with a cursor that is a column; rows are scrolled.

    Columns that have no room beside the chosen one are away: a part of a number would be another number.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor_down", "Next row", id="table.down", show=False),
        Binding("up,k", "cursor_up", "Previous row", id="table.up", show=False),
        Binding("pagedown", "page_down", "One screen down", id="table.page_down", show=False),
        Binding("pageup", "page_up", "One screen up", id="table.page_up", show=False),
        Binding("home,g", "scroll_top", "First row", id="table.first", show=False),
        Binding("end,G", "scroll_bottom", "Last row", id="table.last", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, cursor_type="column", cell_padding=_PADDING)
        self._heads: Sequence[str] = ()
        self._matrix_rows: Sequence[MatrixRow] = ()
        self._drawn = range(0)
        """The columns that there is room for."""

    @property
    def chosen(self) -> int:
        """The position of the chosen column."""
        return self._drawn.start + self.cursor_column

    def choose(self, column: int) -> None:
        """Choose a column, or the nearest there is."""
        column = max(0, min(column, len(self._heads) - 1))
        if (fitting := self._fitting(column)) != self._drawn:
            self._draw(fitting)
        self.move_cursor(column=column - self._drawn.start)

    def show(self, heads: Sequence[str], rows: Sequence[MatrixRow]) -> None:
        """Show other rows; what was chosen stays so, if there are as many columns."""
        chosen, self._heads, self._matrix_rows = self.chosen, heads, rows
        self._draw(range(0))
        self.choose(chosen)

    def on_resize(self) -> None:
        self.choose(self.chosen)

    def _fitting(self, column: int) -> range:
        """The columns to draw around one of them: those that are drawn already, as far as they have room."""
        if not self._heads:
            return range(0)
        titles = max((cell_len(inert(row.title)) for row in self._matrix_rows), default=0)
        bar = (
            self.styles.scrollbar_size_vertical if len(self._matrix_rows) >= self.container_size.height else 0
        )
        room = self.container_size.width - bar - titles - 2 * _PADDING
        cells = [*map(self._cells_of, range(len(self._heads)))]
        first, end = min(self._drawn.start, column), column + 1
        while first < column and sum(cells[first:end]) > room:
            first += 1
        while end < len(cells) and sum(cells[first : end + 1]) <= room:
            end += 1
        while first > 0 and sum(cells[first - 1 : end]) <= room:
            first -= 1
        return range(first, end)

    def _cells_of(self, column: int) -> int:
        texts = (self._heads[column], *(row.cells[column].text for row in self._matrix_rows))
        return max(cell_len(inert(text)) for text in texts) + 2 * _PADDING

    def _draw(self, columns: range) -> None:
        self._drawn, top = columns, self.scroll_y
        self.clear(columns=True)
        for column in columns:
            self.add_column(Text(inert(self._heads[column]), justify="right"))
        for row in self._matrix_rows if columns else ():
            title = Text(inert(row.title), self._style(Tone.MUTED))
            self.add_row(*(self._cell(row.cells[column]) for column in columns), label=title)
        if top:
            self.call_after_refresh(self.scroll_to, y=top, animate=False)
        if isinstance(self.parent, Panel):
            hidden = len(self._heads) - len(columns)
            self.parent.say_hidden(f"{counted(hidden, 'column')} hidden" if hidden else "")

    def _cell(self, piece: Piece) -> Text:
        return Text(inert(piece.text), self._style(piece.tone), justify="right")

    def _style(self, tone: Tone) -> str:
        """Its foreground alone: the cursor has a background of its own."""
        style = rich_style(self, STYLES[tone])
        return "bold" if style.color is None else style.color.name
