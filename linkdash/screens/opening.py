"""What is painted first: the frame, while everything else is still being imported."""

from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Static

from linkdash.model.places import OVERVIEW
from linkdash.screens.frame import account_of, place_entries
from linkdash.screens.keys import KeyNames
from linkdash.widgets.frame import Header, Sidebar, Tabs
from linkdash.widgets.states import HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS, size_classes

if TYPE_CHECKING:
    from linkdash.config import Settings


class OpeningScreen(Screen[None]):
    """The frame of the first place, with nothing in it yet."""

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = VERTICAL_BREAKPOINTS
    STYLES = ("frame", "header", "linear", "panel", "screens", "sidebar", "too_small")
    """The style sheets of what it shows; the others can come later."""

    def __init__(self, settings: "Settings") -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        classes = size_classes(self.app.size, self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)
        self.update_classes(classes, update=False)
        yield Header(account_of(self._settings), [OVERVIEW.title], lambda: datetime.now().astimezone())
        yield Tabs()
        with Container(id="middle"):
            yield Sidebar()
            yield Static("Opening…", id="opening", markup=False)

    def on_mount(self) -> None:
        entries = place_entries(KeyNames(self._settings.keys))
        self.query_one(Sidebar).show_places(entries, OVERVIEW.id)
        self.query_one(Tabs).show_places(entries, OVERVIEW.id)
