"""`update` and `delete` with --filter: every record that matches, counted and asked about before."""

import argparse
from collections.abc import Sequence

from linkdash.api.endpoints import body_of
from linkdash.api.records import Record
from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.loading import filtered_records
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.sending import send_all, status_with_conflicts
from linkdash.commands.streams import tell
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.updating import checked, shown_here
from linkdash.store.journal import WriteIntent

_NAMED = 5
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
    records = await _matching(session, resource, flags)
    if not records:
        return FINE
    now = {record.id: record for record in records}
    updates = [
        await checked(session, resource, seen.get(id), now[id], intent)
        for intent in planned_changes.updates(resource, model, records, body)
        for id in intent.record_ids
    ]
    conflicts = [update.conflict for update in updates if update.conflict is not None and not flags.overwrite]
    for conflict in conflicts:
        tell(f"{conflict}.")
    wanted = [update.intent for update in updates if flags.overwrite or update.conflict is None]
    status = FINE
    if wanted:
        title = _title("edit", resource, wanted)
        status = await send_all(session, wanted, title, flags, overwrite=flags.overwrite)
    return status_with_conflicts(conflicts, resource.singular, "what is given here", status)


async def delete_matching(session: Session, flags: argparse.Namespace) -> int:
    """Delete every record that matches. Raises LinkdashError."""
    resource = declaration(flags.resource)
    if resource.delete is None:
        raise WrongUsage(f"The service offers no way to delete {resource.title.lower()}.")
    if flags.ids:
        raise WrongUsage("Ids and --filter do not go together.", "Name one of both.")
    records = await _matching(session, resource, flags)
    if not records:
        return FINE
    wanted = [planned_changes.deletion(resource, record) for record in records]
    return await send_all(session, wanted, _title("delete", resource, wanted), flags)


async def _matching(session: Session, resource: AnyResource, flags: argparse.Namespace) -> Sequence[Record]:
    """The records that match, as they are now; how many they are, and which, is said."""
    if not flags.filter.strip():
        raise WrongUsage("The filter is empty.", "It would match every record.")
    records, total = await filtered_records(session, resource, flags.filter)
    if not records:
        tell(f"No {resource.singular} matches, of {total:,}. Nothing was sent.")
        return records
    names = [resource.title_of(record) for record in records[:_NAMED]]
    more = f" and {len(records) - _NAMED:,} more" if len(records) > _NAMED else ""
    tell(f"{len(records):,} of {counted(total, resource.singular)} match: {', '.join(names)}{more}.")
    return records


def _title(verb: str, resource: AnyResource, wanted: Sequence[WriteIntent]) -> str:
    return wanted[0].summary if len(wanted) == 1 else f"{verb} {counted(len(wanted), resource.singular)}"
