"""Undo: what is sent to take back a change of the journal, or why it cannot be taken back."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import NamedTuple, TypeVar

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import fields_of
from linkdash.api.records import Body, Record, Unreadable
from linkdash.api.resources.users import User
from linkdash.model.declaration import AnyResource, Resource, declaration
from linkdash.model.lists.patching import as_expected
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.session import Session
from linkdash.model.writes.form_fields import payload_names
from linkdash.model.writes.guard import as_left, changed_by
from linkdash.model.writes.kept_members import KeptMembers, kept_before, kept_of
from linkdash.model.writes.plan_before import PlanBefore, again, is_as_before, plan_replaced, term_sent
from linkdash.model.writes.planned_changes import (
    UNDO_REACHES,
    UNDOABLE,
    always_sent,
    body_for,
    described,
    has_effect,
    is_change,
    last_change,
    not_known_before,
    rebased,
    update_of,
    values_before,
)
from linkdash.model.writes.write_words import summary_of
from linkdash.store.job import ItemState, Job
from linkdash.store.journal_entry import JournalEntry, WriteIntent

T = TypeVar("T", bound=Record)


class Undoing(NamedTuple):
    """A change, and the write that takes it back, or why there is none."""

    entry: JournalEntry
    intent: WriteIntent | None = None
    lines: Sequence[str] = ()
    """The values that it gives back."""
    told: Sequence[str] = ()
    """More to know before, in sentences."""
    why_not: str = ""
    """Why nothing is sent, in a sentence."""
    is_last: bool = True
    """True if it is the last change of its record."""
    is_so: bool = False
    """True if the record is as before already."""
    unknown: Sequence[str] = ()
    """The titles of what is not known from before."""
    plan_before: PlanBefore | None = None
    """The subscription that it gives back, as far as that is known."""


async def undoing(
    session: Session, entry: JournalEntry, record: Record, read_at: datetime | None = None
) -> Undoing:
    """The write that takes back a change of a record, as that was read at a moment; just now without one."""
    journal, at = session.store.journal, read_at or session.moment()
    entries = await session.kept(journal.of_record(entry.intent.resource, record.id, UNDO_REACHES), [])
    if read_at is not None:
        record = _as_changed_since(record, read_at, entries, session.local_time)
    if isinstance(record, User) and entry.intent.action == "subscribe":
        found = await _subscription_undone(session, entry, record, entries, at)
    else:
        found = _edit_undone(entry, record, entries)
    if found.intent is None:
        return found
    others = [f"The change is not yours: {changed_by(entry)}."] if journal.is_by_others(entry) else []
    last = last_change(entries, entry.intent.resource, record.id)
    is_last = last is None or last.id == entry.id
    later = [] if last is None or is_last else [f"It was changed again since, {_named(last)}."]
    return found._replace(told=[*others, *later, *found.told], is_last=is_last)


def _as_changed_since(
    record: Record,
    read_at: datetime,
    entries: Sequence[JournalEntry],
    local_time: Callable[[datetime], datetime],
) -> Record:
    """A record as the changes of the journal have left it that are newer than its reading, by anybody.

    `local_time` gives a moment by the service's clock, without a zone.
    """
    for entry in reversed(entries):
        if entry.ended is None or entry.ended <= read_at or not entry.was_done:
            continue
        resource = declaration(entry.intent.resource)
        if entry.intent.action == "update":
            record = as_left(resource, record, [entry])
        elif entry.intent.action == "subscribe":
            expected = resource.expected(entry.intent, local_time(entry.ended), None)
            after = as_expected(resource.record, record.raw, expected, {})
            record = record if isinstance(after, Unreadable) else after
    return record


def _named(entry: JournalEntry) -> str:
    return f"{changed_by(entry)}: {summary_of(entry.intent)} (change {entry.id})"


def _edit_undone(entry: JournalEntry, record: Record, entries: Sequence[JournalEntry]) -> Undoing:
    resource = declaration(entry.intent.resource)
    if (model := resource.update) is None or entry.intent.action != "update":
        return Undoing(entry, why_not="Only edits and subscriptions can be undone.")
    intent = undo_of(resource, record, entry, entries)
    if intent is None:
        titles = not_restorable(resource, record, entry, entries)
        return Undoing(entry, why_not=f"{_not_known(titles)}.", unknown=titles)
    sent = rebased(resource, model, record, intent)  # others may have changed the record since
    if not has_effect(sent, model):
        why_not = f"The {resource.singular} already has its previous values."
        return Undoing(entry, why_not=why_not, is_so=True)
    unseen = [told] if (told := unseen_words(resource, intent)) else []
    return Undoing(entry, intent, [line.strip() for line in described(sent, model)[1:]], unseen)


def _not_known(titles: Sequence[str]) -> str:
    words = not_known(titles) if titles else "the previous values are not known"
    return f"{words[0].upper()}{words[1:]}"


def not_known(titles: Sequence[str]) -> str:
    """Say why an edit of the members with these titles cannot be undone."""
    is_or_are = "is" if len(titles) == 1 else "are"
    return f"the old {' and '.join(title.lower() for title in titles)} {is_or_are} not known"


async def _subscription_undone(
    session: Session, entry: JournalEntry, user: User, entries: Sequence[JournalEntry], read_at: datetime
) -> Undoing:
    if is_as_before(user, entry):
        return Undoing(entry, why_not="The user already has the previous plan.", is_so=True)
    now = session.local_time()
    before = plan_replaced(entries, entry, now)
    plans = {plan.id: plan for plan in await session.collections.of(PLANS).known_records()}
    term = term_sent(entries, user.id, user.planid)
    found = None if before is None else again(user, before, plans, now, term)
    if before is None or found is None:
        return Undoing(entry, why_not="The previous plan, or its term, is not known.", plan_before=before)
    intent, lines = found
    return Undoing(entry, replace(intent, read_at=read_at), lines, before.end_words, plan_before=before)


def undo_of(
    resource: Resource[T], record: T, entry: JournalEntry, entries: Sequence[JournalEntry]
) -> WriteIntent | None:
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
    return replace(intent, read_at=last.ended or last.begun)


def not_restorable(
    resource: Resource[T], record: T, entry: JournalEntry, entries: Sequence[JournalEntry]
) -> Sequence[str]:
    """The titles of what undoing an edit has to send and is unknown; `entries` as for `undo_of`."""
    if (model := resource.update) is None:
        return []
    before, now = kept_before(entries, entry, resource), kept_of(entries, resource, record.id)
    titles = [
        *unknown_before(entry.intent, before, model),
        *_with_reasons(untold(resource, model, now), now, model),
    ]
    return [*dict.fromkeys(titles)]


def unknown_before(intent: WriteIntent, before: KeptMembers, model: type[Body]) -> Sequence[str]:
    """The titles of members that a change changes and that are not known from before, with reasons."""
    return _with_reasons(not_known_before(intent, before.sendable, model), before, model)


def _with_reasons(titles: Sequence[str], kept: KeptMembers, model: type[Body]) -> Sequence[str]:
    by_name = {
        **dict.fromkeys(kept.secret, "secrets are not kept"),
        **dict.fromkeys(kept.left_to_the_service, "the service's default, which no request gives back"),
    }
    reasons = {one.title: by_name[one.name] for one in fields_of(model) if one.name in by_name}
    return [f"{title} ({reasons[title]})" if title in reasons else title for title in titles]


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
