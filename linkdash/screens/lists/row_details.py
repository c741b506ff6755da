"""The details of the row under the cursor: what its row and the frame around them do not say already."""

from collections.abc import Sequence, Set
from typing import Generic, TypeVar

from linkdash.api.fields import fields_of
from linkdash.api.records import Record, Unreadable
from linkdash.model.lists.columns import Computed
from linkdash.screens.lists.pane import Pane
from linkdash.screens.lists.record_list import RecordList
from linkdash.widgets.details import DetailLine, Details

T = TypeVar("T", bound=Record)

_NOTES = {
    "changed": "changed here",
    "new": "made here",
    "unknown": "outcome unknown",
    "http": "http, not encrypted",
    "yours": "yours",
}
"""The notes of a row in words, beside its name."""


class RowDetails(Generic[T]):
    """The details of a list's rows in its pane."""

    def __init__(self, records: RecordList[T], pane: Pane) -> None:
        self._records, self._pane = records, pane
        self._titles = {field.name: field.title for field in fields_of(records.resource.record)}

    @property
    def _details(self) -> Details:
        return self._pane.query_one("#details", Details)

    @property
    def width(self) -> int:
        """The cells that lines have."""
        return self._details.size.width

    @property
    def show_all(self) -> bool:
        """Return whether everything of the record is in sight that is shown of it beside its row."""
        return self._details.shows_all

    def show(self, record: T, lines: Sequence[DetailLine], note: str) -> None:
        """Show these lines of a record without what is said around them; `note` is that on its row."""
        if self._records.panel.display and not self._records.table.size.width:
            self.show_nothing()  # what the row tells is known when the table has its place
            return
        name = self._titles[self._records.resource.name_field]
        below, told = self._pane.call_by(name, lines, _NOTES.get(note, "")), self._told_by_row(record)
        self._details.show(record, lines=[line for line in below if line.title not in told])

    def show_unreadable(self, row: Unreadable, advice: str) -> None:
        """Show what came of a row that is no record, with what can be done about that."""
        self._pane.call()
        self._details.show(row, advice)

    def show_nothing(self) -> None:
        """Show no record."""
        self._details.show(None)

    def _told_by_row(self, record: T) -> Set[str]:
        """The titles of the fields that a row tells whole, as they are."""
        table = self._records.table
        if not table.size.height:  # the details are all there is
            return frozenset()
        drawn = {column.name for column in table.columns if isinstance(column, Computed)}
        return {self._titles[name] for name in table.told_of(record) - drawn}
