"""The guard of writes: what one builds on is compared with what is there, at its own turn.

A record is read for it, and the write is made anew of it, so that what was left alone stays as others have
made it. Between that read and the write another may still change the record: the service takes no condition,
so nothing can prevent that.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from linkdash.api.errors import AdminRequired, InvalidBody, KeyRefused, NotSent, ServiceError
from linkdash.api.fields import Field, fields_of
from linkdash.api.inert_text import inert
from linkdash.api.records import Body, Record, member_names
from linkdash.model.declaration import Resource, declaration
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.humanize import shortened
from linkdash.model.lists.collection import AnyCollection, Collection
from linkdash.model.lists.collections import Collections
from linkdash.model.lists.patching import patched
from linkdash.model.resources.plans import subscription_before
from linkdash.model.session_services import SessionServices
from linkdash.model.writes import planned_changes
from linkdash.model.writes.draft import FieldChange
from linkdash.model.writes.planned_changes import NEVER_SHOWN, named_members, value_text, values_of
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import JournalEntry, WriteIntent

T = TypeVar("T", bound=Record)

CLOCKS_APART = timedelta(seconds=5)
"""The most that the clocks of two machines are apart."""
FRESH_SECONDS = 5.0
"""The age up to which a read is good for a write whose turn has come."""
_VALUE_CELLS = 60


class Clash(NamedTuple):
    """A member as it was shown, as others have set it since, and as a write would set it."""

    title: str
    was: str
    theirs: str
    yours: str = ""
    """Empty where the record would be deleted."""

    def __str__(self) -> str:
        return " → ".join(filter(None, (f"{self.title}: {self.was}", self.theirs, self.yours)))


class ChangedElsewhere(InvalidBody):
    """A change by others, since it was shown, of what a write would replace or delete."""

    def __init__(self, intent: WriteIntent, clashes: Sequence[Clash], cause: str) -> None:
        changes = ", ".join(f"{clash.title} {clash.was} → {clash.theirs}" for clash in clashes)
        super().__init__(f"{summary_of(intent)}: {cause}: {changes}.", NOTHING_SENT)
        self.intent = intent
        self.clashes = clashes
        self.cause = cause
        """Who has changed it, and when, as far as that is known."""


Overwrite = bool | ChangedElsewhere
"""What of others a write may replace: all, nothing, or what one refusal of it has told."""


def changed_by(entry: JournalEntry) -> str:
    """The author of the change, and its time."""
    return f"changed by {entry.author} at {_clock(entry.begun)}"


def _clock(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def shows(intent: WriteIntent) -> bool:
    """Return whether a read tells something of what an update sends."""
    resource = declaration(intent.resource)
    return intent.action == "update" and not intent.params.keys().isdisjoint(resource.record.model_fields)


def reads_for(collections: Collections, intents: Iterable[WriteIntent]) -> int:
    """Return how many requests it takes to read for writes what they build on, where no record has moved."""
    ids: dict[str, set[int]] = {}
    users = 0
    for intent in intents:
        if intent.read_at is not None and (intent.action == "delete" or shows(intent)):
            ids.setdefault(intent.resource, set()).add(intent.record_ids[0])
        elif intent.read_at is not None and intent.action == "subscribe":
            users += 1
    return users + sum(len(collections.of(declaration(name)).rereads(of_it)) for name, of_it in ids.items())


# ---- at its turn ----


async def as_it_is_now(
    context: SessionServices,
    collection: AnyCollection,
    intent: WriteIntent,
    overwrite: Overwrite = False,
    *,
    has_waited: bool = False,
) -> WriteIntent:
    """The same write, of its record as it is now; one that is made of none that was shown stays as it is.

    A page that was read for a write a moment ago serves again, but for one that `has_waited` since. Raises
    ChangedElsewhere, InvalidBody where an update's record is gone, NotSent where it cannot be read.
    """
    max_age = -math.inf if has_waited else FRESH_SECONDS
    if (shown_at := intent.read_at) is None:
        return intent
    read_at = context.moment()
    try:
        match intent.action:
            case "update":
                anew = await _update_now(context, collection, intent, shown_at, max_age, overwrite)
            case "delete":
                anew = await _deletion_now(collection, intent, shown_at, max_age, overwrite)
            case _ if (read_at - shown_at).total_seconds() > max_age:
                anew = await _subscription_now(context, intent, shown_at, overwrite)
            case _:
                return intent
    except (KeyRefused, AdminRequired):
        raise
    except ServiceError as error:
        raise NotSent(f"The record could not be read before: {error.what}", error.advice) from None
    return replace(anew, read_at=read_at)


async def _update_now(
    context: SessionServices,
    collection: AnyCollection,
    intent: WriteIntent,
    shown_at: datetime,
    max_age: float,
    overwrite: Overwrite,
) -> WriteIntent:
    resource, id, model = collection.resource, intent.record_ids[0], collection.resource.update
    if model is None:
        return intent
    now, anew = None, intent
    if shows(intent):
        now = await _read(collection, id, max_age, elsewhere=True)
        if now is None:
            name = f"{intent.name()} ({id})" if intent.name() else str(id)
            raise InvalidBody(f"Not found: {resource.singular} {name}. Perhaps deleted.", NOTHING_SENT)
        anew = planned_changes.rebased(resource, model, now, intent)
    if overwrite is True:
        return anew
    own, others = await _updates_since(context, intent, shown_at)
    clashes = clashes_of(resource, now, intent, named_members(model, anew), own, others)
    by = newest_of(model, clashes, others)
    _refuse(replace(intent, names=anew.names), clashes, by, shown_at, overwrite)
    return anew


async def _read(collection: Collection[T], id: int, max_age: float, *, elsewhere: bool) -> T | None:
    await collection.recall()  # where it was seen last
    return (await collection.reread([id], max_age=max_age, elsewhere=elsewhere)).get(id)


async def _deletion_now(
    collection: AnyCollection, intent: WriteIntent, shown_at: datetime, max_age: float, overwrite: Overwrite
) -> WriteIntent:
    """A deletion of a record that is as it was shown, or not where it was: the service is to say then."""
    resource = collection.resource
    now = await _read(collection, intent.record_ids[0], max_age, elsewhere=False)
    if now is None or overwrite is True:
        return intent
    values = planned_changes.given_values(resource, now)
    changes = planned_changes.changes_between(resource, intent.before or {}, values)
    _refuse(intent, _as_clashes(changes), None, shown_at, overwrite)
    return intent


async def _subscription_now(
    context: SessionServices, intent: WriteIntent, shown_at: datetime, overwrite: Overwrite
) -> WriteIntent:
    """A subscription of a user who has the plan, and its end, that were shown."""
    now = subscription_before(await context.client.users.get(intent.record_ids[0]))
    before = {name: value for name, value in (intent.before or {}).items() if name in now}
    told = {name: value for name, value in now.items() if name in before}
    changes = planned_changes.changes_between(declaration(intent.resource), before, told)
    clashes = () if overwrite is True else _as_clashes(changes)
    _refuse(intent, clashes, None, shown_at, overwrite)
    return replace(intent, before=now)


def _as_clashes(changes: Sequence[FieldChange]) -> Sequence[Clash]:
    return [Clash(change.title, *change.words) for change in changes]


def _refuse(
    intent: WriteIntent,
    clashes: Sequence[Clash],
    entry: JournalEntry | None,
    shown_at: datetime,
    overwrite: Overwrite,
) -> None:
    """Raise ChangedElsewhere for clashes other than those that were agreed to."""
    agreed = overwrite.clashes if isinstance(overwrite, ChangedElsewhere) else ()
    if clashes and [*clashes] != [*agreed]:
        cause = f"changed on the service since {_clock(shown_at)}" if entry is None else changed_by(entry)
        raise ChangedElsewhere(intent, clashes, cause)


async def is_outdated(context: SessionServices, intent: WriteIntent) -> bool:
    """Return whether others may have changed a record since it was read for this write; it costs no request.

    That is where it has waited, or where a team's journal says so.
    """
    if intent.read_at is None or not (intent.action == "delete" or shows(intent)):
        return False
    age = (context.moment() - intent.read_at).total_seconds()
    if not 0 <= age <= FRESH_SECONDS:  # below 0 the clock was set back, and the age is not known
        return True
    _, others = await _updates_since(context, intent, intent.read_at)
    return intent.action == "update" and bool(others)


# ---- what others have changed ----


_Entries = Sequence[JournalEntry]


async def _updates_since(
    context: SessionServices, intent: WriteIntent, at: datetime
) -> tuple[_Entries, _Entries]:
    """The updates of a record since a moment: one's own, and those of others; the oldest first."""
    journal, id = context.store.journal, intent.record_ids[0]
    updates = await context.kept(journal.updates_since(intent.resource, id, at - CLOCKS_APART), [])
    if intent.is_of_file:  # who has edited a file may have seen nothing of what was changed since
        return (), updates
    own = [one for one in updates if not journal.is_by_others(one) and (one.ended or one.begun) >= at]
    return own, [one for one in updates if journal.is_by_others(one)]


