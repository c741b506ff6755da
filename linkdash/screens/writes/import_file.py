"""The import of a file, whose rows are looked through before they are sent."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from linkdash.api.errors import LinkdashError
from linkdash.api.inert_text import inert
from linkdash.api.records import Record
from linkdash.model.declaration import AnyResource
from linkdash.model.file_formats import ENDINGS
from linkdash.model.humanize import counted
from linkdash.model.lists.collection import Collection
from linkdash.model.progress import Progress
from linkdash.model.session import Session
from linkdash.model.writes.guard import ChangedElsewhere
from linkdash.model.writes.import_file import ImportLine, read_file
from linkdash.model.writes.import_plan import ImportPlan, emptied, file_words, kept_words, rewritten_words
from linkdash.model.writes.import_progress import ImportProgress, planned_file, progress_of, states_of
from linkdash.model.writes.import_result import Result, ResultFile, outcome_words
from linkdash.model.writes.one_write import StopRule
from linkdash.model.writes.planned_changes import all_described, values_sent
from linkdash.model.writes.write_words import subject
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.screens.windows.open_file import OpenFileScreen
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.screens.windows.widths import fit_width, room_in
from linkdash.screens.writes.import_rows import MOST_REFUSED, rows_told
from linkdash.store.journal_entry import Outcome, WriteIntent
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.frame.progress_line import ProgressLine
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import content

T = TypeVar("T", bound=Record)


async def import_file(records: RecordList[T]) -> None:
    """Ask for a file, check it, ask whether to send its rows, and send them. Raises LinkdashError."""
    screen, collection, resource = records.screen, records.collection, records.resource
    path = await screen.app.push_screen_wait(
        OpenFileScreen(f"Import into {resource.title}", file_words(resource), ENDINGS)
    )
    if path is None:
        return
    read = await asyncio.to_thread(read_file, path)
    planned = await planned_file(
        screen.session, resource, path, read.rows, lambda: _known(screen, collection)
    )
    if planned.problems:
        _show_problems(screen, path, planned)
        return
    file = ResultFile(path)
    progress = await progress_of(screen.session, resource, planned, file)
    if progress.lost:
        raise LinkdashError(
            f"{counted(len(progress.lost), 'row')} of unknown outcome changed in the file since.",
            f"{screen.key_of('journal')} checks what became of them.",
        )
    wanted = progress.left
    if not wanted:
        screen.say(_unsent(planned, progress), f"Nothing of {path.name} is left to send")
        return
    question = _question(screen.session, resource, path.name, planned, progress, wanted, read.told)
    if await screen.app.push_screen_wait(question):
        await _send(screen, path.name, file, wanted)
        results = await file.results(screen.session.store.journal)
        _show_outcome(records, file, planned, results, [line.key for line in wanted])


def _show_outcome(
    records: RecordList[T],
    file: ResultFile,
    planned: ImportPlan,
    results: Mapping[str, Result],
    sent: Sequence[str],
) -> None:
    """Say how an import ended, and go to the first record that it has changed, or else made."""
    screen = records.screen
    written = [key for key in sent if key in results and results[key].state == Outcome.DONE]
    changes = {line.key for line in planned.lines if line.intent is not None and line.intent.record_ids}
    edited = [key for key in written if key in changes]
    for first in (edited or written)[:1]:  # from an edited one the undo key leads to all of them
        records.table.move_to_key(results[first].id)
    undo = f"{screen.key_of('undo')} undoes {counted(len(edited), 'edit')} · " if edited else ""
    text = f"{undo}each row's result: {file.path.name}"
    screen.done(text, f"Imported: {outcome_words(states_of(results, planned))}")


def _unsent(planned: ImportPlan, progress: ImportProgress) -> str:
    """Return why no row is left to send."""
    done = f", {len(progress.states)} tried before" if progress.states else ""
    told = [f"{counted(planned.unchanged, 'row')} unchanged{done}.", rewritten_words(planned)]
    return " ".join(filter(None, [*told, progress.done_elsewhere]))


def _question(
    session: Session,
    resource: AnyResource,
    name: str,
    planned: ImportPlan,
    progress: ImportProgress,
    wanted: Sequence[ImportLine],
    read: str,
) -> ConfirmScreen:
    """Return what is asked before the rows that are wanted are sent."""
    intents = [line.intent for line in wanted if line.intent is not None]
    before, doubts = progress.done_here, Counter(filter(None, map(resource.doubt, intents)))
    lines = [
        read,
        _numbers(intents, planned.unchanged),
        emptied(resource, wanted),
        rewritten_words(planned),
        *(f"{doubt} ({counted(count, 'row')})" for doubt, count in doubts.items()),
        kept_words(planned),
        f"Ignored (read-only): {', '.join(planned.ignored)}." if planned.ignored else "",
        f"{counted(before, 'row')} done before, not sent again." if before else "",
        progress.done_elsewhere,
    ]
    return questions.bulk(
        f"Import {counted(len(intents), 'row')} of {name} into {resource.title}",
        len(intents),
        _listed(intents, resource),
        session,
        [*filter(None, lines)],
        yes="Import",
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


async def _send(screen: HostScreen, name: str, file: ResultFile, wanted: Sequence[ImportLine]) -> None:
    """Send rows; at the end ask about those that were left out, as others have changed their records."""
    importing = ImportScreen(screen.session, name, file, wanted)
    await screen.app.push_screen_wait(importing)
    if not importing.clashes:
        return
    question = questions.overwriting([*importing.clashes.values()], len(wanted), screen.session)
    if await screen.app.push_screen_wait(question):
        again = [line for line in wanted if line.row in importing.clashes]
        await screen.app.push_screen_wait(ImportScreen(screen.session, name, file, again, overwrite=True))


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


_OTHER_ROWS = 6  # of the frame, the progress and the bars below


class ImportScreen(ModalScreen[None]):
    """A window that sends rows and shows progress; over with the last row, or after the one on its way."""

    BINDINGS = [Binding("escape", "stop", "Stop after this row")]

    def __init__(
        self,
        session: Session,
        name: str,
        file: ResultFile,
        lines: Sequence[ImportLine],
        *,
        overwrite: bool = False,
    ) -> None:
        super().__init__()
        self.clashes: dict[int, ChangedElsewhere] = {}
        """What was not sent, as others have changed what it would replace; by row."""
        self._overwrite = overwrite
        self._session = session
        self._file_name = name
        self._file = file
        self._lines = lines
        self._is_stopped = False
        self._failed: dict[int, str] = {}
        """The reasons of rows that were not done, by their place among the rows."""
        self._shown = 0

    def compose(self) -> ComposeResult:
        with Window(
            title=f"Importing {counted(len(self._lines), 'row')} of {self._file_name}{self._all_new}",
            id="importing",
            classes="-question",
        ):
            yield ProgressLine(id="import-progress")
            yield Static(id="import-rows", classes="window-lines", markup=False)
            yield Static(id="import-refused", classes="window-lines", markup=False)
        yield KeyLine()

    @property
    def _all_new(self) -> str:
        return (
            " · all new" if all(one.intent and one.intent.action == "create" for one in self._lines) else ""
        )

    def on_mount(self) -> None:
        self.run_worker(self._run(), exit_on_error=False)

    async def _run(self) -> None:
        rule = StopRule()
        try:
            await asyncio.to_thread(self._file.make_file)
            for number, line in enumerate(self._lines):
                self._show(number)
                result, _ = await self._file.send_line(self._session, line, overwrite=self._overwrite)
                if isinstance(result.error, ChangedElsewhere):
                    self.clashes[line.row] = result.error
                if result.error is not None:
                    self._failed[number] = inert(str(result.error))
                if rule.stops_after(result) or self._is_stopped:
                    break
        finally:
            self.dismiss()

    def on_resize(self) -> None:
        self._show(self._shown)

    def _show(self, number: int) -> None:
        notes = [f"{len(self._failed):,} failed"] if self._failed else []
        notes += ["stopping after this row…"] if self._is_stopped else []
        progress = Progress(number, len(self._lines), "", tuple(notes))
        self.query_one("#import-progress", ProgressLine).show(progress)
        refused = 1 + MOST_REFUSED if len(self._lines) > 1 else 0  # room for them from the beginning
        window, height = self.query_one(Window), self.app.size.height - _OTHER_ROWS - refused
        told = rows_told(self._lines, number, self._failed, room_in(window), height)
        fit_width(window, [" " * told.wanted])
        for id, rows in (("rows", told.around), ("refused", told.below)):
            lines = Content("\n").join(content(line) for line in rows)
            self.query_one(f"#import-{id}", Static).update(lines)
        self._shown = number

    def action_stop(self) -> None:
        self._is_stopped = True
        self._show(self._shown)
