"""A bulk job: its progress while it runs, its report afterwards, and what can still be done about it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult

from linkdash.api.budget.lanes import Lane
from linkdash.api.fields import Kind
from linkdash.model.humanize import Ending, TermEnd, counted
from linkdash.model.lists.columns import Column, Computed
from linkdash.model.progress import Progress
from linkdash.model.session import Session
from linkdash.model.writes.planned_changes import UNDO_REACHES
from linkdash.model.writes.runner import going_on_words
from linkdash.model.writes.write_words import name_and_what, summary_of, values_changed, verb_and_kind
from linkdash.screens.actions import BACK, CHECK, WRITING, Action, Flow, Need, bindings
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.journal import below_its_row, entry_lines, value_lines, what_line
from linkdash.screens.rows_screen import RowsScreen
from linkdash.screens.windows import questions
from linkdash.screens.writes.job_words import counts_words, has_edits, since_words
from linkdash.store.job import ItemState, Job, JobHeld, JobItem
from linkdash.store.journal_entry import WriteIntent
from linkdash.widgets.charts.cell_pictures import ended_pieces
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.frame.progress_line import ProgressLine
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Lines, Piece, TickingLines, Tone
from linkdash.widgets.table.record_table import RecordTable

SOMETHING_LEFT: Need["JobScreen"] = Need(lambda screen: screen.missing_rest())
END: Need["JobScreen"] = Need(lambda screen: screen.missing_end())
HERE: Need["JobScreen"] = Need(lambda screen: screen.missing_here())
EDITS: Need["JobScreen"] = Need(lambda screen: screen.missing_edits())
JOB_ACTIONS: tuple[Action["JobScreen"], ...] = (
    Action(
        "pause",
        "p",
        "Pause / resume",
        "Pause or resume the job",
        "Change",
        "1 request each, and 1 a page to read first",
        shown=True,
        needs=(WRITING, SOMETHING_LEFT),
        do=lambda screen: screen.do_pause(),
    ),
    CHECK,
    Action(
        "undo",
        "u",
        "Undo",
        "Undo the edits or subscriptions of the whole job, after a preview",
        "Change",
        "1 request each, and 1 a page to read first",
        shown=True,
        needs=(WRITING, END, EDITS),
        do=lambda screen: screen.do_undo(),
        asks=True,
    ),
    Action(
        "discard",
        "d",
        "Stop / Discard",
        "Stop the job, so that what is left can be resumed; discard one that is over, with what is left",
        "Change",
        shown=True,
        needs=(HERE,),
        do=lambda screen: screen.do_discard(),
        asks=True,
    ),
    replace(BACK, help="Go back; the job goes on"),
)

OTHERS = 12
"""Jobs that can be shown besides the one that is, the newest first."""
_LOOK_EVERY = 2.0  # seconds
_WORDS = {
    ItemState.PENDING: "to do",
    ItemState.SENT: "sending",
    ItemState.DONE: "done",
    ItemState.FAILED: "failed",
    ItemState.UNKNOWN: "unknown",
}
_HOW: Mapping[ItemState, Ending] = {
    ItemState.PENDING: "waiting",
    ItemState.SENT: "under way",
    ItemState.DONE: "done",
    ItemState.FAILED: "failed",
    ItemState.UNKNOWN: "unknown",
}
_WORST_FIRST = (
    ItemState.FAILED,
    ItemState.UNKNOWN,
    ItemState.SENT,
    ItemState.PENDING,
    ItemState.DONE,
)


@dataclass(frozen=True)
class ItemRow:
    """An item as the table shows it."""

    item: JobItem
    state: str
    what: str
    name: str
    change: str
    message: str

    @classmethod
    def of(cls, item: JobItem) -> "ItemRow":
        """The row of an item."""
        intent = item.intent
        what, (name, _) = " ".join(verb_and_kind(intent)), name_and_what(intent)
        return cls(item, _WORDS[item.state], what, name, values_changed(intent), item.message)


def _telling(columns: Sequence[Column[ItemRow]], rows: Sequence[ItemRow]) -> Sequence[Column[ItemRow]]:
    """The columns without those that say nothing, and without what is the same for all."""
    silent = {name for name in ("change", "message") if not any(getattr(row, name) for row in rows)}
    if len({row.what for row in rows}) == 1:
        silent.add("what")
    if len(rows) > 1 and {row.item.state for row in rows} == {ItemState.DONE}:
        silent.add("state")
    if _common_change(rows):
        silent.add("change")
    return [column for column in columns if column.name not in silent]


def _common_change(rows: Sequence[ItemRow]) -> str:
    """Return what is changed in all of several rows; empty where that differs."""
    changes = {row.change for row in rows}
    return changes.pop() if len(changes) == 1 and len(rows) > 1 else ""


def ended(item: JobItem) -> TermEnd:
    """Return how an item ended, or that it has not."""
    return TermEnd(_WORDS[item.state], _HOW[item.state])


def can_start_job(screen: HostScreen) -> bool:
    """Return whether a bulk job can begin now; say why where none can."""
    if not screen.session.jobs.is_over:
        screen.warn(f"A bulk job is already running. {screen.key_of('bulk')} shows it.")
    return screen.session.jobs.is_over


async def run_job(screen: HostScreen, title: str, intents: Sequence[WriteIntent]) -> None:
    """Record many writes as a job, show it and run it; go on with the one of the same writes, if there is.

    Raises StoreUnavailable.
    """
    job, is_begun = await screen.session.jobs.begun_or_new(title, intents)
    if is_begun:
        screen.say(going_on_words(job), title)
    screen.app.push_screen(JobScreen(screen.session, job))
    resume_job(screen, job)


def resume_job(screen: HostScreen, job: Job) -> None:
    """Do what is left of a job, whatever screen is shown meanwhile."""
    screen.app.run_worker(_run(screen, job), group="bulk", name=job.title, exit_on_error=False)


async def _run(screen: HostScreen, job: Job) -> None:
    """Run a job to its end, and ask then about what others have changed of it, where it is in sight."""
    jobs = screen.session.jobs
    try:
        await jobs.run(job)
        while (asked := jobs.to_ask) and _is_in_sight(screen, job):
            question = questions.overwriting([*asked.values()], len(job.items), screen.session)
            if not await screen.app.push_screen_wait(question):
                break
            await jobs.run(jobs.current(job), overwrite=asked)
    except JobHeld as error:
        screen.tell(error)
        return
    over = jobs.current(job)
    has_trouble = over.counts[ItemState.FAILED] or over.counts[ItemState.UNKNOWN]
    tell = screen.warn if has_trouble else screen.say if over.left else screen.done
    stopped = "Stopped: " if over.left else ""
    tell(f"{stopped}{counts_words(over)}.{_what_next(screen, over)}", job.title)
    shown = screen.app.screen
    if isinstance(shown, JobScreen) and _is_in_sight(screen, over) and not has_trouble:
        shown.close_message()  # the report says all of it, and its keys are asked for now


def _is_in_sight(screen: HostScreen, job: Job) -> bool:
    """Return whether a job is what is looked at: elsewhere the next key is meant for something else."""
    shown = screen.app.screen
    return isinstance(shown, JobScreen) and shown.job.id == job.id


def _what_next(screen: HostScreen, job: Job) -> str:
    """The keys that undo and resume a job in its report; elsewhere, after the key that leads to it."""
    undo = f"{screen.keys.of('undo', JOB_ACTIONS)} undoes them" if has_edits(job) else ""
    can_go_on = job.left and not job.is_import
    rest = f"{screen.keys.of('pause', JOB_ACTIONS)} resumes it" if can_go_on else ""
    steps, bulk = ", ".join(filter(None, (undo, rest))), screen.key_of("bulk")
    if isinstance(screen.app.screen, JobScreen):
        return f" {steps}." if steps else ""
    return f" {bulk}, then {steps}." if steps else f" {bulk} shows the report."


class JobScreen(RowsScreen[ItemRow]):
    """A bulk job. Looking at it costs nothing."""

    TITLE = "Bulk job"
    shows_bulk = False
    ACTIONS = JOB_ACTIONS
    BINDINGS = bindings(JOB_ACTIONS)
    columns = (
        Computed[ItemRow]("state", "State", Kind.TEXT, 11, essential=True, draw=lambda row: ended(row.item)),
        Column("what", "What", Kind.TEXT, 14, essential=True),
        Column("name", "Name", Kind.TEXT, 30, grow=True, essential=True),
        Column("change", "Values", Kind.TEXT, 20, grow=True),
        Column("message", "Why", Kind.TEXT, 12, grow=True),
    )

    def __init__(self, session: Session, job: Job) -> None:
        super().__init__(session)
        self._job = job
        self._ran = False
        self._since = ""
        """When all that could be undone was undone or edited again, in words."""
        self._change = ""
        """What is changed in all items."""
        self._writes = 0
        """Changes that were sent, as far as the journal has been asked."""

    def key(self, row: ItemRow) -> Hashable:
        return row.item.position

    @property
    def job(self) -> Job:
        """The job as it stands."""
        self._job = self.session.jobs.current(self._job)
        return self._job

    @property
    def _runs(self) -> bool:
        return self.session.jobs.runs(self._job)

    @property
    def place(self) -> str:
        return f"Bulk job · {self._job.title}"

    # ---- composition and painting ----

    def compose_middle(self) -> ComposeResult:
        steps = Panel(TickingLines(self._step_lines), title="What now", id="steps")
        yield self.layout_of(ProgressLine(id="job-progress"), pane=Details(id="details"), others=[steps])

    def on_mount(self) -> None:
        self.set_interval(1.0, self._paint_status)
        self.set_interval(_LOOK_EVERY, lambda: self.begin(self._look(), "look"))
        self.table.focus()
        self._paint()

    def on_screen_resume(self) -> None:
        self.begin(self._look_since(), "since")

    async def _look_since(self) -> None:
        """Look in the journal whether the changes of the job still stand."""
        store = self.session.store
        entries = await self.session.kept(store.journal.recent(UNDO_REACHES), [])
        own = {item.origin for item in self.job.items if item.origin}
        sent = await self.session.kept(store.journal.of_origins(own), {})
        self._writes = sum(entry.requests for entry in sent.values())
        self._paint_status()
        since = since_words(self.job, entries)
        if since != self._since:
            self._since = since
            self._paint()
            self.update_keys()

    def show_job(self, job: Job) -> None:
        """Show another job instead."""
        self._job, self._ran, self._since, self._writes = job, False, "", 0
        self.table.move_cursor(0)
        self._paint()
        self._show_details()
        self._paint_frame()
        self.begin(self._look_since(), "since")

    def job_changed(self) -> None:
        ran, self._ran = self._ran, self._runs
        self._paint()
        if ran and not self._runs:  # the report begins with what went wrong
            self.table.move_cursor(0)
            self._show_details()
            self.begin(self._look_since(), "since")  # it may have undone another

    def _paint(self) -> None:
        job = self.job
        progress = self.query_one("#job-progress", ProgressLine)
        progress.show(Progress(job.over, len(job.items), ""))
        progress.display = job.over < len(job.items)
        items = sorted(job.items, key=lambda item: _WORST_FIRST.index(item.state))
        rows = [ItemRow.of(item) for item in items]
        self._change = _common_change(rows)
        is_on_top = not self.table.cursor
        self.show_rows(rows, "This job has no items.", "", columns=_telling(self.columns, rows))
        if is_on_top:  # it does not follow what is done down the list
            self.table.move_cursor(0)
        self.query_one("#steps", Panel).query_one(TickingLines).update_lines()
        self._paint_status()

    async def _look(self) -> None:
        """Read how far an unfinished job is that another program runs, or ran until it was gone."""
        if self._runs or not self.is_active or self.is_over:
            return
        found = await self.session.store.jobs.load(self._job.id)
        if found is not None and not self._runs:
            self._job = found
            self._paint()

    def _paint_status(self) -> None:
        job, trouble = self.job, self.session.jobs.trouble
        tone = Tone.BAD if self._runs and trouble else Tone.MUTED
        time_left = str(self.session.gate.quote(job.left, Lane.TASK)) if job.left and self._goes_on else ""
        is_told = not job.left and all(item.state is not ItemState.UNKNOWN for item in job.items)
        cost = self._cost if self._writes and is_told else ""
        said = (self._phase(job, trouble), counts_words(job), time_left, cost, self._change)
        self.show_status(" · ".join(filter(None, said)), tone)

    @property
    def _cost(self) -> str:
        """The requests it has taken; of a job of another run it is not known what was read for it."""
        reads = self.session.jobs.reads_of(self._job)
        return counted(self._writes, "write") if reads is None else counted(self._writes + reads, "request")

    @property
    def _goes_on(self) -> bool:
        """Return whether more of the job is sent, here or by another program, without a key pressed."""
        return not self.session.jobs.is_paused if self._runs else bool(self._job.runner)

    def _phase(self, job: Job, trouble: str) -> str:
        if not self._runs and job.runner:
            return f"{job.runner} is running it"
        if not self._runs:
            resumes = "" if job.is_import else f", {self.key_of('pause')} resumes it"
            return f"Stopped{resumes}" if job.left else "Finished"
        if self.session.jobs.is_paused:
            return "Paused" if trouble else f"Paused, {self.key_of('pause')} resumes"
        return "Running"

    def _step_lines(self, width: int) -> Lines:
        """Return what can be done about the job now: a key and what it does, or a sentence."""
        room = max((len(key) for key, _ in self._steps), default=0) + 2
        return [
            [Piece(f"{'' if row else key:<{room}}", Tone.KEY), Piece(part)]
            for key, words in self._steps
            for row, part in enumerate(wrap(words, max(1, width - room)))
        ]

    @property
    def _steps(self) -> Sequence[tuple[str, str]]:
        """Keys with what they do to the job as it stands; "" where there is nothing to press."""
        job, key_of = self.job, self.key_of
        checks = key_of("check"), "finds out what became of an unknown change"
        if self._runs:
            is_paused, is_sending = self.session.jobs.is_paused, job.counts[ItemState.SENT]
            after = " after the change under way" if is_sending else ""
            steps = [
                (self.session.jobs.trouble, "", f"Paused: {self.session.jobs.trouble}"),
                (True, key_of("pause"), "resumes the job" if is_paused else "pauses the job"),
                (job.counts[ItemState.UNKNOWN], *checks),
                (True, key_of("discard"), f"stops it{after}; what is left can be resumed"),
                (True, key_of("back"), "goes back" if is_paused else "goes back; the job goes on"),
            ]
            return [(key, words) for is_so, key, words in steps if is_so]
        if job.runner:
            return [("", f"{job.runner} is running it; what it does is shown here.")]
        actions = {item.intent.action for item in job.items}
        discarded = "what is left and this report" if job.left else "this report"
        steps = [
            (
                job.left and not job.is_import,
                key_of("pause"),
                f"resumes the job: {job.left} of {len(job.items)} left",
            ),
            (job.left and job.is_import, "", f"Import the file again to go on: {job.left} left."),
            (job.counts[ItemState.UNKNOWN], *checks),
            (self._since, "", self._since_sentence),
            (
                has_edits(job) and not self._since,
                key_of("undo"),
                "restores the previous values, after a preview",
            ),
            (actions == {"delete"}, "", questions.NO_WAY_BACK),
            (True, key_of("discard"), f"discards {discarded}; the journal keeps the changes"),
        ]
        return [(key, words) for is_so, key, words in steps if is_so]

    @property
    def _since_sentence(self) -> str:
        return f"{self._since[0].upper()}{self._since[1:]}." if self._since else ""

    @on(RecordTable.CursorMoved)
    def _show_details(self) -> None:
        """Show what the journal knows of the item; of one that was never sent, what is to be."""
        item = self.item
        if item is None:
            self.query_one("#pane", Panel).say("Details")
            self.query_one("#details", Details).show(None)
            return
        self._show_lines(item, item_lines(item))
        if item.origin and item.state is not ItemState.SENT:
            self.begin(self._show_entry(item), "details")

    def _show_lines(self, item: JobItem, lines: Sequence[DetailLine]) -> None:
        self.query_one("#pane", Panel).say(summary_of(item.intent))
        self.query_one("#details", Details).show(None, lines=below_its_row(lines, item.intent))

    async def _show_entry(self, item: JobItem) -> None:
        found = await self.session.store.journal.of_origins([item.origin])
        if item.origin in found and item == self.item:
            self._show_lines(item, entry_lines(found[item.origin]))

    @property
    def is_over(self) -> bool:
        return not self._runs and not self.job.left and not self.job.runner

    # ---- what actions need ----

    def label_of(self, id: str) -> str:
        if id != "discard":
            return ""
        return "Stop" if self._runs else "Discard"

    @property
    def item(self) -> JobItem | None:
        """The item under the cursor."""
        return self.row.item if self.row is not None else None

    def missing_rest(self) -> str | None:
        if self._runs:
            return None
        if not self.session.jobs.is_over:
            return "Another bulk job is already running."
        if self.job.runner:
            return f"{self.job.runner} is running it; it can be taken over once that one is gone."
        if self.job.left and self.job.is_import:
            return "Import the file again: what is left of it is sent then."
        return None if self.job.left else "Nothing of this job is left to do."

    def missing_end(self) -> str | None:
        return "Stop the job first." if self._runs else self.missing_here()

    def missing_here(self) -> str | None:
        return f"{self.job.runner} is running it." if self.job.runner else None

    def missing_edits(self) -> str | None:
        """Return why nothing of the job can be undone."""
        job = self.job
        if has_edits(job):
            return self._since_sentence or None
        is_delete = any(item.intent.action == "delete" for item in job.items if item.state is ItemState.DONE)
        return (
            questions.NO_WAY_BACK
            if is_delete
            else "Only edits and subscriptions can be undone; none was done."
        )

    def missing_unknown(self) -> str | None:
        return _known(self.item)

    # ---- doing ----

    def do_pause(self) -> None:
        jobs = self.session.jobs
        if not self._runs:
            resume_job(self, self.job)
        elif jobs.is_paused:
            jobs.resume()
        else:
            jobs.pause()

    def do_check(self) -> Flow | None:
        return self._check(self.item) if self.item is not None else None

    async def _check(self, item: JobItem) -> None:
        found = await self.session.check(await self.session.entry_of(item.origin))
        self._job = await self.session.store.jobs.load(self._job.id) or self._job
        self._paint()
        self.say(found.message, summary_of(item.intent))

    async def do_undo(self) -> None:
        from linkdash.screens.writes.undoing import undo_job  # which may show a job, too

        await undo_job(self, self.job)
        await self._look_since()

    def do_discard(self) -> Flow | None:
        if not self._runs:
            return self._discard()
        self.session.jobs.stop()
        return None

    async def _discard(self) -> None:
        job = self.job
        if await self.app.push_screen_wait(questions.discarding(job.title, job.left)):
            await self.session.jobs.discard(job)
            self.dismiss()
            self.app.notify("Its changes stay in the journal.", title=f"Discarded: {job.title}", markup=False)


def _known(item: JobItem | None) -> str | None:
    if item is None:
        return "There is no change under the cursor."
    return None if item.state is ItemState.UNKNOWN else "The outcome of this change is known."


def item_lines(item: JobItem) -> list[DetailLine]:
    """An item that is not in the journal: what it sends, how far it is, and why."""
    state = DetailLine("State", ended_pieces(ended(item), cell_len(_WORDS[item.state]) + 2))
    why = [DetailLine("Why", (Piece(item.message),))] if item.message else []
    return [what_line(item.intent), *value_lines(item.intent, item.intent.before or {}), state, *why]
