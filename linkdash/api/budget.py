"""The request budget as a scheduler: who may send next, when, and why the others wait.

It does no I/O and has no clock: every method is handed `now` in monotonic seconds. `allowance` knows what the
service has left, `window` when there will be more; here is what each lane leaves to others, how long requests
take, and the queue.
"""

import math
import random
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import NamedTuple

from linkdash.api.allowance import Allowance, decode, encode
from linkdash.api.rate_headers import LONGEST_PROVEN_RESET, parse_rate_headers
from linkdash.api.window import Estimate, Refusal, Suspicion, Window

# ---- lanes, and what they cost ----

PERSON_RATE = 1.0
"""Requests a second that people cause at most: background keeps no more for the rest of a window."""

_TASK_RESERVE = 6
_SOON = 0.5  # seconds: where one comes back as soon as that, less has to be kept
_STALE = 4.0  # seconds of what others spend that is kept back: what is left is known from the last answer

CATCH_UP = 0.8
"""Background goes a little faster than a trickling service gives back, to make up for gaps."""


class Lane(IntEnum):
    """Who asks; a lower number goes first."""

    WRITE = 0
    READ = 1
    REFRESH = 2
    TASK = 3
    """What a person began and waits for: all pages, a bulk job, a comparison."""
    BACKGROUND = 4

    @property
    def purpose(self) -> str:
        """The lane in words."""
        return _PURPOSES[self]


_PURPOSES = (
    "your changes",
    "your reading",
    "screen refresh",
    "your tasks",
    "background",
)


