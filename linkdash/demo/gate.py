"""The gate before every endpoint: whose key it is, whether the rate allows it, and the log of what came."""

import sqlite3
from email.utils import formatdate

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linkdash.demo.answers import Refusal
from linkdash.demo.rate import RateLimit
from linkdash.demo.request_log import KeyClass, LogEntry, RequestLog
from linkdash.demo.settings import Clock


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
