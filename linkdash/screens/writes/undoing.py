"""Taking back changes: what is given back is shown, and sent where the user agrees."""

from collections.abc import Sequence
from typing import TypeVar

from linkdash.api.records import Record
from linkdash.model.declaration import declaration
from linkdash.model.humanize import counted, first_of
from linkdash.model.writes import planned_changes
from linkdash.model.writes.guard import reads_for
from linkdash.model.writes.named_updates import shown_at
from linkdash.model.writes.undo import Undoing, undo_of, undoing
from linkdash.model.writes.write_words import record_of, summary_of
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.writes.bulk_job import can_start_job, run_job
from linkdash.screens.writes.single_writes import SingleWrites
from linkdash.store.job import ItemState, Job
from linkdash.store.journal_entry import JournalEntry

T = TypeVar("T", bound=Record)

_MOST_NAMED = 10
_BELOW = "    "


async def deleted_last(records: RecordList[T]) -> T | None:
    """The record whose deletion is the newest change of a list from here, where it can be made anew."""
    journal, resource = records.screen.session.store.journal, records.resource
    entries = await journal.recent(planned_changes.UNDO_REACHES)
    own = [entry for entry in entries if not journal.is_by_others(entry)]
    last = planned_changes.last_write(own, resource.id)
    if last is None or last.intent.action != "delete" or resource.create is None:
        return None
    return records.collection.deleted.get(last.intent.record_ids[0])


async def last_undone(records: RecordList[T], record: T) -> Undoing | None:
    """The undoing of the last change of a record; None where none is in the journal."""
    journal, resource = records.screen.session.store.journal, records.resource
    entries = await journal.of_record(resource.id, record.id, planned_changes.UNDO_REACHES)
    last = planned_changes.last_change(entries, resource.id, record.id)
    if last is None:
        return None
    return await undoing(records.screen.session, last, record, shown_at(records.collection, record))


async def _last_of_each(records: RecordList[T], targets: Sequence[T]) -> Sequence[tuple[T, Undoing | None]]:
    """Records with what takes back the last change of each; of many, one that is not too long ago."""
    if len(targets) == 1:
        return [(targets[0], await last_undone(records, targets[0]))]
    entries = await records.screen.session.store.journal.recent(planned_changes.UNDO_REACHES)
    changed = {one.intent.record_id for one in entries if one.intent.resource == records.resource.id}
    return [
        (record, await last_undone(records, record) if record.id in changed else None) for record in targets
    ]


async def undo_last(single: SingleWrites[T], targets: Sequence[T]) -> None:
    """Take back the last change of each record, where the user agrees."""
    records = single.records
    found = await _last_of_each(records, targets)
    left = [
        f"{records.resource.called(record)}: {_why_not(one)}"
        for record, one in found
        if one is None or one.intent is None
    ]
    changes = [one for _, one in found if one is not None and one.intent is not None]
    if changes:
        stay = [f"Stays as it is, {first_of(left, _MOST_NAMED)}"] if left else []
        await _send_back(single, changes, stay)
    elif len(targets) > 1:
        whom = counted(len(targets), records.resource.singular)
        records.screen.say(f"None of {whom} has a change that can be undone.")
    else:
        why_not = await _why_unchanged(records, targets[0]) if found[0][1] is None else _why_not(found[0][1])
        told = f"{records.resource.title_of(targets[0])}: {why_not}."
        records.screen.say(f"{told[0].upper()}{told[1:]}")


def _why_not(one: Undoing | None) -> str:
    return "no change to undo" if one is None else one.why_not.rstrip(".")


async def _why_unchanged(records: RecordList[T], record: T) -> str:
    """Say why a record has no change to undo; of one that was created here, what takes that back."""
    journal, resource = records.screen.session.store.journal, records.resource
    entries = await journal.of_record(resource.id, record.id, planned_changes.UNDO_REACHES)
    is_made_here = any(one.intent.action == "create" and one.was_done for one in entries)
    if is_made_here and resource.delete is not None:
        return f"created here and not changed since; {records.screen.key_of('delete')} deletes it"
    return _why_not(None)


