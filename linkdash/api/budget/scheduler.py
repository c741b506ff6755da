"""The scheduler of the request budget: which request goes next, when, and why the others wait.

It does no I/O and has no clock: every method is handed `now` in monotonic seconds. `account` knows what the
service has left and when there will be more, and `lanes` what each lane leaves to others; here is the queue.
"""

import random
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from linkdash.api.budget.account import BudgetAccount, decode, encode
from linkdash.api.budget.lanes import CATCH_UP, Lane, duration, floor, least_kept, pace, reserve
from linkdash.api.budget.quote import Quote, quote
from linkdash.api.budget.rate_headers import LONGEST_PROVEN_RESET, ServiceClock, parse_rate_headers, refuses
from linkdash.api.budget.refusals import LimitRefusal, Suspicion

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
    """True if it was sent to learn more than was known."""


class Waiting(NamedTuple):
    """A request in the queue, for people to read; `since` is in monotonic seconds."""

    label: str
    lane: Lane
    since: float


class Level(StrEnum):
    """The remaining budget, in a word."""

    PLENTY = "plenty"
    LOW = "low"
    NEARLY_NONE = "almost none"
    NONE = "none"

    @classmethod
    def of(cls, remaining: int) -> "Level":
        """The word for so many requests left."""
        if remaining > 10:
            return cls.PLENTY
        if remaining > 3:
            return cls.LOW
        return cls.NEARLY_NONE if remaining > 0 else cls.NONE


class BudgetState(NamedTuple):
    """The budget at one moment. All times are in seconds."""

    limit: int | None
    remaining: int | None
    """The number of requests left, as far as that can be said now; None before the first answer."""
    granted: int | None
    """The number that may still be sent on what the service told: never more than that."""
    estimated: bool
    """True if `remaining` is not from the service: it does not tell, or the window has turned since."""
    reset_in: float | None
    """Until the window is over or, if the service does not tell that, until all should be there again."""
    window: float | None
    in_flight: int
    queued: tuple[Waiting, ...]
    paused_for: float | None
    """The time that the whole key still waits after a refusal."""
    reason: str | None
    """When the next of the queue goes and why it waits, in words; None if nothing waits."""
    refusals: int = 0
    """The number of requests that the service has refused in a row."""
    limit_is_estimated: bool = False
    """True if `limit` is not from the service."""

    @property
    def known(self) -> bool:
        """Return whether anything can be said about what is left."""
        return self.remaining is not None

    @property
    def renewed(self) -> bool:
        """Return whether the window is over: probably more than `granted` is left, the next answer tells."""
        return self.reset_in == 0

    @property
    def level(self) -> Level | None:
        """Return the level of what is left; None if that is not known."""
        return None if self.remaining is None else Level.of(self.remaining)

    @property
    def limit_words(self) -> str:
        """The limit and who says so: `30 in 60 s, as the service says`; "" before the first answer."""
        if self.limit is None or self.window is None:
            return ""
        source = "estimated" if self.limit_is_estimated else "as the service says"
        return f"{self.limit:,} in {self.window:,.0f} s, {source}"

    @property
    def queue(self) -> str:
        """The queue in words: `1 request waits: next in 2 s (9 kept for what you do next)`; "" for none."""
        count = len(self.queued)
        requests = "1 request waits" if count == 1 else f"{count:,} requests wait"
        return f"{requests}: {self.reason}" if self.reason else ""


