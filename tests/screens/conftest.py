"""Fixtures of the screens' tests: services with few users, looks at them, and forms that come slowly."""

import asyncio
from collections.abc import Iterable, Iterator

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.lists.collections import Collections
from linkdash.model.writes.draft import Options
from tests.conftest import PLENTY
from tests.records import Records
from tests.service.visitor import Clock, Visitor

USERS = 240
"""As many more than fit on a screen as matter to it."""


@pytest.fixture(scope="session")
def records() -> Records:
    """Return what services begin with."""
    return Records(USERS)


@pytest.fixture(scope="session")
def twin(records: Records) -> Iterator[Visitor]:
    """Read the records of a service that has the same as `demo`, without a trace in the log of that."""
    settings = records.known(DemoSettings(rate=PLENTY, clock=Clock()))
    with serve_in_thread(settings) as running, Visitor(running, running.api_key) as visitor:
        yield visitor


@pytest.fixture
def service(demo: Running) -> Iterator[Visitor]:
    """Read what the service has kept; its own requests are reads, so they are not among the writes."""
    with Visitor(demo, demo.api_key) as visitor:
        yield visitor


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """The names that a form needs before it can stand come when this is set."""
    may_come = asyncio.Event()
    known = Collections.names

    async def slow(collections: Collections, resources: Iterable[str]) -> Options:
        await may_come.wait()
        return await known(collections, resources)

    monkeypatch.setattr(Collections, "names", slow)
    return may_come
