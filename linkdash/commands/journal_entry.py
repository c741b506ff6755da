"""`linkdash journal show ID`: one change in full, with its request, what it replaced and its answer."""

import argparse

from linkdash.api.http.secrecy import masked
from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.journal import entry_row
from linkdash.commands.output import json_line, write_members
from linkdash.commands.streams import write
from linkdash.commands.undo import known_entry
from linkdash.model.session import Session


async def show_entry(session: Session, flags: argparse.Namespace) -> int:
    """Writes every member of an entry, secrets masked. Raises WrongUsage, NotFound, StoreUnavailable."""
    if flags.id is None:
        raise WrongUsage("Which change?", "Write: linkdash journal show ID")
    entry = await known_entry(session, flags.id)
    settled = entry.settlement
    members = {
        **entry_row(entry),
        "resource": entry.intent.resource,
        "action": entry.intent.action,
        "record_ids": [*entry.intent.record_ids],
        "request": f"{entry.method} {entry.path}",
        "body": masked(dict(entry.intent.params)),
        "before": None if entry.intent.before is None else masked(dict(entry.intent.before)),
        "answer": masked(entry.answer),
        "ended": entry.ended.astimezone().isoformat(" ", "seconds") if entry.ended else None,
        "settled": settled.at.astimezone().isoformat(" ", "seconds") if settled is not None else None,
    }
    match flags.format:
        case "json":
            write(json_line(members, indent=2))
        case "jsonl" | "csv":
            write(json_line(members))
        case _:
            write_members(members)
    return FINE
