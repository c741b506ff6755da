"""The hierarchy of errors. Each says in one line what happened and what to do next.

LinkdashError
├── Misconfigured          the address, the key or a setting cannot be used
├── InvalidBody            what was given breaks the request's rules
├── ReadOnly               the client may only read
├── WrongLoop              the client belongs to another event loop
└── ServiceError           a request did not give what was asked for
    ├── NotSent            it never left
    │   └── Closed         the client was closed before
    ├── TimedOut           a read had no answer within its deadline
    ├── AnswerLost         a read was sent and its connection broke
    ├── KeyRefused         the service refuses the key
    ├── AdminRequired      only for keys of admins
    ├── Rejected           the service said no
    ├── RateLimited        the window's requests are used up
    ├── NotAnAnswer        what came is no answer of the API
    ├── UnreadableAnswer   the answer holds no record
    └── OutcomeUnknown     a write was sent with unknown outcome
"""

from linkdash.api.inert_text import inert

TRY_AGAIN = "Try again."
"""The advice where nothing else helps."""


class LinkdashError(Exception):
    """Anything that is explained to the user instead of crashing the program, in one inert line."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what, advice)
        self.what = inert(what)
        self.advice = inert(advice)

    def __str__(self) -> str:
        return f"{self.what} {self.advice}".strip()


class Misconfigured(LinkdashError):
    """The address, the key or a setting cannot be used as it is; nothing was sent."""


class InvalidBody(LinkdashError):
    """Raised for a body or parameter that breaks its rules; the member is named, and nothing was sent."""


class ReadOnly(LinkdashError):
    """A write was asked of a client that may only read; nothing was sent, and no request was spent."""


class WrongLoop(LinkdashError):
    """A client was used in another event loop than the one it was first used in; nothing was sent."""


class ServiceError(LinkdashError):
    """A request did not give what was asked for. `status` is the HTTP status, None where none came."""

    def __init__(self, what: str, advice: str = "", *, status: int | None = None) -> None:
        super().__init__(what, advice)
        self.status = status
        self.retry_after: float | None = None
        """Seconds after which the service wants to be asked again, where it said that."""


class NotSent(ServiceError):
    """The request never left: no route, connection refused, bad name or certificate."""


class Closed(NotSent):
    """The client was closed before the request was answered; a write that ends with this never left."""


class TimedOut(ServiceError):
    """A read was not answered within its deadline."""


class AnswerLost(ServiceError):
    """A read was sent and the connection broke before the whole answer came."""


class KeyRefused(ServiceError):
    """The service refuses the key (reference: authentication)."""


class AdminRequired(ServiceError):
    """Plans and users are for keys with admin privileges (reference: authentication 4)."""


class Rejected(ServiceError):
    """The service understood and said no: invalid, not found, not allowed. Nothing was changed."""


class RateLimited(ServiceError):
    """The window's requests are used up; the request was refused and nothing was changed."""


class NotAnAnswer(ServiceError):
    """Raised for no answer of the JSON API: a web page, nothing, broken JSON, a redirect, a failure (5xx).

    A write that ends with this was not carried out; where that is not sure, it ends with OutcomeUnknown.
    """


class UnreadableAnswer(ServiceError):
    """A read was answered as documented, but holds no record that can be told from others."""


class OutcomeUnknown(ServiceError):
    """A write was sent and its answer was lost: it may or may not have happened."""


ODD_ANSWER_ADVICE = "Try again; if it persists, tell the service's operator."
"""The advice where an answer makes no sense."""
CONCERN_EVERYTHING = (KeyRefused, AdminRequired, NotSent)
"""Errors with which each further request of the kind would end as well, so that none is tried."""
