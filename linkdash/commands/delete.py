"""`linkdash delete`: records, many of them as a job that can be resumed."""

import argparse

from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.send_writes import job_title, send_all
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.session import Session
from linkdash.store.journal_entry import WriteIntent


async def delete(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash delete RESOURCE ID … --yes`: deletes records; many of them as a job that can be resumed."""
    resource = deletable(flags.resource)
    if not flags.ids:
        raise WrongUsage(f"Which {resource.title.lower()}?", "Give ids, or --filter.")
    ids = list(dict.fromkeys(flags.ids))
    wanted = [deletion_of(resource, id) for id in ids]
    return await send_all(session, wanted, job_title("delete", resource, wanted), flags)


def deletable(name: str) -> AnyResource:
    """A resource whose records can be deleted. Raises WrongUsage for any other."""
    resource = declaration(name)
    if resource.delete is None:
        raise WrongUsage(f"The service offers no way to delete {resource.title.lower()}.")
    return resource


def deletion_of(resource: AnyResource, id: int) -> WriteIntent:
    """A record, of which only the id is known, is deleted."""
    return WriteIntent(resource.id, "delete", (id,), {})
