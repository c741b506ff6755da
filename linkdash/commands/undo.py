"""`linkdash undo ID`: gives a record the values that it had before a change of the journal."""

import argparse
from collections.abc import Mapping, Sequence

from linkdash.api.errors import LinkdashError
from linkdash.api.records import Body
from linkdash.commands.exit_status import FINE
from linkdash.commands.journal import known_entry
from linkdash.commands.load_records import find
from linkdash.commands.name_value_arguments import model_of
from linkdash.commands.send_writes import agree, send_one
from linkdash.commands.standard_streams import tell
from linkdash.commands.subscribe import known_plans
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.guard import as_left, changed_by
from linkdash.model.writes.kept_members import kept_before, kept_of
from linkdash.model.writes.plan_before import again, is_as_before, plan_replaced, term_sent
from linkdash.model.writes.planned_changes import UNDO_REACHES as REACH
from linkdash.model.writes.planned_changes import not_known_before
from linkdash.model.writes.undo import unseen_words, untold
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import JournalEntry, WriteIntent, id_text


async def undo(session: Session, flags: argparse.Namespace) -> int:
    """Send a change back, as a change of its own, after it was agreed to. Raises LinkdashError.

    A value that others have changed since is replaced only where the user agrees, or with --overwrite.
    """
    entry = await known_entry(session, flags.id)
    if not entry.was_done:
        raise LinkdashError(f"Change {id_text(entry.id)} was not done, as far as known.", NOTHING_SENT)
    if entry.intent.action == "subscribe":
        return await _undo_subscription(session, entry, flags)
    if entry.intent.action != "update":
        raise LinkdashError(
            f"This cannot be undone: {summary_of(entry.intent)}.", "Only edits and subscriptions can."
        )
    resource = declaration(entry.intent.resource)
    model = model_of(resource, resource.update, "edit")
    intent = await _made(session, resource, model, entry)
    if not planned_changes.has_effect(intent, model):
        tell(f"The {resource.singular} already has its previous values. {NOTHING_SENT}")
        return FINE
    await _tell_later_change(session, entry)
    if told := unseen_words(resource, intent):
        tell(told)
    for line in planned_changes.described(intent, model)[1:]:
        tell(line.strip())
    if not (flags.yes or flags.dry_run):
        agree(session, summary_of(intent), 2)
    return await send_one(session, intent, flags)


async def _undo_subscription(session: Session, entry: JournalEntry, flags: argparse.Namespace) -> int:
    """Subscribe a user to the plan that a subscription has replaced. Raises LinkdashError."""
    id, now = entry.intent.record_ids[0], session.local_time()
    entries = await session.store.journal.of_record("users", id, REACH)
    user, before = await session.client.users.get(id), plan_replaced(entries, entry, now)
    if is_as_before(user, entry):
        tell(f"The user already has the previous plan. {NOTHING_SENT}")
        return FINE
    plans = await known_plans(session, {user.planid or 0, before.plan_id}) if before is not None else {}
    found = None if before is None else again(user, before, plans, now, term_sent(entries, user))
    if before is None or found is None:
        raise LinkdashError(
            "The previous plan, or its term, is not known.",
            f"linkdash subscribe {id} PLAN --term TERM subscribes the user to any plan.",
        )
    await _tell_later_change(session, entry)
    for line in (*found.lines, *before.end_words):
        tell(line)
    if not (flags.yes or flags.dry_run):
        agree(session, summary_of(found.intent), 1)
    return await send_one(session, found.intent, flags)


async def _made(
    session: Session, resource: AnyResource, model: type[Body], entry: JournalEntry
) -> WriteIntent:
    """The update that gives back what a change has replaced, made of the record as it is now.

    Raises LinkdashError.
    """
    entries = await session.store.journal.of_record(resource.id, entry.intent.record_id or 0, REACH)
    before = _values(resource, entry, entries)
    record = await find(session, resource, entry.intent.record_id)
    session.collection(resource.id).serve_writes()
    kept = kept_of(entries, resource, record.id)
    if missing := untold(resource, model, kept):
        raise _not_undoable(entry, missing)
    body = planned_changes.body_for(model, record, before, kept.sendable)
    intent = planned_changes.update_of(resource, record, body, entry.origin, kept.sendable)
    return planned_changes.as_seen(
        resource, intent, as_left(resource, record, [entry]), entry.ended or entry.begun
    )


def _values(
    resource: AnyResource, entry: JournalEntry, entries: Sequence[JournalEntry]
) -> Mapping[str, object]:
    """The members as they were before a change. Raises LinkdashError where they cannot be given back."""
    kept = kept_before(entries, entry, resource).sendable
    before = planned_changes.values_before(entry, kept)
    if before is None:
        titles = [] if resource.update is None else not_known_before(entry.intent, kept, resource.update)
        raise _not_undoable(entry, titles)
    return before


def _not_undoable(entry: JournalEntry, titles: Sequence[str]) -> LinkdashError:
    what = " and ".join(title.lower() for title in titles) or "what it has replaced"
    return LinkdashError(
        f"Change {id_text(entry.id)} cannot be undone.", f"Not known here: {what}. {NOTHING_SENT}"
    )


async def _tell_later_change(session: Session, entry: JournalEntry) -> None:
    """Say where the record was changed again since."""
    resource, id = entry.intent.resource, entry.intent.record_id or 0
    entries = await session.store.journal.of_record(resource, id, REACH)
    last = planned_changes.last_change(entries, resource, id)
    if last is not None and last.id != entry.id and last.begun > entry.begun:
        told = f"{summary_of(last.intent)} (change {id_text(last.id)})"
        tell(f"It was changed again since, {changed_by(last)}: {told}.")
