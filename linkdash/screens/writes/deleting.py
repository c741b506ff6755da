"""Deleting records, after a question that names what goes along."""

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from linkdash.api.records import Record
from linkdash.model.humanize import counted
from linkdash.model.lists.rows import MappedSequence
from linkdash.model.lists.told_apart import told_apart
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.writes import planned_changes
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.windows.widths import AROUND
from linkdash.screens.writes.bulk_job import can_start_job, run_job
from linkdash.screens.writes.single_writes import SingleWrites
from linkdash.widgets.styled_text import Piece

T = TypeVar("T", bound=Record)


async def delete_records(single: SingleWrites[T], targets: Sequence[T]) -> None:
    """Ask, with what goes along named, and delete these very records, wherever the cursor is then."""
    if len(targets) == 1:
        await _delete_one(single, targets[0])
    elif can_start_job(single.records.screen):
        await _delete_all(single.records, targets)


async def _delete_one(single: SingleWrites[T], record: T) -> None:
    records = single.records
    deletion, title = records.resource.delete, records.resource.title_of(record)
    if deletion is None:
        return
    screen, session = records.screen, records.screen.session
    name = questions.typable(records.resource.name_of(record), record.id) if deletion.typed else None
    losses = [
        *await _is_you(records, [record]),
        *await deletion.losses(record, session.client, session.collections),
    ]
    question = questions.deletion(
        f"Delete {title}?", losses, await _way_back(records, record), session, typed=name
    )
    if await screen.app.push_screen_wait(question):
        session.collections.of(records.resource).deleted[record.id] = record
        await single.make(planned_changes.deletion(records.resource, record))


async def _way_back(records: RecordList[T], record: T) -> str:
    """Return what can be done after a delete, and what of the record is lost even then."""
    session, resource = records.screen.session, records.resource
    if (model := resource.create) is None:
        return questions.NO_WAY_BACK
    of_it = session.store.journal.of_record(resource.id, record.id, planned_changes.UNDO_REACHES)
    entries = await session.kept(of_it, [])
    anew = planned_changes.anew(resource, model, record, entries)
    return f"{records.screen.key_of('undo')} fills in a new one, with another id. {anew.to_type}".rstrip()


async def _is_you(records: RecordList[T], targets: Sequence[T]) -> list[str]:
    """Say that the account's own user is among those to be deleted, as far as that is known."""
    if records.resource.id != USERS.id:
        return []
    told = await records.screen.session.is_you({record.id for record in targets})
    return [told] if told else []


async def _delete_all(records: RecordList[T], targets: Sequence[T]) -> None:
    screen, resource, deletion = records.screen, records.resource, records.resource.delete
    if deletion is None:
        return
    title = f"Delete {counted(len(targets), resource.singular)}"
    lines: list[Piece | str] = [
        *map(questions.lost, await _is_you(records, targets)),
        questions.lost(deletion.loses_all.format(f"{len(targets):,}")),
        questions.NO_WAY_BACK,
    ]
    if hidden := records.collection.hidden_selected:
        lines.append(f"{hidden} of them hidden by the filter.")
    wanted = MappedSequence(partial(planned_changes.deletion, resource), targets)
    listed = told_apart(resource, targets, screen.app.size.width - AROUND)
    typed = deletion.typed or len(targets) >= questions.TYPED_FROM
    question = questions.bulk(
        title, len(wanted), listed, screen.session, lines, yes=questions.DELETE, typed=typed
    )
    if await screen.app.push_screen_wait(question):
        await run_job(screen, title, wanted)
        records.collection.clear_selection()  # the job knows them
