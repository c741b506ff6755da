"""Long work over many rows in small steps, so that keys and clocks get their turn; and how far it is."""

import asyncio
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Item = TypeVar("Item")

Steps: TypeAlias = Generator[None, None, T]
"""Work that pauses after every step and returns what it made."""

A_STEP = 100
"""Rows in one step: some milliseconds, also where each of them is looked at for the first time."""


@dataclass(frozen=True)
class Progress:
    """So many of so many, what it is about, and what else there is to say."""

    over: int
    total: int
    title: str
    notes: tuple[str, ...] = ()


def each(make: Callable[[Item], T], items: Iterable[Item]) -> Steps[list[T]]:
    """What `make` makes of every item."""
    made: list[T] = []
    for number, item in enumerate(items, 1):
        if number % A_STEP == 0:
            yield
        made.append(make(item))
    return made


def at_once(steps: Steps[T]) -> T:
    """What the work makes, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


async def in_turns(steps: Steps[T]) -> T:
    """What the work makes; the event loop has its turn after every step. Cancelling ends it there."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        await asyncio.sleep(0)
