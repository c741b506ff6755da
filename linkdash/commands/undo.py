"""`linkdash undo ID`: gives a record the values that it had before a change of the journal."""

import argparse

from linkdash.api.errors import LinkdashError
from linkdash.commands.exit_status import FINE, NotFound
from linkdash.commands.loading import find
from linkdash.commands.name_value_arguments import model_of
from linkdash.commands.sending import agree, send_one
from linkdash.commands.streams import tell
from linkdash.model.declaration import declaration
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.store.journal import JournalEntry, Outcome, id_text


async def undo(session: Session, flags: argparse.Namespace) -> int:
    """Send a change back, as a change of its own, after it was agreed to. Raises LinkdashError."""
    entry = await known_entry(session, flags.id)
    before = _values(entry)
    resource = declaration(entry.intent.resource)
    model = model_of(resource, resource.update, "edit")
    record = await find(session, resource, entry.intent.record_id)  # as it is now
    intent = planned_changes.update(resource, record, planned_changes.body_for(model, record, before))
    if not planned_changes.has_effect(intent, model):
        tell(f"The {resource.singular} has the values from before already. Nothing was sent.")
        return FINE
    await _tell_later_change(session, entry)
    for line in planned_changes.described(intent, model)[1:]:
        tell(line.strip())
    if not (flags.yes or flags.dry_run):
        agree(session, f"undo: {intent.summary}", 1)
    return await send_one(session, intent, flags)


async def known_entry(session: Session, id: int) -> JournalEntry:
    """An entry of the journal. Raises NotFound, StoreUnavailable."""
    entry = await session.store.journal.entry(id)
    if entry is None:
        raise NotFound(f"There is no change {id_text(id)} in the journal.", "linkdash journal lists them.")
    return entry


def _values(entry: JournalEntry) -> dict[str, object]:
    """The members as they were before a change. Raises LinkdashError where they cannot be given back."""
    intent = entry.intent
    was_done = entry.outcome is Outcome.DONE or (entry.settlement is not None and entry.settlement.happened)
    if not was_done:
        raise LinkdashError(
            f"Change {id_text(entry.id)} was not done, as far as is known.", "Nothing was sent."
        )
    if intent.action != "update":
        raise LinkdashError(f"This cannot be undone: {intent.summary}.", "Only changes of members can.")
    before = planned_changes.values_before(entry)
    if before is None:
        raise LinkdashError(
            f"Change {id_text(entry.id)} cannot be undone.", "The service does not show what it has replaced."
        )
    return dict(before)


async def _tell_later_change(session: Session, entry: JournalEntry) -> None:
    """Say where the record was changed again since."""
    entries = await session.store.journal.recent(planned_changes.UNDO_REACHES)
    last = planned_changes.last_change(entries, entry.intent.resource, entry.intent.record_id or 0)
    if last is not None and last.id != entry.id and last.begun > entry.begun:
        tell(f"It was changed again since: {last.intent.summary} (change {id_text(last.id)}).")
