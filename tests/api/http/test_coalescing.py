"""Reads that ask for the same: one request for all who wait, in the lane of the most urgent."""

import asyncio

import pytest

from linkdash.api.budget.lanes import Lane
from linkdash.api.http.coalescing import Coalescing, Departure
from linkdash.api.http.request import Answer, Request

ANSWER = Answer(Request("GET", "/api/domains"), 200, {}, {"error": 0})


class Reads:
    """The count of the reads that are started, each of which waits until it is let go."""

    def __init__(self) -> None:
        self.coalescing = Coalescing()
        self.lanes: list[Lane] = []
        self.departures: list[Departure] = []
        self.go = asyncio.Event()

    def join(self, lane: Lane) -> "asyncio.Task[Answer]":
        return asyncio.create_task(self.coalescing.join("GET /api/domains", lane, self._start))

    async def _start(self, lane: Lane, departure: Departure) -> Answer:
        self.lanes.append(lane)
        self.departures.append(departure)
        await self.go.wait()
        return ANSWER


async def test_a_read_moves_up_before_it_was_begun() -> None:
    reads = Reads()
    waiting = [reads.join(Lane.BACKGROUND), reads.join(Lane.READ), reads.join(Lane.READ)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    reads.go.set()
    assert await asyncio.gather(*waiting) == [ANSWER] * 3
    assert reads.lanes[-1] is Lane.READ
    assert reads.lanes.count(Lane.READ) == 1


async def test_another_of_the_same_lane_waits_for_the_read_that_is_there() -> None:
    reads = Reads()
    waiting = [reads.join(Lane.READ)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.append(reads.join(Lane.READ))
    await asyncio.sleep(0)
    reads.go.set()
    assert await asyncio.gather(*waiting) == [ANSWER] * 2
    assert reads.lanes == [Lane.READ]


async def test_a_read_that_has_left_stays_as_it_is() -> None:
    reads = Reads()
    background = reads.join(Lane.BACKGROUND)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    reads.departures[0].left = True
    person = reads.join(Lane.READ)
    await asyncio.sleep(0)
    reads.go.set()
    assert [await background, await person] == [ANSWER, ANSWER]
    assert reads.lanes == [Lane.BACKGROUND]


async def test_who_is_cancelled_while_the_read_moves_up_is_cancelled_and_nobody_else() -> None:
    reads = Reads()
    background = reads.join(Lane.BACKGROUND)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    person = reads.join(Lane.READ)
    await asyncio.sleep(0)
    background.cancel()
    reads.go.set()
    assert await person is ANSWER
    with pytest.raises(asyncio.CancelledError):
        await background


async def test_a_read_that_was_cancelled_from_outside_leaves_nobody_waiting() -> None:
    coalescing = Coalescing()

    async def start(lane: Lane, departure: Departure) -> Answer:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(coalescing.join("GET /api/domains", Lane.READ, start), 10)
