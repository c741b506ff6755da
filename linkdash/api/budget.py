"""The request budget as a scheduler: who may send next, when, and why the others wait.

It does no I/O and has no clock: every method is handed `now` in monotonic seconds. `allowance` knows what the
service has left, `window` when there will be more, `pacing` what each lane leaves to others; here is the
queue.
"""

import random
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from linkdash.api import allowance_json
from linkdash.api.allowance import Allowance
from linkdash.api.pacing import CATCH_UP, Lane, duration, falls_below, floor, reserve
from linkdash.api.quotes import Quote, quote
from linkdash.api.rate_headers import LONGEST_PROVEN_RESET, parse_rate_headers

__all__ = ["TOO_MANY_REQUESTS", "Budget", "BudgetState", "Lane", "Quote", "Ticket", "Waiting"]

TOO_MANY_REQUESTS = 429
ABANDONED = 10.0
"""Seconds after which a request of another program on the key counts as lost: that program may be gone."""


@dataclass(slots=True, eq=False)
class Ticket:
    """The place of one request: in the queue, on its way, then over. Moments are monotonic seconds."""

    lane: Lane
    label: str
    queued_at: float
    sent_at: float | None = None
    number: int = 0
    """Which request of the key it is, in the order of sending; 0 while it waits."""
    probe: bool = False
    """Whether it was sent to find out more than was known."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request in the queue, for people to read; `since` is in monotonic seconds."""

    label: str
    lane: Lane
    since: float


@dataclass(frozen=True, slots=True)
class BudgetState:
    """What can be said about the budget at one moment. All times are in seconds."""

    limit: int | None
    remaining: int | None
    """What may still be sent on what is known: never more than the service granted."""
    reset_in: float | None
    window: float | None
    in_flight: int
    queued: tuple[Waiting, ...]
    paused_for: float | None
    """How long the whole key still waits after a refusal."""
    reason: str | None
    """Why the queue waits, in words; None if nothing waits."""

    @property
    def known(self) -> bool:
        """Whether the service has told what is left."""
        return self.remaining is not None

    @property
    def renewed(self) -> bool:
        """Whether the window is over: there is probably more than `remaining`, and the next answer tells."""
        return self.reset_in == 0


