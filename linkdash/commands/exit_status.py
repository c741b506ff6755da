"""Exit statuses, and the errors of a verb that have one of their own."""

from linkdash.api.errors import (
    AdminRequired,
    InvalidBody,
    KeyRefused,
    LinkdashError,
    OutcomeUnknown,
    Rejected,
)

FINE, FAILED, WRONG_USAGE, REFUSED, UNKNOWN, ALERT, PARTIAL, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130


class WrongUsage(LinkdashError):
    """The arguments have no meaning for this resource."""


class NotFound(LinkdashError):
    """No record of the service has this id."""


class NotKept(LinkdashError):
    """Nothing of what is asked for is kept here; the service was not asked."""


class NotAgreed(LinkdashError):
    """The user said no."""


def of_error(error: Exception) -> int:
    """The status of a failure that has words."""
    if isinstance(error, WrongUsage):
        return WRONG_USAGE
    if isinstance(error, OutcomeUnknown):
        return UNKNOWN
    refused = isinstance(error, Rejected | KeyRefused | AdminRequired | InvalidBody | NotFound)
    return REFUSED if refused else FAILED
