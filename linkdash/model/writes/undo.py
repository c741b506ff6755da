"""Undo: the values that records had before their last edit, as updates. Pure."""

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from linkdash.api.errors import InvalidBody
from linkdash.api.records import Record
from linkdash.model.declaration import Resource
from linkdash.model.writes.conflicts import Shown, as_left
from linkdash.model.writes.planned_changes import body_for, last_change, update, values_before
from linkdash.store.journal_entry import JournalEntry, WriteIntent

T = TypeVar("T", bound=Record)


class Undone(NamedTuple, Generic[T]):
    """An edit that can be undone: the update that does it, and the record as the edit has left it."""

    intent: WriteIntent
    shown: Shown[T]


def undone(
    resource: Resource[T], records: Sequence[T], entries: Sequence[JournalEntry]
) -> Mapping[int, Undone[T]]:
    """The updates that restore each record before its last edit, by id; `entries` have the newest first.

    Records that were not edited from here, or of which nothing is known from before, are left out.
    """
    found = {}
    for record in records:
        entry = last_change(entries, resource.id, record.id)
        before = values_before(entry) if entry is not None else None
        if entry is None or before is None or resource.update is None:
            continue
        left = as_left(resource, record, [entry])
        try:
            intent = update(resource, left, body_for(resource.update, left, before))
        except InvalidBody:  # the service has taken what its own reference does not allow
            continue
        found[record.id] = Undone(intent, Shown(left, entry.ended or entry.begun))
    return found
