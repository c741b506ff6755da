"""The ASGI app: endpoints behind the gate, with faults around it all."""

from collections.abc import Awaitable, Callable, Mapping
from itertools import chain

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from linkdash.demo import Settings
from linkdash.demo.database import open_database, origin_of
from linkdash.demo.endpoint import Call, Endpoint, Refusal, check, check_content_type, parsed
from linkdash.demo.faults import FaultInjection, Faults
from linkdash.demo.gate import Gate, RateLimit, RequestLog
from linkdash.demo.resources import RESOURCES
from linkdash.demo.spelling import ADMIN_ID, PLAIN_ID, epoch

ENDPOINTS = tuple(chain.from_iterable(resource.ENDPOINTS for resource in RESOURCES))
"""The 34 endpoints of the reference."""
LARGEST_BODY = 1_000_000
"""Bytes of a request's body."""


class DemoService:
    """One embedded service with records, keys, log and faults of its own.

    All keys see the same records; plans and users are for admins. It must be made, called and closed on one
    thread, since its database belongs to that. Raises DemoError when the data file cannot be used.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.log = RequestLog()
        self.faults = Faults()
        self._db = open_database(self.settings)
        self.seed, self.made = origin_of(self._db)
        self.codes = {row["id"]: epoch(row["date"]) for row in self._db.execute("SELECT id, date FROM qrs")}
        """The QR codes there were at the start, by id: when each was created, in epoch seconds."""
        self.admin_key = self._hand_out(ADMIN_ID, self.settings.admin_key)
        self.plain_key = self._hand_out(PLAIN_ID, self.settings.plain_key)
        self._app = FaultInjection(self._endpoints(), self.faults, self.log, self.settings.clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI asks. Raises ConnectionDropped where a fault says so."""
        await self._app(scope, receive, send)

    def close(self) -> None:
        """Let go of the data file."""
        self._db.close()

    def data(self, path: str, query: Mapping[str, object], at: float) -> object:
        """The `data` of what an admin was answered at a moment; no request, and in no log.

        `path` is that of an endpoint that reads and names no record; `at` is in epoch seconds.
        """
        endpoint = next(each for each in ENDPOINTS if (each.method, each.path) == ("GET", path))
        user = self._db.execute("SELECT * FROM users WHERE id = ?", (ADMIN_ID,)).fetchone()
        asked = {name: str(value) for name, value in query.items()}
        call = Call(self._db, self.settings, self.seed, self.made, at, user, {}, asked, {})
        return endpoint.handle(call)["data"]

    def _hand_out(self, user_id: int, given: str | None) -> str:
        """The key of a user: the one that was given, else the one made with the records."""
        with self._db as db:
            if given is not None:
                db.execute("UPDATE users SET apikey = ? WHERE id = ?", (given, user_id))
            key: str = db.execute("SELECT apikey FROM users WHERE id = ?", (user_id,)).fetchone()["apikey"]
        return key

    def _endpoints(self) -> Starlette:
        rate = RateLimit(self.settings.rate, self.settings.window)
        app = Starlette(
            routes=[Route(each.path, self._endpoint(each), methods=[each.method]) for each in ENDPOINTS],
            middleware=[Middleware(Gate, self._db, rate, self.log, self.settings.clock)],
            exception_handlers={Refusal: _refused, HTTPException: _no_endpoint},
        )
        app.router.redirect_slashes = False  # a path with a slash too many is not part of the reference
        return app

    def _endpoint(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            user = request.state.user
            if endpoint.admin and user["class"] != "admin":
                raise Refusal(403, "Plans and users need admin privileges.")
            check_content_type(request.headers.get("content-type", ""))
            body: dict[str, object] = {}
            if endpoint.body is not None:
                body = parsed(await _content(request))
                request.state.members = tuple(body)
                check(body, endpoint.body)
            now = self.settings.clock()
            with self._db as db:
                path, query = request.path_params, request.query_params
                call = Call(db, self.settings, self.seed, self.made, now, user, path, query, body)
                return JSONResponse(endpoint.handle(call))

        return answer


async def _content(request: Request) -> bytes:
    """The body as it came; a 413 Refusal for a larger one than any request needs."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > LARGEST_BODY:
            raise Refusal(413, f"The request body is larger than {LARGEST_BODY:,} bytes.")
    return bytes(content)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return error.response()


def _no_endpoint(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = f"{request.method} {request.url.path} is not part of this service."
    return Refusal(error.status_code, message, error.headers).response()