class Budget:
    """The order of the waiting requests: the next one, so that the service need not refuse any.

    `jitter` returns a number from 0 to 1. No more than `max_in_flight` requests are on their way at once,
    unless there is plenty: someone else on the same key could be spending what is thought to be left.
    """

    def __init__(self, *, jitter: Callable[[], float] = random.random, max_in_flight: int = 3) -> None:
        self._account = BudgetAccount()
        self._suspicion = Suspicion()
        self._service_clock = ServiceClock()
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
        opens_at = self._opens_at(ticket.lane, now) if ticket else None
        if ticket is None or opens_at is None or opens_at > now:
            return None
        self._queues[ticket.lane].popleft()
        ticket.probe = self._is_probe(ticket.lane, now)
        ticket.number = self._account.send(now, probe=ticket.probe)
        ticket.sent_at = now
        self._in_flight.add(ticket)
        if ticket.lane >= Lane.TASK:
            self._account.background_at = now
        return ticket

    def wake_at(self, now: float) -> float | None:
        """The moment to ask `due` again if nothing else happens; None if only an answer can help."""
        ticket = self._next()
        opens_at = self._opens_at(ticket.lane, now) if ticket else None
        return None if opens_at is None else max(now, opens_at)

    @property
    def is_person_next(self) -> bool:
        """Return whether the next request is one that the user asked for."""
        ticket = self._next()
        return ticket is not None and ticket.lane <= Lane.TASK

    def judge(
        self,
        ticket: Ticket,
        status: int,
        headers: Mapping[str, str],
        *,
        rejected: bool | None,
        said_no: bool = False,
        in_words: bool = False,
    ) -> LimitRefusal:
        """Say whether an answer is a refusal for the rate, before its ticket is ended with that.

        `said_no` says of any request whether the service said no to it with status 200, `rejected` the same
        of one that cannot be wrong, `in_words` that it said so in words about too many requests.
        """
        if refuses(status, headers, said_no=said_no):
            return LimitRefusal.TOLD
        if (rejected or in_words) and parse_rate_headers(headers).remaining:
            return LimitRefusal.NONE
        return self._suspicion.judge(ticket.label, rejected=rejected, in_words=in_words)

    def is_worth_asking_again(self, refusal: LimitRefusal, *, in_words: bool) -> bool:
        """Return whether a read that was refused may well be granted when its turn comes again."""
        if refusal in (LimitRefusal.TOLD, LimitRefusal.SUSPECTED):
            return True
        if in_words and refusal is LimitRefusal.SURE:
            return True
        return refusal is LimitRefusal.SURE and self._suspicion.is_proven

    def answered(
        self,
        ticket: Ticket,
        status: int,
        headers: Mapping[str, str],
        now: float,
        *,
        refusal: LimitRefusal | None = None,
        ahead: float = 0.0,
    ) -> None:
        """End a request with its answer (reference: Limits). Ending it once more changes nothing.

        `refusal` is what `judge` said; without it status and headers tell. `ahead` are the seconds that lead
        from `now` to the time of day, for a service that does not tell it.
        """
        if not self._end(ticket):
            return
        known = self._account
        is_refused = refuses(status, headers) if refusal is None else refusal is not LimitRefusal.NONE
        if refusal is LimitRefusal.SUSPECTED:
            known.doubt(ticket.number, now)
        elif is_refused:
            rate = self._service_clock.read(headers, ticket.sent_at or now, now, ahead, LONGEST_PROVEN_RESET)
            known.refuse(ticket.number, rate, now, self._jitter())
        else:
            rate = self._service_clock.read(headers, ticket.sent_at or now, now, ahead, known.longest_reset)
            known.answer(ticket.number, rate, now)

    def lost(self, ticket: Ticket, now: float) -> None:
        """End a request whose answer will not come. It stays charged until a later answer tells more."""
        if self._end(ticket):
            self._account.lose(ticket.number, now)

    def not_sent(self, ticket: Ticket) -> None:
        """End a request which was let through but never left this machine."""
        if self._end(ticket):
            self._account.take_back(ticket.number)

    def cancel(self, ticket: Ticket, now: float) -> None:
        """It is not waited for any more: it leaves the queue, or counts as lost if it is on its way."""
        if ticket.sent_at is not None:
            self.lost(ticket, now)
        elif ticket in self._queues[ticket.lane]:
            self._queues[ticket.lane].remove(ticket)

    def state(self, now: float) -> BudgetState:
        """Return what can be shown of the budget now."""
        known, paused_for = self._account, self._account.paused_until - now
        free, seen = known.free(now), known.seen(now)
        return BudgetState(
            limit=known.size if known.counts else known.limit,
            remaining=None if seen is None else max(0, seen),
            granted=None if free is None else max(0, free),
            estimated=known.counts or seen != free,
            reset_in=known.reset_in(now),
            window=known.window if known.limit or known.counts else None,
            in_flight=len(self._in_flight),
            queued=tuple(Waiting(t.label, t.lane, t.queued_at) for lane in Lane for t in self._queues[lane]),
            paused_for=paused_for if paused_for > 0 else None,
            reason=self._reason(now),
            refusals=known.refusals,
            limit_is_estimated=known.counts,
        )

    def mark(self) -> Hashable:
        """Return a value that changes whenever the state changes by more than the passing of time."""
        known, waiting = self._account, tuple(len(queue) for queue in self._queues.values())
        return known.mark(), len(self._in_flight), waiting

    def quote(self, requests: int, now: float, lane: Lane = Lane.BACKGROUND) -> Quote:
        """Say how many of so many requests could go now, and when the last of them could."""
        ahead = sum(len(self._queues[other]) for other in Lane if other <= lane)
        return quote(self._account, requests, ahead, lane, now)

    def snapshot(self, now: float, shift: float) -> str:
        """Return what is known of the key, for other programs on it; `shift` leads to a clock they share."""
        return encode(self._account, now, shift)

    def adopt(self, text: str, now: float, shift: float) -> None:
        """Take over what another program knows of the key, unless it cannot be read or is long ago."""
        found = decode(text, now, shift)
        if found:
            self._account = found

    def abandon(self, now: float) -> bool:
        """Count as lost what other programs sent long ago and never ended; return whether there was any."""
        return self._account.abandon(now - ABANDONED, {ticket.number for ticket in self._in_flight}, now)

    def _next(self) -> Ticket | None:
        return next((queue[0] for queue in self._queues.values() if queue), None)

    def _end(self, ticket: Ticket) -> bool:
        if ticket not in self._in_flight:
            return False
        self._in_flight.remove(ticket)
        return True

    def _opens_at(self, lane: Lane, now: float) -> float | None:
        """The moment from which a request of this lane may go; None if that hangs on an answer."""
        known, free = self._account, self._account.free(now)
        if self._is_full(lane, now) or (known.counts and known.refusals and known.in_flight):
            return None
        if free is None:
            return None if known.in_flight else known.paused_until
        moment = self._enough_at(lane, free, now)
        if moment is None and known.counts:
            moment = self._counted_at(lane, free, now)
        if not known.counts and not known.is_probing and (free > 0 or not known.in_flight):
            lacking = max(0, reserve(lane, known) - max(0, free)) if known.trickles else 0
            probe_at = known.renewal + known.margin + lacking * known.spacing
            moment = probe_at if moment is None else min(moment, probe_at)
        return None if moment is None else max(moment, known.paused_until)

    def _enough_at(self, lane: Lane, free: int, now: float) -> float | None:
        """The moment from which what is free now is enough for a lane."""
        known = self._account
        if free > floor(lane, known, now):
            spaced = lane >= Lane.BACKGROUND and known.is_even
            return known.background_at + CATCH_UP * known.spacing if spaced else 0.0
        if free > least_kept(lane, known) and known.reset_in(now) is not None and not known.counts:
            return known.renewal - free / pace(known) + 0.001
        return None

    def _counted_at(self, lane: Lane, free: int, now: float) -> float | None:
        """The moment at which enough of what is counted here is a window old."""
        known = self._account
        counting, lacking = known.counting(now), int(floor(lane, known, now) - free)
        return counting[lacking] + known.window + 0.1 if lacking < len(counting) else None

    def _is_probe(self, lane: Lane, now: float) -> bool:
        """Return whether a request of this lane goes to learn more than is known."""
        known, free = self._account, self._account.free(now)
        return free is None or (known.refusals > 0 if known.counts else free <= floor(lane, known, now))

    def _is_full(self, lane: Lane, now: float) -> bool:
        """Return whether enough requests are on their way; one place is always kept for the user."""
        most = max(self._max_in_flight, (self._account.free(now) or 0) // 10)
        kept = 1 if lane >= Lane.REFRESH and most > 1 else 0
        return len(self._in_flight) >= most - kept

    def _reason(self, now: float) -> str | None:
        ticket, known = self._next(), self._account
        if ticket is None:
            return None
        if known.paused_until > now:
            return f"next in {duration(known.paused_until - now)} (the service refused a request)"
        if self._is_full(ticket.lane, now):
            return "waiting for an answer"
        opens_at, free = self._opens_at(ticket.lane, now), known.free(now)
        if opens_at is None or free is None:
            return "finding out what is left"
        wait = f"next in {duration(max(0.0, opens_at - now))}"
        if free <= 0:
            return f"{wait} (no request is left)"
        is_paced = known.counts or free > reserve(ticket.lane, known)
        return f"{wait} ({'yours go first' if is_paced else f'{free} kept for what you do next'})"
