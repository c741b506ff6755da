"""Ending when a signal says so, with the terminal given back, also where it is gone."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_END_WITHIN = 5.0  # seconds; who writes to a terminal that is gone may wait for ever

Exit = Callable[[int], object]
Handler = Callable[[int, FrameType | None], object] | int | None


class Signals:
    """Calls `end` with the exit status 128 + n for signal n, in the event loop it was made in.

    Python's own handlers are used instead of the loop's, since they are called also while the main thread
    waits for a lock. For a program that has not ended some seconds later, `end_now` is called in a thread.
    """

    def __init__(self, end: Exit, end_now: Exit) -> None:
        self._end = end
        self._end_now = end_now
        self._loop = asyncio.get_running_loop()
        self._before: dict[int, Handler] = {}
        if threading.current_thread() is threading.main_thread():
            for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS)):
                self._before[number] = signal.signal(number, self._called)

    def _called(self, number: int, _frame: FrameType | None) -> None:
        status = 128 + number
        self._loop.call_soon_threadsafe(self._end, status)
        end = threading.Timer(_END_WITHIN, partial(self._end_now, status))
        end.daemon = True
        end.start()

    def close(self) -> None:
        """Gives the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)


@contextmanager
def ending_at_once(end_now: Exit) -> Iterator[None]:
    """Ends the program at a signal as long as there is no event loop that could: at its start and its end."""
    for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS[1:])):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: end_now(128 + number))
    yield
