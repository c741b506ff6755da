"""`linkdash journal`: what was changed, by whom, and how it ended; one change in full."""

import argparse
from collections.abc import Sequence

from linkdash.api.errors import CONCERN_EVERYTHING, ServiceError
from linkdash.api.http.secrecy import masked
from linkdash.commands.exit_status import FINE, NotKept, WrongUsage
from linkdash.commands.failures import tell_failure
from linkdash.commands.output import write_members, write_rows
from linkdash.commands.standard_streams import say, say_heading, tell
from linkdash.model.session import Session
from linkdash.model.writes.write_words import summary_of
from linkdash.store.database import StoreAway
from linkdash.store.journal_entry import JournalEntry

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
    if flags.action is not None:
        return await _show_entry(session, flags)
    store, status = session.store.journal, FINE
    person, machine = flags.person, flags.machine
    try:
        if flags.check or flags.unknown:
            entries = [entry for entry in await store.unknown() if is_by(entry, person, machine)]
        else:
            entries = await store.recent(flags.limit, user=person, host=machine)
    except StoreAway:
        if waiting := await _waiting(session, flags):
            _write([], waiting, flags.format)
        raise
    if flags.check:
        entries, status = await _checked(session, entries, flags)
    if flags.unknown:
        entries = [entry for entry in entries if entry.is_open]
    _write(entries, await _waiting(session, flags), flags.format)
    return status


async def _waiting(session: Session, flags: argparse.Namespace) -> list[JournalEntry]:
    """Return which of the changes that are asked for are not handed in yet."""
    waiting = await session.waiting(flags.person, flags.machine)
    return [entry for entry in waiting if entry.is_open or not (flags.check or flags.unknown)]


def _write(entries: Sequence[JournalEntry], waiting: Sequence[JournalEntry], form: str) -> None:
    """Write entries, and those that wait; in a table these are a part of their own."""
    if form != "table":
        write_rows({**_JOURNAL_TITLES, "waits": "Waits"}, [*map(entry_members, (*waiting, *entries))], form)
        return
    if waiting:
        say_heading("Waiting to be handed in to the team's store:")
        write_rows(_JOURNAL_TITLES, [*map(entry_members, waiting)], form)
    if waiting and entries:
        say("")
    if entries or not waiting:
        write_rows(_JOURNAL_TITLES, [*map(entry_members, entries)], form)


async def _show_entry(session: Session, flags: argparse.Namespace) -> int:
    """Write every member of an entry, secrets masked. Raises WrongUsage, NotKept, StoreUnavailable."""
    if flags.id is None:
        raise WrongUsage("Which change?", "Write: linkdash journal show ID")
    write_members(entry_members(await known_entry(session, flags.id)), flags.format)
    return FINE


async def known_entry(session: Session, id: int) -> JournalEntry:
    """An entry of the journal. Raises NotKept, StoreUnavailable."""
    entry = await session.store.journal.entry(id)
    if entry is None:
        raise NotKept(f"There is no change {id} in the journal.", "linkdash journal lists them.")
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

    One that is not handed in yet has no id.
    """
    settled = entry.settlement
    return {
        "id": None if entry.waits else entry.id,
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
        "waits": entry.waits,
    }
