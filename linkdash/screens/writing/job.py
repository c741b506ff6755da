"""One bulk job: its progress while it runs, its report afterwards, and what can still be done about it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Static

from linkdash.api.fields import Kind
from linkdash.api.pacing import Lane
from linkdash.model.columns import Column
from linkdash.model.jobs import Progress
from linkdash.model.session import Session
from linkdash.screens.actions import Action, bindings
from linkdash.screens.host import HostScreen
from linkdash.screens.layout import table_and_pane
from linkdash.screens.writing import questions
from linkdash.store.jobs import Item, Job, State
from linkdash.store.tasks import Task
from linkdash.widgets.cells import Piece, Tone
from linkdash.widgets.details import Details, Line
from linkdash.widgets.status_bar import ProgressLine
from linkdash.widgets.table import RecordTable

JOB_ACTIONS = (
    Action(
        "pause",
        "p",
        "Pause / go on",
        "Pause the job, go on with it, or resume one that was interrupted",
        "Change",
        "1 request each",
        shown=True,
        needs=("writing", "something_left"),
    ),
    Action(
        "stop", "s", "Stop", "End the job; what is left can be resumed", "Change", shown=True, needs=("run",)
    ),
    Action(
        "find-out",
        "f",
        "Find out",
        "Look whether a change of unknown outcome happened",
        "Change",
        "1 request",
        shown=True,
        needs=("unknown",),
    ),
    Action("discard", "d", "Discard", "Forget the job and what is left of it", "Change", needs=("rest",)),
    Action("back", "escape", "Back", "Back to where you were; the job goes on", "Move", shown=True),
)

_WORDS = {
    State.PENDING: "to do",
    State.SENT: "on its way",
    State.DONE: "done",
    State.FAILED: "failed",
    State.UNKNOWN: "unknown",
}
_TONES = {State.DONE: Tone.GOOD, State.FAILED: Tone.ODD, State.UNKNOWN: Tone.ODD}
_WORST_FIRST = (State.FAILED, State.UNKNOWN, State.SENT, State.PENDING, State.DONE)


@dataclass(frozen=True)
class Row:
    """One item as the table shows it."""

    item: Item
    state: str
    what: str
    message: str

    @classmethod
    def of(cls, item: Item) -> "Row":
        """The row of an item."""
        return cls(item, _WORDS[item.state], item.words, item.message)


def counts_words(job: Job) -> tuple[str, ...]:
    """What of a job is done, has failed, is unknown, is left; what there is none of is left out."""
    states = (
        (State.DONE, "done"),
        (State.FAILED, "failed"),
        (State.UNKNOWN, "unknown"),
        (State.PENDING, "left"),
    )
    return tuple(f"{job.counts[state]} {word}" for state, word in states if job.counts[state])


class JobScreen(HostScreen):
    """A bulk job. Looking at it costs nothing."""

    TITLE = "Bulk"
    shows_bulk = False
    ACTIONS = JOB_ACTIONS
    BINDINGS = bindings(JOB_ACTIONS)
    columns: Sequence[Column[Row]] = (
        Column("state", "State", Kind.TEXT, 11, essential=True),
        Column("what", "What", Kind.TEXT, 38, grow=True, essential=True),
        Column("message", "Why", Kind.TEXT, 12, grow=True),
    )

    class RunWanted(Message):
        """A person wants what is left of a job to be done."""

        def __init__(self, job: Job) -> None:
            super().__init__()
            self.job = job

    class Doubted(Message):
        """A person wants to know what became of an item."""

        def __init__(self, task: Task) -> None:
            super().__init__()
            self.task = task

    class DiscardWanted(Message):
        """A person wants a job to be forgotten."""

        def __init__(self, job: Job) -> None:
            super().__init__()
            self.job = job

    def __init__(self, session: Session, job: Job) -> None:
        super().__init__(session)
        self._job = job

    @property
    def job(self) -> Job:
        """The job as it stands."""
        current = self.session.bulk.job
        return current if current is not None and current.id == self._job.id else self._job

    @job.setter
    def job(self, job: Job) -> None:
        self._job = job
        self._paint()

    @property
    def _runs(self) -> bool:
        """Whether this very job is under way."""
        return self.job is self.session.bulk.job and not self.session.bulk.is_over

    @property
    def place(self) -> str:
        return f"Bulk · {self._job.title}"

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        records = RecordTable(self.columns, key=_key, id="records")
        yield table_and_pane(ProgressLine(id="job-progress"), records, pane=Details(id="details"))

    @property
    def table(self) -> RecordTable[Row]:
        return self.query_one("#records", RecordTable)

    def on_mount(self) -> None:
        self.set_interval(1.0, self._paint)
        self.table.focus()
        self._paint()

    def bulk_changed(self) -> None:
        ran, self._ran = self._ran, self._runs
        self._paint()
        if ran and not self._runs:  # the report begins with what went wrong
            self.table.move_cursor(0)

    _ran = False

    def _paint(self) -> None:
        job, runs = self.job, self._runs
        self.query_one("#job-progress", ProgressLine).show(Progress(job.over, len(job.items), job.title))
        items = job.items if runs else sorted(job.items, key=lambda item: _WORST_FIRST.index(item.state))
        self.table.show([Row.of(item) for item in items])
        truth = self.query_one("#truth", Static)
        truth.set_class(bool(runs and self.session.bulk.trouble), "-wrong")
        words = (self._phase_words(), *counts_words(job), *self._time_words())
        truth.update(" · ".join(words), layout=False)

    def _phase_words(self) -> str:
        bulk = self.session.bulk
        if not self._runs:
            return "over" if not self.job.left else "p resumes it"
        if bulk.is_paused:
            return f"paused: {bulk.trouble}" if bulk.trouble else "paused, p goes on"
        return "running"

    def _time_words(self) -> tuple[str, ...]:
        left = self.job.left
        return (str(self.session.gate.quote(left, Lane.BACKGROUND)),) if left else ()

    @on(RecordTable.CursorMoved)
    def _show_details(self) -> None:
        item = self.item
        self.query_one("#details", Details).show(None, lines=item_lines(item) if item else ())

    # ---- what actions need ----

    @property
    def item(self) -> Item | None:
        """The item under the cursor."""
        row = self.table.cursor_row
        return row.item if isinstance(row, Row) else None

    def missing_writing(self) -> str | None:
        """Why nothing may be changed."""
        return "This session is read-only." if self.session.read_only else None

    def missing_something_left(self) -> str | None:
        """Why there is nothing to do."""
        if self._runs:
            return None
        if not self.session.bulk.is_over:
            return "Another bulk job is under way: one at a time."
        return None if self.job.left else "Nothing of this job is left to do."

    def missing_run(self) -> str | None:
        """Why there is nothing to stop."""
        return None if self._runs else "This job is not under way."

    def missing_rest(self) -> str | None:
        """Why there is nothing to forget."""
        return "Stop the job first." if self._runs else None

    def missing_unknown(self) -> str | None:
        """Why there is nothing to find out."""
        item = self.item
        if item is None or item.state is not State.UNKNOWN:
            return "What became of this change is known." if item else "There is no change under the cursor."
        return None

    # ---- doing ----

    def do_pause(self) -> None:
        bulk = self.session.bulk
        if not self._runs:
            self.post_message(self.RunWanted(self.job))
        elif bulk.is_paused:
            bulk.go_on()
        else:
            bulk.pause()

    def do_stop(self) -> None:
        self.session.bulk.stop()

    def do_find_out(self) -> None:
        if self.item is not None:
            self.post_message(self.Doubted(self.item.task))

    def do_discard(self) -> None:
        self.run_worker(self._ask_to_discard(self.job), group="ask", exit_on_error=False)

    async def _ask_to_discard(self, job: Job) -> None:
        if await self.app.push_screen_wait(questions.forgetting(job.title, job.left)):
            self.post_message(self.DiscardWanted(job))

    def do_back(self) -> None:
        self.dismiss()


def item_lines(item: Item) -> list[Line]:
    """An item in full: what it does, how far it is, and why."""
    lines = [
        Line("What", (Piece(item.words),)),
        Line("State", (Piece(_WORDS[item.state], _TONES.get(item.state, Tone.PLAIN)),)),
    ]
    if item.message:
        lines.append(Line("Why", (Piece(item.message),)))
    return [*lines, *(Line(name, (Piece(str(value)),)) for name, value in item.task.params.items())]


def _key(row: Row) -> Hashable:
    return row.item.position
