"""What every screen has: the frame around its middle, its actions, its flows, what it says and gives out."""

import os
import sys
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import ClassVar, Generic, Protocol, TypeVar, cast

from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from linkdash.api.errors import LinkdashError
from linkdash.api.model import Unreadable
from linkdash.model.columns import Column
from linkdash.model.humanize import age_words, counted
from linkdash.model.session import Session
from linkdash.model.writes import JobRunner
from linkdash.screens.actions import Action, Flow, KeyNames, perform
from linkdash.screens.frame import account_of, place_entries, recent_entries, watched_entries
from linkdash.store.jobs import ItemState
from linkdash.widgets.footer import BudgetBar, Facts, Kind, Message, MessageLine, Messages, ProgressLine
from linkdash.widgets.frame import (
    HORIZONTAL_BREAKPOINTS,
    VERTICAL_BREAKPOINTS,
    Header,
    JobEntry,
    PlaceEntry,
    Sidebar,
    StatePanel,
    Tabs,
    TooSmall,
    size_classes,
)
from linkdash.widgets.keys import KeyLine
from linkdash.widgets.panel import Panel
from linkdash.widgets.pieces import Piece, Tone
from linkdash.widgets.table import RecordTable
from linkdash.widgets.values import Details

Row = TypeVar("Row")


class Speaks(Protocol):
    """The app, which keeps what is said to a person."""

    messages: Messages

    @property
    def has_previous(self) -> bool:
        """Whether another place was left for this one."""
        raise NotImplementedError

    def post(self, message: Message) -> None:
        """Says something, and keeps it to be read again."""

    def unsaved_places(self) -> list[str]:
        """Where a form has what was typed and not saved."""
        raise NotImplementedError


