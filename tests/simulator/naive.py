"""Two limiters as they are often written, here to be caught: a test that lets them pass sees nothing."""

from collections import deque
from collections.abc import Mapping

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.scheduler import Ticket


class _Naive:
    """First come, first served, with no lanes."""

    def __init__(self) -> None:
        self.queue: deque[Ticket] = deque()

    def enqueue(self, lane: Lane, label: str, now: float) -> Ticket:
        ticket = Ticket(lane, label, queued_at=now)
        self.queue.append(ticket)
        return ticket

    def cancel(self, ticket: Ticket, now: float) -> None:
        if ticket in self.queue:
            self.queue.remove(ticket)

    def lost(self, ticket: Ticket, now: float) -> None:
        pass


class ClientWindow(_Naive):
    """A count of own requests in windows of an own clock, believed to be the service's."""

    def __init__(self, limit: int, window: float) -> None:
        super().__init__()
        self._limit, self._window = limit, window
        self._began, self._used = 0.0, 0

    def due(self, now: float) -> Ticket | None:
        if now >= self._began + self._window:
            self._began, self._used = now, 0
        if not self.queue or self._used >= self._limit:
            return None
        self._used += 1
        return self.queue.popleft()

    def wake_at(self, now: float) -> float | None:
        return max(now, self._began + self._window) if self.queue else None

    def answered(self, ticket: Ticket, status: int, headers: Mapping[str, str], now: float) -> None:
        pass


class Overwrite(_Naive):
    """A countdown from the last `Remaining` that came, whatever is on its way, filled up at the reset."""

    def __init__(self, limit: int, window: float) -> None:
        super().__init__()
        self._limit, self._window = limit, window
        self._remaining, self._reset = limit, window

    def due(self, now: float) -> Ticket | None:
        if now >= self._reset:
            self._remaining, self._reset = self._limit, now + self._window
        if not self.queue or self._remaining <= 0:
            return None
        self._remaining -= 1
        return self.queue.popleft()

    def wake_at(self, now: float) -> float | None:
        return max(now, self._reset) if self.queue else None

    def answered(self, ticket: Ticket, status: int, headers: Mapping[str, str], now: float) -> None:
        self._remaining = int(headers["X-RateLimit-Remaining"])
