"""Waiting for what has to happen, instead of for a time in which it should."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from textual import _wait
from textual.pilot import Pilot

T = TypeVar("T")

DEADLINE = 60.0
"""Seconds after which what should have happened will not; far more than it takes."""

PILOT_PACE = {name: getattr(_wait, name) / 5 for name in ("SLEEP_GRANULARITY", "SLEEP_IDLE")}
"""With these of `textual._wait`, the pilot looks five times as often whether an app is idle."""


async def wait_until(condition: Callable[[], object], otherwise: Callable[[], str] = str) -> None:
    """Returns as soon as `condition` holds; fails at the deadline, with what `otherwise` says.

    Looks the more seldom the longer a look takes: what is waited for needs the time.
    """
    begun = looked = time.monotonic()
    while not condition():
        now = time.monotonic()
        assert now < begun + DEADLINE, f"it did not happen {otherwise()}"
        await asyncio.sleep(max(0.002, 3 * (now - looked)))
        looked = time.monotonic()


async def resize(pilot: Pilot[T], width: int, height: int) -> None:
    """Gives the app another size, and returns when everything on the screen has its place in it."""
    await pilot.resize_terminal(width, height)
    await wait_until(lambda: pilot.app.screen.size == (width, height))
    await pilot.pause()
