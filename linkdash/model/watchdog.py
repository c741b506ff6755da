"""A thread that sees the event loop stand still, and has it written down while it does."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 15
"""Looks, one a second, at which the loop has not come by: as many are a standstill."""
_BETWEEN = 1.0  # seconds


class Watchdog:
    """A thread that calls `write` once for each standstill of the running loop, and `told` when it is over.

    Looks are counted and not seconds: a program that was stopped has not stood still, nor has a machine that
    slept.
    """

    def __init__(
        self,
        write: Callable[[], Path | None],
        told: Callable[[Path], object],
        is_excused: Callable[[], bool],
    ) -> None:
        """`write` returns the file; `is_excused` tells when another program holds the loop, and may."""
        self._write = write
        self._told = told
        self._is_excused = is_excused
        self._loop = asyncio.get_running_loop()
        self._has_come = True
        self._file: Path | None = None
        self._over = threading.Event()
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def close(self) -> None:
        """Look no more."""
        self._over.set()

    def _watch(self) -> None:
        missed = 0
        while not self._over.wait(_BETWEEN):
            missed = 0 if self._has_come or self._is_excused() else missed + 1
            if missed == PATIENCE:
                self._file = self._write()
            if self._has_come:
                self._has_come = False
                with suppress(RuntimeError):  # the loop has ended, and what it ran with it
                    self._loop.call_soon_threadsafe(self._come)

    def _come(self) -> None:
        self._has_come = True
        if self._file is not None:
            self._told(self._file)
            self._file = None
