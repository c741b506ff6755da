"""Long work in slices, so that a key is answered between two of them."""

import asyncio
from collections.abc import Generator
from time import perf_counter
from typing import NamedTuple, TypeAlias, TypeVar

Result = TypeVar("Result")

Slices: TypeAlias = Generator[None, None, Result]
"""Work that pauses after every step and returns what it made."""

SLICE_SIZE = 1_000
"""Rows in one step where nothing is read of them but what came: a millisecond or two."""
SMALL_SLICE = 100
"""Rows in one step where each of them is read."""

_A_TURN = 0.004  # seconds of work before the event loop has its turn: who waits for it may need three


class Progress(NamedTuple):
    """So many of so many, what it is about, and what else there is to say."""

    over: int
    total: int
    title: str
    notes: tuple[str, ...] = ()


def at_once(steps: Slices[Result]) -> Result:
    """Return what the work makes, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


async def in_slices(steps: Slices[Result]) -> Result:
    """Return what the work makes; the event loop has its turn after every few steps. Can be cancelled."""
    turn_ends = perf_counter() + _A_TURN
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        if perf_counter() >= turn_ends:
            await asyncio.sleep(0)
            turn_ends = perf_counter() + _A_TURN
