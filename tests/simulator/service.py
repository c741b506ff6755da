"""A simulated service behind a network, and the programs that ask it through their limiters.

Everything runs in an event loop whose time passes only where everybody waits. A run is decided by its seed.
"""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from linkdash.api.budget.lanes import Lane
from tests.simulator.servers import Limiter, Manner
from tests.simulator.world import Network


class AnswerLost(Exception):
    """No answer came within the deadline."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer."""

    granted: bool
    status: int
    headers: Mapping[str, str]
    in_words: bool = False

    @property
    def says_no(self) -> bool:
        """Return whether it is a refusal without the status of one."""
        return not self.granted and self.status == 200


@dataclass(slots=True)
class Service:
    """A service which counts the requests of one key."""

    limiter: Limiter
    manner: Manner
    network: Network
    rng: random.Random
    offset: float
    """What the service's clock shows at the beginning."""
    granted: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    foreign: list[float] = field(default_factory=list)
    """When a request of somebody else was granted."""

    async def request(self) -> Answer:
        """Send one request. Raises AnswerLost."""
        network, fate = self.network, self.rng.random()
        if fate < network.request_lost:
            await asyncio.sleep(network.deadline)
            raise AnswerLost
        await asyncio.sleep(network.one_way(self.rng))
        now = _time()
        verdict = self.limiter.request(now + self.offset)
        (self.granted if verdict.granted else self.refused).append(now)
        if fate < network.request_lost + network.answer_lost:
            await asyncio.sleep(network.deadline)
            raise AnswerLost
        told = self.manner.headers(verdict, self.limiter.limit, now + self.offset)
        await asyncio.sleep(network.one_way(self.rng))
        in_words = self.manner.in_words and not verdict.granted
        return Answer(verdict.granted, 200 if verdict.granted else self.manner.refuses_with, told, in_words)

    async def spend_elsewhere(self, share: float, window: float) -> None:
        """Let somebody else spend a share of the limit, at moments which are not quite even."""
        pause = window / (share * self.limiter.limit)
        while True:
            await asyncio.sleep(pause * self.rng.uniform(0.5, 1.5))
            if self.limiter.request(_time() + self.offset).granted:
                self.foreign.append(_time())


class Program(Protocol):
    """A program on the key: it sends its requests when its limiter lets them go."""

    async def request(self, lane: Lane) -> float:
        """Have one request answered, also after refusals; return when the one that was granted was sent."""
        ...

    def close(self) -> None:
        """Tell the other programs what has ended."""


@dataclass(slots=True)
class Crowd:
    """The senders: background work that takes all it can get, and people, with how long they waited."""

    programs: list[Program]
    rng: random.Random
    person_rate: float
    """Requests a minute, all programs together."""
    waits: list[tuple[float, float]] = field(default_factory=list)
    """For each request of the user: when it was asked for, and how long it waited."""
    _asking: list[asyncio.Task[None]] = field(default_factory=list)

    async def ask_for(self, seconds: float) -> None:
        """Ask until the time is over, then leave everything as it is."""
        work = [asyncio.create_task(self._background(program)) for program in self.programs for _ in range(4)]
        people = asyncio.create_task(self._people())
        await asyncio.sleep(seconds)
        for task in (*work, people, *self._asking):
            task.cancel()
        ends = await asyncio.gather(*work, people, *self._asking, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        for program in self.programs:
            program.close()

    async def _background(self, program: Program) -> None:
        while True:
            await program.request(Lane.BACKGROUND)

    async def _people(self) -> None:
        while True:
            await asyncio.sleep(self.rng.expovariate(self.person_rate / 60))
            lane = Lane.WRITE if self.rng.random() < 0.25 else Lane.READ
            task = asyncio.create_task(self._person(self.rng.choice(self.programs), lane))
            self._asking.append(task)

    async def _person(self, program: Program, lane: Lane) -> None:
        asked = _time()
        try:
            self.waits.append((asked, await program.request(lane) - asked))
        except asyncio.CancelledError:
            self.waits.append((asked, _time() - asked))
            raise


def _time() -> float:
    return asyncio.get_running_loop().time()
