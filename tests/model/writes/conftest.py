"""Sessions for the tests of writes."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.demo.server import Running
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.store.store import Store

Open = Callable[[Running], Session]


@pytest.fixture
async def open_session(tmp_path: Path) -> AsyncIterator[Open]:
    """Open sessions on the same store, as several runs of the program do."""
    opened: list[Session] = []

    def open_one(running: Running) -> Session:
        settings = Settings("tests", running.base_url, SecretStr(running.api_key))
        opened.append(Session(settings, Store(tmp_path / "state", tmp_path / "cache", "tests")))
        return opened[-1]

    yield open_one
    for session in opened:
        await session.close()
