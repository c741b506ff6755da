"""The import of a file, whose rows are looked through before they are sent."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from linkdash.api.errors import LinkdashError
from linkdash.api.records import Record
from linkdash.model.declaration import AnyResource
from linkdash.model.file_formats import ENDINGS
from linkdash.model.humanize import counted
from linkdash.model.last_choice import keep_answer, last_answer
from linkdash.model.lists.collection import Collection
from linkdash.model.session import Session
from linkdash.model.writes.guard import reads_for
from linkdash.model.writes.import_file import read_file
from linkdash.model.writes.import_job import FileImport, import_of, planned_file
from linkdash.model.writes.import_plan import (
    ImportPlan,
    emptied,
    file_words,
    ignored_words,
    kept_words,
    not_exported_words,
    rewritten_words,
)
from linkdash.model.writes.planned_changes import all_described, values_sent
from linkdash.model.writes.write_words import subject
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.screens.windows.open_file import OpenFileScreen
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.screens.writes.bulk_job import JobScreen, can_start_job, resume_job
from linkdash.store.job import Job
from linkdash.store.journal_entry import WriteIntent
from linkdash.widgets.styled_text import Piece, Tone

T = TypeVar("T", bound=Record)


async def import_file(records: RecordList[T]) -> None:
    """Ask for a file, check it, ask whether to send its rows, and send them. Raises LinkdashError."""
    screen, collection, resource = records.screen, records.collection, records.resource
    question = f"import into {resource.id}"
    last = await last_answer(screen.session, question)
    path = await screen.app.push_screen_wait(
        OpenFileScreen(f"Import into {resource.title}", file_words(resource), ENDINGS, last)
    )
    if path is None:
        return
    await keep_answer(screen.session, question, str(path))
    read = await asyncio.to_thread(read_file, path)
    planned = await planned_file(
        screen.session, resource, path, read.rows, lambda: _known(screen, collection)
    )
    if planned.problems:
        _show_problems(screen, path, planned)
        return
    found = await import_of(screen.session, resource, path, planned)
    if found.lost:
        raise LinkdashError(
            found.lost_words,
            f"{screen.key_of('journal')} checks what became of them.",
        )
    repeats = found.earlier if found.is_done else None
    found = found if repeats is None else found.anew()
    if not found.left:
        screen.say(_unsent(planned, found), f"Nothing of {path.name} is left to send")
        return
    told: list[str | Piece] = [read.told] if repeats is None else [read.told, _was_done(repeats)]
    preview = _question(screen.session, resource, path.name, planned, found, told)
    if await screen.app.push_screen_wait(preview) and can_start_job(screen):
        job, _ = await found.begin(screen.session)
        await keep_answer(screen.session, question, "")
        screen.app.push_screen(JobScreen(screen.session, job))
        resume_job(screen, job)


def _was_done(earlier: Job) -> Piece:
    at = f"{earlier.created.astimezone():%Y-%m-%d %H:%M}"
    return Piece(f"All of it was imported before, {at}: this sends it again.", Tone.WARNING)


def _unsent(planned: ImportPlan, found: FileImport) -> str:
    """Return why no row is left to send."""
    before = f", {len(planned.writes)} sent before" if planned.writes else ""
    unchanged = f"{counted(planned.unchanged, 'row')} unchanged{before}."
    unknown = f"{counted(found.unknown, 'row')} of unknown outcome." if found.unknown else ""
    return " ".join(filter(None, [unchanged, unknown, rewritten_words(planned)]))


def _question(
    session: Session,
    resource: AnyResource,
    name: str,
    planned: ImportPlan,
    found: FileImport,
    told: Sequence[str | Piece],
) -> ConfirmScreen:
    """Return what is asked before the rows that are left are sent; some of it was `told` before."""
    intents = [line.intent for line in found.left if line.intent is not None]
    before, doubts = len(planned.writes) - len(intents), Counter(filter(None, map(resource.doubt, intents)))
    lines: list[str | Piece] = [
        *told,
        _numbers(intents, planned.unchanged),
        not_exported_words(planned, found.left),
        emptied(resource, found.left),
        rewritten_words(planned),
        *(f"{doubt} ({counted(count, 'row')})" for doubt, count in doubts.items()),
        kept_words(planned),
        ignored_words(planned),
        f"{counted(before, 'row')} sent before, not sent again." if before else "",
    ]
    return questions.bulk(
        f"Import {counted(len(intents), 'row')} of {name} into {resource.title}",
        len(intents),
        _listed(intents, resource),
        session,
        [line for line in lines if line],
        yes="Import",
        reads=reads_for(session.collections, intents),
    )


def _numbers(intents: Sequence[WriteIntent], unchanged: int) -> str:
    """`12 new, 1 changed, 3 unchanged.`"""
    new = sum(intent.action == "create" for intent in intents)
    counts = {"new": new, "changed": len(intents) - new, "unchanged": unchanged}
    return f"{', '.join(f'{count:,} {word}' for word, count in counts.items() if count)}."


def _listed(intents: Sequence[WriteIntent], resource: AnyResource) -> list[str]:
    """The rows, those that change a record first; of a new one what it will be."""
    changed = [intent for intent in intents if intent.action != "create"]
    new = [intent for intent in intents if intent.action == "create"]
    model = resource.create
    made = [" · ".join([f"{subject(one)} (new)", *(values_sent(one, model) if model else [])]) for one in new]
    return [*all_described(changed, resource.update), *made]


async def _known(screen: HostScreen, collection: Collection[T]) -> dict[int, Record]:
    """Every record there is, as it is now: the rows are compared with them."""
    await collection.read(1)
    collection.listing.keep_first_page()
    rest = collection.plan()
    if rest is not None and rest.missing:
        screen.say(str(collection.quote(rest)), "Loading all records to compare")
        await collection.load_all(rest)
    return {record.id: record for record in collection.records}


def _show_problems(screen: HostScreen, path: Path, planned: ImportPlan) -> None:
    problems = planned.problems
    others = _numbers([line.intent for line in planned.lines if line.intent is not None], planned.unchanged)
    text = "\n".join([*map(str, problems), *(["", f"The other rows: {others}"] if planned.lines else [])])
    title = f"{counted(len(problems), 'row')} of {path.name} cannot be sent: nothing was sent"
    screen.app.push_screen(ViewerScreen(title, text))
