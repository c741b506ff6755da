"""Standard output for results and nothing else, standard error for everything that is said to a person.

Every line is inert, and no secret that is known here is in one. Nothing heavy is imported: the dashboard
needs this before its first paint.
"""

import getpass
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from pydantic import SecretStr

from linkdash.api.secrecy import hidden
from linkdash.api.text import inert

_SECRETS: list[SecretStr] = []
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def hide(secret: SecretStr) -> None:
    """Keeps a secret out of every line that is written from now on."""
    if secret.get_secret_value():
        _SECRETS.append(secret)


def secrets() -> list[SecretStr]:
    """Those that are kept out."""
    return [*_SECRETS]


def plain(text: str) -> str:
    """`text` in one inert line without secrets."""
    return inert(hidden(text, _SECRETS))


def write(text: str) -> None:
    """Lines of the result. Where nobody reads them any more, the work goes on and the rest is dropped."""
    put(f"{text}\n")


def put(text: str) -> None:
    """A text of the result as it is. Raises OSError where it cannot be written."""
    try:
        sys.stdout.write(hidden(text, _SECRETS))
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def drop_output() -> None:
    """Nobody reads standard output: what is written from now on goes nowhere, and that is no error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def tell(text: str) -> None:
    """A line for the person at the terminal; a terminal that is gone hears nothing."""
    if sys.stderr:  # who started this may have closed it
        with suppress(BrokenPipeError):
            to_person(f"linkdash: {plain(text)}\n")


def to_person(text: str) -> None:
    """A text on standard error, as it is."""
    sys.stderr.write(text)
    sys.stderr.flush()


# ---- asking ----


def ask(question: str) -> str:
    """What a person answers to a question on standard error; empty where nobody does. Raises Ended."""
    to_person(f"{plain(question)} ")
    with _ended_by_signals():
        return sys.stdin.readline().strip()


def ask_secret(prompt: str) -> str:
    """What a person types unseen; a line of standard input where that is no terminal. Raises Ended."""
    with _ended_by_signals():
        if sys.stdin.isatty():
            return getpass.getpass(prompt)
        return sys.stdin.readline().rstrip("\r\n")


class Ended(KeyboardInterrupt):
    """A signal came instead of an answer."""

    def __init__(self, number: int) -> None:
        self.status = 128 + number
        """The exit status that tells so."""


def tell_end(status: int) -> None:
    """Says which signal it was that ended the program with this exit status."""
    tell(f"Ended by {signal.Signals(status - 128).name}.")


def heard_signals() -> Sequence[signal.Signals]:
    """Those that end what is done; one that was ignored at the start, as by nohup, stays so."""
    known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Signals raise Ended until the block ends: an event loop hears none while a person is waited for."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Ended(number)

    before = {number: signal.signal(number, end) for number in heard_signals()}
    try:
        yield
    except Ended:
        to_person("\n")  # the question has no line end
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
