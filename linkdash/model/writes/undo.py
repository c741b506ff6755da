"""Undo: the values from before the last edit of records, as updates. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Generic, NamedTuple, TypeVar

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import fields_of
from linkdash.api.records import Body, Record
from linkdash.model.declaration import AnyResource, Resource
from linkdash.model.writes.form_fields import payload_names
from linkdash.model.writes.guard import as_left
from linkdash.model.writes.kept_members import KeptMembers, kept_before, kept_of
from linkdash.model.writes.planned_changes import (
    UNDOABLE,
    always_sent,
    body_for,
    is_change,
    last_change,
    not_known_before,
    update_of,
    values_before,
)
from linkdash.store.job import ItemState, Job
from linkdash.store.journal_entry import JournalEntry, WriteIntent

T = TypeVar("T", bound=Record)


class Undone(NamedTuple, Generic[T]):
    """An edit that can be undone: the update that does it, and the record as it was left by then."""

    intent: WriteIntent
    record: T
    entry: JournalEntry
    """The edit."""
    since: Sequence[JournalEntry]
    """Later edits of the record, the newest first."""


def undone(
    resource: Resource[T], records: Sequence[T], entries: Sequence[JournalEntry]
) -> Mapping[int, Undone[T]]:
    """The updates that restore each record before its last edit, by id; `entries` have the newest first.

    Records that were not edited from here, or of which nothing is known from before, are left out.
    """
    last = [(record, last_change(entries, resource.id, record.id)) for record in records]
    found = [undo_of(resource, record, entry, entries) for record, entry in last if entry is not None]
    return {one.record.id: one for one in found if one is not None}


def undo_of(
    resource: Resource[T], record: T, entry: JournalEntry, entries: Sequence[JournalEntry]
) -> Undone[T] | None:
    """The update that gives back what one edit of a record has replaced; later edits of other members stay.

    None where it is not known what that was. `entries` have the newest first.
    """
    if (model := resource.update) is None:
        return None
    before = values_before(entry, kept_before(entries, entry, resource).sendable)
    if before is None:
        return None
    kept = kept_of(entries, resource, record.id).sendable
    newer = takewhile(lambda one: one.id != entry.id, entries)
    since = [one for one in newer if is_change(one, resource.id, record.id)]
    left = as_left(resource, record, [entry, *reversed(since)])
    try:
        body = body_for(model, left, before, kept)
    except InvalidBody:  # the service has taken what its own reference does not allow
        return None
    intent = update_of(resource, left, body, entry.origin, kept)
    last = next(iter(since), entry)
    return Undone(replace(intent, read_at=last.ended or last.begun), left, entry, since)


def not_restorable(resource: Resource[T], record: T, entries: Sequence[JournalEntry]) -> Sequence[str]:
    """The titles of what undoing the last edit has to send and is unknown; `entries` as for `undone`."""
    entry, model = last_change(entries, resource.id, record.id), resource.update
    if entry is None or model is None:
        return []
    replaced = not_known_before(entry.intent, kept_before(entries, entry, resource).sendable, model)
    return [*dict.fromkeys([*replaced, *untold(resource, model, kept_of(entries, resource, record.id))])]


def untold(resource: AnyResource, model: type[Body], kept: KeptMembers) -> Sequence[str]:
    """The titles of members that every change sends, and that neither a record nor the journal tells."""
    told = resource.record.model_fields.keys() | kept.sendable.keys()
    needed = {*always_sent(model)} - told
    return [field.title for field in fields_of(model) if field.name in needed]


def unseen_words(resource: Resource[T], intent: WriteIntent) -> str:
    """Return that an undo gives back what no record shows, so that it may replace what others have put there.

    "" where it does not.
    """
    if resource.update is None or not {*payload_names(resource.update)} & intent.params.keys():
        return ""
    return (
        f"The service does not show the content of a {resource.singular}: undo restores what "
        "was last sent from here. What others have put there since, without this journal, is replaced unseen."
    )


def changed_since(job: Job, entries: Sequence[JournalEntry]) -> JournalEntry | None:
    """The newest change of a job's records, where each of them was changed again since, as by an undo.

    `entries` have the newest first.
    """
    done = [item for item in job.items if item.state is ItemState.DONE and item.intent.action in UNDOABLE]
    last = [last_change(entries, item.intent.resource, item.intent.record_ids[0]) for item in done]
    origins = {item.origin for item in done}
    later = [entry for entry in last if entry is not None and entry.origin not in origins]
    return max(later, key=lambda entry: entry.begun) if later and len(later) == len(done) else None
