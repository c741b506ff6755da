"""The demo server: serves the embedded service on a loopback socket.

`serve` shares the caller's event loop, which suits tests: nothing to synchronise, and the clock is theirs.
`serve_in_thread` gives it a thread and an event loop of its own, which suits the app: a loop that is busy
painting does not delay the answers, so that what the user sees is its own speed. `serve_forever` serves until
it is interrupted. What serves is imported when somebody asks: a report of what is kept asks nothing.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from linkdash.demo import DemoError, DemoSettings
from linkdash.demo.faults import ConnectionDropped
from linkdash.demo.service import DemoService

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import Receive, Scope, Send

T = TypeVar("T")


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
        address = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        serving = asyncio.create_task(_serve_when_asked(service, listener))
        try:
            yield Running(address, service, asyncio.get_running_loop())
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
    finally:
        service.close()


@contextmanager
def serve_in_thread(settings: DemoSettings | None = None, port: int = 0) -> Iterator[Running]:
    """Serve a new service from a thread with its own event loop until the block ends.

    Raises DemoError when the port is taken.
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


async def serve_forever(port: int, say: Callable[[str], None], *, rate: int) -> int:
    """Serve until it is cancelled.

    `say` is told, a line a call, the address and the keys, and how many requests there were. Raises DemoError
    when the port is taken.
    """
    async with serve(DemoService(DemoSettings(rate=rate)), port) as running:
        say(f"linkdash demo service at {running.base_url} ({rate} requests a minute for each key)")
        say(f"  admin key  {running.api_key}")
        say(f"  plain key  {running.plain_key}")
        authorized = f"-H 'Authorization: Bearer {running.api_key}' -H 'Content-Type: application/json'"
        say(f"Try: curl {authorized} {running.base_url}/api/account")
        say("Stop it with ctrl+c.")
        try:
            await asyncio.Event().wait()
        finally:
            say(f"Stopped after {len(running.service.log):,} requests.")
    return 0


def _listen(port: int) -> socket.socket:
    # Named as TCP, since asyncio sends small packets at once only then; else every answer waits 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        raise DemoError(f"Port {port} of {LOOPBACK} cannot be used: {str(error).rstrip('.')}.") from error
    return listener


async def _serve_when_asked(service: DemoService, listener: socket.socket) -> None:
    """Serve on a socket from the first connection on, until this is cancelled."""
    try:
        await _is_asked(listener)
        server = _server(service)
        try:
            await server.startup(sockets=[listener])
            await asyncio.Future()
        finally:
            await _stop(server)
    finally:
        listener.close()


async def _is_asked(listener: socket.socket) -> None:
    """Wait until somebody connects; not at all where the event loop cannot tell."""
    loop, asked = asyncio.get_running_loop(), asyncio.Event()
    with suppress(NotImplementedError):
        loop.add_reader(listener, asked.set)
        try:
            await asked.wait()
        finally:
            loop.remove_reader(listener)


def _server(service: DemoService) -> "uvicorn.Server":
    """Uvicorn without its own loop, signal handlers and log output."""
    import uvicorn

    from linkdash.demo.asgi import asgi_app

    # Without a handler of its own, the logging module would print on the terminal.
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    app = asgi_app(service)
    server: uvicorn.Server

    async def dropping(scope: "Scope", receive: "Receive", send: "Send") -> None:
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
    return server


def _cut(server: "uvicorn.Server", client: tuple[str, int] | None = None) -> None:
    """Close one client's connection, or all, without another byte."""
    for connection in list(server.server_state.connections):
        if client is None or connection.transport.get_extra_info("peername") == client:
            connection.transport.abort()


async def _stop(server: "uvicorn.Server") -> None:
    for listening in server.servers:
        listening.close()
    _cut(server)
    tasks = list(server.server_state.tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for listening in server.servers:
        await listening.wait_closed()
