"""Ending when a signal says so, with the terminal restored, also where the terminal is gone."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_PATIENCE = 5.0  # seconds; who writes to a terminal that is gone may wait for ever

Exit = Callable[[int], object]
Handler = Callable[[int, FrameType | None], object] | int | None


class Signals:
    """Calls `end` with the exit status 128 + n for signal n, in the event loop it was made in.

    Python's own handlers are used instead of the loop's, since they are called also while the main thread
    waits for a lock. A program that has not ended some seconds later is ended.
    """

    def __init__(self, end: Exit) -> None:
        self._end = end
        self._loop = asyncio.get_running_loop()
        self._before: dict[int, Handler] = {}
        if threading.current_thread() is threading.main_thread():
            for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS)):
                self._before[number] = signal.signal(number, self._called)

    def _called(self, number: int, _frame: FrameType | None) -> None:
        status = 128 + number
        self._loop.call_soon_threadsafe(self._end, status)
        end = threading.Timer(_PATIENCE, partial(os._exit, status))
        end.daemon = True
        end.start()

    def close(self) -> None:
        """Gives the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
