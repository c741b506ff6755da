"""The gate of the request budget: a request awaits its turn here, and its end is told here.

What passes is written into the ledger. Programs on the same key meet in a `SharedBudget`, here or elsewhere.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.ledger import Ledger, RequestOutcome, SentRequest
from linkdash.api.budget.quote import Quote
from linkdash.api.budget.refusals import LimitRefusal
from linkdash.api.budget.scheduler import Budget, BudgetState, Ticket
from linkdash.api.observers import Observers

_BUSY = 0.005  # seconds until the next try while another program has what is shared
_LAST_TRIES, _LAST_PAUSE = 50, 0.001  # the same, in seconds, for a program that ends
_LEARNS_WITHIN = 2.0  # seconds, beyond which what others know is not waited for
_LOOKS_EVERY = 30.0  # seconds at most until what waits looks at the clock: timers stand still in sleep
_WATCHED = 2.0  # seconds until a program which only shows the budget does

NOT_SHARED = "this program does not share its budget"
"""The reason of a gate that was made without a budget to share."""


def sleepless_clock() -> float:
    """Seconds on a monotonic clock that goes on while the machine sleeps, as the service's windows do."""
    if sys.platform == "win32":
        return time.monotonic()
    return time.clock_gettime(time.CLOCK_BOOTTIME if sys.platform == "linux" else time.CLOCK_MONOTONIC)


class SharedBudget(Protocol):
    """The knowledge that several programs on one key share."""

    @property
    def sharing(self) -> str | None:
        """The reason why nothing is shared; None while it is."""
        ...

    @property
    def looks_every(self) -> float:
        """Seconds until a program whose requests wait looks by itself at what the others have learned."""
        ...

    @property
    def spread(self) -> float:
        """Seconds over which programs come back that could all go at the same moment, unless for the user."""
        ...

    def watch(self, heard: Callable[[], None]) -> None:
        """Have `heard` called, from any thread, when a `rewrite` that was asked for can be made now."""
        ...

    def rewrite(self, change: Callable[[str | None], str]) -> bool:
        """Hand `change` what is shared and keep what it returns; no other program comes in between.

        Nothing waits for it.

        Returns False if it was not called: another program was at it, or sharing has just ended.
        """
        ...

    def wall(self) -> float:
        """Seconds since 1970 by the clock that the programs have in common."""
        ...

    def close(self) -> None:
        """End the sharing after what was changed is kept."""
        ...


