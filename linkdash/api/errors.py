"""One hierarchy of errors. Each says in one line what happened and what to do next."""

from linkdash.api.text import inert


class LinkdashError(Exception):
    """Anything that is explained to a person instead of crashing the program, in one inert line."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what, advice)
        self.what = inert(what)
        self.advice = inert(advice)

    def __str__(self) -> str:
        return f"{self.what} {self.advice}".strip()


class Misconfigured(LinkdashError):
    """The address, the key or a setting cannot be used as it is; nothing was sent."""


class InvalidBody(LinkdashError):
    """The members given for a request break its rules; nothing was sent."""


class ServiceError(LinkdashError):
    """A request did not give what was asked for."""


class NotSent(ServiceError):
    """The request never left: no route, connection refused, bad name or certificate."""


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

    def __init__(self, what: str, advice: str = "", *, status: int = 200) -> None:
        super().__init__(what, advice)
        self.status = status


class RateLimited(ServiceError):
    """The window's requests are used up; the request was refused and nothing was changed."""


class NotAnAnswer(ServiceError):
    """What came is no answer of the JSON API: a web page, nothing, broken JSON, a redirect.

    A write that ends with this was not carried out; where that is not sure, it ends with OutcomeUnknown.
    """


class OutcomeUnknown(ServiceError):
    """A write was sent and its answer was lost: it may or may not have happened."""