def reserve(lane: Lane, window: Window) -> int:
    """The requests which a lane leaves untouched at any time."""
    if lane <= Lane.READ:
        return 0
    least = min(3 if lane is Lane.REFRESH else 2, window.size // 10)
    if not window.told:
        least = window.size // 7
    elif window.trickles:
        least = min(least, int(window.spacing / _SOON))
        least += round(3 * _STALE * window.foreign) + for_people(window.people, window.size, window.seconds)
    else:
        least += round(_STALE * window.foreign)
    return min(least, window.size // 2)


def for_people(asked: float, size: int, seconds: float) -> int:
    """What is kept for people where requests come back one by one: none waits long for the next then.

    They asked for so many in the last minute or so; `size` is how many the window of so many seconds has.
    """
    in_window = asked * min(seconds, 60.0) / 60.0
    return round(min(in_window / 4, size / 6))


def paced(lane: Lane) -> bool:
    """Whether a lane spreads its requests over the window."""
    return lane >= Lane.TASK


def estimated_reserve(lane: Lane, estimate: Estimate, window: Window) -> int:
    """The requests which a lane leaves untouched on a service that does not tell what is left."""
    if lane <= Lane.READ:
        return 0
    if lane is Lane.REFRESH:
        return min(3, estimate.reserve)
    if lane is Lane.TASK:
        return estimate.reserve
    above = max(0, estimate.limit - int(estimate.ceiling))
    return above + estimate.reserve + for_people(window.people, estimate.limit, estimate.seconds)


def task_reserve(limit: int) -> int:
    """The requests of a limit that a person's task leaves before it is paced like background."""
    return min(_TASK_RESERVE, limit // 5)


def held_back(lane: Lane, free: int, limit: int) -> bool:
    """Whether a lane is paced with so many free of a limit: a person's task is not while there is plenty."""
    return paced(lane) and (lane is not Lane.TASK or free <= task_reserve(limit))


def pace(window: Window) -> float:
    """Requests which background keeps back for each second until the reset, for people and for others."""
    return min(window.size / window.seconds, PERSON_RATE) + window.foreign


def floor(lane: Lane, window: Window, now: float) -> float:
    """More than this must be free so that a request of a lane may go on what is known."""
    kept = reserve(lane, window)
    if not paced(lane):
        return kept
    reset_in = window.reset_in(now)
    least = kept if reset_in is None else max(kept, reset_in * pace(window))
    return min(least, task_reserve(window.size)) if lane is Lane.TASK else least


def falls_below(free: int, lane: Lane, window: Window) -> float:
    """The moment from which a lane's floor is below what is free, which is more than its reserve."""
    if not held_back(lane, free, window.size):
        return 0.0
    return window.renewal - free / pace(window) + 0.001 if window.told else 0.0


def duration(seconds: float) -> str:
    """Seconds as people say them: 41 s, 3 min, 2 h 5 min."""
    whole = math.ceil(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes = math.ceil(whole / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


@dataclass(frozen=True, slots=True)
class Quote:
    """What a number of requests costs in time, as far as it can be known."""

    requests: int
    now: int
    later: int
    seconds: float | None
    """Seconds until the last of them may go; 0 if all go now, None if nothing is known yet."""

    def __str__(self) -> str:
        """Say it: `12 requests: 6 now, 6 in 41 s`."""
        total = "1 request" if self.requests == 1 else f"{self.requests} requests"
        if not self.later:
            return f"{total}: now"
        when = "once the budget is known" if self.seconds is None else f"in {duration(self.seconds)}"
        return f"{total}: {self.now} now, {self.later} {when}" if self.now else f"{total}: {when}"


def quote(allowance: Allowance, requests: int, ahead: int, lane: Lane, now: float) -> Quote:
    """Say how many of so many requests could go now and when the last could, after `ahead` others."""
    window, paused_for = allowance.window, max(0.0, allowance.paused_until - now)
    now_free = allowance.free(now)
    if now_free is None:
        at_once = 0 if allowance.in_flight or ahead or paused_for else min(1, requests)
        return Quote(requests, at_once, requests - at_once, 0.0 if at_once == requests else None)
    if allowance.is_estimate:
        return _estimated(allowance, requests, now_free - ahead, lane, now)
    renewed = now >= window.renewal and not window.trickles
    if renewed:  # a new one begins with the next request, which goes at once to find out
        window = replace(window, renewal=now + window.seconds)
    free = (window.size if renewed else now_free) - ahead
    finding_out = int(renewed and not ahead)
    at_once = 0 if paused_for else max(finding_out, _at_once(free, floor(lane, window, now)))
    if at_once >= requests:
        return Quote(requests, requests, 0, 0.0)
    in_window = max(at_once, free - reserve(lane, window))
    seconds = _seconds(window, requests, free, in_window, lane, now)
    return Quote(requests, at_once, requests - at_once, max(seconds, paused_for))


def _estimated(allowance: Allowance, requests: int, free: int, lane: Lane, now: float) -> Quote:
    """The same for a service that does not tell what is left."""
    estimate, wait = allowance.estimate, max(0.0, allowance.paused_until - now)
    kept = estimated_reserve(lane, estimate, allowance.window)
    above = task_reserve(estimate.limit) if lane is Lane.TASK else kept
    at_once = 0 if wait else max(0, min(free - above, 1 if lane is Lane.BACKGROUND else requests, requests))
    later = requests - at_once
    if not later:
        return Quote(requests, requests, 0, 0.0)
    if free - at_once <= kept:
        back_at = estimate.back_at(allowance.window.answered, kept - free + at_once + 1, now)
        wait = max(wait, 0.0 if back_at is None else back_at - now)
    return Quote(requests, at_once, later, wait + later * estimate.spacing)


def _at_once(free: int, least: float) -> int:
    """How many can go one after another while more than `least` are free."""
    return max(0, math.ceil(free - least))


def _seconds(window: Window, requests: int, free: int, in_window: int, lane: Lane, now: float) -> float:
    """Seconds until the last of the requests may go; `in_window` of them can before the window is over."""
    wait = max(0.0, window.renewal - now)
    if requests <= in_window:
        return wait - (free - requests + 1) / pace(window)
    rest = requests - in_window
    if window.trickles:
        return wait + (rest - 1) * window.spacing
    whole_windows, before = divmod(rest - 1, window.size - reserve(lane, window))
    wait += whole_windows * window.seconds
    free = window.size - before
    return wait + (window.seconds - free / pace(window) if held_back(lane, free, window.size) else 0.0)


# ---- turns ----

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


class Waiting(NamedTuple):
    """A request in the queue, for people to read; `since` is in monotonic seconds."""

    label: str
    lane: Lane
    since: float


class Level(StrEnum):
    """How much is left, in a word."""

    PLENTY = "plenty"
    LOW = "low"
    NEARLY_NONE = "nearly none"
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
    """What can be said about the budget at one moment. All times are in seconds."""

    limit: int | None
    remaining: int | None
    """How many requests are left, as far as that can be said now; None before the first answer."""
    granted: int | None
    """What may still be sent on what the service told: never more than that."""
    estimated: bool
    """Whether `remaining` is not what the service told: it does not tell, or the window has turned since."""
    reset_in: float | None
    """Until the window is over or, if the service does not tell that, until all should be there again."""
    window: float | None
    in_flight: int
    queued: tuple[Waiting, ...]
    paused_for: float | None
    """How long the whole key still waits after a refusal."""
    reason: str | None
    """When the next of the queue goes and why it waits, in words; None if nothing waits."""

    @property
    def known(self) -> bool:
        """Whether anything can be said about what is left."""
        return self.remaining is not None

    @property
    def renewed(self) -> bool:
        """Whether the window is over: there is probably more than `granted`, and the next answer tells."""
        return self.reset_in == 0

    @property
    def level(self) -> Level | None:
        """How much is left in a word; None if that is not known."""
        return None if self.remaining is None else Level.of(self.remaining)

    @property
    def queue(self) -> str:
        """The queue in words: `1 queued, next in 2 s (keeping some free for you)`; "" if nothing waits."""
        return f"{len(self.queued)} queued, {self.reason}" if self.reason else ""

    def queued_in(self, lane: Lane) -> int:
        """How many requests of a lane wait."""
        return sum(waiting.lane is lane for waiting in self.queued)


class Budget:
    """Decides which of the waiting requests goes next, so that the service need not refuse any.

    `jitter` returns a number from 0 to 1. No more than `max_in_flight` requests are on their way at once,
    unless there is plenty: someone else on the same key could be spending what is thought to be left.
    """

    def __init__(self, *, jitter: Callable[[], float] = random.random, max_in_flight: int = 3) -> None:
        self._allowance = Allowance()
        self._suspicion = Suspicion()
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
        ticket.number = self._allowance.send(now, probe=ticket.probe)
        ticket.sent_at = now
        self._in_flight.add(ticket)
        self._allowance.window.note(now, person=ticket.lane <= Lane.READ)
        if paced(ticket.lane):
            self._allowance.background_at = now
        return ticket

    def wake_at(self, now: float) -> float | None:
        """The moment to ask `due` again if nothing else happens; None if only an answer can help."""
        ticket = self._next()
        opens_at = self._opens_at(ticket.lane, now) if ticket else None
        return None if opens_at is None else max(now, opens_at)

    @property
    def is_person_next(self) -> bool:
        """Whether what goes next is what a person has asked for."""
        ticket = self._next()
        return ticket is not None and ticket.lane <= Lane.TASK

    def judge(
        self, ticket: Ticket, status: int, headers: Mapping[str, str], *, rejected: bool | None
    ) -> Refusal:
        """Say whether an answer is a refusal for the rate, before its ticket is ended with that.

        `rejected` says of a request that cannot be wrong whether the service said no to it with status 200.
        """
        if status == TOO_MANY_REQUESTS:
            return Refusal.SURE
        if rejected and parse_rate_headers(headers).remaining:
            return Refusal.NONE
        return self._suspicion.judge(ticket.label, rejected=rejected)

    def is_worth_asking_again(self, status: int, refusal: Refusal) -> bool:
        """Whether a read that was refused may well be granted when its turn comes again."""
        if status == TOO_MANY_REQUESTS or refusal is Refusal.SUSPECTED:
            return True
        return refusal is Refusal.SURE and self._suspicion.is_proven

    def answered(
        self,
        ticket: Ticket,
        status: int,
        headers: Mapping[str, str],
        now: float,
        *,
        refusal: Refusal | None = None,
        ahead: float = 0.0,
    ) -> None:
        """End a request with its answer (reference: Limits). Ending it once more changes nothing.

        `refusal` is what `judge` said; without it the status tells. `ahead` are the seconds that lead from
        `now` to the time of day, for a service that does not tell it.
        """
        if not self._end(ticket):
            return
        known = self._allowance
        if refusal is Refusal.SUSPECTED:
            known.doubt(ticket.number, now)
        elif status == TOO_MANY_REQUESTS or refusal is Refusal.SURE:
            rate = known.window.read(headers, ticket.sent_at or now, now, ahead, LONGEST_PROVEN_RESET)
            known.refuse(ticket.number, rate, now, self._jitter())
        else:
            rate = known.window.read(headers, ticket.sent_at or now, now, ahead, known.window.longest)
            known.answer(ticket.number, rate, now)

    def lost(self, ticket: Ticket, now: float) -> None:
        """End a request whose answer will not come. It stays charged until a later answer tells more."""
        if self._end(ticket):
            self._allowance.lose(ticket.number, now)

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
        free, seen = known.free(now), known.seen(now)
        return BudgetState(
            limit=known.limit,
            remaining=None if seen is None else max(0, seen),
            granted=None if free is None else max(0, free),
            estimated=known.is_estimate or seen != free,
            reset_in=known.reset_in(now),
            window=known.seconds,
            in_flight=len(self._in_flight),
            queued=tuple(Waiting(t.label, t.lane, t.queued_at) for lane in Lane for t in self._queues[lane]),
            paused_for=paused_for if paused_for > 0 else None,
            reason=self._reason(now),
        )

    def mark(self) -> Hashable:
        """Return a value that changes whenever the state changes by more than the passing of time."""
        known, waiting = self._allowance, tuple(len(queue) for queue in self._queues.values())
        return (
            known.mark(),
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
        return encode(self._allowance, now, shift)

    def adopt(self, text: str, now: float, shift: float) -> None:
        """Take over what another program knows of the key, unless it cannot be read or is long ago."""
        found = decode(text, now, shift)
        if found:
            self._allowance = found

    def abandon(self, now: float) -> bool:
        """Count as lost what other programs sent long ago and never ended; return whether there was any."""
        return self._allowance.abandon(now - ABANDONED, {ticket.number for ticket in self._in_flight}, now)

    def _next(self) -> Ticket | None:
        return next((queue[0] for queue in self._queues.values() if queue), None)

    def _end(self, ticket: Ticket) -> bool:
        if ticket not in self._in_flight:
            return False
        self._in_flight.remove(ticket)
        return True

    def _opens_at(self, lane: Lane, now: float) -> float | None:
        """The moment from which a request of this lane may go; None if that hangs on an answer."""
        known = self._allowance
        if self._is_full(lane, now):
            return None
        free = known.free(now)
        if free is None:
            return None if known.in_flight else known.paused_until
        moment = self._estimated_at(lane, free, now) if known.is_estimate else self._told_at(lane, free, now)
        return None if moment is None else max(moment, known.paused_until)

    def _told_at(self, lane: Lane, free: int, now: float) -> float | None:
        """The moment from which a lane may go on a service that tells what is left."""
        known, window = self._allowance, self._allowance.window
        kept = reserve(lane, window)
        moments = [falls_below(free, lane, window)] if free > kept else []
        if (probe_at := known.probe_at(kept, now)) is not None:
            moments.append(probe_at)
        if window.trickles and (fits_at := known.fits_at(kept)) is not None:
            moments.append(fits_at)
        if not moments:
            return None
        if window.trickles or not window.told:
            spacing = window.spacing * (CATCH_UP if window.told else 1.0)
            moments = [max(min(moments), self._spaced_at(lane, free, spacing))]
        return min(moments)

    def _estimated_at(self, lane: Lane, free: int, now: float) -> float | None:
        """The moment from which a lane may go on a service that does not tell."""
        known, estimate = self._allowance, self._allowance.estimate
        kept = estimated_reserve(lane, estimate, known.window)
        if known.refusals and known.in_flight:
            return None
        if free <= kept:
            return estimate.back_at(known.window.answered, kept - free + 1, now)
        return self._spaced_at(lane, free, estimate.spacing)

    def _spaced_at(self, lane: Lane, free: int, spacing: float) -> float:
        """The moment from which a lane keeps its distance to the request before."""
        is_paced = held_back(lane, free, self._allowance.limit or 1)
        return self._allowance.background_at + spacing if is_paced else 0.0

    def _is_probe(self, lane: Lane, now: float) -> bool:
        """Whether a request of this lane goes to find out more than is known."""
        known, free = self._allowance, self._allowance.free(now)
        if free is None or known.is_estimate:
            return free is None or known.refusals > 0
        return free <= floor(lane, known.window, now)

    def _is_full(self, lane: Lane, now: float) -> bool:
        """Whether enough requests are on their way; one place is always kept for a person."""
        most = max(self._max_in_flight, (self._allowance.free(now) or 0) // 10)
        kept = 1 if lane >= Lane.REFRESH and most > 1 else 0
        return len(self._in_flight) >= most - kept

    def _reason(self, now: float) -> str | None:
        ticket, known = self._next(), self._allowance
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
            return f"{wait} (the window is used up)"
        is_paced = known.is_estimate or free > reserve(ticket.lane, known.window)
        return f"{wait} (keeping {'some' if is_paced else f'the last {free}'} free for you)"