def newest_of(model: type[Body], clashes: Sequence[Clash], others: _Entries) -> JournalEntry | None:
    """The newest change by others that made one of these members what it is, if the journal has it."""
    theirs = {one.title: one.theirs for one in clashes}
    for entry in reversed(others):
        members = named_members(model, entry.intent)
        given = (field for field in fields_of(model) if field.name in members)
        if any(_text(field, members) == theirs.get(field.title) for field in given):
            return entry
    return None


def clashes_of(
    resource: Resource[T],
    now: T | None,
    intent: WriteIntent,
    named: Mapping[str, object],
    own: _Entries,
    others: _Entries,
) -> Sequence[Clash]:
    """The members among those `named` that others have changed since an update was planned.

    `now` is the record as it is; None where no read tells anything of it. What this user has changed since
    is known to them. Of members that the service never shows, the journal alone tells whether others have set
    them.
    """
    if (model := resource.update) is None:
        return ()
    seen: Mapping[str, object] = {}
    known: Mapping[str, object] = {}
    present: Mapping[str, object] = {}
    if now is not None:
        planned = as_planned(resource, now, intent)
        seen, present = values_of(planned, model), values_of(now, model)
        known = values_of(as_left(resource, planned, own), model)
    told = {name for entry in others for name in named_members(model, entry.intent)}
    return [
        Clash(field.title, *(_text(field, values) for values in (known, present, named)))
        for field in fields_of(model)
        if (name := field.name) in named
        and (present[name] not in (seen.get(name), known.get(name)) if name in present else name in told)
    ]


def as_left(resource: Resource[T], record: T, updates: Sequence[JournalEntry]) -> T:
    """A record as these updates of it leave it; what they sent along as it was is none of their doing."""
    if resource.update is None:
        return record
    for entry in updates:
        after = patched(resource.record, record.raw, named_members(resource.update, entry.intent), {})
        record = after if isinstance(after, resource.record) else record
    return record


def as_planned(resource: Resource[T], now: T, intent: WriteIntent) -> T:
    """A record as an update was planned of it: as it is `now`, with the members from before."""
    before = intent.before or {}
    fields = resource.record.model_fields
    unset = {
        member
        for name, value in before.items()
        if value is None and name in fields
        for member in member_names(name, fields[name])
    }
    rest = {member: value for member, value in now.raw.items() if member not in unset}
    record = patched(resource.record, rest, before, {})
    return record if isinstance(record, resource.record) else now


def _text(field: Field, values: Mapping[str, object]) -> str:
    if field.kind in NEVER_SHOWN or field.name not in values:
        return "(not shown)"
    return shortened(inert(value_text(values[field.name], field.labels) or "(empty)"), _VALUE_CELLS)
