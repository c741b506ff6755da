"""Standard input and output of the server: lines of bounded length, and an end that waits for answers."""

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from linkdash.commands.standard_streams import tell

LONGEST_MESSAGE = 4_000_000
"""Bytes of a line of standard input; a longer one is left out, and said on standard error."""

_AT_ONCE = 65_536  # bytes of standard input


class BoundedLines:
    """Lines that come in pieces, the beginning of each, so that none fills the memory.

    The beginning of a longer one is not JSON, which whoever reads it leaves out.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._length = 0
        """Bytes of the line that has not ended."""

    def kept(self, data: bytes) -> bytes:
        """Of the next bytes those that are within the bound, and every line's end."""
        made = bytearray()
        for number, piece in enumerate(data.split(b"\n")):
            if number:
                made += b"\n"
                self._length = 0
            made += piece[: max(0, self._longest - self._length)]
            if self._length <= self._longest < self._length + len(piece):
                tell(f"A message of more than {self._longest:,} bytes was left out.")
            self._length += len(piece)
        return bytes(made)


class Conversation:
    """The requests of client and server that have no answer yet.

    Where the input ends, the SDK drops the calls under way: so the end is held back until they are answered.
    One that waits for what the person says is not waited for: nobody can tell any more.
    """

    def __init__(self) -> None:
        self._calls = set[str]()
        self._questions = set[str]()
        self._changed = asyncio.Event()
        self._is_over = False

    def heard(self, message: JSONRPCMessage) -> None:
        """Note what the client has sent."""
        self._note(message, self._calls, self._questions)

    def said(self, message: JSONRPCMessage) -> None:
        """Note what the server has sent."""
        self._note(message, self._questions, self._calls)

    def _note(self, message: JSONRPCMessage, own: set[str], others: set[str]) -> None:
        match message:
            case JSONRPCRequest(id=id):
                own.add(str(id))
            case JSONRPCNotification(method="notifications/cancelled", params={"requestId": id}):
                own.discard(str(id))
            case JSONRPCResponse(id=id) | JSONRPCError(id=id):
                others.discard(str(id))
        self._changed.set()

    def end(self) -> None:
        """Wait for no answer any more."""
        self._is_over = True
        self._changed.set()

    async def answered(self) -> None:
        """Wait until every call has its answer, or waits for the client."""
        while not self._is_over and len(self._calls) > len(self._questions):
            self._changed.clear()
            await self._changed.wait()


Heard: TypeAlias = MemoryObjectReceiveStream[SessionMessage | Exception]
Said: TypeAlias = MemoryObjectSendStream[SessionMessage]


async def serve(talk: Callable[[Heard, Said], Awaitable[None]]) -> None:
    """Let a server talk with the client until standard input ends, or this is cancelled."""
    conversation = Conversation()
    with _input_that_ends() as (stdin, end):
        serving = asyncio.create_task(_serve(talk, stdin, conversation))
        try:
            await asyncio.shield(serving)
        finally:
            conversation.end()
            end()
            await asyncio.wait({serving})


async def _serve(
    talk: Callable[[Heard, Said], Awaitable[None]], stdin: TextIO, conversation: Conversation
) -> None:
    to_server, heard = anyio.create_memory_object_stream[SessionMessage | Exception]()
    said, from_server = anyio.create_memory_object_stream[SessionMessage]()
    async with stdio_server(anyio.wrap_file(stdin)) as (read, write), anyio.create_task_group() as group:

        async def hear() -> None:
            async with to_server:
                async for message in read:
                    if isinstance(message, SessionMessage):
                        conversation.heard(message.message)
                    await to_server.send(message)
                await conversation.answered()

        async def say() -> None:
            async with write:
                async for message in from_server:
                    await write.send(message)
                    conversation.said(message.message)

        group.start_soon(hear)
        group.start_soon(say)
        await talk(heard, said)


@contextmanager
def _input_that_ends() -> Iterator[tuple[TextIO, Callable[[], None]]]:
    """Give standard input as one that can be ended from here, which a signal needs.

    The SDK waits for a line in a thread that nothing but a line or the end wakes, and it is waited for.
    """
    reader, writer = socket.socketpair()

    def end() -> None:
        with suppress(OSError):  # it has ended
            writer.shutdown(socket.SHUT_WR)

    source = sys.stdin.fileno()

    def hand_on() -> None:
        lines = BoundedLines(LONGEST_MESSAGE)
        with suppress(OSError):
            while data := os.read(source, _AT_ONCE):
                if kept := lines.kept(data):
                    writer.sendall(kept)
        end()

    with reader, writer, reader.makefile(encoding="utf-8", errors="replace") as stdin:
        threading.Thread(target=hand_on, name="standard input", daemon=True).start()
        yield stdin, end
