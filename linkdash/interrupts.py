"""Signals that end the program: while there is nothing to clean up, in its first moments, and at a question.

Nothing heavy is imported: this is there before all else. What is under way is ended by `commands.signals`.
"""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

TYPE_CHECKING = False  # as of `typing`, which takes as long to import as all that --help needs of ours
if TYPE_CHECKING:
    from socket import socket
    from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class EndedBySignal(KeyboardInterrupt):
    """A signal has ended what was done."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.status = 128 + number
        """The exit status that tells so."""


def heard_signals() -> Sequence[signal.Signals]:
    """Those that end what is done; one that was ignored at the start, as by nohup, stays so."""
    known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Raise KeyboardInterrupt for ctrl+c, also where what it interrupts makes another error of it.

    Importing does so: of an interrupt in the midst of it comes a SyntaxError, or an ImportError.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:  # as in a shell's background
        yield
        return
    came = False

    def interrupt(_number: int, _frame: "FrameType | None") -> None:
        nonlocal came
        came = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception:
        if came:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def ended_by_signals() -> "Iterator[socket]":
    """Raise EndedBySignal at a signal until the block ends, and wake who waits for what this gives.

    An event loop hears none meanwhile.
    """
    from socket import socketpair

    def end(number: int, _frame: "FrameType | None") -> None:
        raise EndedBySignal(number)

    woken, wakes = socketpair()
    wakes.setblocking(False)
    before = {number: signal.signal(number, end) for number in heard_signals()}
    loop = signal.set_wakeup_fd(wakes.fileno())
    try:
        yield woken
    finally:
        signal.set_wakeup_fd(loop)
        for number, handler in before.items():
            signal.signal(number, handler)
        woken.close()
        wakes.close()


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
