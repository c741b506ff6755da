"""Standard output for results and nothing else, standard error for everything that is said to a person.

Every line is inert, and no secret that is known here is in one. Nothing heavy is imported: the dashboard
needs this before its first paint.
"""

import os
import sys
from contextlib import suppress

from pydantic import SecretStr

from linkdash.api.secrecy import hidden
from linkdash.api.text import inert

_SECRETS: list[SecretStr] = []


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


def ask(question: str) -> str:
    """What a person answers to a question on standard error; empty where nobody does."""
    to_person(f"{plain(question)} ")
    return sys.stdin.readline().strip()
