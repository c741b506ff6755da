"""Fixtures of the client's tests: a service that answers oddly, the embedded one, and clients of them."""

from collections.abc import AsyncIterator

import pytest

from linkdash.api import Client
from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve
from linkdash.demo.service import DemoService
from tests.api.raw_service import RawService, raw_service
from tests.records import Records
from tests.service.visitor import Clock

KEY = "lk-7f3a9c51e2d84b60"
"""The key the clients of odd services use: found nowhere else in a test."""

PLENTY = 1_000_000


@pytest.fixture
async def odd() -> AsyncIterator[RawService]:
    """A service that answers whatever the test says."""
    async with raw_service() as service:
        yield service


@pytest.fixture
async def odd_client(odd: RawService) -> AsyncIterator[Client]:
    """A client of the odd service, which asks once only."""
    async with Client(odd.base_url, KEY, timeout=5, retries=0) as client:
        yield client


@pytest.fixture
async def embedded(records: Records) -> AsyncIterator[Running]:
    """An embedded service of the test's own, with requests in plenty."""
    async with serve(DemoService(records.known(DemoSettings(rate=PLENTY, clock=Clock())))) as running:
        yield running


@pytest.fixture
async def client(embedded: Running) -> AsyncIterator[Client]:
    """An admin's client of the embedded service."""
    async with Client(embedded.base_url, embedded.api_key, timeout=10) as client:
        yield client


@pytest.fixture
async def plain_client(embedded: Running) -> AsyncIterator[Client]:
    """The client of a user without admin rights."""
    async with Client(embedded.base_url, embedded.plain_key, timeout=10) as client:
        yield client
