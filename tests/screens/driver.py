"""A driver of the running app: it presses keys, reads the screen and what was asked for."""

import asyncio
import unicodedata
from collections.abc import Callable

from textual._context import visible_screen_stack
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from linkdash.api.fields import fields_of
from linkdash.api.records import Record
from linkdash.app import LinkdashApp
from linkdash.demo.server import Running
from linkdash.model.resources import PLACES
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.details import Details
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece
from linkdash.widgets.table.record_table import RecordTable
from tests.waiting import is_drawn, wait_until
from tests.widgets.sample import drawn

_LIVE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"


class Driver:
    """The running app, its service, and the requests it has made of it."""

    def __init__(self, app: LinkdashApp, pilot: Pilot[int], running: Running) -> None:
        self.app = app
        self.pilot = pilot
        self.running = running

    # ---- doing ----

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, and wait until what they do is on the screen."""
        await self.pilot.press(*keys)

    async def go(self, place: str) -> None:
        """Go to the list of a place by its digit and wait until nothing more is on its way to it."""
        await self.settled()
        is_there = self.app.current_mode == place
        if is_there and isinstance(self.app.screen, ResourceScreen):
            return
        await self.press(self.key(place))
        if place == "plans" and not is_there:
            await self._leave_the_matrix()
        await self.settled()

    async def _leave_the_matrix(self) -> None:
        """Go on to the list of plans, which begins with all of them side by side if there are any."""

        def is_open() -> bool:
            return isinstance(self.app.screen, PlanMatrixScreen)

        plans = self.app.session.collection("plans").listing
        await wait_until(lambda: is_open() or (plans.error is not None and not plans.loaded_rows()))
        await self.press_until("escape", lambda: not is_open())  # a message that stays is closed first

    async def read(self, *places: str) -> None:
        """Have the records of places known, without going there."""
        for place in places:
            await self.app.session.collection(place).open()

    def key(self, place: str) -> str:
        """The digit of a place."""
        return next(known.key for known in PLACES if known.id == place)

    async def refresh(self) -> None:
        """Ask again for what is shown, and wait for what comes of it."""
        await self.press("r")
        await self.settled()

    def close_message(self) -> None:
        """Take away the message that lies over the key line, instead of waiting until it goes."""
        screen = self.app.screen
        assert isinstance(screen, HostScreen), screen
        screen.close_message()

    async def opened(self, screen: type[DOMNode]) -> None:
        """Wait until a screen of this kind is on top."""
        await wait_until(lambda: isinstance(self.app.screen, screen), lambda: self.text)
        await self.pilot.pause()

    async def settled(self) -> None:
        """Wait until the screen has what it asked for, or has failed to get it, and show that."""
        await wait_until(lambda: self._has_answer())
        await self.painted()

    async def press_until(self, key: str, condition: Callable[[], bool]) -> None:
        """Press a key, again and again, until a condition holds."""
        for _ in range(30):
            if condition():
                return
            await self.press(key)
        raise AssertionError(f"{key} does not lead there:\n{self.text}")

    async def wait_for(self, text: str) -> None:
        """Wait until a text stands somewhere on the screen."""
        await wait_until(lambda: text in self.text, lambda: f"{text!r} is not to be seen:\n{self.text}")
        await self.painted()

    async def painted(self) -> None:
        """Wait until nothing that is known by now is still to be laid out or painted."""
        await self.pilot.pause()
        await wait_until(lambda: is_drawn(self.app.screen))

    async def a_second_later(self) -> None:
        """Wait until the app and its screens have done what they do every second."""
        passed = asyncio.Event()
        self.app.set_timer(1.05, passed.set)
        await passed.wait()
        await self.painted()

    def _has_answer(self) -> bool:
        screen = self.screen
        listing = screen.collection.listing
        answered = listing.page is not None or listing.error is not None
        reading = any(work.group == "read" and not work.is_finished for work in screen.workers)
        return answered and not reading and not listing.loading and listing.work is None

    # ---- what was asked ----

    @property
    def asked(self) -> list[str]:
        """Every request the service has had, oldest first: `GET /api/domains?limit=100&page=1`."""
        log = self.running.service.log
        return [f"{entry.method} {entry.path}{'?' * bool(entry.query)}{entry.query}" for entry in log]

    # ---- what is shown ----

    @property
    def screen(self) -> ResourceScreen[Record]:
        """The screen of a resource that is on top."""
        screen = self.app.screen
        assert isinstance(screen, ResourceScreen), screen
        return screen

    @property
    def table(self) -> RecordTable[Record]:
        """The table of the screen."""
        return self.screen.table

    @property
    def lines(self) -> list[str]:
        """All that is on the screen, as it would be sent to a terminal."""
        visible_screen_stack.set(self.app._background_screens)  # a window is drawn with what is below
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        """The lines of the screen as one text."""
        return "\n".join(self.lines)

    @property
    def records(self) -> list[str]:
        """The lines of the table, its header first, blank ones left out."""
        return [line for line in drawn(self.table) if line.strip()]

    @property
    def names(self) -> list[str]:
        """The same without what changes with the time and with what else is loaded: ages and bars."""
        return [line[:24] for line in self.records]

    @property
    def details(self) -> str:
        """The details of the row under the cursor, with the name that the frame around them says."""
        resource, pane = self.screen.resource, self.screen.pane
        name = next(field.title for field in fields_of(resource.record) if field.name == resource.name_field)
        lines = self.screen.query_one(Details).lines
        told = [f"{name}: {pane._title}", *(f"{line.title}: {line.text}" for line in lines)]
        return "\n".join(told)

    @property
    def status_line(self) -> str:
        """Return what the list says of itself."""
        panel = self.app.screen.query_one("#list", Panel)
        return " ".join(piece if isinstance(piece, str) else piece.text for piece in panel.below)

    @property
    def status_tone(self) -> str:
        """Return how that is said: `muted`, `warning` where it is old, `bad` where something is wrong."""
        (said,) = self.app.screen.query_one("#list", Panel).below
        assert isinstance(said, Piece)
        return said.tone

    @property
    def state(self) -> str:
        """Headline and advice of the panel that stands where the rows would be; "" where they are."""
        panel = self.screen.query_one("StatePanel")
        return " ".join(shown(child) for child in panel.query(Static)) if panel.display else ""

    @property
    def toasts(self) -> list[str]:
        """Return what was told in passing, newest last."""
        kept = self.app.messages.kept
        return [f"{message.what} {message.next_step}".strip() for message in kept]


def shown(widget: Widget) -> str:
    """Return what a widget shows, as one text."""
    return " ".join(" ".join(drawn(widget)).split())


def is_inert(text: str) -> bool:
    """Return whether a terminal only shows this text: no controls, no marks of direction, none invisible."""
    return not any(unicodedata.category(letter) in _LIVE and letter not in _JOINERS for letter in text)
