"""Commands of the user's own: bounded in time and output, over when they end, and given nothing of ours."""

import asyncio
import gc
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from linkdash.model.run_process import MOST_OUTPUT, Ran, run
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are a POSIX shell's")

LONG = 60.0
"""Seconds that none of these takes."""


def waits_for_a_process() -> bool:
    """Return whether a thread has still to tell the loop how a process ended."""
    return any(thread.name.startswith("asyncio-waitpid-") for thread in threading.enumerate())


def exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def script(text: str) -> list[str]:
    return ["sh", "-c", text]


async def test_it_is_given_data_and_what_it_prints_is_told() -> None:
    assert await run(script("cat; echo told >&2"), b"data\n", LONG, {}) == Ran("", b"data\ntold\n")


async def test_output_without_end_ends_the_command() -> None:
    ran = await run(script("echo $$; exec yes"), b"", LONG, {})
    assert ran.failure == "printed more than 1,000,000 bytes and was ended"
    assert len(ran.output) == MOST_OUTPUT
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.output.split()[0]), 0)


async def test_what_it_leaves_running_is_not_waited_for() -> None:
    """A browser that a command has opened keeps the command's output open as long as it is used."""
    begun = time.monotonic()
    ran = await run(script("echo opened; sleep 600 & echo $!"), b"", LONG, {})
    left = int(ran.output.split()[1])
    with suppress(ProcessLookupError):
        os.kill(left, signal.SIGKILL)
    assert (ran.failure, ran.output.split()[0]) == ("", b"opened")
    assert time.monotonic() - begun < LONG


async def test_input_that_is_not_read_holds_nothing_up() -> None:
    assert await run(["true"], bytes(2_000_000), LONG, {}) == Ran()


async def test_it_is_given_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKDASH_API_KEY", "a-key-of-ours")
    monkeypatch.setenv("LINKDASH_STORE_PASSWORD", "a-password-of-ours")
    ran = await run(["env"], b"", LONG, {})
    assert b"PATH=" in ran.output
    assert b"of-ours" not in ran.output


async def test_a_command_is_let_go_of_also_where_its_end_is_not_waited_for(tmp_path: Path) -> None:
    begun = tmp_path / "begun"  # when its input was given, and so the start is over
    told = f"echo $$ > {begun}.part; mv {begun}.part {begun}"
    running = asyncio.create_task(run(script(f"cat; {told}; exec sleep 600"), b"", LONG, {}))
    await wait_until(begun.exists)
    process = int(begun.read_text())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        running.cancel()
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        del running
        gc.collect()
    assert [str(one.message) for one in said if one.category is ResourceWarning] == []
    await wait_until(lambda: not exists(process) and not waits_for_a_process())
