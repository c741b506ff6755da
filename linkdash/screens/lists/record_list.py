"""The records of a resource on a screen: which of them, in which columns, and the one under the cursor."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from linkdash.api.records import Record, Unreadable
from linkdash.model.declaration import Resource
from linkdash.model.lists.collection import Collection
from linkdash.model.lists.columns import Column, with_age
from linkdash.screens.host_screen import HostScreen
from linkdash.widgets.table.list_panel import ListPanel
from linkdash.widgets.table.record_table import RecordTable

T = TypeVar("T", bound=Record)


class RecordList(Generic[T]):
    """The list that everything on a resource's screen works on: filter, order, pages, selection, forms."""

    def __init__(self, screen: HostScreen, resource: Resource[T], *part: str | int) -> None:
        self.screen = screen
        self.resource: Resource[T] = resource
        self.collection: Collection[T] = screen.session.collections.of(resource, *part)
        """What is shown now: a part of the records, or all."""
        self.columns: Sequence[Column[T]] = with_age(
            resource.columns, screen.session.local_time, self.collection.is_new
        )
        """All that the table can show, before the user's own choice; known longer than the screen."""

    def turn_to_part(self, *part: str | int) -> None:
        """Turn to another part of the records, with the same filter and order."""
        arrangement = self.collection.arrangement
        self.collection = self.screen.session.collections.of(self.resource, *part)
        self.collection.adopt(arrangement)

    @property
    def panel(self) -> ListPanel[T]:
        return self.screen.query_one("#list", ListPanel)

    @property
    def table(self) -> RecordTable[T]:
        return self.panel.table

    @property
    def row(self) -> T | None:
        """The record under the cursor."""
        return self.panel.row

    @property
    def unreadable(self) -> Unreadable | None:
        """The row under the cursor, where that is no record."""
        return self.panel.unreadable

    @property
    def targets(self) -> Sequence[T]:
        """The selected records; where none is selected, the one under the cursor."""
        return self.collection.targets(self.row)
