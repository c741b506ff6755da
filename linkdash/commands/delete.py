"""`linkdash delete`: records by their ids, or every one that matches a filter."""

import argparse

from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.load_records import matching
from linkdash.commands.send_writes import NOTHING, PlannedWrites, planned_many
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.store.journal_entry import WriteIntent


async def delete(session: Session, flags: argparse.Namespace) -> PlannedWrites:
    """`linkdash delete RESOURCE ID … --yes`: deletes records. Raises LinkdashError."""
    resource = declaration(flags.resource)
    if resource.delete is None:
        raise WrongUsage(f"The service offers no way to delete {resource.title.lower()}.")
    if flags.ids and flags.filter is not None:
        raise WrongUsage("Ids and --filter cannot be combined.", "Use one of them.")
    if flags.filter is not None:
        read_at = session.moment()
        records = await matching(session, resource, flags.filter)
        wanted = [planned_changes.deletion(resource, record, read_at) for record in records]
    elif flags.ids:
        wanted = [deletion_of(resource, id) for id in dict.fromkeys(flags.ids)]
    else:
        raise WrongUsage(f"Which {resource.title.lower()}?", "Give ids, or --filter.")
    return planned_many("delete", resource, wanted) if wanted else NOTHING


def deletion_of(resource: AnyResource, id: int) -> WriteIntent:
    """A record, of which only the id is known, is deleted."""
    return WriteIntent(resource.id, "delete", (id,), {})
