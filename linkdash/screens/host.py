"""What every screen of the program has: the frame around its middle, its actions, its flows, what it says."""

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Generic, Literal, TypeVar

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from linkdash.api.errors import LinkdashError
from linkdash.api.model import Unreadable
from linkdash.model.columns import Column
from linkdash.model.resources import PLACES
from linkdash.model.session import Session
from linkdash.screens import sizes
from linkdash.screens.actions import Action, Flow, perform
from linkdash.screens.keys import KeyNames
from linkdash.widgets.details import Details
from linkdash.widgets.key_line import KeyLine
from linkdash.widgets.navigation import Navigation, Place
from linkdash.widgets.progress import ProgressLine
from linkdash.widgets.state_panel import StatePanel
from linkdash.widgets.status_bar import StatusBar
from linkdash.widgets.table import RecordTable
from linkdash.widgets.too_small import TooSmall
from linkdash.widgets.top_bar import TopBar

Row = TypeVar("Row")
Severity = Literal["information", "warning", "error"]

LONG, SHORT = 15.0, 5.0  # seconds that something said stays


def places(keys: KeyNames) -> tuple[Place, ...]:
    """The entries of the sidebar, with the keys that a person has for them."""
    return tuple(Place(place.id, keys.of(f"go-{place.id}"), place.title) for place in PLACES)


class HostScreen(Screen[None]):
    """A screen with the program's frame. Subclasses declare `ACTIONS` and fill the middle."""

    HORIZONTAL_BREAKPOINTS = sizes.HORIZONTAL
    VERTICAL_BREAKPOINTS = sizes.VERTICAL
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

    @property
    def place(self) -> str:
        """Where a person is, for the line at the top."""
        return self.title or ""

    # ---- composition ----

    def compose(self) -> ComposeResult:
        session = self.session
        yield TopBar(session.settings.profile, session.host, self.place, read_only=session.read_only)
        with Container(id="middle"):
            yield Navigation(places(self.keys), self.place_id)
            yield from self.compose_middle()
        yield ProgressLine(id="bulk")
        yield StatusBar(lambda: session.gate.state)
        yield KeyLine(self.rank_of)
        yield TooSmall(self.keys.of("quit"))

    def compose_middle(self) -> ComposeResult:
        """The widgets between sidebar and the lines at the bottom."""
        yield from ()

    def rank_of(self, id: str) -> int | None:
        """Where something stands among the screen's actions, the most useful first; -1 if it is none of them.

        None for what can never be done here.
        """
        for rank, action in enumerate(self.ACTIONS):
            if action.id == id:
                return rank if action.is_offered(self) else None
        return -1

    def key_of(self, id: str) -> str:
        """The key of an action as a person reads it."""
        return self.keys.of(id, self.ACTIONS)

    def on_mount(self) -> None:
        self._unwatch.append(self.session.gate.watch(self._budget_changed))
        self._unwatch.append(self.session.jobs.watch(self._job_changed))

    def on_unmount(self) -> None:
        for unwatch in self._unwatch:
            unwatch()

    def on_screen_resume(self) -> None:
        self._job_changed()

    def _job_changed(self) -> None:
        if self.is_active:
            self.query_one("#bulk", ProgressLine).show(
                self.session.jobs.progress if self.shows_bulk else None
            )
            self.job_changed()

    def job_changed(self) -> None:
        """The bulk job is further than before."""

    def _budget_changed(self) -> None:
        if self.is_active:
            self.query_one(StatusBar).update_budget()

    # ---- actions ----

    def action_do(self, id: str) -> None:
        """Does one of the screen's actions."""
        perform(self, self.ACTIONS, id)

    def missing(self, need: str) -> str | None:
        """Why an action that needs something is not possible now; None where it is."""
        if need == "writing" and self.session.read_only:
            return "This session is read-only."
        return None

    def begin(self, flow: Flow, name: str) -> None:
        """Runs a flow beside everything else; whatever it raises is shown."""
        self.run_worker(self._run(flow), name=name, group="flow", exit_on_error=False)

    async def _run(self, flow: Flow) -> None:
        try:
            await flow
        except LinkdashError as error:
            self.tell(error)

    # ---- what it says ----

    def say(self, text: str, title: str = "") -> None:
        """Tells a person something."""
        self.notify(text, title=title, markup=False)

    def warn(self, text: str, title: str = "", seconds: float = SHORT) -> None:
        """Tells a person what needs them, or why something is not done."""
        self.notify(text, title=title, severity="warning", timeout=seconds, markup=False)

    def tell(self, error: LinkdashError) -> None:
        """Shows an error where a person is."""
        self.notify(error.advice or " ", title=error.what, severity="error", markup=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault of the program itself in a worker is shown instead of ending the app or passing unseen."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.tell(fault(event.worker.error))

    def do_back(self) -> None:
        self.dismiss()


def fault(error: BaseException) -> LinkdashError:
    """A fault of the program itself, for a person."""
    return LinkdashError(
        f"linkdash failed here ({type(error).__name__}).", "Please report it with what you did."
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
        listed = Vertical(
            *above,
            RecordTable(self.columns, key=self.key, id="records"),
            StatePanel(),
            *([below] if below is not None else []),
            Static(id="status-line", markup=False),
            id="list",
        )
        return Container(listed, *([Container(pane, id="pane")] if pane is not None else []), id="work")

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

    def show_status(self, text: str) -> None:
        """Says something of the rows in the line below them."""
        self.query_one("#status-line", Static).update(text, layout=False)
