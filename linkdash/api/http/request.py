"""A request, how it is made, and its answer, in plain types."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias
from urllib.parse import urlencode

from linkdash.api.budget.lanes import Lane
from linkdash.api.http.secrecy import masked

Members = Mapping[str, object]
"""The members of an answer, under the reference's own names."""


@dataclass(frozen=True)
class Response:
    """A whole answer. Its body can hold keys, so no repr shows it."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Request:
    """A request of the reference, relative to the service's base address."""

    method: str
    path: str
    params: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, object] | None = field(default=None, repr=False)
    admin: bool = False
    """True if it is for keys with admin privileges (reference: authentication 4)."""
    max_bytes: int | None = None
    """Decompressed bytes read of its answer; a longer one is refused. None for 16 MiB."""

    @property
    def is_read(self) -> bool:
        return self.method == "GET"

    @property
    def can_be_wrong(self) -> bool:
        """Return whether it holds what the service may refuse in itself: a change, or the id of a record."""
        return not self.is_read or any(part.isdigit() for part in self.path.split("/"))

    @property
    def masked_body(self) -> object:
        """The body with every secret in it masked; None where there is none."""
        return masked(self.body)

    def __str__(self) -> str:
        query = f"?{urlencode(self.params)}" if self.params else ""
        return f"{self.method} {self.path}{query}"


AtTurn = Callable[[Request], Awaitable[None]]
"""Awaited with a request once its turn has come, before it leaves; where it raises, nothing leaves."""


class Options(NamedTuple):
    """The options of one call. None is the client's choice."""

    lane: Lane | None = None
    """The lane in the budget; a read or write of the user if None."""
    deadline: float | None = None
    """Seconds for the whole call: waiting for its turn, every attempt and the pauses between them.

    `Client(timeout=…)` is for one attempt, from leaving to the last byte of its answer.
    """
    retries: int | None = None
    """The number of repeats of a read after a reset, 429, 502, 503 or 504; 0 for none. Writes never are."""


NO_OPTIONS = Options()


@dataclass(frozen=True)
class Answer:
    """A successful answer as it came. Its headers and members can hold keys, so no repr shows them."""

    request: Request
    status: int
    """The HTTP status."""
    headers: Mapping[str, str] = field(repr=False)
    """By name, in any case."""
    members: Members = field(repr=False)
    """The whole JSON object, its members under the reference's own names."""


class Observed(NamedTuple):
    """The end of one request, for hooks. Nothing in it holds a secret."""

    request: str
    """Method, path and query: `GET /api/domains?page=1`."""
    status: int | None
    """The HTTP status; None where no whole answer came."""
    headers: Mapping[str, str]
    """Without cookies and credentials."""
    seconds: float
    """From leaving to the last byte."""
    error: str | None = None
    """The name of the error's class, where it was no success."""


class Hooks(NamedTuple):
    """Callables that are told of every request. They are called at once, so they must not take long.

    What they raise is logged by the logger `linkdash.api` and changes nothing.
    """

    request: Callable[[str, object], None] | None = None
    """Called with `GET /api/domains?page=1` and the body, its secrets masked, as a request leaves."""
    answer: Callable[[Observed], None] | None = None
    """Called when a request has ended, however it did."""


class TransportFailed(Exception):
    """No whole answer came. The reason is in words of our own: those of the transport can hold the key."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Send: TypeAlias = Callable[[Request, Options], Coroutine[object, None, Answer]]
"""A function that sends a request and gives its successful answer. Raises ServiceError, ReadOnly."""