class Gate:
    """The gate that requests pass in their order.

    `clock` is monotonic; `wall` is the clock it has in common with the other programs on its key. `jitter`
    returns a number from 0 to 1.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        *,
        clock: Callable[[], float] = sleepless_clock,
        wall: Callable[[], float] = time.time,
        shared: SharedBudget | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.ledger = Ledger()
        self._budget = budget or Budget()
        self.now = clock
        """The moment by the clock that the ledger goes by, in seconds."""
        self._wall = wall
        self._shared = shared
        self._jitter = jitter
        self._known: str | None = None
        self._learned = asyncio.Event()
        self._closed = False
        self._turns: dict[Ticket, asyncio.Future[None]] = {}
        self._open: set[Ticket] = set()
        self._ends: list[Callable[[], None]] = []
        self._changed = Observers()
        self._timer: asyncio.TimerHandle | None = None
        self._mark = self._budget.mark()
        self._loop: asyncio.AbstractEventLoop | None = None
        if shared is not None:
            shared.watch(self._heard)

    @property
    def state(self) -> BudgetState:
        """Return the budget as it can be shown now."""
        return self._budget.state(self.now())

    @property
    def sharing(self) -> str | None:
        """The reason why the budget is not shared with other programs on the key; None while it is."""
        return self._shared.sharing if self._shared else NOT_SHARED

    async def learn(self) -> None:
        """Learn what the other programs on the key know, which can take a moment; nothing is sent."""
        self._learned.clear()
        self._advance()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LEARNS_WITHIN):
                await self._learned.wait()

    def quote(self, requests: int, lane: Lane = Lane.BACKGROUND) -> Quote:
        """Say how many of so many requests could go now, and when the last of them could."""
        return self._budget.quote(requests, self.now(), lane)

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when the state changed by more than the passing of time; the result ends that."""
        if self._shares and self._timer is None:
            self._come_back_in(_WATCHED)
        return self._changed.watch(listener)

    def close(self) -> None:
        """Do nothing by itself any more and let no request through. Waiting ones must be cancelled elsewhere.

        What has ended is still told to the other programs on the key, which can take some milliseconds.
        """
        self._stop_timer()
        self._changed.close()
        self._closed = True
        for _ in range(_LAST_TRIES):
            if not (self._ends and self._shares and self._shared) or self._shared.rewrite(self._merged):
                break
            time.sleep(_LAST_PAUSE)

    async def admit(self, lane: Lane, label: str) -> Ticket:
        """Wait for a turn. The caller ends the ticket by exactly one of `answered`, `lost` and `not_sent`."""
        self._loop = asyncio.get_running_loop()
        ticket = self._budget.enqueue(lane, label, self.now())
        turn = self._turns[ticket] = self._loop.create_future()
        self._advance()
        try:
            await turn
        except asyncio.CancelledError:
            self._withdraw(ticket)
            raise
        return ticket

    def answered(
        self,
        ticket: Ticket,
        status: int,
        headers: Mapping[str, str],
        *,
        rejected: bool | None = None,
        said_no: bool = False,
        in_words: bool = False,
    ) -> LimitRefusal:
        """End a ticket with its answer (reference: Limits). Returns whether it was refused for the
        rate, as far as a read is worth asking again.

        `rejected` says of a request that cannot be wrong in itself whether the service said no to it all the
        same: some refuse for the rate like that. It is None for requests that can be wrong. `said_no` says of
        any that it said no with status 200, `in_words` that it did so in words about too many requests.
        """
        now = self.now()
        ahead = self._wall() - now
        refusal = self._budget.judge(
            ticket, status, headers, rejected=rejected, said_no=said_no, in_words=in_words
        )
        outcome = RequestOutcome.ANSWERED if refusal is LimitRefusal.NONE else RequestOutcome.REFUSED
        self._end(
            ticket,
            outcome,
            status,
            lambda: self._budget.answered(ticket, status, headers, now, refusal=refusal, ahead=ahead),
        )
        is_worth = self._budget.is_worth_asking_again(refusal, in_words=in_words)
        return refusal if is_worth else LimitRefusal.NONE

    def lost(self, ticket: Ticket) -> None:
        """End a ticket whose request may have reached the service, but whose answer will not come."""
        now = self.now()
        self._end(ticket, RequestOutcome.LOST, None, lambda: self._budget.lost(ticket, now))

    def not_sent(self, ticket: Ticket) -> None:
        """End a ticket whose request never left this machine."""
        if ticket in self._open:
            self._give_up(ticket, lambda: self._budget.not_sent(ticket))

    def _end(
        self, ticket: Ticket, outcome: RequestOutcome, status: int | None, end: Callable[[], None]
    ) -> None:
        """Record the end of a ticket and tell the budget at once, or as soon as what is shared is free."""
        if ticket not in self._open or ticket.sent_at is None:
            return
        entry = SentRequest(
            ticket.label, ticket.lane, ticket.queued_at, ticket.sent_at, self.now(), outcome, status
        )
        self.ledger.record(entry)
        self._give_up(ticket, end)

    def _give_up(self, ticket: Ticket, end: Callable[[], None]) -> None:
        self._open.remove(ticket)
        self._ends.append(end)
        self._advance()

    def _withdraw(self, ticket: Ticket) -> None:
        """This turn is not waited for any more. If it came just now, nothing was sent with it yet."""
        if self._turns.pop(ticket, None) is None:
            self.not_sent(ticket)
        else:
            self._budget.cancel(ticket, self.now())
            self._advance()

    def _heard(self) -> None:
        """Another thread tells that it is our turn."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._take_turn)

    def _take_turn(self) -> None:
        if not self._closed:
            self._advance()

    def _advance(self) -> None:
        """Bring the budget up to date, let through whose turn it is, and come back for the next."""
        self._stop_timer()
        if not (self._shared and self._shared.rewrite(self._merged)):
            if self._shares:
                self._come_back_in(_BUSY)
                return
            self._step(self.now())
        self._learned.set()
        if not self._closed:
            self._rest(self.now())

    def _rest(self, now: float) -> None:
        """Come back when a request can go, and tell what has changed."""
        pauses = [wake_at - now] if (wake_at := self._wakes_at(now)) is not None else []
        if self._shares and self._shared and self._turns:
            pauses.append(self._shared.looks_every)
        elif self._shares and self._changed:
            pauses.append(_WATCHED)
        if pauses:
            self._come_back_in(max(0.0, min(*pauses, _LOOKS_EVERY)))
        self._tell(now)

    def _wakes_at(self, now: float) -> float | None:
        """The moment a request can go; where others come back at the same moment, people go first."""
        wake_at, shared = self._budget.wake_at(now), self._shared
        if wake_at is None or shared is None or self._budget.is_person_next:
            return wake_at
        return wake_at + self._jitter() * shared.spread

    @property
    def _shares(self) -> bool:
        return self._shared is not None and self._shared.sharing is None

    def _merged(self, known: str | None) -> str:
        """Act on what the programs on this key know together, and return what they know then."""
        now = self.now()
        shift = self._wall() - now
        if known and known != self._known:
            self._budget.adopt(known, now, shift)
        gone = self._budget.abandon(now)
        if self._step(now) or gone or not known:
            known = self._budget.snapshot(now, shift)
        self._known = known
        return known

    def _step(self, now: float) -> bool:
        """Tell the budget what has ended, let through whose turn it is; return whether there was any."""
        changed = bool(self._ends)
        for end in self._ends:
            end()
        self._ends.clear()
        while not self._closed and (ticket := self._budget.due(now)):
            self._let_through(ticket)
            changed = True
        return changed

    def _let_through(self, ticket: Ticket) -> None:
        turn = self._turns.pop(ticket)
        if turn.cancelled():
            self._budget.not_sent(ticket)
        else:
            self._open.add(ticket)
            turn.set_result(None)

    def _tell(self, now: float) -> None:
        mark = self._budget.mark()
        if mark == self._mark:
            return
        self._mark = mark
        state = self._budget.state(now)
        if state.remaining is not None:
            full_at = None if state.reset_in is None else now + state.reset_in
            self.ledger.sample(now, state.remaining, state.limit, full_at)
        self._changed()

    def _come_back_in(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(seconds, self._advance)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
