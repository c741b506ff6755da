"""The screen of a start, until the program has opened."""

from datetime import datetime
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Static

from linkdash.model.resources import OVERVIEW
from linkdash.screens.host_app import HostApp
from linkdash.widgets.frame.header import Header
from linkdash.widgets.frame.sidebar import Sidebar
from linkdash.widgets.frame.sizes import HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS, size_classes
from linkdash.widgets.frame.tabs import Tabs
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone, content

if TYPE_CHECKING:
    from linkdash.model.settings import Settings

from linkdash.screens.frame_entries import account_of, place_entries


class OpeningScreen(Screen[None]):
    """The frame of the first place, with nothing in it yet: bars and a panel where they will stand."""

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = VERTICAL_BREAKPOINTS

    def __init__(self, settings: "Settings") -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        classes = size_classes(self.app.size, HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS)
        self.update_classes(classes, update=False)
        yield Header(account_of(self._settings), [OVERVIEW.title], lambda: datetime.now().astimezone())
        yield Tabs()
        with Container(id="middle"):
            yield Sidebar()
            yield Panel(Static(self._words, markup=False), title=OVERVIEW.title, id="opening")
        yield Static(id="opening-status")
        quits = cast("HostApp", self.app).keys.of("quit")
        keys = [Piece(f" {quits} ", Tone.KEY, bold=True), Piece("Quit", Tone.MUTED)]
        yield Static(content(keys), id="opening-keys")

    @property
    def _words(self) -> str:
        """The words in its middle; they stay as they are, as nothing is painted while it opens."""
        return (
            f"Opening {self._settings.profile} · {self._settings.host}\n"
            "Reading what is kept here; nothing is asked of the service.\n"
            "Keys pressed now are kept until it is open."
        )

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """It is shown as soon as its styles have been worked out, and never again."""
        event.refresh_styles = False

    def on_mount(self) -> None:
        entries = place_entries(cast("HostApp", self.app).keys)
        for widget in (self.query_one(Sidebar), self.query_one(Tabs)):
            widget.show_places(entries, OVERVIEW.id)
