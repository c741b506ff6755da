"""`linkdash undo ID`: gives a record what it had before a change of the journal."""

import argparse

from linkdash.api.errors import LinkdashError
from linkdash.api.records import Record
from linkdash.commands.journal import known_entry
from linkdash.commands.load_records import find
from linkdash.commands.send_writes import PlannedWrites, planned_one
from linkdash.commands.standard_streams import tell
from linkdash.commands.subscribe import known_plans
from linkdash.model.declaration import declaration
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.session import Session
from linkdash.model.writes.planned_changes import UNDOABLE
from linkdash.model.writes.undo import undoing
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import JournalEntry


async def undo(session: Session, flags: argparse.Namespace) -> PlannedWrites:
    """A change is sent back, as a change of its own. Raises LinkdashError.

    A value that others have changed since is replaced only where the user agrees, or with --overwrite.
    """
    entry = await known_entry(session, flags.id)
    if not entry.was_done:
        raise LinkdashError(f"Change {entry.id} was not done, as far as known.", NOTHING_SENT)
    if entry.intent.action not in UNDOABLE:
        raise LinkdashError(
            f"This cannot be undone: {summary_of(entry.intent)}.", "Only edits and subscriptions can."
        )
    found = await undoing(session, entry, await _record(session, entry))
    if found.is_so:
        tell(f"{found.why_not} {NOTHING_SENT}")
        return PlannedWrites(())
    if found.intent is None:
        raise LinkdashError(f"Change {entry.id} cannot be undone.", f"{found.why_not} {NOTHING_SENT}")
    for line in (*found.told, *found.lines):
        tell(line)
    return planned_one(found.intent)


async def _record(session: Session, entry: JournalEntry) -> Record:
    """The record of a change, as it is now. Raises NotFound, ServiceError."""
    id, resource = entry.intent.record_id or 0, declaration(entry.intent.resource)
    if entry.intent.action != "subscribe":
        record = await find(session, resource, None if resource.is_single else id)
        session.collection(resource.id).serve_writes()
        return record
    user = await session.client.users.get(id)
    before = (entry.intent.before or {}).get("planid")
    await known_plans(session, {user.planid or 0, before if isinstance(before, int) else 0})
    return user
