"""Every fault of a connection on a screen, in one run: it is told, the next request works, nothing stays.

Between the app and the demo stands a server of raw sockets, which hands on what it is not told to spoil.
What other bodies and statuses do is in `test_bad_answers.py`, certificates are in
`tests/api/http/test_tls.py`.
"""

import asyncio
import gc
import gzip
import json
import os
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from linkdash.demo.server import Running
from tests.api.raw_service import listening
from tests.conftest import RunApp
from tests.screens.driver import Driver, is_inert
from tests.waiting import wait_until

Reader: TypeAlias = asyncio.StreamReader
Writer: TypeAlias = asyncio.StreamWriter
Spoil = Callable[[Reader, Writer], Awaitable[None]]
PATIENCE = 0.4
"""Seconds that the app waits for an answer which never comes."""
MOST_GROWTH = 60.0
"""Megabytes that may stay after answers of gigabytes."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
ROWS = b'{"error":0,"data":{"result":1,"maxpage":1,"domains":[{"id":1,"domain":"https://only.example"}]}}'
LENGTH = b"Content-Length: %d\r\n" % len(ROWS)


class Row(NamedTuple):
    """The service's deed, and words of what is told; none where it is an answer all the same."""

    name: str
    spoil: Spoil
    words: str
    is_endless: bool = False


# ---- what a row does ----


def reset(writer: Writer) -> None:
    """End a connection as a crash does: with a reset."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def sends(*parts: bytes, then: Callable[[Writer], object] = lambda _: None) -> Spoil:
    """Read the request, and answer with these bytes."""

    async def spoil(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for part in parts:
            writer.write(part)
            await writer.drain()
        then(writer)

    return spoil


def repeats(head: bytes, part: bytes, pause: float = 0.0) -> Spoil:
    """Answer with the same for ever."""

    async def spoil(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        while not writer.is_closing():
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)

    return spoil


async def resets_at_once(_: Reader, writer: Writer) -> None:
    reset(writer)


async def closes_at_once(_: Reader, writer: Writer) -> None:
    writer.close()


async def is_silent(reader: Reader, _: Writer) -> None:
    await reader.read()


def answer(body: bytes, *headers: bytes) -> bytes:
    """A whole answer with its length."""
    return HEAD + b"".join(headers) + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def sends_a_bomb(reader: Reader, writer: Writer) -> None:
    """Answer with 60 MB in 60 kB."""
    bomb = gzip.compress(bytes(60_000_000), 9)
    await sends(answer(bomb, b"Content-Encoding: gzip\r\n"))(reader, writer)


def listed(value: str) -> bytes:
    """A list of one domain, a member of which is this JSON."""
    return ROWS.replace(b'"id":1,', b'"id":1,"odd":%s,' % value.encode())


BROKE, LATE, NO_ANSWER = (
    "broke before the answer was complete",
    "did not answer in time",
    "not an answer of the API",
)
CONNECTION = (
    Row("reset before the request", resets_at_once, BROKE),
    Row("closed before the request", closes_at_once, BROKE),
    Row("reset after the request", sends(then=reset), BROKE),
    Row("closed after the request", sends(), BROKE),
    Row("reset in the status line", sends(b"HTTP/1.1 2", then=reset), BROKE),
    Row("reset in the headers", sends(HEAD, then=reset), BROKE),
    Row("reset in the body", sends(HEAD + LENGTH + b"\r\n" + ROWS[:20], then=reset), BROKE),
    Row("reset after the answer", sends(answer(ROWS), b"", then=reset), ""),
    Row("a black hole", is_silent, LATE, is_endless=True),
    Row("no HTTP at all", sends(b"SSH-2.0-OpenSSH_9.9\r\n"), BROKE),
)
HEADERS = (
    Row("headers that drip", repeats(HEAD, b"X", 0.01), LATE, is_endless=True),
    Row("headers without end", repeats(HEAD, b"X: " + b"y" * 60_000 + b"\r\n"), BROKE),
    Row("a header of 200 kB", sends(answer(ROWS, b"X: " + b"y" * 200_000 + b"\r\n")), BROKE),
    Row("ten thousand headers", sends(answer(ROWS, b"X: y\r\n" * 10_000)), ""),
    Row("a cookie in French", sends(answer(ROWS, "Set-Cookie: l=français\r\n".encode())), ""),
    Row("bytes that are no text", sends(answer(ROWS, b"X: \xff\xfe\r\n")), ""),
    Row("two lengths", sends(HEAD + LENGTH + b"Content-Length: 7\r\n\r\n" + ROWS), BROKE),
    Row("a length below nothing", sends(HEAD + b"Content-Length: -1\r\n\r\n" + ROWS), BROKE),
)
SILENT = HEAD + b"Content-Length: 99999\r\n\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BODIES = (
    Row(
        "a body that drips",
        repeats(SILENT, b" ", 0.01),
        LATE,
        is_endless=True,
    ),
    Row("a body that is cut", sends(HEAD + b"Content-Length: 9999\r\n\r\n" + ROWS), BROKE),
    Row("a body longer than said", sends(answer(ROWS) + b"rest"), ""),
    Row("a body without a length", sends(HEAD + b"\r\n" + ROWS), ""),
    Row(
        "chunks",
        sends(CHUNKED + b"%x\r\n%b\r\n0\r\n\r\n" % (len(ROWS), ROWS)),
        "",
    ),
    Row("chunks of no size", sends(CHUNKED + b"ZZ\r\n" + ROWS), BROKE),
    Row("chunks without an end", sends(CHUNKED + b"5\r\n"), BROKE),
    Row("a gigabyte", repeats(HEAD + b"Content-Length: 1000000000\r\n\r\n", bytes(1_000_000)), "larger than"),
    Row("a bomb", sends_a_bomb, "larger than"),
    Row("no gzip", sends(answer(ROWS, b"Content-Encoding: gzip\r\n")), "compressed"),
    Row("deep JSON", sends(answer(listed("[" * 100_000 + "]" * 100_000))), NO_ANSWER),
    Row("ten thousand lists in a row", sends(answer(listed(json.dumps([[1]] * 10_000)))), ""),
    Row("a number of 5,000 digits", sends(answer(listed("9" * 5_000))), ""),
    Row("a number that is none", sends(answer(listed("NaN"))), ""),
    Row("a number without end", sends(answer(listed("1e999"))), ""),
    Row("half a surrogate", sends(answer(listed('"\\ud800"'))), ""),
    Row("no content", sends(b"HTTP/1.1 204 No Content\r\n\r\n"), "an empty answer"),
    Row("not modified", sends(b"HTTP/1.1 304 Not Modified\r\n\r\n"), "a redirect"),
    Row("other protocols", sends(b"HTTP/1.1 101 Switching Protocols\r\n\r\n"), ""),
)
TABLE = (*CONNECTION, *HEADERS, *BODIES)


# ---- the service in between ----


class Between:
    """A proxy that hands requests on to the demo, or does what a row says."""

    def __init__(self, demo: Running) -> None:
        self._port = int(demo.base_url.rpartition(":")[2])
        self.spoil: Spoil | None = None
        self.connections = 0

    async def serve(self, reader: Reader, writer: Writer) -> None:
        self.connections += 1
        if self.spoil is not None:
            await self.spoil(reader, writer)
            return
        head = await reader.readuntil(b"\r\n\r\n")
        from_demo, to_demo = await asyncio.open_connection("127.0.0.1", self._port)
        to_demo.write(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        writer.write(await from_demo.read())
        await writer.drain()
        to_demo.close()


def megabytes() -> float:
    """The memory of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def work() -> set[asyncio.Task[object]]:
    """Everything that runs but the widgets, of which a message can bring another."""
    return {task for task in asyncio.all_tasks() if not task.get_name().startswith("message pump")}


