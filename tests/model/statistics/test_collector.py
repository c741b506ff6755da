"""A run of the collector: what it reads, what it leaves, and what ends it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.errors import KeyRefused, Rejected
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.model.statistics.collector import CodeRead, Collected, Collector
from linkdash.store.store import Store


@pytest.fixture
async def session(demo: Running, tmp_path: Path) -> AsyncIterator[Session]:
    settings = Settings("tests", demo.base_url, SecretStr(demo.api_key))
    session = Session(settings, Store(tmp_path / "state", tmp_path / "cache", "tests"))
    yield session
    await session.close()


async def run(
    session: Session, *ids: int, budget: int | None = None
) -> tuple[Collected, list[tuple[int, str]]]:
    """The result, and how each code ended."""
    said = list[CodeRead]()
    result = await Collector(session, said.append, budget).run(ids or None)
    return result, [(one.code_id, "failed" if one.error else "read") for one in said]


async def test_a_code_is_read_once_and_not_again_a_moment_later(session: Session, demo: Running) -> None:
    result, said = await run(session, 1, 2)
    assert sorted(said) == [(1, "read"), (2, "read")]
    assert (result.read, result.fresh, result.requests) == (2, 0, 2)
    assert set(await session.store.history.latest()) == {1, 2}
    result, said = await run(session, 1, 2, 3)
    assert said == [(3, "read")]
    assert (result.read, result.fresh, result.requests) == (1, 2, 1)


async def test_of_all_codes_as_many_are_read_as_the_budget_allows(session: Session, demo: Running) -> None:
    result, said = await run(session, budget=7)
    assert (result.known, result.read, result.requests) == (400, 3, 7), "4 pages of the list, 3 codes"
    assert len(said) == 3
    result, _ = await run(session, budget=2)
    assert (result.read, result.requests) == (2, 2), "the list was kept"
    assert len(await session.store.history.latest()) == 5


async def test_one_that_fails_costs_no_other_and_is_tried_again(session: Session, demo: Running) -> None:
    demo.service.faults.next("GET", "/api/qr/2", Fault(status=422, content=b'{"error": 1, "message": "No"}'))
    result, said = await run(session, 1, 2, 3)
    assert sorted(said) == [(1, "read"), (2, "failed"), (3, "read")]
    assert isinstance(result.failed_by, Rejected)
    assert (result.failed, result.ended_by) == (1, None)
    result, said = await run(session, 2)
    assert (said, result.failed_before, result.failed_by) == ([(2, "read")], 1, None)


async def test_what_concerns_every_code_ends_it_and_is_no_code_s_fault(
    session: Session, demo: Running
) -> None:
    demo.service.faults.next("GET", "/api/qr/2", Fault(status=401, content=b'{"error": 1, "message": "No"}'))
    result, said = await run(session, 2)
    assert isinstance(result.ended_by, KeyRefused)
    assert (said, result.failed) == ([], 0)
    result, said = await run(session, 2)
    assert (said, result.failed_before) == ([(2, "read")], 0)
