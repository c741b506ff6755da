"""Faults that the demo service can be told to have."""

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linkdash.demo import Clock
from linkdash.demo.endpoint import stamp
from linkdash.demo.rate_limit import ResetSpelling
from linkdash.demo.request_log import LogEntry, RequestLog

RATE_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after")


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


class FaultInjection:
    """ASGI middleware around the whole service: asks for each request which fault it gets."""

    def __init__(self, app: ASGIApp, faults: Faults, log: RequestLog, clock: Clock) -> None:
        self.app = app
        self.faults = faults
        self.log = log
        self.clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request, or not; wait; then answer, answer oddly or raise ConnectionDropped."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        fault = self.faults.take(scope["method"], scope["path"])
        answer: list[Message] = []
        if fault.handled:
            await self.app(scope, receive, _collector(answer))
        else:
            self._log_unhandled(Request(scope), 0 if fault.drop else fault.status or 200)
        if fault.meanwhile is not None:
            await asyncio.to_thread(fault.meanwhile)
        if fault.delay:
            await asyncio.sleep(fault.delay)
        if fault.drop:
            raise ConnectionDropped
        if fault.scripted:
            answer = _scripted(fault, answer)
        _adjust_headers(answer[0], fault, self.clock())
        for message in answer:
            await send(message)

    def _log_unhandled(self, request: Request, status: int) -> None:
        content_type = request.headers.get("content-type", "")
        entry = LogEntry(
            self.clock(), request.method, request.url.path, request.url.query, status, "none", content_type
        )
        self.log.append(entry)


def _collector(messages: list[Message]) -> Send:
    async def collect(message: Message) -> None:
        messages.append(message)

    return collect


def _scripted(fault: Fault, answer: list[Message]) -> list[Message]:
    """The fault's own answer, with the rate headers of the one it takes the place of."""
    response = Response(fault.content or b"", fault.status or 200, media_type=fault.content_type)
    for message in answer[:1]:
        given = MutableHeaders(scope=message)
        response.headers.update({name: given[name] for name in (*RATE_HEADERS, "date") if name in given})
    return [
        {"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers},
        {"type": "http.response.body", "body": response.body},
    ]


RESPELL: dict[str, Callable[[int, float], str]] = {
    "epoch": lambda reset, now: str(reset),
    "milliseconds": lambda reset, now: str(reset * 1000),
    "seconds": lambda reset, now: str(max(0, math.ceil(reset - now))),
    "datetime": lambda reset, now: stamp(reset),
}


def _adjust_headers(start: Message, fault: Fault, now: float) -> None:
    headers = MutableHeaders(scope=start)
    reset = headers.get("x-ratelimit-reset")
    if fault.reset == "none":
        for name in RATE_HEADERS:
            del headers[name]
    elif fault.reset and reset:
        headers["x-ratelimit-reset"] = RESPELL[fault.reset](int(reset), now)
    headers.update(fault.headers)
