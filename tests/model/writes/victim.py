"""A run of a job to be killed, with URL KEY FOLDER JOB STEP PLACE as its arguments.

It kills itself before or after a step of the write at a place, as `kill -9` would.
"""

import asyncio
import os
import signal
import sys
from functools import wraps
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from linkdash.api.http.transport import Transport
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.store.jobs import Jobs
from linkdash.store.journal import Journal
from linkdash.store.store import Store

OWNERS: dict[str, type] = {
    "open_entry": Journal,
    "claim": Jobs,
    "exchange": Transport,
    "close_entry": Journal,
}


def kill_at(step: str, place: int) -> None:
    when, name = step.split()
    before = getattr(OWNERS[name], name)
    seen = 0

    @wraps(before)
    async def watched(*arguments: Any, **named: Any) -> Any:
        nonlocal seen
        is_read = name == "exchange" and arguments[1] == "GET"
        at, seen = seen, seen + (not is_read)
        is_it = at == place and not is_read
        if is_it and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        done = await before(*arguments, **named)
        if is_it:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(OWNERS[name], name, watched)


async def main(url: str, key: str, folder: Path, job: int) -> None:
    session = Session(
        Settings("tests", url, SecretStr(key)), Store(folder / "state", folder / "cache", "tests")
    )
    known = await session.store.jobs.load(job)
    assert known is not None
    await session.jobs.run(known, is_attended=False)


def run() -> None:
    url, key, folder, job, step, place = sys.argv[1:]
    kill_at(step, int(place))
    asyncio.run(main(url, key, Path(folder), int(job)))
