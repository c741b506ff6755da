"""Identical reads under way at the same time are one request."""

import asyncio
from collections.abc import Callable, Coroutine

from linkdash.api.budget import Lane
from linkdash.api.exchange import Answer


class Departure:
    """Whether a request has begun to leave this machine."""

    def __init__(self) -> None:
        self.left = False


Start = Callable[[Lane, Departure], Coroutine[None, None, Answer]]
"""Sends a read in a lane, and notes its departure."""


class Flights:
    """The reads under way, by what they ask for."""

    def __init__(self) -> None:
        self._flights: dict[str, _Flight] = {}

    async def join(self, name: str, lane: Lane, start: Start) -> Answer:
        """The answer to the read called `name`: of the one under way, or of one that is started now.

        A read that waits for its turn in a lesser lane moves to this one. It is given up when nobody waits
        for it any more.
        """
        flight = self._flights.get(name)
        if flight is None:
            flight = self._flights[name] = _Flight(lane, start)
        elif lane < flight.lane and not flight.departure.left:
            flight.restart(lane, start)
        flight.waiting += 1
        try:
            return await flight.answer()
        finally:
            flight.waiting -= 1
            if flight.waiting == 0:
                flight.task.cancel()
                del self._flights[name]

    def cancel(self) -> None:
        """Gives up every read under way."""
        for flight in self._flights.values():
            flight.task.cancel()


class _Flight:
    """One read under way, and how many wait for it."""

    def __init__(self, lane: Lane, start: Start) -> None:
        self.waiting = 0
        self._start(lane, start)

    def _start(self, lane: Lane, start: Start) -> None:
        self.lane = lane
        self.departure = Departure()
        self.task = asyncio.create_task(start(lane, self.departure))

    def restart(self, lane: Lane, start: Start) -> None:
        """Begins again in another lane; whoever waits goes on waiting."""
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
