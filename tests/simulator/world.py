"""A simulated world: people and background work ask, a network delays, loses and reorders, a service counts.

Everything happens in a queue of events; nothing sleeps, and a run is decided by its seed alone.
"""

import heapq
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Generic, Protocol, TypeVar

from linkdash.api.budget.lanes import Lane
from tests.simulator.servers import Limiter, Spelling, headers

T = TypeVar("T")


class Scheduler(Protocol[T]):
    """The decision who sends when: the budget, or something naive in its place."""

    def enqueue(self, lane: Lane, label: str, now: float) -> T: ...

    def due(self, now: float) -> T | None: ...

    def wake_at(self, now: float) -> float | None: ...

    def answered(self, ticket: T, status: int, headers: Mapping[str, str], now: float) -> None: ...

    def lost(self, ticket: T, now: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Network:
    """Delays in seconds, losses as shares of all requests."""

    delay: float = 0.05
    jitter: float = 0.1
    slow: float = 0.02
    slow_delay: float = 3.0
    request_lost: float = 0.001
    answer_lost: float = 0.004
    deadline: float = 10.0

    def one_way(self, rng: random.Random) -> float:
        tail = rng.uniform(0, self.slow_delay) if rng.random() < self.slow else 0.0
        return self.delay + rng.expovariate(1 / self.jitter) + tail


class World(Generic[T]):
    """A service and the schedulers in front of it."""

    def __init__(
        self,
        schedulers: list[Scheduler[T]],
        limiter: Limiter,
        spelling: Spelling,
        seed: int,
        network: Network,
        clock_offset: float = 1_700_000_000.4,
    ) -> None:
        self.rng = random.Random(seed)
        self.now = 0.0
        self.granted: list[tuple[float, Lane]] = []
        self.refused: list[T] = []
        self.sent: list[tuple[T, Lane, float]] = []
        self._schedulers = schedulers
        self._limiter, self._spelling, self._network = limiter, spelling, network
        self._offset = clock_offset
        self._events: list[tuple[float, int, Callable[[], object]]] = []
        self._order = count()
        self._wakes = dict.fromkeys(range(len(schedulers)), 0.0)
        self._asked: dict[int, tuple[Lane, float, Callable[[], None]]] = {}

    @property
    def clock(self) -> float:
        """Return what the clock of the service shows."""
        return self.now + self._offset

    def at(self, moment: float, action: Callable[[], object]) -> None:
        """Let something happen at a moment."""
        heapq.heappush(self._events, (moment, next(self._order), action))

    def ask(self, who: int, lane: Lane, then: Callable[[], None] = lambda: None) -> T:
        """Ask a scheduler for a request of a lane; `then` is called when it is sent."""
        ticket = self._schedulers[who].enqueue(lane, lane.purpose, self.now)
        self._asked[id(ticket)] = (lane, self.now, then)
        self.pump(who)
        return ticket

    def run(self, seconds: float) -> None:
        """Let the time pass."""
        while self._events and self._events[0][0] <= seconds:
            self.now, _, action = heapq.heappop(self._events)
            action()
        self.now = seconds

    def pump(self, who: int) -> None:
        """Send whatever a scheduler lets go now."""
        scheduler = self._schedulers[who]
        while (ticket := scheduler.due(self.now)) is not None:
            lane, since, then = self._asked.pop(id(ticket))
            self.sent.append((ticket, lane, self.now - since))
            self._send(who, ticket, lane)
            self.at(self.now, then)
        wake_at = scheduler.wake_at(self.now)
        if wake_at is not None and wake_at != self._wakes[who]:
            self._wakes[who] = wake_at
            self.at(max(wake_at, self.now), lambda: self.pump(who))

    def _send(self, who: int, ticket: T, lane: Lane) -> None:
        rng, network = self.rng, self._network
        there, back = network.one_way(rng), network.one_way(rng)
        fate = rng.random()
        if fate < network.request_lost:
            self.at(self.now + network.deadline, lambda: self._lose(who, ticket))
        elif fate < network.request_lost + network.answer_lost:
            self.at(self.now + there, lambda: self._serve(who, ticket, lane, None))
            self.at(self.now + network.deadline, lambda: self._lose(who, ticket))
        else:
            self.at(self.now + there, lambda: self._serve(who, ticket, lane, back))

    def _serve(self, who: int, ticket: T, lane: Lane, back: float | None) -> None:
        there = self.clock
        verdict = self._limiter.request(there)
        if verdict.granted:
            self.granted.append((self.now, lane))
        else:
            self.refused.append(ticket)
        if back is not None:
            told = headers(verdict, self._limiter.limit, there, self._spelling)
            status = 200 if verdict.granted else 429
            self.at(self.now + back, lambda: self._answer(who, ticket, status, told))

    def _answer(self, who: int, ticket: T, status: int, told: Mapping[str, str]) -> None:
        self._schedulers[who].answered(ticket, status, told, self.now)
        self.pump(who)

    def _lose(self, who: int, ticket: T) -> None:
        self._schedulers[who].lost(ticket, self.now)
        self.pump(who)


def saturate(world: World[T], *, schedulers: int, person_rate: float, seconds: float) -> None:
    """Background asks for all it can get; people ask `person_rate` requests a minute at random moments."""

    def background(who: int) -> None:
        world.ask(who, Lane.BACKGROUND, lambda: background(who))

    for who in range(schedulers):
        for _ in range(4):
            world.at(0.0, partial(background, who))
    moment = world.rng.expovariate(person_rate / 60)
    while moment < seconds:
        lane = Lane.WRITE if world.rng.random() < 0.25 else Lane.READ
        who = world.rng.randrange(schedulers)
        world.at(moment, partial(world.ask, who, lane))
        moment += world.rng.expovariate(person_rate / 60)
