"""`update` and `delete` with --filter: every record that matches, counted and asked about before."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from linkdash.api.endpoints import body_of
from linkdash.api.records import Record
from linkdash.commands.delete import deletable
from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.load_records import filtered_records
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.send_writes import agree, job_title, send_agreed, send_all, status_with_conflicts
from linkdash.commands.standard_streams import tell, tell_error
from linkdash.commands.write_output import OutcomeOutput
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.planned_changes import NothingToChange
from linkdash.model.writes.updating import checked, shown_here
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
    seen = await shown_here(session, resource)
    read_at = session.moment()
    records = await _matching(session, resource, flags)
    if not records:
        return FINE
    now = {record.id: record for record in records}
    try:
        intents = planned_changes.updates_of(resource, model, records, body)
    except NothingToChange as error:
        tell(str(error))
        OutcomeOutput(flags).end()
        return FINE
    updates = [
        await checked(session, resource, seen.get(id), now[id], replace(intent, read_at=read_at))
        for intent in intents
        for id in intent.record_ids
    ]
    conflicts = [update.conflict for update in updates if update.conflict is not None and not flags.overwrite]
    for conflict in conflicts:
        tell_error(f"{conflict}.")
    wanted = [update.intent for update in updates if flags.overwrite or update.conflict is None]
    status = FINE
    for alike in planned_changes.made_alike(resource, wanted):
        tell(alike)
    if wanted:
        title = job_title("edit", resource, wanted)
        status = await send_all(session, wanted, title, flags, overwrite=flags.overwrite)
    return status_with_conflicts(conflicts, resource.singular, "your values", status, flags)


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
    title = job_title("delete", resource, wanted)
    if flags.yes or flags.dry_run:
        return await send_all(session, wanted, title, flags)
    agree(session, title, len(wanted) + len(session.collection(resource.id).listing.pages))
    wanted = await _still_matching(session, resource, flags, wanted)
    return await send_agreed(session, wanted, title, flags) if wanted else FINE


async def _still_matching(
    session: Session, resource: AnyResource, flags: argparse.Namespace, asked: Sequence[WriteIntent]
) -> list[WriteIntent]:
    """Those whose records match after the question, too: others may have changed them meanwhile."""
    read_at, ids = session.moment(), {intent.record_id for intent in asked}
    records, _ = await filtered_records(session, resource, flags.filter)
    kept = [planned_changes.deletion(resource, record, read_at) for record in records if record.id in ids]
    if left := len(asked) - len(kept):
        tell(f"{counted(left, resource.singular)} changed elsewhere and no longer matching, not deleted.")
    return kept


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
