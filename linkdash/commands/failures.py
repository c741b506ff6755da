"""The failure of a verb: a line for the user, or with --format json an object for a program."""

import argparse
import json
import re
from collections.abc import Mapping

from linkdash.api.errors import (
    LinkdashError,
    NotSent,
    OutcomeUnknown,
    ServiceError,
    TimedOut,
)
from linkdash.api.http.retries import is_passing
from linkdash.commands.exit_status import of_error
from linkdash.commands.standard_streams import plain, tell_error, tell_program

_FORMATS = ("json", "jsonl")
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


def tell_failure(error: Exception, flags: argparse.Namespace, about: str = "") -> int:
    """Say a failure that has words, and `about` what it was where these do not; its exit status."""
    members = failure_members(error)
    lead = "" if str(error).startswith(about) else f"{about}: "
    if is_for_program(flags):
        tell_members({**members, "message": f"{lead}{members['message']}"})
    else:
        tell_error(f"{lead}{error}")
    return of_error(error)


def is_for_program(flags: argparse.Namespace) -> bool:
    """Return whether a program reads the output: it gets its failures as JSON."""
    return form_of(flags) in _FORMATS


def form_of(flags: argparse.Namespace) -> str | None:
    """The format that a verb was asked for; None where it has none, or that of a file."""
    form: str | None = getattr(flags, "format", None)
    return form


def tell_members(members: Mapping[str, object]) -> None:
    """Write the members of a failure as an object on standard error."""
    tell_program(json.dumps({"error": members}))


def failure_members(error: Exception) -> dict[str, object]:
    """A failure as JSON has it: `code` is made of the error's name, `retriable` is about the same command."""
    return {
        "code": _WORD.sub("_", type(error).__name__).lower(),
        "message": plain(error.what if isinstance(error, LinkdashError) else str(error)),
        "advice": plain(error.advice) if isinstance(error, LinkdashError) else "",
        "retriable": is_retriable(error),
        "status": of_error(error),
    }


def is_retriable(error: Exception) -> bool:
    """Return whether the same command may well succeed a little later, and does nothing twice."""
    if not isinstance(error, ServiceError) or isinstance(error, OutcomeUnknown):
        return False
    return isinstance(error, NotSent | TimedOut) or is_passing(error)
