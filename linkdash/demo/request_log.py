"""The requests that the demo service has seen."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

KeyClass = Literal["admin", "user", "none"]


@dataclass(frozen=True)
class LogEntry:
    """A request: when (epoch seconds), what, the status of its answer (0: none), and whose key."""

    at: float
    method: str
    path: str
    query: str
    status: int
    key_class: KeyClass
    content_type: str = ""
    members: tuple[str, ...] = ()
    """Names of the body's members."""

    @property
    def refused(self) -> bool:
        """The rate limit refused it."""
        return self.status == 429

    @property
    def invalid(self) -> bool:
        """It strayed from the reference: a wrong path, method, identifier or body."""
        return 400 <= self.status < 500 and self.status not in (401, 403, 429)


class RequestLog:
    """The newest requests, oldest first. It can be read from any thread: iterating takes a copy."""

    def __init__(self) -> None:
        self._entries: deque[LogEntry] = deque(maxlen=100_000)

    def append(self, entry: LogEntry) -> None:
        """Add the newest."""
        self._entries.append(entry)

    def __iter__(self) -> Iterator[LogEntry]:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)
