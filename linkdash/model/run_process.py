"""Run a command that the user has configured: no shell, no secret of ours in its environment, bounds to it.

It is over when it ends. What it leaves running, such as a browser, may keep its output open for hours: that
is neither waited for nor ended.
"""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

MOST_OUTPUT = 1_000_000
"""Bytes that a command may print."""

_OURS = ("LINKDASH_", "PYDANTIC_DISABLE_PLUGINS")
"""The prefixes of environment variables for this program alone."""
_LAST_SECONDS = 0.5
"""For what a command printed before it ended."""
_STDOUT = 1


class Ran(NamedTuple):
    """The end of a command."""

    failure: str = ""
    """Why it failed, in words; empty where it did not."""
    output: bytes = b""
    """Its standard output and standard error; at most `MOST_OUTPUT`."""


async def run(command: Sequence[str], data: bytes, seconds: float, variables: Mapping[str, str]) -> Ran:
    """Run a command with `data` on its standard input; end it after so many seconds, or too much output.

    `variables` are in its environment beside the user's own.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    try:
        process, running = await asyncio.get_running_loop().subprocess_exec(
            _Running,
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**environment, **variables},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Ran(f"cannot be run: {getattr(error, 'strerror', None) or error}")
    try:
        _give(process, data)
        await _first(running.ended, running.too_much, seconds=seconds)
        if running.ended.done():
            await _first(running.silent, running.too_much, seconds=_LAST_SECONDS)
    finally:
        failure = _failure(process, running, seconds)
        _end(process)
        try:
            await _first(running.ended, seconds=_LAST_SECONDS)
        finally:
            process.close()
            await asyncio.sleep(0)  # its pipes are closed by the next turn of the loop, which may be the last
    return Ran(failure, bytes(running.output[:MOST_OUTPUT]))


class _Running(asyncio.SubprocessProtocol):
    """The end of a command, and what it prints."""

    def __init__(self) -> None:
        self.output = bytearray()
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.silent: asyncio.Future[None] = loop.create_future()
        """Done when nothing has its standard output open."""
        self.too_much: asyncio.Future[None] = loop.create_future()

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        assert isinstance(data, bytes)
        if self.too_much.done():
            return
        self.output.extend(data)
        if len(self.output) > MOST_OUTPUT:
            self.too_much.set_result(None)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == _STDOUT:
            self.silent.set_result(None)

    def process_exited(self) -> None:
        self.ended.set_result(None)


async def _first(*events: asyncio.Future[None], seconds: float) -> None:
    """Return when one of them is done, or after so many seconds."""
    await asyncio.wait(events, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)


def _give(process: asyncio.SubprocessTransport, data: bytes) -> None:
    """Put `data` on the standard input of a command, which need not read it."""
    stdin = process.get_pipe_transport(0)
    assert isinstance(stdin, asyncio.WriteTransport)
    stdin.write(data)
    stdin.close()


def _failure(process: asyncio.SubprocessTransport, running: _Running, seconds: float) -> str:
    if running.too_much.done():
        return f"printed more than {MOST_OUTPUT:,} bytes and was ended"
    if not running.ended.done():
        return f"timed out after {seconds:g} s"
    status = process.get_returncode()
    return f"exit status {status}" if status else ""


def _end(process: asyncio.SubprocessTransport) -> None:
    """End a command that still runs, with whatever it has started."""
    if process.get_returncode() is not None:
        return
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.get_pid(), signal.SIGKILL)
        else:
            process.kill()