async def undoable(records: RecordList[T]) -> int:
    """The number of the selected records whose last edit can be undone."""
    collection, session = records.collection, records.screen.session
    entries = await session.kept(session.store.journal.recent(planned_changes.UNDO_REACHES), [])
    count = 0
    for id in dict.fromkeys(one.intent.record_id for one in entries):
        record = None if id is None else collection.listing.record(id)
        if record is not None and record.key in collection.selection.keys:
            last = planned_changes.last_change(entries, records.resource.id, record.id)
            is_known = last is not None and undo_of(records.resource, record, last, entries) is not None
            count += is_known
    return count


async def undo_job(screen: HostScreen, job: Job) -> None:
    """Take back the changes of a bulk job that are still the last ones of their records."""
    single = await _of(screen, job.items[0].intent.resource)
    entries = await screen.session.store.journal.of_origins(item.origin for item in job.items if item.origin)
    changes, changed = list[Undoing](), 0
    for item in (one for one in job.items if one.state is ItemState.DONE):
        entry, record = entries.get(item.origin), _loaded(single, item.intent.record_id)
        last = None if record is None else await last_undone(single.records, record)
        if entry is None or last is None or last.entry.id != entry.id or last.intent is None:
            changed += 1
        else:
            changes.append(last)
    if changes:
        whom = counted(changed, single.records.resource.singular)
        stay = [f"Stays as it is: {whom}, made or changed again since, or not loaded."] if changed else []
        await _send_back(single, changes, stay)
    else:
        screen.say("Its records were edited again, or are not loaded.", "Nothing can be undone")


async def undo_entry(screen: HostScreen, entry: JournalEntry) -> None:
    """Take back one change of the journal."""
    single = await _of(screen, entry.intent.resource)
    record = _loaded(single, entry.intent.record_id)
    if record is None:
        screen.say(f"{screen.key_of('go-there')} goes to it.", "Its record is not loaded")
        return
    read_at = shown_at(single.records.collection, record)
    found = await undoing(screen.session, entry, record, read_at)
    if found.intent is not None:
        await _send_back(single, [found], [])
    elif found.is_so:
        screen.say(found.why_not, "Nothing to undo")
    else:
        there = f"{screen.key_of('go-there')} goes to the record."
        screen.say(f"{found.why_not} {there}", "It cannot be undone")


async def _of(screen: HostScreen, resource: str) -> SingleWrites[Record]:
    records: RecordList[Record] = RecordList(screen, declaration(resource))
    await records.collection.recall()
    return SingleWrites(records)


def _loaded(single: SingleWrites[T], id: int | None) -> T | None:
    return None if id is None else single.records.collection.listing.record(id)


async def _send_back(single: SingleWrites[T], changes: Sequence[Undoing], stay: Sequence[str]) -> None:
    """Show what is given back, below the lines about what stays, and send it where the user agrees."""
    records, wanted = single.records, [one.intent for one in changes if one.intent is not None]
    screen, resource, first = records.screen, records.resource, wanted[0]
    told = [*stay, *dict.fromkeys(line for one in changes for line in one.told)]
    one = f"{resource.singular} {record_of(first).named}"
    whom = counted(len(wanted), resource.singular) if len(wanted) > 1 else one
    what = "subscription" if first.action == "subscribe" else "edit"
    which = "the last" if all(change.is_last for change in changes) else "an earlier"
    title = f"Undo {which} {what} of {whom}"
    if len(wanted) > 1 and not can_start_job(screen):
        return
    if len(wanted) == 1 and first.action == "subscribe":
        question = questions.resubscribing(first.name(), changes[0].lines, screen.session, told)
    else:
        told += [questions.ANEW] if first.action == "subscribe" else []
        reads = reads_for(screen.session.collections, wanted)
        listed = _listed(changes)
        question = questions.bulk(title, len(wanted), listed, screen.session, told, yes="Undo", reads=reads)
    if not await screen.app.push_screen_wait(question):
        return
    if len(wanted) > 1:
        await run_job(screen, title, wanted)
        records.collection.clear_selection()
    else:
        await single.make(first)


def _listed(changes: Sequence[Undoing]) -> list[str]:
    """Each change with the values that it gives back; of one, whose title names it, the values alone."""
    values = [[f"{_BELOW}{line}" for line in one.lines] for one in changes]
    if len(changes) == 1:
        return values[0]
    named = [summary_of(one.intent) for one in changes if one.intent is not None]
    return [line for name, of_one in zip(named, values, strict=True) for line in (name, *of_one)]
