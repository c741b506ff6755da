"""The finds of findings, and of views of one's own, among what is loaded."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from linkdash.api.fields import fields_of
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import in_slices
from linkdash.model.lists.arrangement import Arrangement
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.columns import Column
from linkdash.model.lists.known_facts import with_computed
from linkdash.model.lists.views import ListPreferences, View
from linkdash.model.session import Session

NAMED = 3
"""Records that are named of those that a view finds."""


class ViewFinds(NamedTuple):
    """The records that a view finds, in its order."""

    view: View
    rows: Sequence[Record | Unreadable]
    not_known: int
    """Records of which is not known what the view asks for."""
    is_loaded: bool
    """True if anything of the list is loaded."""

    @property
    def is_known(self) -> bool:
        """Return whether it can be told of any record."""
        return self.is_loaded and bool(self.rows or not self.not_known)

    def names(self, collection: AnyCollection) -> str:
        """The first of them by their names, and how many more."""
        resource = collection.resource
        first = [resource.name_of(row) or str(row.id) for row in self.rows[:NAMED] if isinstance(row, Record)]
        rest = len(self.rows) - len(first)
        return ", ".join(first) + (f" and {rest:,} more" if first and rest else "")


async def find(
    session: Session, collection: AnyCollection, views: Sequence[View], columns: Sequence[Column[Any]]
) -> list[ViewFinds]:
    """The finds of each view in what is loaded; a filter without a meaning finds nothing. No request."""
    rows, now = collection.listing.loaded_rows(), session.local_time()
    record: type[Record] = collection.resource.record
    arrangement = Arrangement[Any](columns, fields_of(record))
    found = []
    for view in views:
        arrangement.filter(view.filter, now)
        arrangement.order_by(view.order)
        is_asked = arrangement.error is None and bool(rows)
        matching = await in_slices(arrangement.apply(rows)) if is_asked else ()
        found.append(ViewFinds(view, matching, arrangement.not_known if is_asked else 0, is_asked))
    return found


async def find_kept(session: Session, collection: AnyCollection, views: Sequence[View]) -> list[ViewFinds]:
    """The same of what is loaded, or was kept of an earlier run."""
    await collection.recall()
    return await find(session, collection, views, await with_computed(session, collection.resource))


async def views_of(session: Session, collection: AnyCollection) -> list[View]:
    """The findings of a list, then the views of one's own."""
    own = await ListPreferences(session, collection.resource.list_id).views()
    return [*collection.resource.findings, *own]
