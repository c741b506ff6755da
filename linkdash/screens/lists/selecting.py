"""The selection of records: one by one, or all that are shown."""

from typing import Generic, TypeVar

from linkdash.api.records import Record
from linkdash.screens.lists.record_list import RecordList

T = TypeVar("T", bound=Record)


class Selecting(Generic[T]):
    """The selection of a list's records."""

    def __init__(self, records: RecordList[T]) -> None:
        self._records = records

    def toggle_row(self) -> None:
        """Select the record under the cursor, or deselect it, and go on to the next one."""
        records = self._records
        if records.row is not None:
            records.collection.toggle(records.row)
        records.table.action_move(1)

    def toggle_all(self) -> None:
        """Select all rows shown, or deselect them."""
        self._records.collection.toggle_all()
