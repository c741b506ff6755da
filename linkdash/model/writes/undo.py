"""Undo: the values from before the last edit of records, as updates; the plan before a subscription. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import dropwhile, takewhile
from typing import Generic, NamedTuple, TypeVar

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import read_moment, write_moment
from linkdash.api.records import Record
from linkdash.api.resources.users import User
from linkdash.model.declaration import Resource
from linkdash.model.writes.conflicts import Shown, as_left
from linkdash.model.writes.form_fields import payload_names
from linkdash.model.writes.planned_changes import (
    UNDOABLE,
    body_for,
    content_before,
    is_change,
    last_change,
    not_known_before,
    sent_content,
    update_of,
    values_before,
)
from linkdash.store.job import ItemState, Job
from linkdash.store.journal_entry import JournalEntry, WriteIntent

T = TypeVar("T", bound=Record)


class Undone(NamedTuple, Generic[T]):
    """An edit that can be undone: the update that does it, and the record as it was left by then."""

    intent: WriteIntent
    shown: Shown[T]
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
    return {one.shown.record.id: one for one in found if one is not None}


def undo_of(
    resource: Resource[T], record: T, entry: JournalEntry, entries: Sequence[JournalEntry]
) -> Undone[T] | None:
    """The update that gives back what one edit of a record has replaced; later edits of other members stay.

    None where it is not known what that was. `entries` have the newest first.
    """
    if (model := resource.update) is None:
        return None
    before = values_before(entry, content_before(entries, entry, model))
    if before is None:
        return None
    newer = takewhile(lambda one: one.id != entry.id, entries)
    since = [one for one in newer if is_change(one, resource.id, record.id)]
    left = as_left(resource, record, [entry, *reversed(since)])
    try:
        intent = update_of(resource, left, body_for(model, left, before), is_undo=True)
    except InvalidBody:  # the service has taken what its own reference does not allow
        return None
    known = {**(intent.before or {}), **sent_content(entries, resource.id, record.id, model)}
    last = next(iter(since), entry)
    shown = Shown(left, last.ended or last.begun)
    return Undone(replace(intent, before=known), shown, entry, since)


def not_restorable(resource: Resource[T], record: T, entries: Sequence[JournalEntry]) -> Sequence[str]:
    """The titles of what the last edit of a record has replaced and is unknown; `entries` as for `undone`."""
    entry, model = last_change(entries, resource.id, record.id), resource.update
    if entry is None or model is None:
        return []
    return not_known_before(entry.intent, content_before(entries, entry, model), model)


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


def plan_before(entries: Sequence[JournalEntry], user: int, now: datetime) -> Mapping[str, object]:
    """The values that subscribe a user to the plan before again, as far as they are known.

    `entries` have the newest first. An end that has passed by `now` is told as `ended`: it is not sent again.
    """
    last = last_change(entries, "users", user)
    return {} if last is None else plan_replaced(entries, last, now)


def plan_replaced(
    entries: Sequence[JournalEntry], entry: JournalEntry, now: datetime
) -> Mapping[str, object]:
    """The same of one subscription, which is among the `entries`."""
    before = entry.intent.before or {}
    plan, end = before.get("planid"), str(before.get("expires") or "")
    if not plan:
        return {}
    is_ahead = end > write_moment(now)
    known = {"plan_id": plan, "expiration": end if is_ahead else "", "ended": "" if is_ahead else end}
    older = [*dropwhile(lambda one: one.id != entry.id, entries)][1:]
    subscribed = last_change(older, "users", entry.intent.record_ids[0])
    if subscribed is not None and subscribed.intent.record_ids[1:] == (plan,):
        known["type"] = subscribed.intent.params["type"]
    return known


def ended_words(known: Mapping[str, object]) -> Sequence[str]:
    """A sentence about an end of the plan before that has passed, of what is `known` of it."""
    end = read_moment(str(known["ended"]))
    return [] if end is None else [f"It had ended on {end:%Y-%m-%d}; that end does not come back."]


def is_as_before(user: User, entry: JournalEntry) -> bool:
    """Return whether a user has what one subscription has replaced."""
    before = entry.intent.before or {}
    end = write_moment(user.expires) if user.expires is not None else None
    return (user.planid, end) == (before.get("planid"), before.get("expires"))


def term_sent(entries: Sequence[JournalEntry], user: User) -> str:
    """The term that was last sent for a user, with the plan they have; empty where that is another one.

    `entries` have the newest first.
    """
    last = last_change(entries, "users", user.id)
    if last is None or last.intent.record_ids[1:] != (user.planid,):
        return ""
    return str(last.intent.params["type"])
