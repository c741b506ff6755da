"""Fixtures of the screens' tests: a look at what the service has kept."""

from collections.abc import Iterator

import pytest

from linkdash.demo.server import Running
from tests.service.visitor import Visitor


@pytest.fixture
def service(demo: Running) -> Iterator[Visitor]:
    """Read what the service has kept; its own requests are reads, so they are not among the writes."""
    with Visitor(demo, demo.api_key) as visitor:
        yield visitor
