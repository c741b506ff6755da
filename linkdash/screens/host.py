"""What every screen of the program has: the frame around its middle, its actions, and its mishaps."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from linkdash.api.errors import LinkdashError
from linkdash.model.session import Session
from linkdash.screens import sizes
from linkdash.screens.actions import Action, Host, perform
from linkdash.screens.places import PLACES
from linkdash.widgets.key_line import KeyLine
from linkdash.widgets.navigation import Navigation
from linkdash.widgets.states import TooSmall
from linkdash.widgets.status_bar import ProgressLine, StatusBar
from linkdash.widgets.top_bar import TopBar


class HostScreen(Screen[None]):
    """A screen with the program's frame. Subclasses declare `ACTIONS` and fill the middle."""

    HORIZONTAL_BREAKPOINTS = sizes.HORIZONTAL
    VERTICAL_BREAKPOINTS = sizes.VERTICAL
    AUTO_FOCUS = None

    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    shows_bulk: ClassVar[bool] = True
    """Whether the progress of a bulk job is shown in a line of its own."""
    name_of_place: ClassVar[str] = ""
    """The id of the place in the navigation that is marked while this screen is shown."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    @property
    def place(self) -> str:
        """Where a person is, for the line at the top."""
        return self.title or ""

    def compose(self) -> ComposeResult:
        session = self.session
        yield TopBar(session.settings.profile, session.host, self.place, read_only=session.read_only)
        with Container(id="middle"):
            yield Navigation(PLACES, self.name_of_place)
            yield from self.compose_middle()
        yield ProgressLine(id="bulk")
        yield StatusBar(lambda: session.gate.state)
        yield KeyLine(self.rank_of)
        yield TooSmall()

    def compose_middle(self) -> ComposeResult:
        """The widgets between navigation and the lines at the bottom."""
        yield from ()

    def rank_of(self, id: str) -> int | None:
        """Where something stands among the screen's actions, the most useful first; -1 if it is none of them.

        None for what can never be done here.
        """
        for rank, action in enumerate(self.ACTIONS):
            if action.id == id:
                return rank if action.is_offered(self) else None
        return -1

    def on_mount(self) -> None:
        self._unwatch = self.session.gate.watch(self._budget_changed)
        self._unwatch_bulk = self.session.bulk.watch(self._bulk_changed)

    def on_unmount(self) -> None:
        self._unwatch()
        self._unwatch_bulk()

    def on_screen_resume(self) -> None:
        self._bulk_changed()

    def _bulk_changed(self) -> None:
        if self.is_active:
            self.query_one("#bulk", ProgressLine).show(
                self.session.bulk.progress if self.shows_bulk else None
            )
            self.bulk_changed()

    def bulk_changed(self) -> None:
        """The bulk job is further than before."""

    def _budget_changed(self) -> None:
        if self.is_active:
            self.query_one(StatusBar).update_budget()

    async def action_do(self, id: str) -> None:
        """Does one of the screen's actions."""
        await perform(self, self.ACTIONS, id)

    def tell(self, error: LinkdashError) -> None:
        """Shows an error where a person is."""
        self.notify(error.advice or " ", title=error.what, severity="error", markup=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault of the program itself in a worker is shown instead of ending the app or passing unseen."""
        tell_mistake(self, event)


def tell_mistake(host: Host, event: Worker.StateChanged) -> None:
    """Says that the program itself made a mistake, where a worker ended with one."""
    if event.state is WorkerState.ERROR and event.worker.error is not None:
        kind = type(event.worker.error).__name__
        host.notify(
            "Nothing was lost. Please report it with what you did.",
            title=f"linkdash made a mistake ({kind})",
            severity="error",
            markup=False,
        )
