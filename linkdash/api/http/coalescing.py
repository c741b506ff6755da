"""Identical reads under way become one request."""

import asyncio
from collections.abc import Callable, Coroutine

from linkdash.api.budget.lanes import Lane
from linkdash.api.http.request import Answer, AtTurn


class Departure:
    """The leaving of a request: what is awaited at its turn, and whether it has begun."""

    def __init__(self, at_turn: AtTurn | None = None) -> None:
        self.at_turn = at_turn
        self.left = False


Start = Callable[[Lane, Departure], Coroutine[None, None, Answer]]
"""Sends a read in a lane, and notes its departure."""


class Coalescing:
    """The reads under way, by what they ask for."""

    def __init__(self) -> None:
        self._reads: dict[str, _Read] = {}

    async def join(self, name: str, lane: Lane, start: Start) -> Answer:
        """The answer to the read called `name`: of the one under way, or of one that is started now.

        A read that waits for its turn in a lesser lane moves to this one. It is given up when nothing waits
        for it any more.
        """
        read = self._reads.get(name)
        if read is None:
            read = self._reads[name] = _Read(lane, start)
        elif lane < read.lane and not read.departure.left:
            read.restart(lane, start)
        read.waiting += 1
        try:
            return await read.answer()
        finally:
            read.waiting -= 1
            if read.waiting == 0:
                read.task.cancel()
                del self._reads[name]


class _Read:
    """A read under way, and how many wait for it."""

    def __init__(self, lane: Lane, start: Start) -> None:
        self.waiting = 0
        self._start(lane, start)

    def _start(self, lane: Lane, start: Start) -> None:
        self.lane = lane
        self.departure = Departure()
        self.task = asyncio.create_task(start(lane, self.departure))

    def restart(self, lane: Lane, start: Start) -> None:
        """Begin again in another lane; whoever waits goes on waiting."""
        self.task.cancel()
        self._start(lane, start)

    async def answer(self) -> Answer:
        while True:
            task = self.task
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                me = asyncio.current_task()
                if task is self.task or (me is not None and me.cancelling()):
                    raise
