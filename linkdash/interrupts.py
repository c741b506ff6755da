"""Ctrl+c while there is nothing to clean up: the system ends the program."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Let ctrl+c end the process, as in an import: a library may pass over the error that comes of one."""
    heard = signal.getsignal(signal.SIGINT)
    end_at_interrupt()
    yield
    signal.signal(signal.SIGINT, heard)


def end_at_interrupt() -> None:
    """Let ctrl+c end the process at once from now on, unless it is ignored, as in a shell's background.

    Python passes over one that comes in the midst of this change, so it has to wait for the end of it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
