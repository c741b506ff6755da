"""Updating: the read before an update is sent, and what others have changed since it was shown.

Between that read and the write another may still change the record: the service takes no condition, so
nothing can prevent that.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.qr_payloads import PAYLOADS, checked_data
from linkdash.api.records import Body, Record
from linkdash.model.declaration import AnyResource, Resource, declaration
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.lists.collection import Collection
from linkdash.model.session_services import SessionServices
from linkdash.model.writes import planned_changes
from linkdash.model.writes.conflicts import (
    CLOCKS_APART,
    ChangedElsewhere,
    Conflict,
    Shown,
    Since,
    as_left,
    as_planned,
    changed_by,
    conflict_of,
    is_read_for,
    may_clash,
    unseen_change,
)
from linkdash.model.writes.form_fields import payload_names, type_field
from linkdash.model.writes.kept_members import KeptMembers, is_kept, kept_of
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import WriteIntent

T = TypeVar("T", bound=Record)

FRESH_SECONDS = 5.0
"""The age up to which a read is good for an update whose turn has come."""


async def kept_here(context: SessionServices, resource: AnyResource, id: int) -> KeptMembers:
    """Return what the journal keeps of a record."""
    of_record = context.store.journal.of_record(resource.id, id, planned_changes.UNDO_REACHES)
    return kept_of(await context.kept(of_record, []), resource, id)


class Update(NamedTuple):
    """An update that can be sent, and what of it would replace what others have changed."""

    intent: WriteIntent
    conflict: Conflict | None = None


def shown(collection: Collection[T], record: T) -> Shown[T] | None:
    """A record that is loaded, or was kept, with the moment at which it was read; None where it is not."""
    at = collection.listing.read_at(record.id)
    return None if at is None else Shown(record, datetime.fromtimestamp(at, UTC))


async def shown_here(context: SessionServices, resource: Resource[T]) -> Mapping[int, Shown[T]]:
    """The records of a list as they were shown here last, by id, whatever is read from now on."""
    collection = Collection(context, resource)
    await collection.recall()
    return all_shown(collection)


def all_shown(collection: Collection[T]) -> Mapping[int, Shown[T]]:
    """The records of a list that are loaded, by id."""
    seen = (shown(collection, record) for record in collection.records)
    return {one.record.id: one for one in seen if one is not None}


async def since_shown(context: SessionServices, resource: Resource[T], seen: Shown[T]) -> Since:
    """The updates of a record that the journal has since it was shown."""
    journal = context.store.journal
    entries = await context.kept(
        journal.updates_since(resource.id, seen.record.id, seen.at - CLOCKS_APART), []
    )
    own = [entry for entry in entries if not journal.is_by_others(entry)]
    return Since(
        [entry for entry in own if (entry.ended or entry.begun) >= seen.at],
        [entry for entry in entries if journal.is_by_others(entry)],
    )


async def checked(
    context: SessionServices,
    resource: Resource[T],
    seen: Shown[T] | None,
    now: T,
    intent: WriteIntent,
    *,
    by_user: bool = True,
) -> Update:
    """An update of a record as it is `now`, with what of it others have changed since it was seen.

    Unless it was seen `by_user`, what was changed from here since is as little known as what others changed.
    """
    if seen is None or not may_clash(resource, seen.record, now, intent):
        return Update(intent)
    since = await since_shown(context, resource, seen)
    if not by_user:
        since = Since((), since.all)
    return Update(intent, conflict_of(resource, seen, now, intent, since))


async def update_of_named(
    context: SessionServices, collection: Collection[T], id: int, named: Mapping[str, object]
) -> Update | None:
    """The update that sets what was named on a record; None where the service has no such record.

    Where it must send more than that, the rest is read for it, mostly by one request; where not, what others
    have changed is known as far as the journal has it. Raises InvalidBody, ServiceError.
    """
    resource = collection.resource
    if (model := resource.update) is None:
        raise InvalidBody(f"The service offers no way to edit {resource.title.lower()}.", "Nothing was sent.")
    kept = await kept_here(context, resource, id)
    named = {**_with_contents(model, kept, named)}
    _refuse_untold(resource, model, kept, id, named)
    await collection.recall()
    known = next(iter(collection.records), None) if resource.is_single else collection.listing.record(id)
    seen = None if known is None else shown(collection, known)
    read_at = context.moment()
    if is_read_for(model, resource.record, named):
        now = (await collection.reread([id], is_shown=False)).get(id)
    elif seen is None:
        return Update(_of_unknown(resource, model, id, named, kept.sendable))
    else:
        now = as_left(resource, seen.record, (await since_shown(context, resource, seen)).all)
    if now is None:
        return None
    body = planned_changes.body_for(model, now, named, kept.sendable)
    intent = planned_changes.update_of(resource, now, body, kept=kept.sendable)
    return await checked(context, resource, seen, now, replace(intent, read_at=read_at))


def _with_contents(model: type[Body], kept: KeptMembers, named: Mapping[str, object]) -> Mapping[str, object]:
    """The same members, contents as their type wants them, where that is known. Raises InvalidBody."""
    checked = dict(named)
    for name in payload_names(model):
        type_ = kept.members.get(type_field(model, name))
        if name in named and isinstance(type_, str):
            try:
                checked[name] = checked_data(type_, named[name])
            except ValueError as error:
                raise InvalidBody(f"{name}: {error}.", NOTHING_SENT) from None
    return checked


def _refuse_untold(
    resource: AnyResource, model: type[Body], kept: KeptMembers, id: int, named: Mapping[str, object]
) -> None:
    """Raise InvalidBody where a change has to send a content that is not known here."""
    told = {*named, *kept.sendable, *resource.record.model_fields}
    for name in (name for name in payload_names(model) if name not in told):
        if name not in planned_changes.always_sent(model):
            continue
        why = "the password in it is not kept" if name in kept.members else "it was not sent from here"
        type_ = kept.members.get(type_field(model, name))
        payload = PAYLOADS.get(str(type_))
        members = f" Its members: {payload.members_words()}." if payload is not None else ""
        raise InvalidBody(
            f"The service changes a {resource.singular} with its whole content only, and {why}.",
            f"Give it, too: {name}=….{members} {NOTHING_SENT}",
        )


async def renewed(
    context: SessionServices,
    collection: Collection[T],
    intents: Mapping[int, WriteIntent],
    planned_at: datetime,
    max_age: float = -math.inf,
) -> dict[int, Update]:
    """Updates made of their records as they are now; by the same numbers.

    Those were read when an intent says, and otherwise planned at `planned_at`. They are read again, mostly by
    one request a page, unless that was done less than `max_age` seconds ago; where one is gone, the service
    is to say so. Raises ServiceError.
    """
    resource, model = collection.resource, collection.resource.update
    if model is None or not intents:
        return {}
    await collection.recall()
    read_at = context.moment()
    ids = [intent.record_ids[0] for intent in intents.values()]
    now = await collection.reread(ids, is_shown=False, max_age=max_age)
    found = {}
    for number, intent in intents.items():
        if (record := now.get(intent.record_ids[0])) is None:
            found[number] = Update(replace(intent, read_at=read_at))
            continue
        seen = Shown(as_planned(resource, record, intent), intent.read_at or planned_at)
        again = planned_changes.rebased(resource, model, record, intent)
        found[number] = await checked(context, resource, seen, record, replace(again, read_at=read_at))
    return found


class ReadTooOld(ChangedElsewhere):
    """A write has waited for its turn for so long that others may have changed its record."""


async def unchanged(
    context: SessionServices, collection: Collection[T], intent: WriteIntent, max_age: float
) -> WriteIntent:
    """A deletion of a record that is as it was shown, or not where it was: the service is to say then.

    It is read for it unless that was done less than `max_age` seconds ago. Raises ChangedElsewhere,
    ServiceError.
    """
    resource, read_at = collection.resource, context.moment()
    await collection.recall()
    found = await collection.reread(intent.record_ids, is_shown=False, max_age=max_age, elsewhere=False)
    if (now := found.get(intent.record_ids[0])) is not None:
        values = planned_changes.given_values(resource, now)
        if changes := planned_changes.changes_between(resource, intent.before or {}, values):
            told = ", ".join(map(str, changes))
            words = f"{summary_of(intent)}: changed on the service: {told}."
            raise ChangedElsewhere(words, "Nothing was sent.")
    return replace(intent, read_at=read_at)


def shows(intent: WriteIntent) -> bool:
    """Return whether a read tells something of what an update sends."""
    resource = declaration(intent.resource)
    return intent.action == "update" and not intent.params.keys().isdisjoint(resource.record.model_fields)


async def refuse_outdated(context: SessionServices, intent: WriteIntent, *, is_anew: bool) -> None:
    """Raise ChangedElsewhere where others may have changed a record since the read that a write was made of.

    That is where a team's journal says so, and ReadTooOld, unless it `is_anew`, where it has waited. No
    request is sent for it.
    """
    if intent.read_at is None or not (intent.action == "delete" or shows(intent)):
        return
    await _refuse_unseen(context, intent, intent.read_at)
    age = (context.moment() - intent.read_at).total_seconds()
    is_fresh = 0 <= age <= FRESH_SECONDS  # below 0 the clock was set back, and the age is not known
    if not is_fresh and not is_anew:
        raise ReadTooOld(f"{summary_of(intent)}: the record was read some time ago.", "Nothing was sent.")


async def _refuse_unseen(context: SessionServices, intent: WriteIntent, read_at: datetime) -> None:
    model, journal = declaration(intent.resource).update, context.store.journal
    if intent.action != "update" or model is None:
        return
    since = read_at - CLOCKS_APART
    entries = await context.kept(journal.updates_since(intent.resource, intent.record_id or 0, since), [])
    others = [entry for entry in entries if journal.is_by_others(entry)]
    if (change := unseen_change(model, intent, others)) is not None:
        raise ChangedElsewhere(
            f"{summary_of(intent)}: {changed_by(change)}, after it was read.", "Nothing was sent."
        )


def _of_unknown(
    resource: AnyResource,
    model: type[Body],
    id: int,
    named: Mapping[str, object],
    kept: Mapping[str, object],
) -> WriteIntent:
    own = {name: kept[name] for name in planned_changes.always_sent(model) if name in kept}
    body = body_of(model, {**own, **named})
    ids, before = () if resource.is_single else (id,), kept or None
    return WriteIntent(
        resource.id, "update", ids, body.given(), before=before, is_kept=is_kept(model), body=body
    )
