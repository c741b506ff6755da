"""`linkdash journal`: what was changed, by whom, and how it ended; one change in full."""

import argparse
from collections.abc import Sequence

from linkdash.api.errors import CONCERN_EVERYTHING, ServiceError
from linkdash.api.http.secrecy import masked
from linkdash.commands.exit_status import FINE, NotFound, WrongUsage
from linkdash.commands.failures import tell_failure
from linkdash.commands.output import put_json, write_members, write_rows
from linkdash.commands.standard_streams import tell
from linkdash.model.session import Session
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import JournalEntry, id_text

_JOURNAL_TITLES = {
    "id": "Id",
    "when": "When",
    "outcome": "Outcome",
    "what": "What",
    "person": "Person",
    "machine": "Machine",
    "requests": "Requests",
    "message": "Message",
}


async def journal(session: Session, flags: argparse.Namespace) -> int:
    """List changes, the newest first; with --check those that it looked for, and what became of them."""
    store, status = session.store.journal, FINE
    person, machine = flags.person, flags.machine
    if flags.check or flags.unknown:
        entries = [entry for entry in await store.unknown() if is_by(entry, person, machine)]
    else:
        entries = await store.recent(flags.limit, user=person, host=machine)
    if flags.check:
        entries, status = await _checked(session, entries, flags)
    if flags.unknown:
        entries = [entry for entry in entries if entry.is_open]
    write_rows(_JOURNAL_TITLES, [entry_members(entry) for entry in entries], flags.format)
    return status


async def show_entry(session: Session, flags: argparse.Namespace) -> int:
    """Write every member of an entry, secrets masked. Raises WrongUsage, NotFound, StoreUnavailable."""
    if flags.id is None:
        raise WrongUsage("Which change?", "Write: linkdash journal show ID")
    members = entry_members(await known_entry(session, flags.id))
    match flags.format:
        case "json":
            put_json(members, indent=2)
        case "jsonl":
            put_json(members)
        case "csv":
            write_rows({name: name for name in members}, [members], "csv")
        case _:
            write_members(members)
    return FINE


async def known_entry(session: Session, id: int) -> JournalEntry:
    """An entry of the journal. Raises NotFound, StoreUnavailable."""
    entry = await session.store.journal.entry(id)
    if entry is None:
        raise NotFound(f"There is no change {id_text(id)} in the journal.", "linkdash journal lists them.")
    return entry


async def _checked(
    session: Session, entries: Sequence[JournalEntry], flags: argparse.Namespace
) -> tuple[list[JournalEntry], int]:
    """Entries as they are after a look at the service for each, which says what it saw; and the status."""
    checked, status = [], FINE
    for entry in entries:
        try:
            found = await session.check(entry)
            tell(f"{summary_of(entry.intent)}: {found.message}")
        except CONCERN_EVERYTHING:
            raise
        except ServiceError as error:
            status = tell_failure(error, flags, f"{summary_of(entry.intent)}: not checked")
        checked.append(await session.store.journal.entry(entry.id) or entry)
    if not entries:
        tell("No change is of unknown outcome.")
    return checked, status


def is_by(entry: JournalEntry, person: str | None, machine: str | None) -> bool:
    """Return whether a change was made by this user and on this machine; None for any."""
    return person in (None, entry.author.user) and machine in (None, entry.author.host)


def entry_members(entry: JournalEntry) -> dict[str, object]:
    """An entry in full, with its request, what it replaced and its answer, secrets masked.

    The id of one that is not handed in yet is a word.
    """
    settled = entry.settlement
    return {
        "id": entry.id if entry.id > 0 else id_text(entry.id),
        "when": entry.begun.astimezone().isoformat(" ", "seconds"),
        "outcome": entry.outcome_words,
        "what": summary_of(entry.intent),
        "person": entry.author.user,
        "machine": entry.author.host,
        "requests": entry.requests,
        "message": settled.message if settled is not None else entry.message,
        "resource": entry.intent.resource,
        "action": entry.intent.action,
        "record_ids": [*entry.intent.record_ids],
        "method": entry.method,
        "path": entry.path,
        "body": masked(dict(entry.intent.params)),
        "before": None if entry.intent.before is None else masked(dict(entry.intent.before)),
        "answer": masked(entry.answer),
        "ended": entry.ended.astimezone().isoformat(" ", "seconds") if entry.ended else None,
        "settled": settled.at.astimezone().isoformat(" ", "seconds") if settled is not None else None,
    }
