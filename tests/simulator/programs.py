"""Several programs on one key which share their budget as the gate and the shared file do."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.scheduler import Budget, Ticket

LOOK_AGAIN = 0.25


@dataclass(slots=True)
class Shared:
    """The knowledge that the programs share."""

    text: str | None = None


@dataclass(slots=True)
class Program:
    """A program: its own queue, and a budget that follows what is shared."""

    shared: Shared
    budget: Budget = field(default_factory=lambda: Budget(jitter=lambda: 0.5))
    waiting: int = 0
    seen: str | None = None

    def enqueue(self, lane: Lane, label: str, now: float) -> Ticket:
        self.waiting += 1
        return self.budget.enqueue(lane, label, now)

    def due(self, now: float) -> Ticket | None:
        self._adopt(now)
        ticket = self.budget.due(now)
        if ticket:
            self.waiting -= 1
            self._publish(now)
        return ticket

    def wake_at(self, now: float) -> float | None:
        if not self.waiting:
            return None
        wake_at = self.budget.wake_at(now)
        return now + LOOK_AGAIN if wake_at is None else min(wake_at, now + LOOK_AGAIN)

    def answered(self, ticket: Ticket, status: int, headers: Mapping[str, str], now: float) -> None:
        self._adopt(now)
        self.budget.answered(ticket, status, headers, now)
        self._publish(now)

    def lost(self, ticket: Ticket, now: float) -> None:
        self._adopt(now)
        self.budget.lost(ticket, now)
        self._publish(now)

    def cancel(self, ticket: Ticket, now: float) -> None:
        self.waiting -= 1
        self.budget.cancel(ticket, now)

    def _adopt(self, now: float) -> None:
        if self.shared.text is not None and self.shared.text is not self.seen:
            self.seen = self.shared.text
            self.budget.adopt(self.seen, now, shift=0.0)
        self.budget.abandon(now)

    def _publish(self, now: float) -> None:
        self.seen = self.shared.text = self.budget.snapshot(now, shift=0.0)
