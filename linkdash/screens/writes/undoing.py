"""Undoing the last edit of records: the values from before are shown, and sent where the user agrees."""

from collections.abc import Mapping, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from linkdash.api.records import Record
from linkdash.api.resources.users import User
from linkdash.model.copy_choices import PickerChoice, with_keys
from linkdash.model.declaration import Resource, declaration
from linkdash.model.humanize import counted, first_of
from linkdash.model.writes import planned_changes
from linkdash.model.writes.guard import changed_by, reads_for
from linkdash.model.writes.plan_before import is_as_before, plan_replaced, term_sent
from linkdash.model.writes.undo import Undone, undo_of, undone, unseen_words
from linkdash.model.writes.write_words import summary_of
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.writes.bulk_job import can_start_job, run_job
from linkdash.screens.writes.single_writes import SingleWrites
from linkdash.screens.writes.undoing_subscription import undo_subscription, undo_subscriptions
from linkdash.store.job import Job
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import JournalEntry

T = TypeVar("T", bound=Record)

_MOST_NAMED = 10


class ToUndo(NamedTuple, Generic[T]):
    """The records whose last changes are to be undone, or what was deleted and is to be created anew."""

    targets: Sequence[T]
    entries: Sequence[JournalEntry]
    """The journal, the newest first."""
    lines: Sequence[str] = ()
    """What has to be told before."""
    last_delete: JournalEntry | None = None
    """The last change here, where that is a delete."""
    deleted: T | None = None


async def to_undo(single: SingleWrites[T], targets: Sequence[T]) -> ToUndo[T] | None:
    """Return what is to be undone; None where the user goes back.

    For what is not the selection, a bulk job is offered, too: the one that has changed it, or the one that
    was the newest change of the list. Where it was not changed from here, that newest change is offered.
    What was deleted last is to be created anew, where it is still known as it was.
    """
    records, resource = single.records, single.records.resource
    journal = records.screen.session.store.journal
    entries: Sequence[JournalEntry] = await journal.recent(planned_changes.UNDO_REACHES)
    if not _are_selected(records, targets):
        entries = await _with_older(journal, entries, resource.id, targets[0].id)
    own = [entry for entry in entries if not journal.is_by_others(entry)]
    last = planned_changes.last_write(own, resource.id)
    last_delete = last if last is not None and last.intent.action == "delete" else None
    lines = _without_undo(last)
    chosen = ToUndo(targets, entries, lines, last_delete)
    if last_delete is not None and (deleted := _renewable(single, last_delete)) is not None:
        anew = chosen._replace(deleted=deleted)
        is_changed = any(planned_changes.last_change(entries, resource.id, one.id) for one in targets)
        return await _deleted_or_changed(records, anew) if is_changed else anew
    if _are_selected(records, targets):
        return chosen
    is_changed = planned_changes.last_change(entries, resource.id, targets[0].id) is not None
    newest = None if last_delete else last if lines else planned_changes.newest_change(own, resource.id)
    if is_changed:
        found = await _alone_or_with_job(records, targets[0], newest, entries)
        return None if found is None else chosen._replace(targets=found)
    if newest is not None and (others := await _changed_with(records, newest, entries)):
        newer = [_why_not(resource, targets, entries), "This is the newest change of the list."]
        return chosen._replace(targets=others, lines=newer)
    return chosen


async def undoable(records: RecordList[T]) -> int:
    """The number of the selected records whose last edit can be undone."""
    collection, session = records.collection, records.screen.session
    entries = await session.kept(session.store.journal.recent(planned_changes.UNDO_REACHES), [])
    edited = dict.fromkeys(
        one.intent.record_id for one in entries if one.intent.resource == collection.resource.id
    )
    known = (collection.listing.record(id) for id in edited if id is not None)
    selected = [one for one in known if one is not None and one.key in collection.selection.keys]
    return len(undone(records.resource, selected, entries))


def _are_selected(records: RecordList[T], targets: Sequence[T]) -> bool:
    """Return whether a key acts on these records because they are the selection."""
    return records.collection.targets_selection and [*targets] == [*records.targets]


_ALONE, _DELETED = "This one", "Deleted one"
_NO_UNDO = {"create": "can only be undone by a delete", "delete": "cannot be undone"}


