"""A scheduler under watch: whatever it does is held against the laws of the budget at once."""

from collections.abc import Mapping
from typing import Protocol

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.rate_headers import TOO_MANY_REQUESTS
from linkdash.api.budget.scheduler import Budget, Ticket
from tests.simulator.world import World


class Watchable(Protocol):
    """A scheduler whose waiting requests can be cancelled."""

    def enqueue(self, lane: Lane, label: str, now: float) -> Ticket: ...

    def due(self, now: float) -> Ticket | None: ...

    def wake_at(self, now: float) -> float | None: ...

    def answered(self, ticket: Ticket, status: int, headers: Mapping[str, str], now: float) -> None: ...

    def lost(self, ticket: Ticket, now: float) -> None: ...

    def cancel(self, ticket: Ticket, now: float) -> None: ...


class Watched:
    """A scheduler that passes everything on and asserts the laws that hold at every single step."""

    def __init__(self, scheduler: Watchable) -> None:
        self.scheduler = scheduler
        self.waiting: set[Ticket] = set()
        self.in_flight: set[Ticket] = set()
        self.ended: list[float] = []
        """When the answers came, or were given up, to requests that may count."""

    def enqueue(self, lane: Lane, label: str, now: float) -> Ticket:
        ticket = self.scheduler.enqueue(lane, label, now)
        self.waiting.add(ticket)
        return ticket

    def due(self, now: float) -> Ticket | None:
        floor = self._floor(now)
        ticket = self.scheduler.due(now)
        if ticket is None:
            return None
        assert ticket in self.waiting, "sent what was cancelled, or sent it twice"
        assert ticket.lane == min(other.lane for other in self.waiting), "a lower lane went first"
        self.waiting.remove(ticket)
        self.in_flight.add(ticket)
        if ticket.probe and sum(other.probe for other in self.in_flight) > 1:
            assert self._fits(now), "two probes at a time"
        if floor is not None and ticket.lane is Lane.BACKGROUND and not ticket.probe:
            free, least = floor
            assert free > least, "background below its floor"
        return ticket

    def wake_at(self, now: float) -> float | None:
        return self.scheduler.wake_at(now)

    def answered(self, ticket: Ticket, status: int, headers: Mapping[str, str], now: float) -> None:
        self.in_flight.remove(ticket)
        if status != TOO_MANY_REQUESTS:
            self.ended.append(now)
        self.scheduler.answered(ticket, status, headers, now)

    def lost(self, ticket: Ticket, now: float) -> None:
        self.in_flight.remove(ticket)
        self.ended.append(now)
        self.scheduler.lost(ticket, now)

    def cancel(self, ticket: Ticket, now: float) -> None:
        if ticket in self.waiting:
            self.waiting.remove(ticket)
            self.scheduler.cancel(ticket, now)

    def _fits(self, now: float) -> bool:
        """Return whether all that may count of what was sent, in any kind of window, is within the limit."""
        if not isinstance(self.scheduler, Budget):
            return True
        state = self.scheduler.state(now)
        if state.limit is None or state.window is None:
            return False
        return sum(end > now - state.window for end in self.ended) + len(self.in_flight) <= state.limit

    def _floor(self, now: float) -> tuple[int, float] | None:
        """Return what is free, and the least that background has to leave of it."""
        if not isinstance(self.scheduler, Budget):
            return None
        state = self.scheduler.state(now)
        if state.remaining is None or state.limit is None or state.window is None or state.reset_in is None:
            return None
        return state.remaining, min(state.limit * state.reset_in / state.window, state.reset_in)


def assert_no_refusal(world: World[Ticket]) -> None:
    """No request was refused, but for those that went to find out what is left."""
    surprised = [ticket for ticket in world.refused if not ticket.probe]
    assert not surprised, f"{len(surprised)} refused"
