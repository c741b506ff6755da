"""`linkdash undo ID`: gives a record the values that it had before a change of the journal."""

import argparse
from collections.abc import Mapping
from dataclasses import replace

from linkdash.api.errors import LinkdashError
from linkdash.api.records import Body
from linkdash.commands.exit_status import FINE
from linkdash.commands.journal import known_entry
from linkdash.commands.load_records import find
from linkdash.commands.name_value_arguments import model_of
from linkdash.commands.send_writes import agree, agreed_update, send_one
from linkdash.commands.standard_streams import tell
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.conflicts import Shown, as_left, changed_by
from linkdash.model.writes.undo import unseen_words
from linkdash.model.writes.updating import Update, checked
from linkdash.store.journal_entry import JournalEntry, id_text


async def undo(session: Session, flags: argparse.Namespace) -> int:
    """Send a change back, as a change of its own, after it was agreed to. Raises LinkdashError.

    A value that others have changed since is replaced only where the user agrees, or with --overwrite.
    """
    entry = await known_entry(session, flags.id)
    resource = declaration(entry.intent.resource)
    model = model_of(resource, resource.update, "edit")
    made = await _made(session, resource, model, entry)
    if not planned_changes.has_effect(made.intent, model):
        tell(f"The {resource.singular} already has its previous values. {NOTHING_SENT}")
        return FINE
    await _tell_later_change(session, entry)
    if told := unseen_words(resource, made.intent):
        tell(told)
    for line in planned_changes.described(made.intent, model)[1:]:
        tell(line.strip())
    if not (flags.yes or flags.dry_run):
        agree(session, made.intent.summary, 2)
        made = await _made(session, resource, model, entry)  # as it is after the question
    made = await agreed_update(made, lambda: _made(session, resource, model, entry), flags)
    return await send_one(session, made.intent, flags, overwrite=flags.overwrite)


async def _made(session: Session, resource: AnyResource, model: type[Body], entry: JournalEntry) -> Update:
    """The update that gives back what a change has replaced, made of the record as it is now.

    Raises LinkdashError.
    """
    before, at = await _values(session, model, entry), session.moment()
    record = await find(session, resource, entry.intent.record_id)
    body = planned_changes.body_for(model, record, before)
    intent = planned_changes.update_of(resource, record, body, is_undo=True)
    left = Shown(as_left(resource, record, [entry]), entry.ended or entry.begun)
    return await checked(session, resource, left, record, replace(intent, read_at=at))


async def _values(session: Session, model: type[Body], entry: JournalEntry) -> Mapping[str, object]:
    """The members as they were before a change. Raises LinkdashError where they cannot be given back."""
    intent = entry.intent
    if not entry.was_done:
        raise LinkdashError(f"Change {id_text(entry.id)} was not done, as far as known.", "Nothing was sent.")
    if intent.action != "update":
        raise LinkdashError(f"This cannot be undone: {intent.summary}.", "Only edits can.")
    entries = await session.store.journal.recent(planned_changes.UNDO_REACHES)
    before = planned_changes.values_before(entry, planned_changes.content_before(entries, entry, model))
    if before is None:
        raise LinkdashError(
            f"Change {id_text(entry.id)} cannot be undone.", "The service does not show what it has replaced."
        )
    return before


async def _tell_later_change(session: Session, entry: JournalEntry) -> None:
    """Say where the record was changed again since."""
    entries = await session.store.journal.recent(planned_changes.UNDO_REACHES)
    last = planned_changes.last_change(entries, entry.intent.resource, entry.intent.record_id or 0)
    if last is not None and last.id != entry.id and last.begun > entry.begun:
        told = f"{last.intent.summary} (change {id_text(last.id)})"
        tell(f"It was changed again since, {changed_by(last)}: {told}.")
