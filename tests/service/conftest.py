"""The embedded service on a real socket: one shared for what changes nothing, a new one for what does."""

from collections.abc import Iterator

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from tests.records import Records
from tests.service.visitor import Clock, Visitor

PLENTY = 1_000_000


@pytest.fixture(scope="session")
def shared() -> Iterator[Running]:
    """A service for tests that change nothing."""
    with serve_in_thread(DemoSettings(rate=PLENTY, clock=Clock())) as running:
        yield running


@pytest.fixture(scope="session")
def reader(shared: Running) -> Iterator[Visitor]:
    """An admin at the shared service."""
    with Visitor(shared, shared.api_key) as visitor:
        yield visitor


@pytest.fixture(scope="session")
def plain_reader(shared: Running) -> Iterator[Visitor]:
    """A user without admin rights at the shared service."""
    with Visitor(shared, shared.plain_key) as visitor:
        yield visitor


@pytest.fixture
def clock() -> Clock:
    """The clock of the test's own service."""
    return Clock()


@pytest.fixture
def running(records: Records, clock: Clock) -> Iterator[Running]:
    """A service of the test's own."""
    with serve_in_thread(records.known(DemoSettings(rate=PLENTY, clock=clock))) as running:
        yield running


@pytest.fixture
def admin(running: Running) -> Iterator[Visitor]:
    """An admin at the test's own service."""
    with Visitor(running, running.api_key) as visitor:
        yield visitor
