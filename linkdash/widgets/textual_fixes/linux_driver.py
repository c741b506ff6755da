"""The terminal is given back whatever happens: by any thread, to who reads slowly.

And its last size is the one that counts, however soon it comes after another.
"""

import asyncio
import os
import signal
import termios
import time
from contextlib import suppress
from types import FrameType

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size

_RESET = (
    b"\x18\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"
    b"\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"
)
"""Ends what was begun and turns off every mode that Textual's driver turns on."""
_PATIENCE = 1.0  # seconds for a terminal that is read slowly, as over a busy line
_BETWEEN = 0.01  # seconds


class FixedLinuxDriver(LinuxDriver):
    """Textual's driver, with all that giving the terminal back needs made before it is taken.

    It has one reader of the keyboard whatever signals come, and what fails in that reader is a fault like
    any other.
    """

    _is_taken = False
    _output = 2  # the descriptor of standard error, which Textual writes to

    def start_application_mode(self) -> None:
        """Take the terminal."""
        if not self._is_taken:
            self._prepare()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual has no types here
        loop = asyncio.get_running_loop()
        signal.signal(signal.SIGWINCH, lambda *_: loop.call_soon_threadsafe(self._tell_size))

    def _tell_size(self) -> None:
        """Tell the app the size of the terminal.

        Textual reads it as the signal comes, where the next signal can come in between: the later size is
        told before the earlier one then, which stays.
        """
        if not self._in_band_window_resize:  # the terminal tells it by itself
            size = Size(*self._get_terminal_size())
            self._app.post_message(events.Resize(size, size))

    def _prepare(self) -> None:
        self._terminal = os.dup(self._output)
        self._nowhere = os.open(os.devnull, os.O_WRONLY)
        self._is_taken = True

    def close(self) -> None:
        """End the thread that writes; all of it is written then, and the terminal is as it was."""
        super().close()
        if self._is_taken:
            self._is_taken = False
            os.close(self._terminal)
            os.close(self._nowhere)

    def give_back(self) -> None:
        """Do what `stop_application_mode` does, without the driver's threads.

        What these have still to write, and whatever else goes to standard error, goes nowhere from now on: it
        would set again what is reset here.
        """
        if not self._is_taken:
            return
        if self.attrs_before is not None:
            with suppress(OSError, termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        os.dup2(self._nowhere, self._output)
        _write_soon(self._terminal, _RESET)

    def write_last(self, line: bytes) -> None:
        """Write below what stands in a terminal that was given back."""
        _write_soon(self._terminal if self._is_taken else self._output, line)

    def _run_input_thread(self) -> None:
        """Textual shows a trace of what ends the reader."""
        try:
            self.run_input_thread()
        except Exception as error:  # noqa: BLE001  it is raised in the app
            self._app.call_later(_fail, error)

    def _sigcont_application(self, *_: int | FrameType | None) -> None:
        """Textual starts a second reader of the keyboard at a SIGCONT without a SIGTSTP before."""
        if self._auto_restart and not self._must_signal_resume:
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()


def _fail(error: Exception) -> None:
    raise error


def _write_soon(terminal: int, data: bytes) -> None:
    """Write to a terminal, unless it is not read."""
    last = time.monotonic() + _PATIENCE
    os.set_blocking(terminal, False)
    try:
        while data:
            try:
                data = data[os.write(terminal, data) :]
            except BlockingIOError:  # it is full, or a thread of the driver is about to write
                if time.monotonic() > last:
                    return
                time.sleep(_BETWEEN)
    finally:
        os.set_blocking(terminal, True)
