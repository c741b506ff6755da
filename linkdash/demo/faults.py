"""Faults that the demo service can be told to have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal

ResetSpelling = Literal["epoch", "milliseconds", "seconds", "datetime", "none"]
"""The spelling of X-RateLimit-Reset; `none` leaves out the three rate headers and Retry-After."""


class ConnectionDropped(Exception):
    """A request to the server to close the connection without an answer."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A scripted answer.

    handled: the service acts on the request first, as usual; False: it never sees it and charges nothing.
    delay: seconds before the answer goes, or before the connection drops.
    meanwhile: called in a thread of its own, and awaited, before the answer goes: what others do then.
    drop: no answer, the connection closes. With `handled` this is the answer lost after the write happened.
    content, status, content_type: what goes in place of the service's own answer.
    headers: set on whatever is answered.
    reset: the spelling of the rate headers of this answer.
    """

    handled: bool = True
    delay: float = 0.0
    meanwhile: Callable[[], object] | None = None
    drop: bool = False
    content: bytes | None = None
    status: int | None = None
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    reset: ResetSpelling | None = None

    def __post_init__(self) -> None:
        if not (self.handled or self.drop or self.scripted):
            raise ValueError("a request that is not handled needs an answer to give, or to be dropped")

    @property
    def scripted(self) -> bool:
        """Return whether it brings an answer of its own."""
        return self.content is not None or self.status is not None


class Faults:
    """The faults to come: `faults.next("POST", "/api/domain/*", Fault(drop=True))`."""

    def __init__(self) -> None:
        self.reset: ResetSpelling = "epoch"
        """The spelling of the reset in the rate headers, unless an answer's own fault says otherwise."""
        self._waiting: list[tuple[str, str, Fault]] = []

    def next(self, method: str, path: str, fault: Fault, times: int = 1) -> None:
        """Give this fault to the next `times` requests that match; both patterns take `*`."""
        self._waiting += [(method, path, fault)] * times

    def take(self, method: str, path: str) -> Fault:
        """The fault for a request, used up by it; an ordinary answer when none waits."""
        for index, (wanted_method, wanted_path, fault) in enumerate(self._waiting):
            if fnmatchcase(method, wanted_method) and fnmatchcase(path, wanted_path):
                del self._waiting[index]
                return fault if fault.reset else replace(fault, reset=self.reset)
        return Fault(reset=self.reset)

    @property
    def pending(self) -> int:
        """Return how many have not been used up."""
        return len(self._waiting)
