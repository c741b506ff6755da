"""`linkdash update`: sets the named members of a record, or of every one that matches, and nothing else."""

import argparse
from collections.abc import Mapping, Sequence

from linkdash.api.endpoints import body_of
from linkdash.api.records import Body, Record
from linkdash.commands.argument_types import positive
from linkdash.commands.exit_status import NotFound, WrongUsage
from linkdash.commands.load_records import matching
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.send_writes import NOTHING, PlannedWrites, planned_many, planned_one
from linkdash.commands.standard_streams import tell
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.lists.collection import Collection
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.guard import as_it_is_now
from linkdash.model.writes.named_updates import is_read_for, shown_here, update_of_named
from linkdash.model.writes.planned_changes import NothingToChange


async def update(session: Session, flags: argparse.Namespace) -> PlannedWrites:
    """`linkdash update RESOURCE ID name=value …`: changes what is named, and nothing else.

    A value that others have changed since it was shown here is replaced only where the user agrees, or with
    --overwrite. Raises LinkdashError.
    """
    resource = declaration(flags.resource)
    if flags.filter is None:
        return await _of_one(session, resource, flags)
    if resource.is_single:
        raise WrongUsage(f"{resource.title} has no list to filter.", "Leave --filter out.")
    model = model_of(resource, resource.update, "edit")
    given = members_of(model, [*([flags.id] if flags.id else []), *flags.members])
    return await _of_matching(session, resource, model, given, flags.filter)


async def _of_one(session: Session, resource: AnyResource, flags: argparse.Namespace) -> PlannedWrites:
    """Update one record; what the service wants besides is read for it."""
    model = model_of(resource, resource.update, "edit")
    id, given = _id_and_members(resource, flags.id, flags.members)
    named = members_of(model, given)
    collection = session.collection(resource.id)
    intent = await update_of_named(session, collection, id, named)
    if intent is None:
        raise NotFound(f"There is no {resource.singular} {id} at the service.")
    if flags.dry_run and is_read_for(model, resource.record, named):
        intent = await as_it_is_now(session, collection, intent, overwrite=True)
        told = ", ".join(sorted(intent.params.keys() - named.keys()))
        tell(f"Read for this change, 1 request: {told}.")
    return planned_one(intent)


def _id_and_members(
    resource: AnyResource, first: str | None, rest: Sequence[str]
) -> tuple[int, Sequence[str]]:
    if resource.is_single:
        return 0, [*([first] if first else []), *rest]
    if first is None:
        raise WrongUsage(f"Which {resource.singular}?", "Give an id, or --filter.")
    try:
        return positive(first), rest
    except argparse.ArgumentTypeError as error:
        raise WrongUsage(f"The id of a {resource.singular} {error}.") from None


async def _of_matching(
    session: Session, resource: AnyResource, model: type[Body], given: Mapping[str, object], filter: str
) -> PlannedWrites:
    """Every record that matches and does not have all of it already."""
    record: type[Record] = resource.record
    body = body_of(planned_changes.for_all(model, record), given)
    seen = await shown_here(Collection(session, resource))  # the other one is to be read anew
    read_at = session.moment()
    records = await matching(session, resource, filter)
    if not records:
        return NOTHING
    now = {record.id: record for record in records}
    try:
        made = planned_changes.updates_of(resource, model, records, body, dict.fromkeys(now, read_at))
    except NothingToChange as error:
        tell(str(error))
        return NOTHING
    wanted = [
        planned_changes.as_seen(resource, intent, *seen.get(id, (record, read_at)))
        for intent in made
        for id, record in ((intent.record_ids[0], now[intent.record_ids[0]]),)
    ]
    for alike in planned_changes.made_alike(resource, made):
        tell(alike)
    return planned_many("edit", resource, wanted)
