"""Faults in the answers of the demo service."""

import asyncio
import math
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linkdash.demo import Clock
from linkdash.demo.endpoint import stamp
from linkdash.demo.faults import ConnectionDropped, Fault, Faults
from linkdash.demo.request_log import LogEntry, RequestLog

RATE_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after")


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
