"""`linkdash delete`: records, many of them as a job that can be resumed."""

import argparse

from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.send_writes import send_all
from linkdash.model.declaration import declaration
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.store.journal_entry import WriteIntent


async def delete(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash delete RESOURCE ID … --yes`: deletes records; many of them as a job that can be resumed."""
    resource = declaration(flags.resource)
    if resource.delete is None:
        raise WrongUsage(f"The service offers no way to delete {resource.title.lower()}.")
    if not flags.ids:
        raise WrongUsage(f"Which {resource.title.lower()}?", "Name their ids, or --filter.")
    ids = list(dict.fromkeys(flags.ids))
    wanted = [WriteIntent(resource.id, "delete", (id,), {}, f"delete {resource.singular} {id}") for id in ids]
    title = wanted[0].summary if len(ids) == 1 else f"delete {counted(len(ids), resource.singular)}"
    return await send_all(session, wanted, title, flags)
