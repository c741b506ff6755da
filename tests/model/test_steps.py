"""Long work in turns: the loop has its turn, and what was made is not looked through for cycles again."""

import asyncio
import gc
import time

from linkdash.model.steps import Steps, in_turns


def made_of_many(made: list[object]) -> Steps[list[object]]:
    for _ in range(3):
        made.append([])
        time.sleep(0.011)  # longer than a turn
        yield
    return made


async def test_what_was_made_of_many_rows_is_spared_the_garbage_collector() -> None:
    made: list[object] = []
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0)

    beating = asyncio.create_task(beat())
    try:
        assert await in_turns(made_of_many(made)) is made
        assert beats > 1
        assert not any(known is made for known in gc.get_objects())
    finally:
        beating.cancel()
        gc.unfreeze()
