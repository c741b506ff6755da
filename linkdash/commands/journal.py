"""`linkdash journal`: what was changed, by whom, what became of it, and a check of what nobody knows."""

import argparse

from linkdash.commands.output import write_rows
from linkdash.commands.streams import tell
from linkdash.model.session import Session
from linkdash.store.journal import JournalEntry

_TITLES = {
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
    """Lists changes, the newest first; with --check it finds out first what became of the unknown."""
    store = session.store.journal
    if flags.check:
        for entry in await store.unknown():
            found = await session.check(entry.intent, entry)
            tell(f"{entry.intent.summary}: {found.message}")
    person, machine = flags.person, flags.machine
    if flags.unknown:
        entries = [entry for entry in await store.unknown() if is_by(entry, person, machine)]
    else:
        entries = await store.recent(flags.limit, user=person, host=machine)
    write_rows(_TITLES, [row(entry) for entry in entries], flags.format)
    return 0


def is_by(entry: JournalEntry, person: str | None, machine: str | None) -> bool:
    """Whether a change was made by a person and on a machine; None for any."""
    return person in (None, entry.author.user) and machine in (None, entry.author.host)


def row(entry: JournalEntry) -> dict[str, object]:
    """An entry by the names of its columns."""
    outcome = entry.outcome.value if entry.outcome is not None else "sending"
    if entry.settlement is not None:
        outcome = "done after all" if entry.settlement.happened else "not done"
    return {
        "id": entry.id,
        "when": entry.begun.astimezone().isoformat(" ", "seconds"),
        "outcome": outcome,
        "what": entry.intent.summary,
        "person": entry.author.user,
        "machine": entry.author.host,
        "requests": entry.requests,
        "message": entry.settlement.message if entry.settlement is not None else entry.message,
    }
