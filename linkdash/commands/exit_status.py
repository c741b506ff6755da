"""With which status the program ends, and the failures that only the command line knows."""

from linkdash.api.errors import (
    AdminRequired,
    InvalidBody,
    KeyRefused,
    LinkdashError,
    OutcomeUnknown,
    Rejected,
)
from linkdash.store.journal import Outcome

FINE, FAILED, WRONG_USAGE, REFUSED, UNKNOWN, ALERT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

OF_OUTCOME = {
    Outcome.DONE: FINE,
    Outcome.NOT_SENT: FAILED,
    Outcome.REJECTED: REFUSED,
    Outcome.UNKNOWN: UNKNOWN,
}


class WrongUsage(LinkdashError):
    """The arguments have no meaning for this resource."""


class NotFound(LinkdashError):
    """No record has this id."""


class NotAgreed(LinkdashError):
    """The person said no."""


def of_error(error: Exception) -> int:
    """The status of a failure that has words."""
    if isinstance(error, WrongUsage):
        return WRONG_USAGE
    if isinstance(error, OutcomeUnknown):
        return UNKNOWN
    refused = isinstance(error, Rejected | KeyRefused | AdminRequired | InvalidBody | NotFound)
    return REFUSED if refused else FAILED
