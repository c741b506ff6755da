"""Ending when a signal says so, with the terminal given back, also where it is gone."""

import asyncio
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_END_WITHIN = 5.0  # seconds; who writes to a terminal that is gone may wait for ever

_WRITE_WITHIN = 1.0  # seconds

Exit = Callable[[int], object]
Handler = Callable[[int, FrameType | None], object] | int | None


class Signals:
    """Handlers that call `end` with the exit status 128 + n for signal n, in the event loop of their making.

    A thread of its own is woken by the signal itself, whichever thread the system gives it to, and also while
    the main thread is held in code that is not Python's. For a program that has not ended some seconds later,
    it calls `end_now`. Before that, and at SIGQUIT, `trace` writes down where everything stands; it is told
    why.
    """

    def __init__(self, end: Exit, end_now: Exit, trace: Callable[[str], object]) -> None:
        self._end = end
        self._end_now = end_now
        self._trace = trace
        self._loop = asyncio.get_running_loop()
        self._before: dict[int, Handler] = {}
        self._woken, self._wakes = socket.socketpair()
        if threading.current_thread() is threading.main_thread():
            self._wakes.setblocking(False)
            self._woken_before = signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
            for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS)):
                self._before[number] = signal.signal(number, _leave_it_to_the_thread)
            threading.Thread(target=self._watch, name="signals", daemon=True).start()

    def _watch(self) -> None:
        with self._woken:
            while came := self._woken.recv(1):
                if came[0] in self._before:
                    self._end_soon(signal.Signals(came[0]))

    def _end_soon(self, number: signal.Signals) -> None:
        if number.name == "SIGQUIT":
            self._write_trace("was quit by SIGQUIT")
        with suppress(RuntimeError):  # the loop has been closed
            self._loop.call_soon_threadsafe(self._end, 128 + number)
        time.sleep(_END_WITHIN)
        self._write_trace(f"did not end within {_END_WITHIN:.0f} s of {number.name}")
        self._end_now(128 + number)

    def _write_trace(self, why: str) -> None:
        """Have it written, unless what holds the program holds the files, too."""
        writer = threading.Thread(target=self._trace, args=(why,), name="trace", daemon=True)
        writer.start()
        writer.join(_WRITE_WITHIN)

    def close(self) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._before:
            signal.set_wakeup_fd(self._woken_before)
        self._wakes.close()


def _leave_it_to_the_thread(_number: int, _frame: FrameType | None) -> None:
    """A signal with a handler wakes the thread; without one the system would end the program."""


@contextmanager
def ending_at_once(end_now: Exit) -> Iterator[None]:
    """End the program at a signal as long as there is no event loop that could: at its start and its end.

    One that was ignored before, as by a shell's background, does so too: it would leave a terminal that is
    taken to whoever sends it.
    """
    for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS)):
        signal.signal(number, lambda number, _: end_now(128 + number))
    yield
