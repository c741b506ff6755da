"""The demo on a held clock, so that every run of it shows the same; and the user who walks through it."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Self, cast
from unittest.mock import patch

import pytest
from pydantic import SecretStr
from textual import events
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.strip import Strip

from linkdash import app
from linkdash.api.budget.gate import Gate
from linkdash.api.http import connection
from linkdash.app import LinkdashApp
from linkdash.demo import DemoSettings
from linkdash.demo.server import serve_in_thread
from linkdash.model import session_services
from linkdash.model.insight import overview
from linkdash.model.session import Session, opened_store
from linkdash.model.settings import Settings
from linkdash.screens import export, host_app, host_screen, opening
from linkdash.screens.lists import page_reading
from linkdash.startup.demo_history import DemoHistory
from linkdash.store.journal_entry import Author
from linkdash.store.store import Store
from linkdash.widgets.styled_text import DrawnLines
from tests.headless import send_nothing
from tests.waiting import Idleness, wait_until

HOST = "links.example.org"
_PERSON = Author("sam", "desk")
_NOW = 1_790_000_000.0  # Mon 21 Sep 2026, 14:13:20 UTC
_RATE = 60
_ASK_FOR_THE_TIME = (
    app,
    connection,
    host_app,
    host_screen,
    overview,
    page_reading,
    session_services,
)
_ENDLESS = frozenset({"flow", "session", "team", "watch", "default"})
"""Workers that wait for the user, or for the next time."""
_EVERY_SECOND = frozenset({"_paint_frame", "_tick", "_paint_status", "paint"})
"""What screens call once in a while to show what the clock changed."""

_PATIENCE = 120.0
"""Seconds after which what should come will not, on the busiest machine."""


class HeldTime:
    """A stand-in for the module `time`; only the stage moves it."""

    now = _NOW

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now - _NOW + 100_000.0


@contextmanager
def held_time() -> Iterator[HeldTime]:
    """Whatever shows a moment or a while asks a clock that stands still, in UTC."""
    held = HeldTime()

    class HeldDatetime(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(held.now, tz)

    with ExitStack() as patches:
        patches.enter_context(patch.dict(os.environ, TZ="UTC"))
        time.tzset()
        for module in _ASK_FOR_THE_TIME:
            patches.enter_context(patch.object(module, "time", held))
        patches.enter_context(patch.object(export, "downloads_folder", lambda: Path("~")))
        for module in (host_app, opening):
            patches.enter_context(patch.object(module, "datetime", HeldDatetime))
        clocks = {"clock": held.monotonic, "wall": held.time}
        patches.enter_context(patch.dict(Gate.__init__.__kwdefaults__, clocks))
        patches.enter_context(patch.object(Stylesheet, "reparse", _parsed_once()))
        patch_textual = patches.enter_context(pytest.MonkeyPatch.context())
        send_nothing(patch_textual)
        Idleness(patch_textual)
        yield held
    time.tzset()


def _parsed_once() -> Callable[[Stylesheet], None]:
    """Parse the style sheets once a theme: they are half of what it costs to switch to another."""
    reparse, known = Stylesheet.reparse, dict[object, list[RuleSet]]()

    def parsed(sheet: Stylesheet) -> None:
        key = (frozenset(sheet._variables.items()), frozenset(sheet.source))
        if key not in known:
            reparse(sheet)
            known[key] = sheet._rules
        sheet._rules, sheet._rules_map, sheet._require_parse = known[key], None, False

    return parsed


class _DemoSettings(Settings):
    """Those of the demo, which is served at another port each time."""

    @property
    def host(self) -> str:
        return HOST


class Stage:
    """The running app, and the user at it."""

    def __init__(self, app: LinkdashApp, pilot: Pilot[int], held: HeldTime) -> None:
        self.app = app
        self._pilot = pilot
        self._held = held

    async def press(self, *keys: str, see: str = "") -> None:
        """Press keys, each when what the one before did is there; wait for a text, if one is named."""
        for key in keys:
            await self._pilot.press(key)
            await self.calm()
        begun = time.monotonic()
        while see not in self.text:
            assert time.monotonic() < begun + _PATIENCE, f"{see!r} is not to be seen:\n{self.text}"
            await self.calm()

    async def type(self, text: str) -> None:
        """Put a text where the cursor is."""
        self.app.post_message(events.Paste(text))
        await self.calm()

    async def show(self, size: tuple[int, int], theme: str) -> None:
        """Show the same in another size, or another theme."""
        if self.app.size != size:
            await self._pilot.resize_terminal(*size)
            await wait_until(lambda: self._is_laid_out(size), lambda: f"for {size}: {self.app.screen_stack}")
        if self.app.theme != theme:
            self.app.theme = theme
        seen = ""
        while self.text != seen:
            seen = self.text
            await self.calm()

    def _is_laid_out(self, size: tuple[int, int]) -> bool:
        """Return whether everything has its place in this size, also what a window lies over."""
        screens = (self.app.screen, *self.app._background_screens)
        return self.app._resize_timer is None and all(one._compositor.size == size for one in screens)

    def pass_a_minute(self) -> None:
        """Let the window of the budget pass."""
        self._held.now += 61.0
        self._look_now()

    async def calm(self) -> None:
        """Wait until nothing is on its way any more, and everything that came is drawn."""
        begun = time.monotonic()
        while time.monotonic() < begun + _PATIENCE:
            await self._pilot.pause()
            was_busy = self._is_busy()  # what ends after the look is not seen by it
            self._look_now()
            await self._pilot.pause()
            if not was_busy and not self._is_busy():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"it comes to no rest:\n{self.text}")

    def _look_now(self) -> None:
        """Have everything look that looks once a second whether there is something new."""
        for screen in self.app.screen_stack:
            for timer in [*screen._timers]:
                if timer._callback is not None and timer._callback.__name__ in _EVERY_SECOND:
                    invoke = cast("Callable[[], None]", timer._callback)
                    invoke()
            for lines in screen.query(DrawnLines):
                lines.update_lines()

    def _is_busy(self) -> bool:
        if not self.app.is_open:
            return True
        working = any(not one.is_finished and one.group not in _ENDLESS for one in self.app.workers)
        return working or self.app.session.gate.state.in_flight > 0

    @property
    def text(self) -> str:
        """All that is on the screen."""
        return "\n".join(strip.text for strip in self.strips)

    @property
    def strips(self) -> Sequence[Strip]:
        """The same as it is sent to a terminal, with its styles."""
        visible_screen_stack.set(self.app._background_screens)  # what a window lies over is drawn, too
        return self.app.screen._compositor.render_strips()


@asynccontextmanager
async def stage(folder: Path, size: tuple[int, int]) -> AsyncIterator[Stage]:
    """Open the demo with all of its past in a folder; the block ends it."""
    home = patch.dict(os.environ, HOME=str(folder))
    with home, held_time() as held, serve_in_thread(DemoSettings(rate=_RATE, clock=held.time)) as running:
        await asyncio.to_thread(DemoHistory(running, folder, folder, _PERSON).write)
        settings = _DemoSettings("demo", running.base_url, SecretStr(running.api_key))
        app = LinkdashApp(
            settings, lambda: Session(settings, _store(settings, folder, held), clock=held.time)
        )
        async with app.run_test(size=size) as pilot:
            yield Stage(app, pilot, held)


def _store(settings: Settings, folder: Path, held: HeldTime) -> Store:
    store = opened_store(settings, folder, folder)
    store.journal._author = _PERSON
    store.journal._clock = lambda: datetime.fromtimestamp(held.now, UTC)
    return store
