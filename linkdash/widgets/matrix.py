"""A matrix: a column each, of which one is chosen, beside titles that stay."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from linkdash.api.inert_text import inert
from linkdash.widgets.styled_text import STYLES, Piece, Tone, rich_style


class MatrixRow(NamedTuple):
    """A title and a piece a column."""

    title: str
    cells: Sequence[Piece]


class Matrix(DataTable[Text], inherit_bindings=False):
    """Textual's table with a cursor that is a column; rows are scrolled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor_down", "Next row", id="table.down", show=False),
        Binding("up,k", "cursor_up", "Previous row", id="table.up", show=False),
        Binding("pagedown", "page_down", "One screen down", id="table.page_down", show=False),
        Binding("pageup", "page_up", "One screen up", id="table.page_up", show=False),
        Binding("home,g", "scroll_top", "First row", id="table.first", show=False),
        Binding("end,G", "scroll_bottom", "Last row", id="table.last", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, cursor_type="column", cell_padding=1)

    @property
    def chosen(self) -> int:
        """The position of the chosen column."""
        return self.cursor_column

    def choose(self, column: int) -> None:
        """Choose a column, or the nearest there is."""
        self.move_cursor(column=max(0, min(column, len(self.columns) - 1)))

    def show(self, heads: Sequence[str], rows: Sequence[MatrixRow]) -> None:
        """Show other rows; what was chosen stays so, if there are as many columns."""
        chosen = self.chosen
        self.clear(columns=True)
        for head in heads:
            self.add_column(Text(inert(head), justify="right"))
        for row in rows:
            self.add_row(*map(self._cell, row.cells), label=Text(inert(row.title), self._style(Tone.MUTED)))
        self.choose(chosen)

    def _cell(self, piece: Piece) -> Text:
        return Text(inert(piece.text), self._style(piece.tone), justify="right")

    def _style(self, tone: Tone) -> str:
        """Its foreground alone: the cursor has a background of its own."""
        style = rich_style(self, STYLES[tone])
        return "bold" if style.color is None else style.color.name