def complaints(driver: Driver, row: Row) -> Iterator[str]:
    """Return what is wrong with the app after a row."""
    state, error = driver.app.session.gate.state, driver.screen.collection.listing.error
    if not driver.app.is_running:
        yield "it ended"
    if row.words and (error is None or row.words not in error.what):
        yield f"told is {error}"
    if error is not None and error.what not in driver.toasts[-1]:
        yield "no sentence"
    if not all(map(is_inert, driver.toasts[-1:])):
        yield "it acts on the terminal"
    if state.in_flight or state.queued:
        yield "a request is still counted as under way"


async def answered(driver: Driver, between: Between, row: Row | None) -> None:
    """Ask once more, and wait for what comes of it."""
    between.spoil = row.spoil if row is not None else None
    connection = driver.app.session.client.connection
    before, seen = connection._timeout, between.connections
    connection._timeout = PATIENCE if row is not None and row.is_endless else before
    await driver.refresh()
    connection._timeout = before
    assert between.connections == seen + 1, "it asks once"


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
@pytest.mark.nightly
async def test_every_fault_of_a_connection_is_told_and_the_next_request_works(
    demo: Running, run_app: RunApp
) -> None:
    between, wrong = Between(demo), dict[str, list[str]]()
    async with listening(between.serve) as port:
        spoiled = replace(demo, base_url=f"http://127.0.0.1:{port}")
        async with run_app(spoiled, size=(100, 30), place="domains") as driver:
            await driver.settled()
            await answered(driver, between, None)
            tasks, memory = work(), megabytes()
            for row in TABLE:
                await answered(driver, between, row)
                if found := list(complaints(driver, row)):
                    wrong[row.name] = found
            await answered(driver, between, None)
            assert len(driver.table.rows) == 12, "the demo's own answer, after all of them"
            assert driver.state == ""
            await wait_until(lambda: len(work()) <= len(tasks), lambda: str(work() - tasks))
            assert megabytes() < memory + MOST_GROWTH
            assert list(driver.app.session.store.state_folder.glob("fault-*")) == []
    assert wrong == {}
