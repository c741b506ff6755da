"""Long work in turns: the loop has its turn meanwhile."""

import asyncio
import time

from linkdash.model.slices import Slices, in_slices


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
