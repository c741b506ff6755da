"""What is painted first: the frame, while everything else is still being imported."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Static

from linkdash.model.places import PLACES
from linkdash.screens import sizes
from linkdash.screens.keys import KeyNames
from linkdash.widgets.navigation import Navigation, Place
from linkdash.widgets.top_bar import TopBar

if TYPE_CHECKING:
    from linkdash.config import Settings


class OpeningScreen(Screen[None]):
    """The frame of the first place, with nothing in it yet."""

    HORIZONTAL_BREAKPOINTS = sizes.HORIZONTAL
    VERTICAL_BREAKPOINTS = sizes.VERTICAL

    def __init__(self, settings: "Settings") -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        settings, first = self._settings, PLACES[0]
        keys = KeyNames(settings.keys)
        entries = [Place(place.id, keys.of(f"go-{place.id}"), place.title) for place in PLACES]
        yield TopBar(settings.profile, settings.host, first.title, read_only=settings.read_only)
        with Container(id="middle"):
            yield Navigation(entries, first.id)
            yield Static("Opening…", id="opening", markup=False)
