"""The selection of records: one by one, or all that are shown."""

from typing import Generic, TypeVar

from textual.worker import Worker

from linkdash.api.records import Record
from linkdash.screens.lists.record_list import RecordList

T = TypeVar("T", bound=Record)


class Selecting(Generic[T]):
    """The selection of a list's records. Many at once are read beside everything else."""

    def __init__(self, records: RecordList[T]) -> None:
        self._records = records
        self._under_way: Worker[None] | None = None

    def toggle_row(self) -> None:
        """Select the record under the cursor, or deselect it, and go on to the next one."""
        records = self._records
        if records.row is not None:
            records.collection.toggle(records.row)
        records.table.action_move(1)

    def toggle_all(self) -> None:
        """Select all rows shown, or deselect them."""
        collection = self._records.collection
        collection.note_selecting(True)
        self._under_way = self._records.screen.run_worker(
            collection.toggle_all, group="select", exclusive=True, exit_on_error=False
        )

    def stop(self) -> None:
        """Leave the selection as it was before all were to be selected."""
        if self._under_way is not None:
            self._under_way.cancel()
        self._records.collection.note_selecting(False)
