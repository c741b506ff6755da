"""Signals between the terminal and its driver."""

import os
from contextlib import suppress
from types import FrameType

from textual.driver import Driver

_RESET = (
    b"\x18\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"
    b"\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"
)
"""Ends what was begun and turns off every mode that Textual's driver turns on."""


def give_back_terminal(driver: Driver) -> None:
    """Do what the driver does when it stops, without its threads, and without waiting for who does not read.

    What these have still to write goes nowhere: it would set again what is reset here.
    """
    try:
        import termios

        from textual.drivers.linux_driver import LinuxDriver
    except ImportError:  # no such terminal on this system
        return
    if not isinstance(driver, LinuxDriver) or driver._file is None:
        return
    with suppress(OSError, ValueError, termios.error):
        if driver.attrs_before is not None:
            termios.tcsetattr(driver.fileno, termios.TCSANOW, driver.attrs_before)
        terminal = os.dup(driver._file.fileno())
        os.dup2(os.open(os.devnull, os.O_WRONLY), driver._file.fileno())
        os.set_blocking(terminal, False)
        try:
            os.write(terminal, _RESET)
        finally:
            os.set_blocking(terminal, True)


def standing_sigcont(driver: type[Driver]) -> type[Driver]:
    """Return the driver with one reader of the keyboard whatever signals come."""
    from textual.drivers.linux_driver import LinuxDriver

    class StandingDriver(LinuxDriver):
        """Textual's driver starts a second reader of the keyboard at a SIGCONT without a SIGTSTP before."""

        def _sigcont_application(self, *_: int | FrameType | None) -> None:
            if self._auto_restart and not self._must_signal_resume:
                self.suspend_application_mode()
                self._must_signal_resume = True
            super()._sigcont_application()

    return StandingDriver
