"""Run a command that the user has configured: no shell, no secret of ours in its environment, a deadline."""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

_OURS = ("LINKDASH_", "PYDANTIC_DISABLE_PLUGINS")
"""The prefixes of environment variables for this program alone."""


class Ran(NamedTuple):
    """The end of a command."""

    failure: str = ""
    """Why it failed, in words; empty where it did not."""
    output: bytes = b""
    """Its standard output and standard error, where they were wanted."""


async def run(command: Sequence[str], data: bytes, seconds: float, *, with_output: bool = False) -> Ran:
    """Runs a command with `data` on its standard input, and ends it after so many seconds."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    out = asyncio.subprocess.PIPE if with_output else asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=out,
            stderr=asyncio.subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Ran(f"cannot be run: {getattr(error, 'strerror', None) or error}")
    try:
        async with asyncio.timeout(seconds):
            output, _ = await process.communicate(data)
    except TimeoutError:
        return Ran(f"timed out after {seconds:g} s")
    finally:
        _end(process)
        await process.wait()
    failure = f"exit status {process.returncode}" if process.returncode else ""
    return Ran(failure, output or b"")


def _end(process: asyncio.subprocess.Process) -> None:
    """Ends a command that still runs, with whatever it has started."""
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
