"""A screen of rows that are no records."""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from linkdash.model.lists.columns import Column
from linkdash.screens.host_screen import HostScreen
from linkdash.widgets.details import Details
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Tone
from linkdash.widgets.table.list_panel import ListPanel
from linkdash.widgets.table.record_table import RecordTable

Row = TypeVar("Row")


class RowsScreen(HostScreen, Generic[Row]):
    """A screen of rows that are no records: a table, what stands where it is empty, a line, details."""

    columns: Sequence[Column[Row]]

    def key(self, row: Row) -> Hashable:
        """Return the key that tells a row from all others."""
        raise NotImplementedError

    def compose_middle(self) -> ComposeResult:
        yield self.layout_of(pane=Details(id="details"))

    def layout_of(
        self, *above: Widget, pane: Widget | None = None, others: Sequence[Panel] = ()
    ) -> Container:
        """The table among what else is listed, and panels beside or below, as the style sheets lay it out."""
        listed = ListPanel(self.columns, self.key, title=self.title or "", above=above)
        beside = [Panel(pane, title="Details", id="pane")] if pane is not None else []
        return Container(listed, *beside, *others, id="work")

    @property
    def list_panel(self) -> ListPanel[Row]:
        return self.query_one("#list", ListPanel)

    @property
    def table(self) -> RecordTable[Row]:
        return self.list_panel.table

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.list_panel.row

    def show_rows(
        self,
        rows: Sequence[Row],
        headline: str,
        advice: str,
        *,
        failed: bool = False,
        columns: Sequence[Column[Row]] | None = None,
    ) -> None:
        """Show rows; the headline and the advice stand where there are none."""
        if rows:
            self.list_panel.show_table()
        else:
            self.list_panel.show_empty(headline, advice, failed=failed)
        self.table.show_rows(rows, columns)

    def show_status(self, text: str, tone: Tone = Tone.MUTED) -> None:
        """Say something of the rows in the frame around them."""
        self.list_panel.show_status(text, tone)
