"""Turns: collecting goes on where it stopped, and two who collect at once share the codes."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkdash.store.database import Database
from linkdash.store.reading_turns import TURNS_SCHEMA, Turns, by_turn
from tests.store.engines import Engine

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

moments = st.dictionaries(
    st.integers(1, 9), st.datetimes(timezones=st.just(UTC), min_value=datetime(1971, 1, 1))
)


@pytest.fixture
async def database(engine: Engine) -> AsyncIterator[Database]:
    async with engine.open(TURNS_SCHEMA) as database:
        yield database


def test_codes_never_read_come_first_then_the_one_read_longest_ago() -> None:
    read = {1: NOON, 2: NOON - MINUTE, 3: NOON - 2 * MINUTE}
    taken = {3: NOON + MINUTE}
    assert by_turn([1, 2, 3, 4, 5, 4], read, taken) == [4, 5, 2, 1, 3]


@settings(max_examples=40)
@given(st.lists(st.integers(1, 9)), moments, moments)
def test_every_code_has_exactly_one_turn(
    codes: list[int], read: dict[int, datetime], taken: dict[int, datetime]
) -> None:
    assert sorted(by_turn(codes, read, taken)) == sorted(set(codes))


async def test_a_turn_is_taken_once(database: Database) -> None:
    one, other = Turns(database, "one"), Turns(database, "other")
    assert await one.take(7, NOON, None)
    assert not await one.take(7, NOON + MINUTE, None)
    assert await one.last() == {7: NOON}
    assert await one.take(7, NOON + MINUTE, NOON)
    assert await one.last() == {7: NOON + MINUTE}
    assert await other.last() == {}


@pytest.mark.parametrize("last", [None, NOON - MINUTE])
@pytest.mark.parametrize("failed", [True, False])
async def test_a_turn_that_is_given_back_is_as_before(
    database: Database, last: datetime | None, *, failed: bool
) -> None:
    turns = Turns(database, "one")
    if last is not None:
        assert await turns.take(7, last, None)
    assert await turns.take(7, NOON, last)
    await turns.give_back(7, NOON, last, failed=failed)
    assert await turns.last() == ({} if last is None else {7: last})
    assert await turns.failed() == ({7: NOON} if failed else {})
    assert await turns.take(7, NOON + MINUTE, last)
    await turns.give_back(7, NOON, last, failed=failed)
    assert await turns.last() == {7: NOON + MINUTE}, "another has taken it since"


async def test_of_two_processes_one_gets_the_turn(engine: Engine) -> None:
    async with engine.open(TURNS_SCHEMA) as first, engine.open(TURNS_SCHEMA) as second:
        takers = [Turns(first, "p"), Turns(second, "p")]
        results = await asyncio.gather(
            *(takers[number % 2].take(code, NOON, None) for code in range(10) for number in range(4))
        )
        assert sum(results) == 10
