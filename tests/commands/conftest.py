"""A service for the tests of a module, and the program as it is installed."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from tests.commands.machines import Machines


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    """A service with requests in plenty."""
    with serve_in_thread(DemoSettings(rate=100_000)) as running:
        yield running


@pytest.fixture(autouse=True)
def own_umask() -> Iterator[None]:
    """The program closes its files to others; the tests after it do not."""
    before = os.umask(0o077)
    os.umask(before)
    yield
    os.umask(before)


@pytest.fixture
def machines(service: Running, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Machines:
    return Machines(service, capsys, tmp_path)
