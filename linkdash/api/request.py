"""One request: what is asked for, not how it is sent."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlencode

from linkdash.api.budget import Lane
from linkdash.api.envelope import Members


@dataclass(frozen=True)
class Request:
    """A request of the reference, relative to the service's base address."""

    method: str
    path: str
    params: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, object] | None = field(default=None, repr=False)
    admin: bool = False
    """Whether it is for keys with admin privileges (reference: authentication 4)."""
    before: Callable[[], Awaitable[None]] | None = field(default=None, repr=False, compare=False)
    """Awaited once its turn has come, before it leaves; where that raises, it does not leave."""

    @property
    def is_read(self) -> bool:
        return self.method == "GET"

    @property
    def can_be_wrong(self) -> bool:
        """Whether it holds what the service may refuse in itself: a change, or the id of a record."""
        return not self.is_read or any(part.isdigit() for part in self.path.split("/"))

    def __str__(self) -> str:
        query = f"?{urlencode(self.params)}" if self.params else ""
        return f"{self.method} {self.path}{query}"


class Sender(Protocol):
    """Whatever sends a request and judges its answer."""

    async def send(self, request: Request, lane: Lane) -> Members:
        """The members of the answer. Raises ServiceError."""
