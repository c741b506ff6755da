"""Fixtures of the store's tests: every engine there is."""

from pathlib import Path

import pytest

from tests.store.engines import Engine


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "sqlite":
        return Engine.in_file(tmp_path / "state.db")
    return Engine.on_server(request.getfixturevalue("postgresql"))
