"""`update` and `delete` with --filter: every record that matches, counted and asked about before."""

import argparse
from collections.abc import Sequence

from linkdash.api.endpoints import body_of
from linkdash.api.records import Record
from linkdash.commands.delete import deletable
from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.load_records import filtered_records
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.send_writes import job_title, send_all
from linkdash.commands.standard_streams import tell
from linkdash.commands.write_output import OutcomeOutput
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.humanize import counted
from linkdash.model.lists.collection import AnyCollection, Collection
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.named_updates import shown_here
from linkdash.model.writes.planned_changes import NothingToChange
from linkdash.store.journal_entry import WriteIntent

_NAMED = 10
"""Records that are named before the user is asked."""


async def update_matching(session: Session, flags: argparse.Namespace) -> int:
    """Set what is given on every record that matches and does not have it already. Raises LinkdashError.

    A value that others have changed since it was shown here is replaced with --overwrite only.
    """
    resource = declaration(flags.resource)
    if resource.is_single:
        raise WrongUsage(f"{resource.title} has no list to filter.", "Leave --filter out.")
    model = model_of(resource, resource.update, "edit")
    given = members_of(model, [*([flags.id] if flags.id else []), *flags.members])
    record: type[Record] = resource.record
    body = body_of(planned_changes.for_all(model, record), given)
    collection = session.collection(resource.id)
    seen = await shown_here(Collection(session, resource))  # the other one is to be read anew
    read_at = session.moment()
    records = await _matching(session, resource, flags)
    if not records:
        return FINE
    now = {record.id: record for record in records}
    try:
        made = planned_changes.updates_of(resource, model, records, body, dict.fromkeys(now, read_at))
    except NothingToChange as error:
        tell(str(error))
        OutcomeOutput(flags).end()
        return FINE
    wanted = [
        planned_changes.as_seen(resource, intent, *seen.get(id, (record, read_at)))
        for intent in made
        for id, record in ((intent.record_ids[0], now[intent.record_ids[0]]),)
    ]
    for alike in planned_changes.made_alike(resource, made):
        tell(alike)
    return await _send_all(session, collection, wanted, job_title("edit", resource, wanted), flags)


async def delete_matching(session: Session, flags: argparse.Namespace) -> int:
    """Delete every record that matches. Raises LinkdashError."""
    resource = deletable(flags.resource)
    if flags.ids:
        raise WrongUsage("Ids and --filter cannot be combined.", "Use one of them.")
    read_at = session.moment()
    records = await _matching(session, resource, flags)
    if not records:
        return FINE
    wanted = [planned_changes.deletion(resource, record, read_at) for record in records]
    collection, title = session.collection(resource.id), job_title("delete", resource, wanted)
    return await _send_all(session, collection, wanted, title, flags)


async def _send_all(
    session: Session,
    collection: AnyCollection,
    wanted: Sequence[WriteIntent],
    title: str,
    flags: argparse.Namespace,
) -> int:
    """Send writes of records that were just read, which serves them, too."""
    collection.serve_writes()
    return await send_all(session, wanted, title, flags)


async def _matching(session: Session, resource: AnyResource, flags: argparse.Namespace) -> Sequence[Record]:
    """The records that match, as they are now; how many they are, and which, is said."""
    records, total = await filtered_records(session, resource, flags.filter)
    if not records:
        tell(f"No {resource.singular} matches, of {total:,}. Nothing was sent.")
        OutcomeOutput(flags).end()
        return records
    names = [resource.title_of(record) for record in records[:_NAMED]]
    more = f" and {len(records) - _NAMED:,} more" if len(records) > _NAMED else ""
    tell(f"{len(records):,} of {counted(total, resource.singular)} match: {', '.join(names)}{more}.")
    return records
