"""The details of the row under the cursor: what its row and the frame around them do not say already."""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Generic, TypeVar

from rich.cells import cell_len

from linkdash.api.fields import Kind, fields_of
from linkdash.api.records import Record, Unreadable
from linkdash.model.humanize import span
from linkdash.model.lists.columns import Column, Computed
from linkdash.screens.lists.pane import Pane
from linkdash.screens.lists.record_list import RecordList
from linkdash.widgets.details import ABREAST, DetailLine, Details
from linkdash.widgets.styled_text import Piece, Tone, cells

T = TypeVar("T", bound=Record)

STRIP, AT_SIDE, BELOW = "-strip", "-at-side", ""
"""Where details stand: in a few lines below the table, at its side where there is room for all its columns,
or below it with all that they have."""

_SHORT = 2
"""Lines of details in which only what the row above does not say has room."""
_NOTES = {
    "changed": "changed here",
    "new": "made here",
    "unknown": "outcome unknown",
    "http": "http, not encrypted",
    "yours": "yours",
}
"""The notes of a row in words, beside its name."""
_TOLD_WITH = {"age": "date", "change": "days"}
"""Columns whose values are told where those of other ones are."""


class RowDetails(Generic[T]):
    """The details of a list's rows in its pane."""

    def __init__(self, records: RecordList[T], pane: Pane, place: str) -> None:
        self._records, self._pane, self._place = records, pane, place
        self._titles = {field.name: field.title for field in fields_of(records.resource.record)}

    @property
    def _details(self) -> Details:
        return self._pane.query_one("#details", Details)

    @property
    def width(self) -> int:
        """The cells that lines have."""
        return self._details.size.width

    @property
    def lines(self) -> Sequence[DetailLine]:
        """The lines that are shown."""
        return self._details.lines

    @property
    def show_all(self) -> bool:
        """Return whether everything of the record is in sight that is shown of it beside its row."""
        return self._details.shows_all

    def show(self, record: T, lines: Sequence[DetailLine], note: str) -> None:
        """Show these lines of a record without what is said around them; `note` is that on its row."""
        name = self._titles[self._records.resource.name_field]
        below = self._pane.call_by(name, lines, _NOTES.get(note, ""))
        told = self.told_by_row(record)
        beyond = (replace(line, pieces=line.beyond) if line.title in told else line for line in below)
        kept = [line for line in beyond if line.pieces or line.title not in told]
        self._details.show(record, lines=self._with_age(kept, record))

    def show_unreadable(self, row: Unreadable, advice: str) -> None:
        """Show what came of a row that is no record, with what can be done about that."""
        self._pane.call()
        self._details.show(row, advice)

    def show_nothing(self) -> None:
        """Show no record."""
        self._details.show(None)

    def told_by_row(self, record: T) -> Set[str]:
        """The titles of what a row tells whole; at its side of plain numbers only, where there is room."""
        if self._place == BELOW:
            return frozenset()
        columns = {one.name: one for one in self._records.table.columns}
        told = self._records.table.told_of(record)
        if self._place == AT_SIDE and self.width < ABREAST and self._details.size.height > _SHORT:
            told &= self._numbers
        partly = {other for name, other in _TOLD_WITH.items() if name in columns.keys() - told}
        return {self._titles.get(name, columns[name].title) for name in told - partly}

    def leaves_out(self, record: T) -> bool:
        """Return whether there is so little room that what the row tells may stand nowhere else."""
        return self._details.size.height <= _SHORT and bool(self.told_by_row(record))

    @property
    def columns_told(self) -> Set[str]:
        """The names of the columns whose values are in sight in the details."""
        details = self._details
        in_sight = details.lines if details.shows_all else details.lines[: details.size.height]
        titles = {line.title for line in in_sight}
        fields = {name for name, title in self._titles.items() if title in titles}
        told = fields | {
            column.name
            for column in self._records.table.columns
            if column.title in titles or column.compared_field in fields
        }
        return told | {name for name, other in _TOLD_WITH.items() if other in told}

    @property
    def _numbers(self) -> Set[str]:
        """The names of the columns of plain numbers."""
        columns: Sequence[Column[T]] = self._records.table.columns
        return {one.name for one in columns if one.kind is Kind.COUNT and not isinstance(one, Computed)}

    def _with_age(self, lines: Sequence[DetailLine], record: T) -> Sequence[DetailLine]:
        """The lines with the age beside the date, where its column has no room; all in one row."""
        table = self._records.table
        age = next((column for column in table.columns if column.name == "age"), None)
        has_room = age is None or age.name not in table.without_room
        if age is None or has_room or self._records.collection.is_new(record):
            return lines
        said = f"{age.shown(record)}"
        ago = said if said == span(0) else f"{said} ago"
        made = self._titles["date"]
        titles = max((cell_len(line.title) for line in lines), default=0)

        def aged(line: DetailLine) -> DetailLine:
            pieces = (*line.pieces, Piece(f"  {ago}", Tone.MUTED))
            if titles + 2 + cells(pieces) > self.width:
                pieces = (Piece(line.text.split(" ")[0]), Piece(f" · {said}", Tone.MUTED))
            elif self._details.size.height <= _SHORT:  # so that more may stand beside it
                pieces = (Piece(line.text.split(" ")[0]), Piece(f" · {ago}", Tone.MUTED))
            return replace(line, pieces=pieces)

        return [aged(line) if line.title == made else line for line in lines]