def _without_undo(last: JournalEntry | None) -> Sequence[str]:
    """The line about a last change that has replaced nothing that could be given back."""
    if last is None or last.intent.action not in _NO_UNDO:
        return ()
    return [f"The last change here, {summary_of(last.intent)}, {_NO_UNDO[last.intent.action]}."]


async def _with_older(
    journal: Journal, entries: Sequence[JournalEntry], resource: str, id: int
) -> Sequence[JournalEntry]:
    """The newest entries with those of one record that are older than all of them."""
    known = {entry.id for entry in entries}
    of_it = await journal.of_record(resource, id, planned_changes.UNDO_REACHES)
    return [*entries, *(entry for entry in of_it if entry.id not in known)]


def _renewable(single: SingleWrites[T], last_delete: JournalEntry) -> T | None:
    """Return the record that was deleted, where it is still known as it was and can be created."""
    resource, session = single.records.resource, single.records.screen.session
    deleted = session.collection_of(resource).deleted.get(last_delete.intent.record_id or 0)
    return deleted if resource.create is not None else None


async def _deleted_or_changed(records: RecordList[T], anew: ToUndo[T]) -> ToUndo[T] | None:
    """Ask whether what was deleted is meant or what a key acts on else, which was changed from here, too."""
    title_of, targets, deleted = records.resource.title_of, anew.targets, anew.deleted
    choices = [PickerChoice(_DELETED, title_of(deleted))] if deleted is not None else []
    if _are_selected(records, targets):
        choices.append(PickerChoice("Selected", counted(len(targets), records.resource.singular)))
    else:
        choices.append(PickerChoice(_ALONE, title_of(targets[0])))
    chosen = await records.screen.app.push_screen_wait(PickerScreen("Undo", with_keys(choices)))
    if chosen is None:
        return None
    return anew if chosen.label == _DELETED else anew._replace(lines=(), deleted=None)


async def undo_edits(single: SingleWrites[T], chosen: ToUndo[T]) -> None:
    """Give records the values that they had before their last edit: ask, with each of them shown."""
    screen, resource = single.records.screen, single.records.resource
    targets, entries, deleted = chosen.targets, chosen.entries, chosen.last_delete
    if changes := undone(resource, targets, entries):
        await _send_back(
            single, targets, changes, [*chosen.lines, *_left(resource, targets, changes, entries)]
        )
    elif deleted is not None:
        again = f"; {screen.key_of('new')} creates anew." if resource.create is not None else "."
        why_not = _why_not(resource, targets, entries)
        screen.say(f"{summary_of(deleted.intent)}. {why_not}", questions.NO_WAY_BACK.rstrip(".") + again)
    else:
        screen.say(_why_not(resource, targets, entries))


def _why_not(resource: Resource[T], targets: Sequence[T], entries: Sequence[JournalEntry]) -> str:
    """Return why none of these records can be given back its values."""
    if len(targets) > 1:
        whom = counted(len(targets), resource.singular)
        return f"None of {whom} has an edit in the journal, or the previous values are not known."
    return f"{_REASONS[_reason(resource, targets[0], entries)].format(resource.title_of(targets[0]))}."


_Reason = Literal["created", "unchanged", "unknown"]
_REASONS: Mapping[_Reason, str] = {
    "created": "{} was created from here: only a delete undoes that",
    "unchanged": "No change of {} is in the journal",
    "unknown": "The previous values are not known, so {} stays as it is",
}
_LEFT: Mapping[_Reason, str] = {
    "created": "created from here, which only a delete undoes",
    "unchanged": "no change in the journal",
    "unknown": "the previous values are not known",
}


def _reason(resource: Resource[T], record: T, entries: Sequence[JournalEntry]) -> _Reason:
    """The reason why a record cannot be given back its values."""
    if planned_changes.last_change(entries, resource.id, record.id) is not None:
        return "unknown"
    created = (entry.created_id for entry in entries if entry.intent.resource == resource.id)
    return "created" if record.id in created else "unchanged"


