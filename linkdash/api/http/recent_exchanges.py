"""The last exchanges with the service, kept in memory for the raw view."""

import zlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from linkdash.api.http.request import Request, Response
from linkdash.api.http.secrecy import MASK, is_secret

EXCHANGES_KEPT = 200
"""Exchanges that are kept."""
LARGEST_KEPT = 256 * 1024
"""Bytes: the body of a longer answer is not kept, only its size."""


@dataclass(eq=False)
class Exchange:
    """An attempt of a request. Its bodies can hold secrets: they are masked where they are shown."""

    request: Request
    sent_at: float | None
    """By the gate's clock, as in the ledger."""
    status: int | None = None
    """The HTTP status; None where no whole answer came."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of the answer, without cookies and credentials."""
    size: int = 0
    """Bytes of the answer."""
    seconds: float | None = None
    """From leaving to the last byte; None while it is under way."""
    error: str = ""
    """Its failure, in words."""
    _packed: bytes | None = field(default=None, repr=False)

    def end(self, response: Response | None, seconds: float, error: BaseException | None) -> None:
        """Keep how it ended."""
        self.seconds, self.error = seconds, str(error) if error is not None else ""
        if response is None:
            return
        self.status, self.headers, self.size = response.status, harmless(response.headers), len(response.body)
        if self.size <= LARGEST_KEPT:
            self._packed = zlib.compress(response.body, 1)

    @property
    def body(self) -> bytes | None:
        """The answer as it came; None where there is none, or it was too large to be kept."""
        return zlib.decompress(self._packed) if self._packed is not None else None


class Exchanges:
    """The last exchanges of a connection."""

    def __init__(self) -> None:
        self._kept: deque[Exchange] = deque(maxlen=EXCHANGES_KEPT)
        self.begun = 0
        """How many there were in all, each attempt by itself."""

    def note_request(self, request: Request, sent_at: float | None) -> Exchange:
        """Keep a request that is about to leave."""
        exchange = Exchange(request, sent_at)
        self.begun += 1
        self._kept.append(exchange)
        return exchange

    def at(self, label: str, sent_at: float) -> Exchange | None:
        """The exchange that the ledger tells of: `GET /api/qr?page=1` and its moment."""
        same = (one for one in self._kept if one.sent_at == sent_at and str(one.request) == label)
        return next(same, None)

    def of(self, request: Request) -> Exchange | None:
        """The last exchange of this very request."""
        return next((one for one in reversed(self._kept) if one.request is request), None)


def harmless(headers: Mapping[str, str]) -> Mapping[str, str]:
    """The headers of an answer, those masked that hold credentials."""
    return {name: MASK if is_secret(name) else value for name, value in headers.items()}
