"""Standard output, for results alone, and standard error, for everything that is said to the user.

Every line is inert, and no secret that is known here is in one. Nothing heavy is imported: the dashboard
needs this before its first paint.
"""

import getpass
import os
import re
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from pydantic import SecretStr

from linkdash.api.http.secrecy import hidden
from linkdash.api.inert_text import check_encodable, inert
from linkdash.commands.exit_status import WrongUsage

_SECRETS: list[SecretStr] = []
_MISPLACED: list[SecretStr] = []
"""What may be keys that were typed in a wrong place: kept out of messages, and not out of results."""
_KEY = re.compile(r"[\w-]*[A-Za-z0-9]{16}[\w-]*", re.ASCII)
_CHANGE = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_CHANGES = 5
"""Between letters and digits, in what is no word and no date."""
_LOST: list[OSError] = []
"""Why some of the result could not be written."""
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Loudness:
    """The loudness of a run on standard error."""

    quiet = False
    """Only what went wrong."""
    verbose = False
    """Requests, answers and what is left of the budget, too."""


def hide(secret: SecretStr) -> None:
    """Keep a secret out of every line that is written from now on."""
    if secret.get_secret_value():
        _SECRETS.append(secret)


def hide_keys_in(arguments: Sequence[str]) -> None:
    """Keep what may be a key out of every message: where it is taken for a name, the error repeats it."""
    found = (part for argument in arguments for part in _KEY.findall(argument))
    _MISPLACED.extend(SecretStr(part) for part in found if len(_CHANGE.findall(part)) >= _CHANGES)


def secrets() -> list[SecretStr]:
    """Those that are kept out."""
    return [*_SECRETS]


def plain(text: str) -> str:
    """`text` in one inert line without secrets."""
    return inert(hidden(text, [*_SECRETS, *_MISPLACED]))


def write(text: str) -> None:
    """Lines of the result. Once the reader has left, the work goes on and the rest is dropped."""
    put(f"{text}\n")


def put(text: str) -> None:
    """A text of the result as it is. Where it cannot be written, that is said once, and the work goes on."""
    try:
        sys.stdout.write(hidden(text, _SECRETS))
        sys.stdout.flush()
    except BrokenPipeError:
        _drop(sys.stdout)
    except OSError as error:
        _drop(sys.stdout)
        _LOST.append(error)
        tell_error(f"The output cannot be written: {error.strerror}.")


def is_output_lost() -> bool:
    """Return whether some of the result could not be written, other than to a reader who has left."""
    return bool(_LOST)


def _drop(stream: TextIO) -> None:
    """Let what is written from now on go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def tell(text: str) -> None:
    """A line for the user, unless only errors are wanted."""
    if not Loudness.quiet:
        tell_error(text)


def tell_error(text: str) -> None:
    """A line that says what went wrong; a terminal that is gone hears nothing."""
    to_person(f"linkdash: {plain(text)}\n")


def to_person(text: str) -> None:
    """A text on standard error, as it is; dropped where standard error is closed."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _drop(sys.stderr)


# ---- asking ----


def ask(question: str) -> str:
    """Return the answer to a question on standard error; empty where there is none. Raises EndedBySignal."""
    with _ended_by_signals() as woken:
        to_person(f"{plain(question)} ")
        if sys.stdin.isatty():  # a signal that comes just before a read would not end it
            select.select([sys.stdin, woken], [], [])
        return read_line().strip()


def read_line() -> str:
    """A line of standard input without its end and without a byte order mark.

    Raises WrongUsage for what is not UTF-8.
    """
    return _checked(lambda: sys.stdin.readline().rstrip("\r\n").removeprefix("\N{BYTE ORDER MARK}"))


def _checked(read: Callable[[], str]) -> str:
    try:
        return check_encodable(read())
    except ValueError:
        raise WrongUsage("What is on standard input is not UTF-8.", "Nothing was sent.") from None


def ask_secret(prompt: str) -> str:
    """Return what is typed unseen, or off a terminal a line of standard input. Raises EndedBySignal."""
    with _ended_by_signals():
        if sys.stdin.isatty():
            return _checked(lambda: getpass.getpass(prompt))
        return read_line()


class EndedBySignal(KeyboardInterrupt):
    """A signal came instead of an answer."""

    def __init__(self, number: int) -> None:
        self.status = 128 + number
        """The exit status that tells so."""


def tell_end(status: int) -> None:
    """Say which signal it was that ended the program with this exit status."""
    tell_error(f"Ended by {signal.Signals(status - 128).name}.")


def heard_signals() -> Sequence[signal.Signals]:
    """Those that end what is done; one that was ignored at the start, as by nohup, stays so."""
    known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def _ended_by_signals() -> Iterator[socket.socket]:
    """Raise EndedBySignal at a signal until the block ends, and wake who waits for what this gives.

    An event loop hears none meanwhile.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise EndedBySignal(number)

    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    before = {number: signal.signal(number, end) for number in heard_signals()}
    loop = signal.set_wakeup_fd(wakes.fileno())
    try:
        yield woken
    except EndedBySignal:
        to_person("\n")  # the question has no line end
        raise
    finally:
        signal.set_wakeup_fd(loop)
        for number, handler in before.items():
            signal.signal(number, handler)
        woken.close()
        wakes.close()
