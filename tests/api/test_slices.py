"""Long work in turns: the loop has its turn meanwhile."""

import asyncio
import time

from linkdash.api.slices import Slices, in_slices


def made_of_many(made: list[object]) -> Slices[list[object]]:
    for _ in range(3):
        made.append([])
        time.sleep(0.011)  # longer than a turn
        yield
    return made


async def test_the_loop_has_its_turn_while_much_is_made() -> None:
    made: list[object] = []
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0)

    beating = asyncio.create_task(beat())
    try:
        assert await in_slices(made_of_many(made)) is made
        assert beats > 1
    finally:
        beating.cancel()


async def test_the_loop_has_its_turn_after_the_first_step() -> None:
    """The asker is about to be painted."""
    order: list[str] = []

    def steps() -> Slices[None]:
        for _ in range(2):
            order.append("step")
            yield

    asyncio.get_running_loop().call_soon(order.append, "paint")
    await in_slices(steps())
    assert order == ["step", "paint", "step"]


async def test_what_takes_many_turns_of_the_loop_is_done_before_the_next_slice() -> None:
    """A key goes through many hands until it is on the screen."""
    slices = 0
    begun = asyncio.Event()

    def endless() -> Slices[None]:
        nonlocal slices
        while True:
            slices += 1
            begun.set()
            work_for(0.005)  # longer than a turn
            yield

    working = asyncio.create_task(in_slices(endless()))
    try:
        await begun.wait()
        for _ in range(20):
            work_for(0.0005)
            await asyncio.sleep(0)
        assert slices < 5
    finally:
        working.cancel()


def work_for(seconds: float) -> None:
    time.sleep(seconds)
