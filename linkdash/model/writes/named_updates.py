"""The update that sets what was named on a record, for verbs and agents, who see no form."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias, TypeVar

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.qr_payloads import PAYLOADS, checked_data
from linkdash.api.records import Body, Record
from linkdash.model.declaration import AnyResource
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.lists.collection import Collection
from linkdash.model.session_services import SessionServices
from linkdash.model.writes import planned_changes
from linkdash.model.writes.form_fields import payload_names, type_field
from linkdash.model.writes.kept_members import KeptMembers, is_kept, kept_of
from linkdash.store.journal_entry import WriteIntent

T = TypeVar("T", bound=Record)
Shown: TypeAlias = tuple[T, datetime]
"""A record as the user saw it last, and when that was read."""


async def kept_here(context: SessionServices, resource: AnyResource, id: int) -> KeptMembers:
    """Return what the journal keeps of a record."""
    of_record = context.store.journal.of_record(resource.id, id, planned_changes.UNDO_REACHES)
    return kept_of(await context.kept(of_record, []), resource, id)


def shown_at(collection: Collection[T], record: T) -> datetime | None:
    """The moment at which a record that is loaded, or was kept, was read; None where it is not."""
    at = collection.listing.read_at(record.id)
    return None if at is None else datetime.fromtimestamp(at, UTC)


async def shown_here(collection: Collection[T]) -> Mapping[int, Shown[T]]:
    """The records of a list as they were shown here last, and when, by id, whatever is read from now on."""
    await collection.recall()
    seen = ((record, shown_at(collection, record)) for record in collection.records)
    return {record.id: (record, at) for record, at in seen if at is not None}


async def update_of_named(
    context: SessionServices, collection: Collection[T], id: int, named: Mapping[str, object]
) -> WriteIntent | None:
    """The update that sets what was named on a record as it was shown here last.

    Of one that was not, what it must send besides is read, mostly by one request; None where the service has
    no such record. Raises InvalidBody, ServiceError.
    """
    resource = collection.resource
    if (model := resource.update) is None:
        raise InvalidBody(f"The service offers no way to edit {resource.title.lower()}.", "Nothing was sent.")
    kept = await kept_here(context, resource, id)
    named = checked_members(resource, model, kept, named)
    await collection.recall()
    known = next(iter(collection.records), None) if resource.is_single else collection.listing.record(id)
    at = None if known is None else shown_at(collection, known)
    if known is None and is_read_for(model, resource.record, named):
        at = context.moment()
        if (known := (await collection.reread([id])).get(id)) is None:
            return None
    if known is None or at is None:
        return _of_unknown(resource, model, id, named, kept.sendable)
    body = planned_changes.body_for(model, known, named, kept.sendable)
    return replace(planned_changes.update_of(resource, known, body, kept=kept.sendable), read_at=at)


def is_read_for(model: type[Body], record: type[Record], named: Mapping[str, object]) -> bool:
    """Return whether an update sends members that were not named, so that they have to be read for it."""
    return bool({*planned_changes.always_sent(model)} & record.model_fields.keys() - named.keys())


def checked_members(
    resource: AnyResource, model: type[Body], kept: KeptMembers, named: Mapping[str, object]
) -> Mapping[str, object]:
    """The same members, contents as their type wants them, where that is known.

    Raises InvalidBody, also where the change has to send a content that is not known here.
    """
    checked = _with_contents(model, kept, named)
    _refuse_untold(resource, model, kept, checked)
    return checked


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
    resource: AnyResource, model: type[Body], kept: KeptMembers, named: Mapping[str, object]
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