def _left(
    resource: Resource[T],
    targets: Sequence[T],
    changes: Mapping[int, Undone[T]],
    entries: Sequence[JournalEntry],
) -> Sequence[str]:
    """Lines about those of several records that stay as they are, by the reason why."""
    left: dict[_Reason, list[str]] = {}
    for one in targets:
        if one.id not in changes:
            left.setdefault(_reason(resource, one, entries), []).append(resource.called(one))
    return [f"Stays as it is, {_LEFT[why]}: {first_of(names, _MOST_NAMED)}" for why, names in left.items()]


def _about(resource: Resource[T], changes: Sequence[Undone[T]], journal: Journal) -> Sequence[str]:
    """Lines about edits that others have made, and about contents, which the service does not show."""
    others = [one.entry for one in changes if journal.is_by_others(one.entry)]
    again = [entry for one in changes for entry in one.since[:1]]
    later = [f"It was edited again since: {changed_by(entry)}." for entry in again]
    unseen = next(filter(None, (unseen_words(resource, one.intent) for one in changes)), "")
    if not others:
        return [*later, *([unseen] if unseen else [])]
    more = f" ({len(others):,} of {len(changes):,}, the last of them)" if len(changes) > 1 else ""
    whose = changed_by(max(others, key=lambda entry: entry.begun))
    return [f"The edit is not yours: {whose}{more}.", *later, *([unseen] if unseen else [])]


async def _alone_or_with_job(
    records: RecordList[T], record: T, newest: JournalEntry | None, entries: Sequence[JournalEntry]
) -> Sequence[T] | None:
    """The record, or those of a bulk job, as chosen: the job that has edited it last, else `newest`.

    None where the user goes back.
    """
    last = planned_changes.last_change(entries, records.resource.id, record.id)
    of_job = await _edited_by_job_of(records, last, entries) if last is not None else ()
    if len(of_job) > 1:
        return await _chosen(records, record, "Whole job", of_job)
    of_newest = await _edited_by_job_of(records, newest, entries) if newest != last else ()
    return await _chosen(records, record, "Last job", of_newest) if of_newest else [record]


async def _chosen(records: RecordList[T], record: T, job: str, of_job: Sequence[T]) -> Sequence[T] | None:
    """Ask whether one record is meant or those of a job; None where the user goes back."""
    alone = PickerChoice(_ALONE, records.resource.title_of(record))
    choices = [alone, PickerChoice(job, counted(len(of_job), records.resource.singular))]
    chosen = await records.screen.app.push_screen_wait(PickerScreen("Undo", with_keys(choices)))
    return None if chosen is None else [record] if chosen.label == _ALONE else of_job


async def _changed_with(
    records: RecordList[T], entry: JournalEntry, entries: Sequence[JournalEntry]
) -> Sequence[T]:
    """The loaded records of a change, or of its whole job, as far as they can be given back their values."""
    record = records.collection.listing.record(entry.intent.record_id or 0)
    alone = [record] if record is not None else []
    found = await _edited_by_job_of(records, entry, entries) or alone
    is_known = entry.intent.action == "subscribe" or undone(records.resource, found, entries)
    return found if is_known else ()


async def _edited_by_job_of(
    records: RecordList[T], entry: JournalEntry | None, entries: Sequence[JournalEntry]
) -> Sequence[T]:
    """The loaded records that the bulk job of an edit was the last to edit; none where it was in no job."""
    if entry is None or (job := await records.screen.session.store.jobs.of_origin(entry.origin)) is None:
        return ()
    return _last_edited_by(records, job, entries)


def _last_edited_by(records: RecordList[T], job: Job, entries: Sequence[JournalEntry]) -> Sequence[T]:
    """The loaded records that a bulk job has edited and nothing since, in its order."""
    origins, resource = {item.origin for item in job.items if item.origin}, records.resource.id
    ids = dict.fromkeys(item.intent.record_id for item in job.items if item.origin)
    known = [records.collection.listing.record(id) for id in ids if id is not None]
    return [
        one
        for one in known
        if one is not None
        and (entry := planned_changes.last_change(entries, resource, one.id)) is not None
        and entry.origin in origins
    ]


