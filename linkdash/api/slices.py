"""Long work in slices, so that a key is answered between two of them."""

import asyncio
import gc
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TypeAlias, TypeVar

Result = TypeVar("Result")

Slices: TypeAlias = Generator[None, None, Result]
"""Work that pauses after every step and returns what it made."""

MANY = 2_000
"""Rows that are read without a pause: some 20 milliseconds."""
SLICE_SIZE = 300
"""Rows in one step where little is looked at of each: a millisecond."""
SMALL_SLICE = 100
"""Rows in one step where each of them is read."""

_MOST_TURNS = 50
_AN_EMPTY_TURN = 0.0001  # seconds
_A_TURN = 0.004  # seconds of work before the event loop has its turn: who waits for it may need three


@contextmanager
def making_many() -> Iterator[None]:
    """Make very many objects that stay: no garbage is looked for among them, not even when they are young."""
    is_looked_for = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_looked_for:
            gc.freeze()
            gc.unfreeze()  # into what is old, without a look
            gc.enable()


def at_once(steps: Slices[Result]) -> Result:
    """Return what the work makes, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


async def in_slices(steps: Slices[Result]) -> Result:
    """Return what the work makes; the event loop has its turn after every few steps. Can be cancelled.

    It has one after the first step, too: what asked for the work is about to be painted.
    """
    turn_ends = 0.0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        if perf_counter() >= turn_ends:
            await _others_at_rest()
            turn_ends = perf_counter() + _A_TURN


async def _others_at_rest() -> None:
    """Return when nobody else has anything to do: a key goes through many hands until it is on the screen."""
    for _ in range(_MOST_TURNS):
        begun = perf_counter()
        await asyncio.sleep(0)
        if perf_counter() - begun < _AN_EMPTY_TURN:
            return
