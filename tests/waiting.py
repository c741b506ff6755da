"""Waiting for what has to happen, instead of for a time in which it should."""

import asyncio
import time
from collections.abc import Callable, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
import textual.app
import textual.pilot
import textual.screen
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

T = TypeVar("T")

DEADLINE = 60.0
"""Seconds after which what should have happened will not; far more than it takes."""

_LOOKS = 500
"""As often, and not so long, threads that are at work are waited for; then a test holds them."""
_FRAME = 1 / 20
"""Seconds from one picture to the next in the background: few of them are looked at."""
_FRAMES = 10
"""As many layouts may follow from one another."""


def is_drawn(screen: Screen[object]) -> bool:
    """Return whether nothing that is known by now is still to be laid out or painted."""
    return not (screen._layout_required or screen._repaint_required or screen._dirty_widgets)


class Idleness:
    """The end of an app's work: its event loop waits, and no thread works for it.

    Textual's pilot asks the clock of the processor for that, some times for each key.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        """Have Textual's pilot wait for this until `patch` is undone."""
        self._at_work: set[Future[Any]] = set()
        submit = ThreadPoolExecutor.submit

        def counted(pool: ThreadPoolExecutor, *work: Any, **more: Any) -> "Future[Any]":
            done = submit(pool, *work, **more)
            if pool._thread_name_prefix != "demo-service":
                self._at_work.add(done)
                done.add_done_callback(self._at_work.discard)
            return done

        async def idle(*_: object) -> None:
            await self._reached()

        async def drawn(pilot: Pilot[T]) -> bool:
            return await self._drawn(pilot.app)

        patch.setattr(ThreadPoolExecutor, "submit", counted)
        patch.setattr(Pilot, "_wait_for_screen", drawn)
        patch.setattr(textual.screen, "UPDATE_PERIOD", _FRAME)
        for module in (textual.app, textual.pilot):
            patch.setattr(module, "wait_for_idle", idle)

    async def _reached(self) -> None:
        ready: Sized = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]  # nothing else tells it
        deadline, looks = time.monotonic() + DEADLINE, 0
        await asyncio.sleep(0)
        while ready or self._at_work:
            assert time.monotonic() < deadline, "the event loop does not come to rest"
            looks += not ready
            if looks > _LOOKS:
                self._at_work.clear()
            await asyncio.sleep(0 if ready else 0.001)

    async def _drawn(self, app: App[T]) -> bool:
        for _ in range(_FRAMES):
            await self._reached()
            if not app.screen_stack or app._exception is not None:
                return False
            undrawn = [screen for screen in (*app._background_screens, app.screen) if not is_drawn(screen)]
            if not undrawn:
                break
            for screen in undrawn:
                screen._on_timer_update()
                # Textual wants what lies below a window painted once more when it has been painted.
                screen._repaint_required &= screen is app.screen
        return True


async def wait_until(condition: Callable[[], object], otherwise: Callable[[], str] = str) -> None:
    """Return as soon as `condition` holds; fail at the deadline, with what `otherwise` says.

    Looks the more seldom the longer a look takes: what is waited for needs the time.
    """
    begun = looked = time.monotonic()
    while not condition():
        now = time.monotonic()
        assert now < begun + DEADLINE, f"it did not happen {otherwise()}"
        await asyncio.sleep(max(0.002, 3 * (now - looked)))
        looked = time.monotonic()


def wait_here_until(condition: Callable[[], object]) -> None:
    """The same where there is no loop."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


async def resize(pilot: Pilot[T], width: int, height: int) -> None:
    """Give the app another size, and return when everything on the screen has its place in it."""
    await pilot.resize_terminal(width, height)
    await wait_until(lambda: pilot.app._resize_timer is None)  # Textual waits for the last of several sizes
    await pilot.pause()
