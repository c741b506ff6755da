"""`linkdash journal show ID`: one change in full, with its request, what it replaced and its answer."""

import argparse

from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.journal import entry_members
from linkdash.commands.output import json_line, write_members
from linkdash.commands.standard_streams import write
from linkdash.commands.undo import known_entry
from linkdash.model.session import Session


async def show_entry(session: Session, flags: argparse.Namespace) -> int:
    """Write every member of an entry, secrets masked. Raises WrongUsage, NotFound, StoreUnavailable."""
    if flags.id is None:
        raise WrongUsage("Which change?", "Write: linkdash journal show ID")
    entry = await known_entry(session, flags.id)
    members = entry_members(entry)
    match flags.format:
        case "json":
            write(json_line(members, indent=2))
        case "jsonl" | "csv":
            write(json_line(members))
        case _:
            write_members(members)
    return FINE
