"""Claims: collecting goes on where it stopped, and two who collect at once share the codes."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.store.database import Database
from linkdash.store.reading_claims import CLAIMS_SCHEMA, ReadingClaims, longest_unread_first
from tests.store.engines import Engine

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

moments = st.dictionaries(
    st.integers(1, 9), st.datetimes(timezones=st.just(UTC), min_value=datetime(1971, 1, 1))
)


@pytest.fixture
async def database(engine: Engine) -> AsyncIterator[Database]:
    async with engine.open(CLAIMS_SCHEMA) as database:
        yield database


def test_codes_never_read_come_first_then_the_one_read_longest_ago() -> None:
    read = {1: NOON, 2: NOON - MINUTE, 3: NOON - 2 * MINUTE}
    taken = {3: NOON + MINUTE}
    assert longest_unread_first([1, 2, 3, 4, 5, 4], read, taken) == [4, 5, 2, 1, 3]


@given(st.lists(st.integers(1, 9)), moments, moments)
def test_every_code_comes_exactly_once(
    codes: list[int], read: dict[int, datetime], taken: dict[int, datetime]
) -> None:
    assert sorted(longest_unread_first(codes, read, taken)) == sorted(set(codes))


async def test_a_code_is_claimed_once(database: Database) -> None:
    one, other = ReadingClaims(database, "one"), ReadingClaims(database, "other")
    assert await one.claim(7, NOON, None)
    assert not await one.claim(7, NOON + MINUTE, None)
    assert await one.last() == {7: NOON}
    assert await one.claim(7, NOON + MINUTE, NOON)
    assert await one.last() == {7: NOON + MINUTE}
    assert await other.last() == {}


@pytest.mark.parametrize("last", [None, NOON - MINUTE])
@pytest.mark.parametrize("failed", [True, False])
async def test_a_claim_that_is_released_is_as_before(
    database: Database, last: datetime | None, *, failed: bool
) -> None:
    claims = ReadingClaims(database, "one")
    if last is not None:
        assert await claims.claim(7, last, None)
    assert await claims.claim(7, NOON, last)
    await claims.release(7, NOON, last, failed=failed)
    assert await claims.last() == ({} if last is None else {7: last})
    assert await claims.failed() == ({7: NOON} if failed else {})
    assert await claims.claim(7, NOON + MINUTE, last)
    await claims.release(7, NOON, last, failed=failed)
    assert await claims.last() == {7: NOON + MINUTE}, "another has taken it since"


async def test_of_two_processes_one_gets_the_code(engine: Engine) -> None:
    async with engine.open(CLAIMS_SCHEMA) as first, engine.open(CLAIMS_SCHEMA) as second:
        takers = [ReadingClaims(first, "p"), ReadingClaims(second, "p")]
        results = await asyncio.gather(
            *(takers[number % 2].claim(code, NOON, None) for code in range(10) for number in range(4))
        )
        assert sum(results) == 10
