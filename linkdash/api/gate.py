"""The asyncio shell around the request budget: a request awaits its turn here, and its end is told here."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from linkdash.api.budget import TOO_MANY_REQUESTS, Budget, BudgetState, Ticket
from linkdash.api.ledger import Entry, Ledger, Outcome
from linkdash.api.pacing import Lane, Quote

_LOOK_AGAIN = 0.25  # seconds: how often a waiting program looks at what the others of its key have learned
_BUSY = 0.005  # seconds until the next try when another program holds the shared budget


class SharedBudget(Protocol):
    """What several programs on one key know together."""

    @property
    def sharing(self) -> str | None:
        """Why nothing is shared, or None while it is."""

    def exchange(self, change: Callable[[str | None], str]) -> bool:
        """Hand what is shared to `change` and store what it returns, alone and without waiting.

        Returns False if another program has it just now: nothing was called, try again soon.
        """


class Gate:
    """Lets requests through in their turn. `max_in_flight` is for the budget it makes if none is handed in."""

    def __init__(
        self,
        budget: Budget | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        max_in_flight: int = 3,
        shared: SharedBudget | None = None,
    ) -> None:
        self.ledger = Ledger()
        self._budget = budget or Budget(max_in_flight=max_in_flight)
        self._clock = clock
        self._shared = shared
        self._waiters: dict[Ticket, asyncio.Future[None]] = {}
        self._listeners: list[Callable[[], None]] = []
        self._timer: asyncio.TimerHandle | None = None

    @property
    def state(self) -> BudgetState:
        """What can be shown of the budget now."""
        return self._budget.state(self._clock())

    def quote(self, requests: int, lane: Lane = Lane.BACKGROUND) -> Quote:
        """Say how many of so many requests could go now, and when the last of them could."""
        return self._budget.quote(requests, self._clock(), lane)

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever the state changed by more than the passing of time; the result ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    async def admit(self, lane: Lane, label: str) -> Ticket:
        """Wait for a turn. The caller ends the ticket by exactly one of `answered`, `lost` and `not_sent`."""
        ticket = self._budget.enqueue(lane, label, self._clock())
        turn = self._waiters[ticket] = asyncio.get_running_loop().create_future()
        self._advance()
        try:
            await turn
        except asyncio.CancelledError:
            self._withdraw(ticket)
            raise
        return ticket

    def answered(self, ticket: Ticket, status: int, headers: Mapping[str, str]) -> None:
        """End a ticket with its answer."""
        now = self._clock()
        self._record(
            ticket, Outcome.REFUSED if status == TOO_MANY_REQUESTS else Outcome.ANSWERED, now, status
        )
        self._budget.answered(ticket, status, headers, now)
        self._advance()

    def lost(self, ticket: Ticket) -> None:
        """End a ticket whose request may have reached the service, but whose answer will not come."""
        now = self._clock()
        self._record(ticket, Outcome.LOST, now)
        self._budget.lost(ticket, now)
        self._advance()

    def not_sent(self, ticket: Ticket) -> None:
        """End a ticket whose request never left this machine."""
        now = self._clock()
        self._record(ticket, Outcome.NOT_SENT, now)
        self._budget.not_sent(ticket, now)
        self._advance()

    def _withdraw(self, ticket: Ticket) -> None:
        """Nobody waits for this turn any more; if it came in the same moment, nothing was sent with it yet."""
        self._waiters.pop(ticket, None)
        if ticket.sent_at is not None:
            self.not_sent(ticket)
        else:
            self._budget.cancel(ticket, self._clock())
            self._advance()

    def _record(self, ticket: Ticket, outcome: Outcome, now: float, status: int | None = None) -> None:
        if ticket.over or ticket.sent_at is None:
            return
        self.ledger.record(
            Entry(ticket.label, ticket.lane, ticket.queued_at, ticket.sent_at, now, outcome, status)
        )

    def _advance(self) -> None:
        """Let everyone through whose turn it is, and come back when the next one's is."""
        now = self._clock()
        while ticket := self._budget.due(now):
            turn = self._waiters.pop(ticket)
            if turn.done():
                self._budget.not_sent(ticket, now)
            else:
                turn.set_result(None)
        if self._timer:
            self._timer.cancel()
            self._timer = None
        wake_at = self._budget.wake_at(now)
        if wake_at is not None:
            self._timer = asyncio.get_running_loop().call_later(wake_at - now, self._advance)
        state = self._budget.state(now)
        if state.remaining is not None:
            self.ledger.sample(now, state.remaining, state.limit)
        for listener in tuple(self._listeners):
            listener()
