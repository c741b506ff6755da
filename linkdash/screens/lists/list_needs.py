"""The screen of a list as its actions see it, and the needs of these actions."""

from typing import TYPE_CHECKING, Any, Protocol

from linkdash.model.humanize import with_article
from linkdash.screens.actions import Flow, Host, Need

if TYPE_CHECKING:  # the first paint does not wait for these
    from collections.abc import Sequence

    from textual.worker import Worker

    from linkdash.screens.lists.arranging import Arranging
    from linkdash.screens.lists.page_reading import PageReading
    from linkdash.screens.lists.record_list import RecordList
    from linkdash.screens.lists.selecting import Selecting
    from linkdash.screens.writes.editing import Editing


class ListHost(Host, Protocol):
    """A screen with a list, of whatever records."""

    @property
    def records(self) -> "RecordList[Any]": ...
    @property
    def pages(self) -> "PageReading[Any]": ...
    @property
    def arranging(self) -> "Arranging[Any]": ...
    @property
    def selecting(self) -> "Selecting[Any]": ...
    @property
    def editing(self) -> "Editing[Any]": ...
    @property
    def form_flow(self) -> "Worker[object] | None": ...
    @property
    def follows(self) -> bool: ...
    def key_of(self, id: str) -> str: ...
    def missing_rights(self) -> str | None: ...
    def missing_assignment(self) -> str | None: ...
    def missing_more(self) -> str | None: ...
    def undo(self, targets: "Sequence[Any]") -> Flow: ...
    def do_open(self) -> Flow | None: ...
    def do_follow(self) -> Flow | None: ...
    def do_filter(self) -> Flow: ...
    def do_copy(self) -> Flow: ...
    def do_export(self) -> Flow: ...
    def do_import(self) -> Flow: ...
    def do_browse(self) -> Flow | None: ...
    def do_raw(self) -> Flow | None: ...
    def do_back(self) -> None: ...


def missing_way(screen: ListHost, way: object, verb: str) -> str | None:
    """The reason why the service cannot do something with these records at all; None where it can."""
    what = with_article(screen.records.resource.singular)
    return None if way else f"The service offers no way to {verb} {what}."


def _missing_import(screen: ListHost) -> str | None:
    resource = screen.records.resource
    return missing_way(screen, resource.create or resource.update, "create or edit")


def _missing_links(screen: ListHost) -> str | None:
    if screen.follows:
        return None
    return f"Records of this list have no linked record; {screen.key_of('open')} opens it."


def _missing_row(screen: ListHost) -> str | None:
    if screen.records.row is not None:
        return None
    if screen.records.unreadable is not None:
        return f"This row could not be read: {screen.key_of('raw')} shows it, nothing else works."
    return f"There is no {screen.records.resource.singular} under the cursor."


def _missing_raw(screen: ListHost) -> str | None:
    return _missing_row(screen) if screen.records.unreadable is None else None


def _missing_targets(screen: ListHost) -> str | None:
    collection = screen.records.collection
    return None if collection.targets_selection else _missing_row(screen)


def _missing_rows(screen: ListHost) -> str | None:
    records = screen.records
    return None if records.collection.listing.rows else f"There is no {records.resource.singular} to export."


def _missing_order(screen: ListHost) -> str | None:
    """The reason why an order would not be seen; rows that are on their way will show it."""
    records = screen.records
    listing = records.collection.listing
    is_empty = not (listing.rows or listing.loading or listing.work)
    return f"There is no {records.resource.singular} to sort." if is_empty else None


def _missing_pane(screen: ListHost) -> str | None:
    return "A form is open: save or close it first." if screen.form_flow else None


CREATE = Need[ListHost](lambda at: missing_way(at, at.records.resource.create, "create"), is_lasting=True)
UPDATE = Need[ListHost](lambda at: missing_way(at, at.records.resource.update, "edit"), is_lasting=True)
DELETION = Need[ListHost](lambda at: missing_way(at, at.records.resource.delete, "delete"), is_lasting=True)
ASSIGNMENT = Need[ListHost](lambda at: at.missing_assignment(), is_lasting=True)
IMPORT = Need[ListHost](_missing_import, is_lasting=True)
LINKS = Need[ListHost](_missing_links, is_lasting=True)
PANE = Need[ListHost](_missing_pane)
"""A pane without a form."""
ROW = Need[ListHost](_missing_row, is_record=True)
MORE = Need[ListHost](lambda at: at.missing_more())
"""Something behind the record under the cursor that its details do not show."""
TARGETS = Need[ListHost](_missing_targets, is_record=True)
ROWS = Need[ListHost](_missing_rows)
SORTABLE = Need[ListHost](_missing_order)
RAW = Need[ListHost](_missing_raw)
