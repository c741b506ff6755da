"""Many machines on one key, in virtual time: `python -m tests.simulator.machines --machines 5 50 500`.

Each has the gate as the program uses it, over a row that is locked, changed and told of as in the team's
database, with the time that takes. Background asks for all it can get on every machine.
"""

import argparse
import asyncio
import random
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from linkdash.api.budget.gate import Gate
from linkdash.api.budget.scheduler import Budget
from linkdash.store import team_budget
from tests.simulator import virtual_time
from tests.simulator.limiters import Ours
from tests.simulator.report import LIMIT, NEAR, PERSON_RATE, WINDOW, fixed
from tests.simulator.servers import Limiter, Manner
from tests.simulator.service import Crowd, Program, Service

ROUND_TRIP = 0.001
"""Seconds to the database and back."""
A_PERSON = 0.2
"""Requests a minute that the people on one machine ask for, where that grows with the machines."""


@dataclass(slots=True)
class Row:
    """The row that the machines share, and those who wait for it."""

    round_trip: float
    text: str | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    machines: list["SimulatedTeamBudget"] = field(default_factory=list)
    busy: float = 0.0
    """Seconds that it was locked."""
    turns: list[tuple[float, float]] = field(default_factory=list)
    """When a machine has asked for it, and the seconds it waited."""

    def longest(self, since: float) -> float:
        """Seconds that a machine waited for it at the most."""
        return max((waited for asked, waited in self.turns if asked >= since), default=0.0)

    def herd(self, since: float) -> int:
        """Return how many machines have asked for it within one tenth of a second, at the most."""
        asked = sorted(moment for moment, _ in self.turns if moment >= since)
        return max((bisect_right(asked, moment + 0.1) - at for at, moment in enumerate(asked)), default=0)


class SimulatedTeamBudget:
    """The shared budget of one machine; see `linkdash.store.team_budget`."""

    sharing = None
    looks_every = team_budget._LOOKS_EVERY

    def __init__(self, row: Row, offset: float) -> None:
        self._row = row
        self._offset = offset
        self._heard: Callable[[], None] = lambda: None
        self._turn: asyncio.Task[None] | None = None
        self._is_held = False
        self._changed = asyncio.Event()
        self._waited = 0.0
        row.machines.append(self)

    @property
    def spread(self) -> float:
        return 2 * self._waited

    def watch(self, heard: Callable[[], None]) -> None:
        self._heard = heard

    def wall(self) -> float:
        return asyncio.get_running_loop().time() + self._offset

    def close(self) -> None:
        """Nothing is open."""

    def rewrite(self, change: Callable[[str | None], str]) -> bool:
        if self._is_held:
            self._is_held = False
            self._row.text = change(self._row.text)
            self._changed.set()
            return True
        if self._turn is None or self._turn.done():
            self._turn = asyncio.create_task(self._take_turn())
        return False

    async def _take_turn(self) -> None:
        row, loop = self._row, asyncio.get_running_loop()
        asked = loop.time()
        await asyncio.sleep(row.round_trip / 2)
        async with row.lock:
            locked = loop.time()
            row.turns.append((asked, locked - asked))
            self._waited = max(locked - asked, team_budget._REMEMBERED * self._waited)
            await asyncio.sleep(row.round_trip / 2)
            self._changed.clear()
            self._is_held = True
            self._heard()
            await self._changed.wait()
            await asyncio.sleep(row.round_trip)
            row.busy += loop.time() - locked


class Machine(Ours):
    """A machine of a team."""

    def __init__(self, service: Service, row: Row) -> None:
        self._service = service
        shared = SimulatedTeamBudget(row, service.offset)

        jitter = service.rng.random
        self.gate = Gate(Budget(jitter=jitter), clock=_time, wall=shared.wall, shared=shared, jitter=jitter)


def _time() -> float:
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class Result:
    """The events after the first window."""

    served: float
    refused: int
    """In all, the first window included."""
    waits: list[float]
    busy: float
    """The share of the time that the row was locked."""
    longest: float
    """Seconds that a machine waited for the row at the most."""
    herd: int
    """How many machines came for the row within one tenth of a second, at the most: when a window turns."""

    def wait(self, share: float) -> float:
        """The wait that this share of the user's requests did not exceed."""
        return self.waits[int(share * (len(self.waits) - 1))] if self.waits else 0.0


def simulate(
    machines: int,
    person_rate: float,
    seconds: float,
    round_trip: float = ROUND_TRIP,
    kind: Callable[[int, float], Limiter] = fixed,
    seed: int = 1,
) -> Result:
    """Run so many machines on a service of 30 requests a minute."""
    rng = random.Random(seed)
    offset = 1_700_000_000 + rng.uniform(0, 3600)
    service = Service(kind(LIMIT, WINDOW), Manner("seconds left"), NEAR, rng, offset)

    async def main() -> tuple[Crowd, Row]:
        row = Row(round_trip)
        programs: list[Program] = [Machine(service, row) for _ in range(machines)]
        crowd = Crowd(programs, rng, person_rate)
        await crowd.ask_for(seconds)
        return crowd, row

    crowd, row = virtual_time.run(main())
    granted = sum(moment >= WINDOW for moment in service.granted)
    return Result(
        served=granted / (LIMIT * (seconds - WINDOW) / WINDOW),
        refused=len(service.refused),
        waits=sorted(waited for asked, waited in crowd.waits if asked >= WINDOW),
        busy=row.busy / seconds,
        longest=row.longest(WINDOW - 1),
        herd=row.herd(WINDOW - 1),
    )


def _line(machines: int, rate: float, seconds: float, round_trip: float) -> str:
    result = simulate(machines, rate, seconds, round_trip)
    waits = f"{result.wait(0.5):.2f} / {result.wait(0.95):.2f} s"
    row = f"{result.busy:.1%} | {result.herd} | {result.longest:.2f} s"
    outcome = f"{result.served:.0%} | {result.refused} | {waits} | {row}"
    return f"| {machines} | {rate:g} | {round_trip * 1000:g} ms | {outcome} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.simulator.machines", description=__doc__)
    parser.add_argument("--machines", type=int, nargs="+", default=[5, 50, 500])
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--round-trip", type=float, default=ROUND_TRIP, help="to the database, in seconds")
    options = parser.parse_args()
    head = "machines | people ask a minute | round trip | served | refused | a person waits p50 / p95"
    print(f"| {head} | row locked | come at once | longest wait for it |")  # noqa: T201
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")  # noqa: T201
    for machines in options.machines:
        for rate in dict.fromkeys((PERSON_RATE, A_PERSON * machines)):
            print(_line(machines, rate, options.seconds, options.round_trip), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
