"""Before every endpoint: the log of what came, the rate, whose key it is, and bad days on request."""

import asyncio
import math
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from fnmatch import fnmatchcase
from typing import Literal

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linkdash.demo import Clock
from linkdash.demo.endpoint import Refusal, stamp

# ---- the log: it never holds a key or the values of a body ----

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")

KeyClass = Literal["admin", "user", "none"]


@dataclass(frozen=True)
class LogEntry:
    """One request: when (epoch seconds), what, the status of its answer (0: none), and whose key."""

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


# ---- the rate: a fixed window that opens with the first request in it (reference: Limits) ----


@dataclass(frozen=True)
class Allowance:
    """What one request found: whether it may pass, and what its answer tells about the window."""

    refused: bool
    limit: int
    remaining: int
    seconds_left: float
    resets_at: float
    """Epoch seconds."""

    def headers(self) -> dict[str, str]:
        """The three documented headers, and Retry-After on a refusal. Both times are rounded up."""
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(math.ceil(self.resets_at)),
        }
        if self.refused:
            headers["Retry-After"] = str(max(1, math.ceil(self.seconds_left)))
        return headers


class RateLimit:
    """Counts the requests of each key in its window."""

    def __init__(self, limit: int, window: float) -> None:
        self.limit = limit
        self.window = window
        self._windows: dict[int | None, tuple[float, int]] = {}

    def take(self, key: int | None, now: float) -> Allowance:
        """Ask for one request of `key`: a user's id, or None for all requests without a valid key."""
        opened, used = self._windows.get(key, (now, 0))
        if not opened <= now < opened + self.window:
            opened, used = now, 0
        used += 1
        self._windows[key] = opened, used
        remaining, resets_at = self.limit - used, opened + self.window
        return Allowance(remaining < 0, self.limit, max(0, remaining), resets_at - now, resets_at)


# ---- the gate ----


class Gate:
    """ASGI middleware: 401 without a valid key, 429 past the rate, the rate headers and Date on every answer.

    The user whose key it is goes on as `request.state.user`. Requests without a valid key share one rate.
    """

    def __init__(
        self, app: ASGIApp, db: sqlite3.Connection, rate: RateLimit, log: RequestLog, clock: Clock
    ) -> None:
        self.app = app
        self.db = db
        self.rate = rate
        self.log = log
        self.clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through to its endpoint, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        now = self.clock()
        request = Request(scope)
        if request.url.hostname not in LOOPBACK_NAMES or "host" not in request.headers:
            # A page in a browser can give any name to this machine's address, and would read all keys.
            await Refusal(421, "This service answers to localhost only.").response()(scope, receive, send)
            return
        user = self._user(request.headers.get("authorization", ""))
        allowance = self.rate.take(user["id"] if user else None, now)
        request.state.user = user

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._log(request, message["status"], user, now)
                headers = MutableHeaders(scope=message)
                headers.update({"Date": formatdate(now, usegmt=True), **allowance.headers()})
            await send(message)

        app = self.app
        if allowance.refused:
            app = Refusal(429, "Too many requests: the rate limit of this key is reached.").response()
        elif user is None:
            app = Refusal(401, "The API key is missing, unknown or expired.").response()
        await app(scope, receive, send_on)

    def _user(self, authorization: str) -> sqlite3.Row | None:
        scheme, _, key = authorization.partition(" ")
        if scheme.lower() != "bearer":
            return None
        query = "SELECT * FROM users WHERE apikey = ?"
        row: sqlite3.Row | None = self.db.execute(query, (key.strip(),)).fetchone()
        return row

    def _log(self, request: Request, status: int, user: sqlite3.Row | None, now: float) -> None:
        key_class: KeyClass = "none"
        if user is not None:
            key_class = "admin" if user["class"] == "admin" else "user"
        entry = LogEntry(
            at=now,
            method=request.method,
            path=request.url.path,
            query=request.url.query,
            status=status,
            key_class=key_class,
            content_type=request.headers.get("content-type", ""),
            members=getattr(request.state, "members", ()),
        )
        self.log.append(entry)


# ---- bad days: what a test scripts so that the next answers get lost, come late or come odd ----

ResetSpelling = Literal["epoch", "milliseconds", "seconds", "datetime", "none"]
"""How X-RateLimit-Reset is written; `none` leaves out the three rate headers and Retry-After."""


RATE_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after")


class ConnectionDropped(Exception):
    """Asks the server to close the connection without an answer."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One scripted answer.

    handled: the service acts on the request first, as usual; False: it never sees it and charges nothing.
    delay: seconds before the answer goes, or before the connection drops.
    drop: no answer, the connection closes. With `handled` this is the answer lost after the write happened.
    content, status, content_type: what goes in place of the service's own answer.
    headers: set on whatever is answered.
    reset: the spelling of the rate headers of this answer.
    """

    handled: bool = True
    delay: float = 0.0
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
        """Whether it brings an answer of its own."""
        return self.content is not None or self.status is not None


class Faults:
    """The faults to come: `faults.next("POST", "/api/domain/*", Fault(drop=True))`."""

    def __init__(self) -> None:
        self.reset: ResetSpelling = "epoch"
        """How the rate headers of every answer are spelled, unless its own fault says otherwise."""
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
        """How many have not been used up."""
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
