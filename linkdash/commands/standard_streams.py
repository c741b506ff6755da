"""Standard output, for results alone, and standard error, for everything that is said to the user.

What is for people leaves by `say`, a line a call, which makes it inert, whatever its caller forgot; what is
data leaves by `put`. No secret that is known here is in either. Nothing heavy is imported: the dashboard
needs this before its first paint, a shell at every completion.
"""

import getpass
import os
import re
import select
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from linkdash.api.inert_text import check_encodable, inert, marked
from linkdash.commands.exit_status import WrongUsage
from linkdash.interrupts import EndedBySignal, ended_by_signals

if TYPE_CHECKING:
    from socket import socket

    from pydantic import SecretStr

_SECRETS: "list[SecretStr]" = []
_MISPLACED: "list[SecretStr]" = []
"""What may be keys that were typed in a wrong place: kept out of messages, and not out of results."""
_KEY = re.compile(r"[\w-]*[A-Za-z0-9]{16}[\w-]*", re.ASCII)
_CHANGE = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_CHANGES = 5
"""Between letters and digits, in what is no word and no date."""
_LOST: list[OSError] = []
"""Why some of the result could not be written."""
_LINE = ("", "\n")
_BOLD_LINE = ("\x1b[1m", "\x1b[0m\n")
_OVER_THE_LINE = ("\r", "\x1b[K")
_BEFORE_AN_ANSWER = ("", " ")
_USUAL_WIDTH = 80


class Loudness:
    """The loudness of a run on standard error."""

    quiet = False
    """Only what went wrong."""
    verbose = False
    """Requests, answers and what is left of the budget, too."""


def hide(secret: "SecretStr") -> None:
    """Keep a secret out of every line that is written from now on."""
    if secret.get_secret_value():
        _SECRETS.append(secret)


def hide_keys_in(arguments: Sequence[str]) -> None:
    """Keep what may be a key out of every message: where it is taken for a name, the error repeats it."""
    from pydantic import SecretStr

    found = (part for argument in arguments for part in _KEY.findall(argument))
    _MISPLACED.extend(SecretStr(part) for part in found if len(_CHANGE.findall(part)) >= _CHANGES)


def secrets() -> "list[SecretStr]":
    """Those that are kept out."""
    return [*_SECRETS]


def plain(text: str) -> str:
    """`text` in one inert line without secrets."""
    return inert(_without(text, [*_SECRETS, *_MISPLACED]))


def _without(text: str, secrets: "Sequence[SecretStr]") -> str:
    if not secrets:
        return text
    from linkdash.api.http.secrecy import hidden

    return hidden(text, secrets)


# ---- what is written ----


def say(*cells: str, stream: TextIO | None = None, around: tuple[str, str] = _LINE) -> None:
    """A line for people, on standard output where no stream is given; what is cells stands a tab apart.

    All that verbs write for people leaves here: what acts on a terminal, and a line break, is a mark. Only
    `around`, the controls of our own before and behind it, acts.
    """
    out = stream or sys.stdout
    known = _SECRETS if out is sys.stdout else [*_SECRETS, *_MISPLACED]
    line = "\t".join(marked(_without(cell, known)) for cell in cells)
    _write(out, line.join(around))


def say_lines(lines: Iterable[str]) -> None:
    """Many lines for people on standard output, each as `say` has it, in one piece."""
    _write(sys.stdout, "".join(f"{marked(_without(line, _SECRETS))}\n" for line in lines))


def say_text(text: str) -> None:
    """A text for people whose line ends are its maker's, such as a report."""
    say_lines(text.removesuffix("\n").split("\n"))


def say_heading(line: str) -> None:
    """A line above others, bold where styles mean something."""
    say(line, around=_BOLD_LINE if has_colour(sys.stdout) else _LINE)


def put(data: str) -> None:
    """Data for a program, as it is: JSON, JSON lines, CSV; and what came with this program, as its guide."""
    _write(sys.stdout, _without(data, _SECRETS))


def _write(stream: TextIO, text: str) -> None:
    """Once the reader has left, the work goes on and the rest is dropped.

    Where a result cannot be written, that is said once.
    """
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _drop(stream)
    except OSError as error:
        _drop(stream)
        if stream is sys.stdout:
            _LOST.append(error)
            tell_error(f"The output cannot be written: {error.strerror}.")


def has_colour(stream: TextIO) -> bool:
    """Return whether styles mean something where this stream goes."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


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
    say(f"linkdash: {text}", stream=sys.stderr)


def tell_between_questions(text: str) -> None:
    """The same where somebody reads it at a terminal, who is asked next: in whole words."""
    for line in _lines(f"linkdash: {text}"):
        say(line, stream=sys.stderr)


def _lines(text: str) -> list[str]:
    """A line for people, in as many as a terminal needs that would break it inside a word."""
    if not sys.stderr.isatty():
        return [text]
    line, width = plain(text), _USUAL_WIDTH
    with suppress(OSError, ValueError):  # no terminal of the system's
        width = os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
    if len(line) < width:
        return [text]
    from textwrap import wrap  # most lines are short

    return wrap(line, width - 1, break_long_words=False, break_on_hyphens=False)


def tell_program(data: str) -> None:
    """A line of JSON on standard error, whose words are `plain`."""
    _write(sys.stderr, f"{data}\n")


def tell_in_place(text: str) -> None:
    """Draw a line of progress over the one that stands there, where somebody sees it; "" takes it away."""
    if sys.stderr.isatty():
        say(text, stream=sys.stderr, around=_OVER_THE_LINE)


# ---- asking ----


@contextmanager
def _asking() -> "Iterator[socket]":
    """Ask something, which a signal ends with EndedBySignal; a socket that it can be read from then."""
    try:
        with ended_by_signals() as woken:
            yield woken
    except EndedBySignal:
        say("", stream=sys.stderr)  # the question has no line end
        raise


def ask(question: str) -> str:
    """Return the answer to a question on standard error; empty where there is none. Raises EndedBySignal."""
    with _asking() as woken:
        *before, last = _lines(question)
        for line in before:
            say(line, stream=sys.stderr)
        say(last, stream=sys.stderr, around=_BEFORE_AN_ANSWER)
        if sys.stdin.isatty():  # a signal that comes just before a read would not end it
            select.select([sys.stdin, woken], [], [])
        return read_line().strip()


def says_yes(question: str) -> bool:
    """Ask a question that is answered with yes; nobody does off a terminal. Raises EndedBySignal."""
    return sys.stdin.isatty() and ask(f"{question} Type yes:").lower() == "yes"


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
    with _asking():
        if sys.stdin.isatty():
            return _checked(lambda: getpass.getpass(plain(prompt)))
        return read_line()