async def undo_job(screen: HostScreen, job: Job) -> None:
    """Give the records of a bulk job the values that they had before it: ask, with each of them shown."""
    resource = declaration(job.items[0].intent.resource)
    records = RecordList(screen, resource)
    await records.collection.recall()
    entries = await screen.session.store.journal.recent(planned_changes.UNDO_REACHES)
    targets = _last_edited_by(records, job, entries)
    if targets and job.items[0].intent.action == "subscribe":
        await undo_subscriptions(records, targets, entries)
    elif changes := undone(resource, targets, entries):
        left = _left(resource, targets, changes, entries)
        await _send_back(SingleWrites(records), targets, changes, left)
    else:
        screen.say("Its records were edited again, or are not loaded.", "Nothing can be undone")


async def undo_entry(screen: HostScreen, entry: JournalEntry) -> None:
    """Give a record the values that one edit of it has replaced: ask, with each of them shown.

    Of an edit that a bulk job has made, ask first whether the whole job is meant.
    """
    resource = declaration(entry.intent.resource)
    records = RecordList(screen, resource)
    await records.collection.recall()
    entries = await screen.session.store.journal.recent(planned_changes.UNDO_REACHES)
    record = records.collection.listing.record(entry.intent.record_id or 0)
    if record is None:
        screen.say(f"{screen.key_of('go-there')} goes to it.", "Its record is not loaded")
        return
    of_job = await _edited_by_job_of(records, entry, entries)
    if entry.intent.action == "subscribe":
        await _undo_subscription(records, record, of_job, entry, entries)
        return
    change = undo_of(resource, record, entry, entries)
    of_all = undone(resource, of_job, entries)
    if len(of_all) > 1:
        chosen = await _chosen(records, record, "Whole job", of_job)
        if chosen is None:
            return
        if chosen is of_job:
            left = _left(resource, of_job, of_all, entries)
            await _send_back(SingleWrites(records), of_job, of_all, left)
            return
    if change is None:
        screen.say("The service does not show what it has replaced.", "It cannot be undone")
    elif not planned_changes.described(change.intent, resource.update)[1:]:
        screen.say("The record already has its previous values.", "Nothing to undo")
    else:
        await _send_back(SingleWrites(records), [record], {record.id: change})


async def _undo_subscription(
    records: RecordList[User],
    user: User,
    of_job: Sequence[User],
    entry: JournalEntry,
    entries: Sequence[JournalEntry],
) -> None:
    """Subscribe a user to the plan that one subscription has replaced, or all users of its job."""
    chosen = await _chosen(records, user, "Whole job", of_job) if len(of_job) > 1 else [user]
    if chosen is None:
        return
    if len(chosen) > 1:
        await undo_subscriptions(records, chosen, entries)
        return
    screen = records.screen
    if is_as_before(user, entry):
        screen.say("The user already has the previous plan.", "Nothing to undo")
        return
    before = plan_replaced(entries, entry, screen.session.local_time())
    term_now = term_sent(entries, user)
    if before is None or not await undo_subscription(SingleWrites(records), user, before, term_now):
        why = f"{screen.key_of('go-there')} goes to the user, who can be subscribed to any plan."
        screen.say(why, "The previous plan, or its term, is not known")


async def _send_back(
    single: SingleWrites[T],
    targets: Sequence[T],
    changes: Mapping[int, Undone[T]],
    before: Sequence[str] = (),
) -> None:
    """Show what an undo gives back, below the lines `before`, and send it where the user agrees."""
    records, wanted = single.records, [one.intent for one in changes.values()]
    screen, resource = records.screen, records.resource
    if len(wanted) > 1 and not can_start_job(screen):
        return
    whom, first = counted(len(wanted), resource.singular), next(iter(changes.values()))
    which = "an earlier" if first.since else "the last"
    title = f"Undo {which} edit of {whom if len(wanted) > 1 else resource.title_of(first.record)}"
    lines = [*before, *_about(resource, [*changes.values()], screen.session.store.journal)]
    reads = reads_for(screen.session.collections, wanted)
    listed = planned_changes.all_described(wanted, resource.update)[len(wanted) == 1 :]  # the title names it
    question = questions.bulk(title, len(wanted), listed, screen.session, lines, yes="Undo", reads=reads)
    if not await screen.app.push_screen_wait(question):
        return
    if len(wanted) > 1:
        await run_job(screen, title, wanted)
    else:
        await single.make(wanted[0])
    if len(targets) > 1:
        records.collection.clear_selection()
