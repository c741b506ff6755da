"""A panel with a list: its table, and what stands where that is empty."""

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from textual.widget import Widget

from linkdash.api.records import Unreadable
from linkdash.model.lists.columns import Column
from linkdash.widgets.frame.state_panel import StatePanel
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.record_table import RecordTable

Row = TypeVar("Row")


class ListPanel(Panel, Generic[Row]):
    """A list of rows under a title, or a headline with advice where there are none."""

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], Hashable],
        *,
        title: str,
        above: Sequence[Widget] = (),
        below: Sequence[Widget] = (),
    ) -> None:
        self.table: RecordTable[Row] = RecordTable(columns, key=key, id="records")
        self.empty = StatePanel()
        super().__init__(*above, self.table, self.empty, *below, title=title, id="list")

    @property
    def row(self) -> Row | None:
        """The row under the cursor; None where there is none, and where it could not be read."""
        row = self._cursor_row
        return None if isinstance(row, Unreadable) else row

    @property
    def unreadable(self) -> Unreadable | None:
        """The row under the cursor, where that could not be read."""
        row = self._cursor_row
        return row if isinstance(row, Unreadable) else None

    @property
    def _cursor_row(self) -> Row | Unreadable | None:
        return self.table.cursor_row if self.table.display else None

    def show_empty(self, headline: str, advice: str, *, failed: bool) -> None:
        """Show a headline and advice in the place of the rows."""
        self.empty.show(headline, advice, failed=failed)
        self.empty.display, self.table.display = True, False

    def show_table(self) -> None:
        """Show the rows."""
        self.empty.display, self.table.display = False, True

    def show_status(self, text: str, tone: Tone = Tone.MUTED) -> None:
        """Say something of the rows in the frame around them."""
        self.say(below=[Piece(text, tone)])