class Budget:
    """Decides which of the waiting requests goes next, so that the service need not refuse any.

    `jitter` returns a number from 0 to 1. No more than `max_in_flight` requests are on their way at once,
    unless there is plenty: someone else on the same key could be spending what is thought to be left.
    """

    def __init__(self, *, jitter: Callable[[], float] = random.random, max_in_flight: int = 3) -> None:
        self._allowance = Allowance()
        self._jitter = jitter
        self._max_in_flight = max_in_flight
        self._in_flight: set[Ticket] = set()
        self._queues: dict[Lane, deque[Ticket]] = {lane: deque() for lane in Lane}

    def enqueue(self, lane: Lane, label: str, now: float) -> Ticket:
        """Take a place in the queue."""
        ticket = Ticket(lane, label, queued_at=now)
        self._queues[lane].append(ticket)
        return ticket

    def due(self, now: float) -> Ticket | None:
        """Charge and return the next request if it may go now. Call it again until it returns None."""
        ticket = self._next()
        opens_at = self._opens_at(ticket.lane) if ticket else None
        if ticket is None or opens_at is None or opens_at > now:
            return None
        self._queues[ticket.lane].popleft()
        free = self._allowance.free
        ticket.probe = free is None or free <= floor(ticket.lane, self._allowance.window, now)
        ticket.number = self._allowance.send(now, probe=ticket.probe)
        ticket.sent_at = now
        self._in_flight.add(ticket)
        if ticket.lane is Lane.BACKGROUND:
            self._allowance.background_at = now
        return ticket

    def wake_at(self, now: float) -> float | None:
        """The moment to ask `due` again if nothing else happens; None if only an answer can help."""
        ticket = self._next()
        opens_at = self._opens_at(ticket.lane) if ticket else None
        return None if opens_at is None else max(now, opens_at)

    def answered(self, ticket: Ticket, status: int, headers: Mapping[str, str], now: float) -> None:
        """End a request with its answer (reference: Limits). Ending it once more changes nothing."""
        if not self._end(ticket):
            return
        if status == TOO_MANY_REQUESTS:
            rate = parse_rate_headers(headers, LONGEST_PROVEN_RESET)
            self._allowance.refuse(ticket.number, rate, now, self._jitter())
        else:
            rate = parse_rate_headers(headers, self._allowance.window.longest)
            self._allowance.answer(ticket.number, rate, now)

    def lost(self, ticket: Ticket, now: float) -> None:
        """End a request whose answer will not come. It stays charged until a later answer tells more."""
        if self._end(ticket):
            self._allowance.lose(ticket.number)

    def not_sent(self, ticket: Ticket, now: float) -> None:
        """End a request which was let through but never left this machine."""
        if self._end(ticket):
            self._allowance.take_back(ticket.number)

    def cancel(self, ticket: Ticket, now: float) -> None:
        """Nobody waits for it any more: it leaves the queue, or counts as lost if it is on its way."""
        if ticket.sent_at is not None:
            self.lost(ticket, now)
        elif ticket in self._queues[ticket.lane]:
            self._queues[ticket.lane].remove(ticket)

    def state(self, now: float) -> BudgetState:
        """Return what can be shown of the budget now."""
        known, paused_for = self._allowance, self._allowance.paused_until - now
        return BudgetState(
            limit=known.window.limit,
            remaining=None if known.free is None else max(0, known.free),
            reset_in=known.window.reset_in(now),
            window=known.window.length,
            in_flight=len(self._in_flight),
            queued=tuple(Waiting(t.label, t.lane, t.queued_at) for lane in Lane for t in self._queues[lane]),
            paused_for=paused_for if paused_for > 0 else None,
            reason=self._reason(now),
        )

    def mark(self) -> Hashable:
        """Return a value that changes whenever the state changes by more than the passing of time."""
        known, waiting = self._allowance, tuple(len(queue) for queue in self._queues.values())
        return (
            known.free,
            known.window.limit,
            known.window.renewal,
            known.paused_until,
            len(self._in_flight),
            waiting,
        )

    def quote(self, requests: int, now: float, lane: Lane = Lane.BACKGROUND) -> Quote:
        """Say how many of so many requests could go now, and when the last of them could."""
        ahead = sum(len(self._queues[other]) for other in Lane if other <= lane)
        return quote(self._allowance, requests, ahead, lane, now)

    def snapshot(self, now: float, shift: float) -> str:
        """Return what is known of the key, for other programs on it; `shift` leads to a clock they share."""
        return allowance_json.encode(self._allowance, now, shift)

    def adopt(self, text: str, now: float, shift: float) -> None:
        """Take over what another program knows of the key, unless it cannot be read or is long ago."""
        found = allowance_json.decode(text, now, shift)
        if found:
            self._allowance = found

    def abandon(self, now: float) -> bool:
        """Count as lost what other programs sent long ago and never ended; return whether there was any."""
        return self._allowance.abandon(now - ABANDONED, {ticket.number for ticket in self._in_flight})

    def _next(self) -> Ticket | None:
        return next((queue[0] for queue in self._queues.values() if queue), None)

    def _end(self, ticket: Ticket) -> bool:
        if ticket not in self._in_flight:
            return False
        self._in_flight.remove(ticket)
        return True

    def _opens_at(self, lane: Lane) -> float | None:
        """The moment from which a request of this lane may go; None if that hangs on an answer."""
        known, free, window = self._allowance, self._allowance.free, self._allowance.window
        if self._is_full(lane):
            return None
        if free is None:
            return None if known.in_flight else known.paused_until
        kept = reserve(lane, window)
        moments = [falls_below(free, lane, window)] if free > kept else []
        if known.may_probe:
            moments.append(known.probe_at(kept))
        if not moments:
            return None
        spaced = lane is Lane.BACKGROUND and window.trickles
        not_before = known.background_at + CATCH_UP * window.spacing if spaced else 0.0
        return max(min(moments), not_before, known.paused_until)

    def _is_full(self, lane: Lane) -> bool:
        """Whether enough requests are on their way; one place is always kept for a person."""
        most = max(self._max_in_flight, (self._allowance.free or 0) // 10)
        kept = 1 if lane >= Lane.REFRESH and most > 1 else 0
        return len(self._in_flight) >= most - kept

    def _reason(self, now: float) -> str | None:
        ticket, known = self._next(), self._allowance
        if ticket is None:
            return None
        if known.paused_until > now:
            return f"the service refused a request: all wait {duration(known.paused_until - now)}"
        if self._is_full(ticket.lane):
            return "enough requests are on their way"
        opens_at = self._opens_at(ticket.lane)
        if opens_at is None or known.free is None:
            return "one request is finding out what is left"
        wait = f"next request in {duration(max(0.0, opens_at - now))}"
        if known.free > reserve(ticket.lane, known.window):
            return f"background leaves room for you: {wait}"
        if known.free > 0:
            return f"the last {known.free} are kept for you: {wait}"
        return f"the window is used up: {wait}"
