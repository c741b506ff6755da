"""Ending when a signal says so, with the terminal given back, also where it is gone."""

import asyncio
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Self

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_END_WITHIN = 5.0  # seconds; who writes to a terminal that is gone may wait for ever
_WRITE_WITHIN = 1.0  # seconds

Exit = Callable[[int], object]
Trace = Callable[[str], object]
Handler = Callable[[int, FrameType | None], object] | int | None


class Signals:
    """The end of a program at a signal, with the exit status 128 + n for signal n, as long as the block runs.

    A thread of its own is woken by the signal itself, whichever thread the system gives it to, and also while
    the main thread is held in code that is not Python's. It calls `end_now` while there is no event loop that
    could end, and for one that has not ended some seconds later. A signal that was ignored before, as by a
    shell's background, is heard, too: it would leave a terminal that is taken to whoever sends it.
    """

    def __init__(self, end_now: Exit) -> None:
        self._end_now = end_now
        self._end: Exit = end_now
        self._trace: Trace | None = None
        self._before: dict[int, Handler] = {}

    def __enter__(self) -> Self:
        self._woken, self._wakes = socket.socketpair()
        self._wakes.setblocking(False)
        self._woken_before = signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS)):
            self._before[number] = signal.signal(number, _leave_it_to_the_thread)
        threading.Thread(target=self._watch, name="signals", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._woken_before)
        self._wakes.close()

    @contextmanager
    def ended_by(self, end: Exit, trace: Trace) -> Iterator[None]:
        """Call `end` in the running loop until the block ends.

        At SIGQUIT, and before `end_now`, `trace` writes down where everything stands; it is told why.
        """
        loop = asyncio.get_running_loop()

        def end_in_loop(status: int) -> None:
            loop.call_soon_threadsafe(end, status)

        self._end, self._trace = end_in_loop, trace
        try:
            yield
        finally:
            self._end, self._trace = self._end_now, None

    def _watch(self) -> None:
        with self._woken:
            while came := self._woken.recv(1):
                if came[0] in self._before:
                    self._end_soon(signal.Signals(came[0]))

    def _end_soon(self, number: signal.Signals) -> None:
        if number.name == "SIGQUIT":
            self._write_trace("was quit by SIGQUIT")
        with suppress(RuntimeError):  # the loop has been closed
            self._end(128 + number)
        time.sleep(_END_WITHIN)
        self._write_trace(f"did not end within {_END_WITHIN:.0f} s of {number.name}")
        self._end_now(128 + number)

    def _write_trace(self, why: str) -> None:
        """Have it written, unless what holds the program holds the files, too."""
        if self._trace is not None:
            writer = threading.Thread(target=self._trace, args=(why,), name="trace", daemon=True)
            writer.start()
            writer.join(_WRITE_WITHIN)


def _leave_it_to_the_thread(_number: int, _frame: FrameType | None) -> None:
    """A signal with a handler wakes the thread; without one the system would end the program."""
