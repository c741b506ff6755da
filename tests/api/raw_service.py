"""A service that answers whatever a test writes, byte by byte, and remembers what it was asked."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Received:
    """A request as it came over the wire."""

    method: str
    target: str
    headers: Mapping[str, str] = field(repr=False)
    """By lower-case name."""
    body: bytes

    @property
    def members(self) -> object:
        """The JSON of the body."""
        return json.loads(self.body)


Behaviour = Callable[[asyncio.StreamWriter, Received], Awaitable[None]]
"""Answers one request in whatever way it likes; the connection is closed afterwards."""


@dataclass
class RawService:
    """A service that gives its answers in their order, and the last one for ever."""

    base_url: str = ""
    requests: list[Received] = field(default_factory=list)
    answers: list[Behaviour] = field(default_factory=list)

    def answer(
        self,
        body: bytes | str | object,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Answer the next request with a status, headers and a body; what is no text is sent as JSON."""
        content = body if isinstance(body, bytes) else _text(body).encode()
        self.answer_raw(http_answer(content, status, headers or {}))

    def answer_raw(self, *parts: bytes) -> None:
        """Answer the next request with these bytes, and hang up."""

        async def send(writer: asyncio.StreamWriter, _: Received) -> None:
            for part in parts:
                writer.write(part)
                await writer.drain()

        self.answers.append(send)

    def behave(self, behaviour: Behaviour) -> None:
        """Let `behaviour` answer the next request."""
        self.answers.append(behaviour)

    async def serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request and answer it."""
        received = await _receive(reader)
        self.requests.append(received)
        behaviour = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        await behaviour(writer, received)


@asynccontextmanager
async def raw_service() -> AsyncIterator[RawService]:
    """Serve on a free loopback port until the block ends."""
    service = RawService()
    async with listening(service.serve_one) as port:
        service.base_url = f"http://127.0.0.1:{port}"
        yield service


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A port at which each connection is served once and then closed; nothing of it outlives the block."""
    served: set[asyncio.Task[None]] = set()

    async def serve_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        me = asyncio.current_task()
        assert me is not None
        served.add(me)
        with suppress(asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            await serve(reader, writer)
        writer.close()
        with suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve_and_close, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in served:
            task.cancel()
        await asyncio.gather(*served, return_exceptions=True)


def http_answer(content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """An HTTP answer with its length."""
    given = {
        "Content-Type": "application/json",
        "Content-Length": str(len(content)),
        "Connection": "close",
        **(headers or {}),
    }
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in given.items())]
    return "\r\n".join([*lines, "", ""]).encode() + content


def _text(body: object) -> str:
    return body if isinstance(body, str) else json.dumps(body)


async def _receive(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, target, headers, body)
