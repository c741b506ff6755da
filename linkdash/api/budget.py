"""The request budget as a scheduler: who may send next, when, and why the others wait.

It does no I/O and has no clock: every method is handed `now` in monotonic seconds. `allowance.py` knows what the service
has left, `pacing.py` what each lane leaves to the others; here is the queue between them.
"""

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from linkdash.api.allowance import Allowance
from linkdash.api.pacing import Lane, Quote, duration, pace, reserve
from linkdash.api.rate_headers import parse_rate_headers

__all__ = ["Budget", "BudgetState", "Lane", "Quote", "Ticket", "Waiting"]

TOO_MANY_REQUESTS = 429


@dataclass(slots=True, eq=False)
class Ticket:
    """The place of one request: first in the queue, then on its way, then over."""

    lane: Lane
    label: str
    queued_at: float
    sent_at: float | None = None
    number: int = 0
    """Which request of the key it is, in the order of sending; 0 while it waits."""
    probe: bool = False
    """Whether it was sent to find out more than was known."""
    over: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request in the queue, for people to read."""

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
    renewed: bool
    """The window is over: the service has probably more than `remaining`, and the next answer tells."""

    @property
    def known(self) -> bool:
        """Whether the service has told what is left."""
        return self.remaining is not None


class Budget:
    """Decides which of the waiting requests goes next, so that the service never has to refuse one.

    `jitter` returns a number from 0 to 1. No more than `max_in_flight` requests are on their way at once, unless there
    is plenty: another program on the same key could spend what is thought to be left.
    """

    def __init__(self, *, jitter: Callable[[], float] = random.random, max_in_flight: int = 3) -> None:
        self.allowance = Allowance()
        self._jitter = jitter
        self._max_in_flight = max_in_flight
        self._in_flight: set[Ticket] = set()
        self._last_background = 0.0
        self._queues: dict[Lane, deque[Ticket]] = {lane: deque() for lane in Lane}

    def enqueue(self, lane: Lane, label: str, now: float) -> Ticket:
        """Take a place in the queue."""
        ticket = Ticket(lane, label, queued_at=now)
        self._queues[lane].append(ticket)
        return ticket

    def due(self, now: float) -> Ticket | None:
        """Charge and return the next request if it may go now. Call it again until it returns None."""
        ticket = self._next()
        if ticket is None:
            return None
        opens_at = self._opens_at(ticket.lane)
        if opens_at is None or opens_at > now:
            return None
        self._queues[ticket.lane].popleft()
        ticket.sent_at = now
        ticket.probe = not self._is_covered(ticket.lane, now)
        ticket.number = self.allowance.send(now, probe=ticket.probe)
        self._in_flight.add(ticket)
        if ticket.lane is Lane.BACKGROUND:
            self._last_background = now
        return ticket

    def wake_at(self, now: float) -> float | None:
        """The moment to ask `due` again if nothing else happens, or None if nothing but an answer can help."""
        ticket = self._next()
        opens_at = self._opens_at(ticket.lane) if ticket else None
        return None if opens_at is None else max(now, opens_at)

    def answered(self, ticket: Ticket, status: int, headers: Mapping[str, str], now: float) -> None:
        """End a request with its answer (reference: Limits). A ticket which is over already changes nothing."""
        if not self._end(ticket):
            return
        rate = parse_rate_headers(headers, self.allowance.window.longest)
        if status == TOO_MANY_REQUESTS:
            self.allowance.refuse(ticket.number, rate, now, self._jitter())
        else:
            self.allowance.answer(ticket.number, rate, now)

    def lost(self, ticket: Ticket, now: float) -> None:
        """End a request whose answer will not come. It stays charged until a later answer tells more."""
        if self._end(ticket):
            self.allowance.lose(ticket.number)

    def not_sent(self, ticket: Ticket, now: float) -> None:
        """End a request which was let through but never left this machine."""
        if self._end(ticket):
            self.allowance.unsent(ticket.number)

    def cancel(self, ticket: Ticket, now: float) -> None:
        """Nobody waits for it any more: it leaves the queue, or counts as lost if it is on its way."""
        if ticket.sent_at is not None:
            self.lost(ticket, now)
        elif not ticket.over:
            ticket.over = True
            self._queues[ticket.lane].remove(ticket)

    def state(self, now: float) -> BudgetState:
        """Return what can be shown of the budget now."""
        known, paused_for = self.allowance, self.allowance.paused_until - now
        reset_in = known.window.reset_in(now)
        return BudgetState(
            limit=known.window.limit,
            remaining=None if known.free is None else max(0, known.free),
            reset_in=reset_in,
            window=known.window.length,
            in_flight=len(self._in_flight),
            queued=tuple(Waiting(t.label, t.lane, t.queued_at) for lane in Lane for t in self._queues[lane]),
            paused_for=paused_for if paused_for > 0 else None,
            reason=self._reason(now),
            renewed=reset_in == 0,
        )

    def quote(self, requests: int, now: float, lane: Lane = Lane.BACKGROUND) -> Quote:
        """Say how many of so many requests could go now, and when the last of them could, if nobody else asks."""
        known, free = self.allowance, self.allowance.free
        if free is None:
            at_once = 0 if self._in_flight or known.paused_until > now else min(1, requests)
            return Quote(requests, at_once, requests - at_once, 0.0 if at_once == requests else None)
        wait = max(0.0, known.window.renewal - now)
        free = known.window.size if not wait else free
        kept = reserve(lane, known.window.size)
        ahead = sum(len(self._queues[other]) for other in Lane if other <= lane)
        here = max(0, free - kept - ahead)
        at_once = (
            0
            if known.paused_until > now
            else min(requests, here, max(0, int(free - self._floor(lane, now)) - ahead))
        )
        later = requests - at_once
        if not later:
            seconds = 0.0
        elif requests <= here:
            seconds = max(
                0.0, wait - (free - ahead - requests) / pace(known.window.size, known.window.seconds)
            )
        else:
            a_window = max(1, known.window.size - kept)
            windows = (requests - here) / a_window
            seconds = wait + known.window.seconds * (
                windows if lane is Lane.BACKGROUND else -(-(requests - here) // a_window) - 1
            )
        return Quote(requests, at_once, later, max(seconds, known.paused_until - now))

    def _next(self) -> Ticket | None:
        return next((queue[0] for queue in self._queues.values() if queue), None)

    def _end(self, ticket: Ticket) -> bool:
        if ticket not in self._in_flight:
            return False
        self._in_flight.remove(ticket)
        ticket.over = True
        return True

    def _opens_at(self, lane: Lane) -> float | None:
        """The moment from which a request of this lane may go; None if that hangs on an answer."""
        known, free = self.allowance, self.allowance.free
        if self._is_full(lane):
            return None
        if free is None:
            return None if known.in_flight else known.paused_until
        kept = reserve(lane, known.window.size)
        moments = []
        if free > kept:
            moments.append(self._paced_from(lane, free))
        if not known.probing:
            moments.append(known.probe_at(kept))
        if lane is Lane.BACKGROUND and known.window.trickles:
            moments = [max(moment, self._last_background + 0.9 * known.window.spacing) for moment in moments]
        return max(known.paused_until, min(moments)) if moments else None

    def _paced_from(self, lane: Lane, free: int) -> float:
        """The moment from which what is free is more than the lane's floor."""
        if lane is not Lane.BACKGROUND:
            return 0.0
        known = self.allowance
        if known.window.told:
            return known.window.renewal - free / pace(known.window.size, known.window.seconds) + 0.001
        return 0.0 if free > known.window.size / 2 else known.window.renewal

    def _floor(self, lane: Lane, now: float) -> float:
        """What must be free so that a request of this lane may go."""
        known = self.allowance
        kept = reserve(lane, known.window.size)
        if lane is not Lane.BACKGROUND:
            return kept
        reset_in = known.window.reset_in(now)
        return max(
            kept,
            known.window.size / 2
            if reset_in is None
            else reset_in * pace(known.window.size, known.window.seconds),
        )

    def _is_covered(self, lane: Lane, now: float) -> bool:
        """Whether a request goes on what is known; if not, it is a probe."""
        free = self.allowance.free
        return free is not None and free > self._floor(lane, now)

    def _is_full(self, lane: Lane) -> bool:
        """Whether enough requests are on their way; one place is always kept for a person."""
        most = max(self._max_in_flight, (self.allowance.free or 0) // 10)
        kept = 1 if lane >= Lane.REFRESH and most > 1 else 0
        return len(self._in_flight) >= most - kept

    def _reason(self, now: float) -> str | None:
        ticket = self._next()
        if ticket is None:
            return None
        known = self.allowance
        if known.paused_until > now:
            return f"the service refused a request: all wait {duration(known.paused_until - now)}"
        if self._is_full(ticket.lane):
            return "enough requests are on their way"
        if known.free is None:
            return "one request is finding out what is left"
        opens_at = self._opens_at(ticket.lane)
        if opens_at is None:
            return "one request is finding out what the new window holds"
        wait = duration(max(0.0, opens_at - now))
        if known.free > reserve(ticket.lane, known.window.size):
            return f"background leaves room for you: its next request in {wait}"
        if known.free > 0:
            return f"the last {known.free} are kept for you: next request in {wait}"
        return f"the window is used up: next request in {wait}"
