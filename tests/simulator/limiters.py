"""Programs with the limiters that are compared: ours, and what is used elsewhere."""

import asyncio
from pathlib import Path

from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.scheduler import Budget
from linkdash.api.budget.shared_budget_file import FileSharedBudget
from tests.simulator.service import Answer, AnswerLost, Service

UPTIME = 100_000.0
"""Seconds that the machine has run at the beginning: no monotonic clock can be trusted to begin at 0."""


def _time() -> float:
    return asyncio.get_running_loop().time()


def _clock() -> float:
    return _time() + UPTIME


LOOKED_AT = 5.0
"""Seconds until the user asks once more for a change to which the service said no."""


class Ours:
    """The gate as the program uses it; those on one folder share a file."""

    def __init__(self, service: Service, folder: Path | None) -> None:
        self._service = service
        shared = folder and FileSharedBudget(folder, "https://links.example.org", "key", clock=_clock)
        self.gate = Gate(
            Budget(jitter=service.rng.random),
            clock=_clock,
            wall=lambda: _time() + service.offset,
            shared=shared or None,
        )

    async def request(self, lane: Lane) -> float:
        while True:
            ticket = await self.gate.admit(lane, f"GET /api/domains?page={lane}")
            sent = _time()
            try:
                answer = await self._service.request()
            except AnswerLost:
                self.gate.lost(ticket)
                return sent
            except asyncio.CancelledError:
                self.gate.lost(ticket)
                raise
            rejected = None if lane is Lane.WRITE else answer.says_no
            self.gate.answered(
                ticket, answer.status, answer.headers, rejected=rejected, in_words=answer.in_words
            )
            if answer.granted:
                return sent
            if lane is Lane.WRITE and answer.says_no:
                await asyncio.sleep(LOOKED_AT)

    def close(self) -> None:
        self.gate.close()


class _Plain:
    """First come, first served; a refused request is sent again after a pause, as most programs do."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def request(self, lane: Lane) -> float:
        while True:
            await self._turn()
            sent = _time()
            try:
                answer = await self._service.request()
            except AnswerLost:
                return sent
            if answer.granted:
                return sent
            await asyncio.sleep(_pause(answer))

    async def _turn(self) -> None:
        """Wait until a request may go."""

    def close(self) -> None:
        pass


def _pause(answer: Answer) -> float:
    """Seconds; a second at least, since a service whose window is short tells 0."""
    return max(1.0, float(answer.headers.get("Retry-After", "5")))


class SleepAfterRefusal(_Plain):
    """A program that sends until it is refused."""


class AioLimiter(_Plain):
    """aiolimiter, which knows the limit from its programmer."""

    def __init__(self, service: Service, limit: int, window: float) -> None:
        from aiolimiter import AsyncLimiter

        super().__init__(service)
        self._limiter = AsyncLimiter(limit, window)

    async def _turn(self) -> None:
        await self._limiter.acquire()


class PyrateLimiter(_Plain):
    """pyrate-limiter, which knows the limit from its programmer."""

    def __init__(self, service: Service, limit: int, window: float) -> None:
        from pyrate_limiter import AbstractClock, InMemoryBucket, Limiter, Rate, SingleBucketFactory

        class VirtualClock(AbstractClock):
            def now(self) -> int:
                return int(_time() * 1000)

        super().__init__(service)
        bucket = InMemoryBucket([Rate(limit, int(window * 1000))])
        bucket._clock = VirtualClock()
        self._bucket = bucket
        self._limiter = Limiter(SingleBucketFactory(bucket, schedule_leak=False))

    async def _turn(self) -> None:
        self._bucket.leak(int(_time() * 1000))
        await self._limiter.try_acquire_async("key")
