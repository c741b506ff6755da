"""Fixtures of the screens' tests: a look at what the service has kept, and forms that come slowly."""

import asyncio
from collections.abc import Iterable, Iterator

import pytest

from linkdash.demo.server import Running
from linkdash.model.lists.collections import Collections
from linkdash.model.writes.draft import Options
from tests.service.visitor import Visitor


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