class HostScreen(Screen[None]):
    """A screen with the program's frame. Subclasses declare `ACTIONS` and fill the middle."""

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = VERTICAL_BREAKPOINTS
    AUTO_FOCUS = None

    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    shows_bulk: ClassVar[bool] = True
    """Whether the progress of a bulk job is shown in a line of its own."""
    place_id: str = ""
    """The entry of the sidebar that is marked while this screen is shown."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.keys = KeyNames(session.settings.keys)
        self._unwatch: list[Callable[[], None]] = []
        self._entries: list[PlaceEntry] = []
        self._possible: set[str] | None = None
        self._is_whole = False

    @property
    def place(self) -> str:
        """Where a person is, for the line at the top."""
        return self.title or ""

    # ---- composition ----

    def compose(self) -> ComposeResult:
        session = self.session
        width, height = self.HORIZONTAL_BREAKPOINTS or [], self.VERTICAL_BREAKPOINTS or []
        self.update_classes(size_classes(self.app.size, width, height), update=False)
        yield Header(account_of(session.settings), self._trail, session.local_time)
        yield Tabs()
        with Container(id="middle"):
            yield Sidebar()
            yield from self.compose_middle()
        yield ProgressLine(id="bulk")
        yield BudgetBar(lambda: session.gate.state, self._facts)
        with Container(id="bottom"):
            yield KeyLine(self.rank_of)
            yield MessageLine(self._app.messages, time.monotonic, self._message_keys)
        yield TooSmall(self.keys.of("quit"))

    @property
    def _app(self) -> Speaks:
        return cast("Speaks", self.app)

    @property
    def _trail(self) -> list[str]:
        return self.place.split(" · ", 1)

    def _message_keys(self) -> tuple[str, str]:
        return self.key_of("messages"), self.key_of("back")

    def _facts(self) -> Facts:
        unsaved, age = self.unsaved, self.age
        return Facts(
            unsaved or "all saved",
            is_saved=not unsaved,
            age="" if age is None else f"as of {age_words(age)}",
            warning=self.session.team_trouble,
        )

    @property
    def unsaved(self) -> str:
        """What of a person's is here alone, in words; empty where all is saved."""
        sending = len(self.session.writes.under_way)
        if sending:
            return f"{counted(sending, 'change')} under way"
        return next((f"not saved: {place}" for place in self._app.unsaved_places()), "")

    @property
    def age(self) -> float | None:
        """Seconds since the service said what is shown; None where it is of no one age."""
        return None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it, so that it need not be there when a person comes back."""
        return False

    def compose_middle(self) -> ComposeResult:
        """The widgets between sidebar and the lines at the bottom."""
        yield from ()

    def rank_of(self, id: str) -> int | None:
        """Where something stands among the screen's actions, the most useful first; -1 if it is none of them.

        None for what cannot be done now.
        """
        for rank, action in enumerate(self.ACTIONS):
            if action.id == id:
                return rank if self._is_possible(action) else None
        return -1

    def _is_possible(self, action: Action) -> bool:
        """As it was looked for last; before a screen is put together, whether it ever is."""
        return action.is_offered(self) if self._possible is None else action.id in self._possible

    @on(RecordTable.CursorMoved)
    def update_keys(self) -> None:
        """Shows the keys of what can be done by now."""
        possible = {action.id for action in self.ACTIONS if action.blocked(self) is None}
        if possible != self._possible:
            self._possible = possible
            self.query_one(KeyLine).update()

    def key_of(self, id: str) -> str:
        """The key of an action as a person reads it."""
        return self.keys.of(id, self.ACTIONS)

    def on_mount(self) -> None:
        self._unwatch.append(self.session.gate.watch(self._budget_changed))
        self._unwatch.append(self.session.jobs.watch(self._job_changed))
        self.set_interval(2.0, self._paint_frame)
        self._paint_frame()

    def on_unmount(self) -> None:
        for unwatch in self._unwatch:
            unwatch()

    async def on_event(self, event: events.Event) -> None:
        """A screen that was left while it still came is mounted and resumed without some of its parts."""
        if isinstance(event, events.Mount):
            self._is_whole = all(part.is_mounted for part in self.walk_children(Widget))
        is_left = isinstance(event, events.ScreenResume) and self not in self.app.screen_stack
        if not is_left and (self._is_whole or not isinstance(event, events.Mount | events.ScreenResume)):
            await super().on_event(event)

    def on_screen_resume(self) -> None:
        self._app.messages.go_on(time.monotonic())
        self._job_changed()
        self._paint_frame()

    def _paint_frame(self) -> None:
        """Says in header and sidebar what is known by now; nothing is asked for it."""
        if not self.is_active:
            return
        entries = place_entries(self.keys, self.session.collections)
        if entries != self._entries:
            self._entries = entries
            self.query_one(Sidebar).show_places(entries, self.place_id)
            self.query_one(Tabs).show_places(entries, self.place_id)
        sidebar, at_hand = self.query_one(Sidebar), self.session.at_hand
        sidebar.show_recent(recent_entries(at_hand))
        sidebar.show_watched(watched_entries(at_hand))
        known = self.session.collections.known("account")
        records = known.records if known is not None else ()
        if records:
            account = account_of(self.session.settings, records[0].username, records[0].status)
            self.query_one(Header).show(account=account)
        self.query_one(Header).show(trail=self._trail)
        self.update_keys()

    def _job_changed(self) -> None:
        if not self.is_active:
            return
        jobs = self.session.jobs
        self.query_one("#bulk", ProgressLine).show(jobs.progress if self.shows_bulk else None)
        key = [Piece(self.key_of("bulk"), Tone.KEY), Piece(" opens it", Tone.MUTED)]
        self.query_one(Sidebar).show_job(None if jobs.is_over else job_entry(jobs), key)
        self.job_changed()
        self.update_keys()

    def job_changed(self) -> None:
        """The bulk job is further than before."""

    def _budget_changed(self) -> None:
        if self.is_active:
            self.query_one(BudgetBar).update_lines()

    # ---- actions ----

    def action_do(self, id: str) -> None:
        """Does one of the screen's actions; where a message stays, going back only takes that away."""
        was_shown = any(line.dismiss() for line in self.query(MessageLine))  # none before it is composed
        if not (was_shown and id == "back"):
            self.perform(id)

    def perform(self, id: str) -> None:
        """Does one of the screen's actions."""
        self.session.faults.did(f"{id} on {type(self).__name__}")
        perform(self, self.ACTIONS, id)

    def missing(self, need: str) -> str | None:
        """Why an action that needs something is not possible now; None where it is."""
        if need == "writing" and self.session.read_only:
            return "This session is read-only."
        return None

    def note_opened(self, resource: str, id: int, name: str) -> None:
        """A record was opened: it is at hand from now on."""
        self.run_worker(self.session.at_hand.opened(resource, id, name), group="kept", exit_on_error=False)

    def begin(self, flow: Flow, name: str) -> None:
        """Runs a flow beside everything else; whatever it raises is shown."""
        self.run_worker(flow, name=name, group="flow", exit_on_error=False)

    # ---- what it says ----

    def say(self, text: str, title: str = "") -> None:
        """Tells a person something."""
        self._post(Kind.NOTE, text, title)

    def say_it_is_the_first(self) -> None:
        """Tells a person that going back leads nowhere from here, and what does."""
        previous = f"{self.key_of('before')} goes to the previous place, " if self._app.has_previous else ""
        self.say(f"Nothing to go back to; {previous}{self.key_of('quit')} quits.")

    def done(self, text: str, title: str) -> None:
        """Tells a person that something was done."""
        self._post(Kind.SUCCESS, text, title)

    def warn(self, text: str, title: str = "") -> None:
        """Tells a person what needs them, or why something is not done."""
        self._post(Kind.WARNING, text, title)

    def tell(self, error: LinkdashError) -> None:
        """Shows an error where a person is."""
        self._post(Kind.ERROR, error.advice, error.what)

    def _post(self, kind: Kind, text: str, title: str) -> None:
        self._app.post(Message(kind, title or text, text if title else ""))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What a worker raised is shown; no fault of the program itself ends the app or passes unseen.

        What a flow stood in the way of can be done again.
        """
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.tell(error if isinstance(error, LinkdashError) else self.session.failure(error))
        if event.worker.is_finished and event.worker.group == "flow" and self.is_active:
            self.update_keys()

    def do_back(self) -> None:
        self.dismiss()


def job_entry(jobs: JobRunner) -> JobEntry | None:
    """The bulk job of a run, for the sidebar."""
    if jobs.job is None:
        return None
    counts = jobs.job.counts
    return JobEntry(
        jobs.job.title,
        jobs.job.over,
        len(jobs.job.items),
        counts[ItemState.DONE],
        counts[ItemState.FAILED],
        counts[ItemState.UNKNOWN],
        is_running=not jobs.is_paused,
    )


class RowsScreen(HostScreen, Generic[Row]):
    """A screen of rows that are no records: a table, what stands where it is empty, a line, details."""

    columns: Sequence[Column[Row]]

    def key(self, row: Row) -> Hashable:
        """What tells a row from all others."""
        raise NotImplementedError

    def compose_middle(self) -> ComposeResult:
        yield self.layout_of(pane=Details(id="details"))

    def layout_of(self, *above: Widget, below: Widget | None = None, pane: Widget | None = None) -> Container:
        """The table among what else is listed, and a pane beside or below, as the style sheets lay it out."""
        listed = Panel(
            *above,
            RecordTable(self.columns, key=self.key, id="records"),
            StatePanel(),
            *([below] if below is not None else []),
            title=self.title or "",
            id="list",
        )
        beside = [Panel(pane, title="Details", id="pane")] if pane is not None else []
        return Container(listed, *beside, id="work")

    @property
    def table(self) -> RecordTable[Row]:
        return self.query_one("#records", RecordTable)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        row = self.table.cursor_row if self.table.display else None
        return None if isinstance(row, Unreadable) else row

    def show_rows(
        self,
        rows: Sequence[Row],
        headline: str,
        advice: str,
        *,
        failed: bool = False,
        columns: Sequence[Column[Row]] | None = None,
    ) -> None:
        """Shows rows; the headline and the advice stand where there are none."""
        panel = self.query_one(StatePanel)
        panel.display, self.table.display = not rows, bool(rows)
        if not rows:
            panel.show(headline, advice, failed=failed)
        self.table.show(rows, columns)

    def show_status(self, text: str, tone: Tone = Tone.MUTED) -> None:
        """Says something of the rows in the frame around them."""
        self.query_one("#list", Panel).say(below=[Piece(text, tone)])


# ---- what leaves the program ----

MANY_BYTES = 100_000
"""What a terminal's clipboard takes for certain; many take no more, and none says so."""


def copy_text(app: App[object], what: str, text: str) -> None:
    """Sends `text` to the terminal's clipboard and says so; nobody can know whether it took it."""
    app.copy_to_clipboard(text)
    told = f"{what}: sent to the terminal's clipboard."
    if (size := len(text.encode("utf-8", "replace"))) > MANY_BYTES:
        told += f" {size / 1e6:.1f} MB is large; if the paste is cut off, export to a file."
    app.notify(told, markup=False)


def has_browser(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a browser can open in a window of its own; a text browser would take the terminal."""
    windowed = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return platform in ("darwin", "win32") or bool(windowed)


def open_link(link: str) -> None:
    """Opens a link; blocks until the browser was started."""
    import webbrowser

    webbrowser.open(link)
