"""The demo server: the ASGI app, with endpoints behind the gate and faults around it all; and serving it.

It is served on a loopback socket. `serve` shares the caller's event loop, which suits tests: nothing to
synchronise, and the clock is theirs. `serve_in_thread` gives it a thread and an event loop of its own, which
suits the app: a loop that is busy painting does not delay the answers, so that what the user sees is its own
speed. `run_forever` serves until it is interrupted.
"""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from linkdash.demo import DemoError, DemoSettings
from linkdash.demo.database import open_database, origin_of
from linkdash.demo.endpoint import (
    ADMIN_ID,
    PLAIN_ID,
    Call,
    Endpoint,
    Refusal,
    check,
    check_content_type,
    epoch,
    parsed,
)
from linkdash.demo.faults import ConnectionDropped, FaultInjection, Faults
from linkdash.demo.rate_limit import DemoGate, RateLimit
from linkdash.demo.request_log import RequestLog
from linkdash.demo.resources import RESOURCES

# ---- the app ----

ENDPOINTS = tuple(chain.from_iterable(resource.ENDPOINTS for resource in RESOURCES))
"""The 34 endpoints of the reference."""
LARGEST_BODY = 1_000_000
"""Bytes of a request's body."""


class DemoService:
    """An embedded service with records, keys, log and faults of its own.

    All keys see the same records; plans and users are for admins. It must be made, called and closed on one
    thread, since its database belongs to that. Raises DemoError when the data file cannot be used.
    """

    def __init__(self, settings: DemoSettings | None = None) -> None:
        self.settings = settings or DemoSettings()
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

    def data(self, path: str, query: Mapping[str, object], at: float, **ids: int) -> object:
        """The `data` of what an admin was answered at a moment; no request, and in no log.

        `path` is that of an endpoint that reads, and `ids` what its parts in braces stand for; `at` is in
        epoch seconds.
        """
        endpoint = next(each for each in ENDPOINTS if (each.method, each.path) == ("GET", path))
        user = self._db.execute("SELECT * FROM users WHERE id = ?", (ADMIN_ID,)).fetchone()
        asked = {name: str(value) for name, value in query.items()}
        call = Call(self._db, self.settings, self.seed, self.made, at, user, ids, asked, {})
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
            middleware=[Middleware(DemoGate, self._db, rate, self.log, self.settings.clock)],
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


# ---- serving it ----

# Without a handler of its own, the logging module would print on the terminal.
logging.getLogger("uvicorn").addHandler(logging.NullHandler())

T = TypeVar("T")

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

LOOPBACK = "127.0.0.1"
KEEP_ALIVE = 75
"""Seconds; longer than a client keeps an idle connection, so that no write meets a closing one."""


@dataclass(frozen=True)
class Running:
    """A service that is being served. `service.log` and `service.faults` can be used from any thread."""

    base_url: str
    service: DemoService
    loop: asyncio.AbstractEventLoop

    @property
    def api_key(self) -> str:
        """The key of an admin."""
        return self.service.admin_key

    @property
    def plain_key(self) -> str:
        """The key of a user without admin rights."""
        return self.service.plain_key

    def ask(self, question: Callable[[DemoService], T]) -> T:
        """Ask the service, on the thread it belongs to; called from another thread."""

        async def asked() -> T:
            return question(self.service)

        return asyncio.run_coroutine_threadsafe(asked(), self.loop).result()


@asynccontextmanager
async def serve(service: DemoService, port: int = 0) -> AsyncIterator[Running]:
    """Serve in this event loop until the block ends; port 0 takes a free one. The service is closed with it.

    Connections still open at the end are cut, never waited for. Raises DemoError when the port is taken.
    """
    try:
        listener = _listen(port)
        server = await _start(service, listener)
        try:
            address = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
            yield Running(address, service, asyncio.get_running_loop())
        finally:
            await _stop(server)
    finally:
        service.close()


@contextmanager
def serve_in_thread(settings: DemoSettings | None = None, port: int = 0) -> Iterator[Running]:
    """Serve a new service from a thread with its own event loop until the block ends.

    Raises DemoError when the port is taken or the data file cannot be used.
    """
    started: Future[Running] = Future()
    stop: Future[None] = Future()  # also by who is interrupted before it has started

    async def main() -> None:
        async with serve(DemoService(settings), port) as running:
            started.set_result(running)
            await asyncio.wrap_future(stop)

    with ThreadPoolExecutor(1, "demo-service") as thread:
        try:
            ended = thread.submit(lambda: asyncio.run(main()))
            ended.add_done_callback(
                lambda end: None if started.done() else started.set_exception(end.exception())
            )
            yield started.result()
        finally:
            stop.set_result(None)
    ended.result()


def _write_out(text: str) -> None:
    """On standard output and at once, so that a script waiting for the address gets it."""
    if sys.stdout:  # who started this may have closed it
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def run_forever(port: int, *, rate: int = 30, data_file: Path | None = None) -> int:
    """Serve until interrupted; return 0, and 128+n where signal n ended it.

    The address and the keys, and how many requests there were, are written to standard output. Raises
    DemoError when the port is taken or the data file cannot be used.
    """

    async def main() -> int:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[int] = loop.create_future()
        known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        with suppress(NotImplementedError):  # where ctrl+c is all there is
            for number in known:
                if signal.getsignal(number) != signal.SIG_IGN:
                    loop.add_signal_handler(number, _end, ended, number)
        async with serve(DemoService(DemoSettings(rate=rate, data_file=data_file)), port) as running:
            _write_out(
                f"linkdash demo service at {running.base_url} ({rate} requests a minute for each key)\n"
                f"  admin key  {running.api_key}\n"
                f"  plain key  {running.plain_key}\n"
                f"Try: curl -H 'Authorization: Bearer {running.api_key}' -H 'Content-Type: application/json'"
                f" {running.base_url}/api/account\n"
                "Stop it with ctrl+c."
            )
            status = await ended
            _write_out(f"Stopped after {len(running.service.log):,} requests.")
            return status

    with suppress(KeyboardInterrupt):
        return asyncio.run(main())
    return 0


def _end(ended: asyncio.Future[int], number: int) -> None:
    if not ended.done():
        ended.set_result(0 if number == signal.SIGINT else 128 + number)


def _listen(port: int) -> socket.socket:
    # Named as TCP, since asyncio sends small packets at once only then; else every answer waits 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise DemoError(f"Port {port} of {LOOPBACK} cannot be used: {str(error).rstrip('.')}.") from error
    return listener


async def _start(app: ASGIApp, listener: socket.socket) -> uvicorn.Server:
    """Uvicorn without its own loop, signal handlers and log output."""
    server: uvicorn.Server

    async def dropping(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except ConnectionDropped:
            _cut(server, scope["client"])
            while (await receive())["type"] != "http.disconnect":
                pass

    config = uvicorn.Config(
        dropping,
        http="h11",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    return server


def _cut(server: uvicorn.Server, client: tuple[str, int] | None = None) -> None:
    """Close one client's connection, or all, without another byte."""
    for connection in list(server.server_state.connections):
        if client is None or connection.transport.get_extra_info("peername") == client:
            connection.transport.abort()


async def _stop(server: uvicorn.Server) -> None:
    for listening in server.servers:
        listening.close()
    _cut(server)
    tasks = list(server.server_state.tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for listening in server.servers:
        await listening.wait_closed()
