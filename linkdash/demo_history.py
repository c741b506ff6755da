"""The demo's past, written into the history of its run, so that its statistics have something to compare."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from linkdash.demo.history import Past, history
from linkdash.demo.server import Running
from linkdash.store.database import StoreUnavailable
from linkdash.store.files import profile_key
from linkdash.store.history import History, Reading
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.store import HISTORY_SCHEMA

_AFTER_THE_FIRST_PICTURE = 0.7  # seconds


@contextmanager
def kept_history(running: Running, folder: Path, *, beside: bool) -> Iterator[None]:
    """Writes the history of the demo's codes: `beside` the dashboard, whose start it does not hold up."""
    stop = threading.Event()
    if not beside:
        asyncio.run(_write(running, folder, stop))
        yield
        return
    thread = threading.Thread(target=lambda: asyncio.run(_write_later(running, folder, stop)), name="history")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


async def _write_later(running: Running, folder: Path, stop: threading.Event) -> None:
    if not await asyncio.to_thread(stop.wait, _AFTER_THE_FIRST_PICTURE):
        await _write(running, folder, stop)


async def _write(running: Running, folder: Path, stop: threading.Event) -> None:
    service = running.service
    async with SqliteDatabase.open(folder / "history.db", HISTORY_SCHEMA) as database:
        kept = History(database, profile_key(running.base_url, running.api_key))
        for code_id, past in history(service.codes, service.seed, service.made, service.settings.clock()):
            if stop.is_set():
                return
            try:
                await kept.record_all({code_id: [_reading(one) for one in past]})
            except StoreUnavailable:
                return  # the dashboard says it itself


def _reading(past: Past) -> Reading:
    at = datetime.fromtimestamp(past.at, UTC)
    return Reading(at, past.clicks, past.unique, past.scans, past.breakdowns)
