"""A caller that is cancelled while its work waits for the database."""

import asyncio
import threading
from typing import TypeVar

import pytest

from linkdash.store.database import Database

T = TypeVar("T")


class Held:
    """A database whose thread is kept busy until the block ends, so that a caller can be cancelled."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._released = threading.Event()

    async def __aenter__(self) -> None:
        self._work = asyncio.ensure_future(self._database.read(lambda _: self._released.wait(timeout=10)))
        await asyncio.sleep(0)

    async def __aexit__(self, *_: object) -> None:
        self._released.set()
        await self._work


async def cancel(task: asyncio.Task[T]) -> None:
    """Cancel it once it has handed over its work."""
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
