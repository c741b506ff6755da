"""Updating: the read before an update is sent, and what others have changed since it was shown.

Between that read and the write another may still change the record: the service takes no condition, so
nothing can prevent that.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.records import Body, Record
from linkdash.model.declaration import AnyResource, Resource, declaration
from linkdash.model.lists.collection import AnyCollection, Collection
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
from linkdash.store.journal_entry import WriteIntent

T = TypeVar("T", bound=Record)

FRESH_SECONDS = 5.0
"""The age up to which a read is good for an update whose turn has come."""


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
    return _all_shown(collection)


def _all_shown(collection: Collection[T]) -> Mapping[int, Shown[T]]:
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
    context: SessionServices, resource: Resource[T], seen: Shown[T] | None, now: T, intent: WriteIntent
) -> Update:
    """An update of a record as it is `now`, with what of it others have changed since it was seen."""
    if seen is None or not may_clash(resource, seen.record, now, intent):
        return Update(intent)
    since = await since_shown(context, resource, seen)
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
    await collection.recall()
    known = next(iter(collection.records), None) if resource.is_single else collection.listing.record(id)
    seen = None if known is None else shown(collection, known)
    read_at = context.moment()
    if is_read_for(model, resource.record, named):
        now = (await collection.reread([id], is_shown=False)).get(id)
    elif seen is None:
        return Update(_of_unknown(resource, id, body_of(model, named)))
    else:
        now = as_left(resource, seen.record, (await since_shown(context, resource, seen)).all)
    if now is None:
        return None
    intent = planned_changes.update_of(resource, now, planned_changes.body_for(model, now, named))
    return await checked(context, resource, seen, now, replace(intent, read_at=read_at))


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
            raise ChangedElsewhere(f"{intent.summary}: changed on the service: {told}.", "Nothing was sent.")
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
        raise ReadTooOld(f"{intent.summary}: the record was read some time ago.", "Nothing was sent.")


async def _refuse_unseen(context: SessionServices, intent: WriteIntent, read_at: datetime) -> None:
    model, journal = declaration(intent.resource).update, context.store.journal
    if intent.action != "update" or model is None:
        return
    since = read_at - CLOCKS_APART
    entries = await context.kept(journal.updates_since(intent.resource, intent.record_id or 0, since), [])
    others = [entry for entry in entries if journal.is_by_others(entry)]
    if (change := unseen_change(model, intent, others)) is not None:
        raise ChangedElsewhere(
            f"{intent.summary}: {changed_by(change)}, after it was read.", "Nothing was sent."
        )


def _of_unknown(resource: Resource[T], id: int, body: Body) -> WriteIntent:
    ids, summary = ((), "edit account") if resource.is_single else ((id,), f"edit {resource.singular} {id}")
    return WriteIntent(resource.id, "update", ids, body.given(), summary, None, body)


# ---- what a file was made of ----


async def keep_exported(context: SessionServices, collection: AnyCollection, file: Path) -> None:
    """Keep what a file was made of: what others change from now on is not undone when it is imported."""
    await _keep_seen(context, collection, {"file": _name_of(file)})


class FileBasis(NamedTuple):
    """The records that the rows of a file are compared with."""

    seen: Mapping[int, Shown[Record]] = {}
    """As they were when the file was exported here, or else when its import was begun, by id."""
    exported: Mapping[int, Record] = {}
    """As the file had them when it was exported here; empty where it comes from elsewhere."""


async def basis_of_file(context: SessionServices, resource: AnyResource, file: Path) -> FileBasis:
    """The records that a file was made of, as far as that is known."""
    collection: AnyCollection = Collection(context, resource)  # what others work with stays as it is
    for names in ({"file": _name_of(file)}, {"begun": _name_of(file)}):
        kept = await context.kept(context.store.pages.load(_place(collection), names), None)
        if kept is not None:
            records = {record.id: record for record in collection.source.read(kept.payload)}
            seen = {id: Shown(record, kept.at) for id, record in records.items()}
            return FileBasis(seen, records if "file" in names else {})
    await collection.recall()
    await _keep_seen(context, collection, {"begun": _name_of(file)})
    return FileBasis(_all_shown(collection))


async def _keep_seen(context: SessionServices, collection: AnyCollection, names: Mapping[str, str]) -> None:
    model, listing = collection.resource.update, collection.listing
    if model is None or model.model_fields.keys().isdisjoint(collection.resource.record.model_fields):
        return
    rows = [record.raw for record in collection.records]
    moment = datetime.fromtimestamp(context.now() if listing.oldest_at is None else listing.oldest_at, UTC)
    await context.kept(context.store.pages.save(_place(collection), names, rows, moment), None)


def _name_of(file: Path) -> str:
    return str(file.absolute())


def _place(collection: AnyCollection) -> str:
    """Return the store's name for files of a list, apart from its pages."""
    return f"{collection.source.request(1).path} in files"
