"""A program with the gate, as the simulated service meets it."""

import asyncio
from pathlib import Path

from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.scheduler import Budget
from linkdash.api.budget.shared_budget_file import FileSharedBudget
from tests.simulator.service import AnswerLost, Service

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
