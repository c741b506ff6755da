"""The gate before every endpoint: the rate limit, the key, the log, and faults on request."""

import math
import sqlite3
from dataclasses import dataclass
from email.utils import formatdate

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linkdash.demo import Clock
from linkdash.demo.endpoint import Refusal
from linkdash.demo.request_log import KeyClass, LogEntry, RequestLog

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")


# ---- the rate: a fixed window that opens with the first request in it (reference: Limits) ----


@dataclass(frozen=True)
class KeyAllowance:
    """The verdict on one request: whether it may pass, and what its answer tells about the window."""

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
    """The requests of each key in its window."""

    def __init__(self, limit: int, window: float) -> None:
        self.limit = limit
        self.window = window
        self._windows: dict[int | None, tuple[float, int]] = {}

    def take(self, key: int | None, now: float) -> KeyAllowance:
        """Ask for one request of `key`: a user's id, or None for all requests without a valid key."""
        opened, used = self._windows.get(key, (now, 0))
        if not opened <= now < opened + self.window:
            opened, used = now, 0
        used += 1
        self._windows[key] = opened, used
        remaining, resets_at = self.limit - used, opened + self.window
        return KeyAllowance(remaining < 0, self.limit, max(0, remaining), resets_at - now, resets_at)


# ---- the gate ----


class DemoGate:
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
            await refusal_response(Refusal(421, "This service answers to localhost only."))(
                scope, receive, send
            )
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
            app = refusal_response(Refusal(429, "Too many requests: the rate limit of this key is reached."))
        elif user is None:
            app = refusal_response(Refusal(401, "The API key is missing, unknown or expired."))
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


def refusal_response(refusal: Refusal) -> JSONResponse:
    """The refusal as it goes out."""
    return JSONResponse({"error": 1, "message": refusal.message}, refusal.status, refusal.headers)
