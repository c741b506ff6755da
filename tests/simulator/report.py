"""The scenarios of the simulator and the table they make."""

from collections.abc import Callable
from dataclasses import dataclass

from linkdash.api.budget import Budget, Ticket
from linkdash.api.pacing import Lane
from tests.simulator.programs import Program, Shared
from tests.simulator.servers import SPELLINGS, Fixed, Limiter, Sliding, TokenBucket
from tests.simulator.world import Network, Scheduler, World, saturate

LIMIT, WINDOW = 30, 60.0
PERSON_RATE = 6.0
"""Requests a minute that people ask for, all programs together."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of service, how it spells its reset, and how many programs are in front of it."""

    name: str
    limiter: Callable[[], Limiter]
    spelling: str
    programs: int = 1


SCENARIOS = (
    Scenario("fixed, aligned", lambda: Fixed(LIMIT, WINDOW, anchored=False), "epoch seconds"),
    Scenario("fixed, anchored", lambda: Fixed(LIMIT, WINDOW, anchored=True), "epoch seconds, rounded down"),
    Scenario("sliding, tells the oldest", lambda: Sliding(LIMIT, WINDOW, tells_oldest=True), "local time"),
    Scenario(
        "sliding, tells the newest", lambda: Sliding(LIMIT, WINDOW, tells_oldest=False), "epoch seconds"
    ),
    Scenario(
        "token bucket, tells the next", lambda: TokenBucket(LIMIT, WINDOW, tells_next=True), "seconds left"
    ),
    Scenario(
        "token bucket, tells full", lambda: TokenBucket(LIMIT, WINDOW, tells_next=False), "epoch millis"
    ),
    Scenario(
        "fixed, aligned; three programs", lambda: Fixed(LIMIT, WINDOW, anchored=False), "epoch seconds", 3
    ),
    Scenario("sliding; three programs", lambda: Sliding(LIMIT, WINDOW, tells_oldest=True), "seconds left", 3),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What happened in a run."""

    served: float
    """Requests a minute."""
    refused: float
    """Requests an hour."""
    waits: list[float]
    """Seconds each request of a person waited, the shortest first."""
    background: float
    """The share background used of what the others left."""

    def wait(self, share: float) -> float:
        """The wait that this share of a person's requests did not exceed."""
        return self.waits[int(share * (len(self.waits) - 1))]


def simulate(scenario: Scenario, hours: float, seed: int, network: Network | None = None) -> Result:
    """Run one scenario for so many hours, with background asking for all it can get."""
    seconds = hours * 3600
    world: World[Ticket] = World(
        _schedulers(scenario.programs),
        scenario.limiter(),
        SPELLINGS[scenario.spelling],
        seed,
        network or Network(),
    )
    saturate(world, schedulers=scenario.programs, person_rate=PERSON_RATE, seconds=seconds)
    world.run(seconds)
    background = sum(lane is Lane.BACKGROUND for _, lane in world.granted)
    others = len(world.granted) - background
    return Result(
        served=len(world.granted) * 60 / seconds,
        refused=len(world.refused) / hours,
        waits=sorted(waited for _, lane, waited in world.sent if lane <= Lane.READ),
        background=background / (LIMIT * seconds / WINDOW - others),
    )


def table(hours: float, seed: int) -> str:
    """The table of the README, in Markdown."""
    rows = [
        (
            "service",
            "served a minute",
            "refused an hour",
            "a person waits p50 / p95 / max",
            "background gets",
        ),
        ("---", "---:", "---:", "---:", "---:"),
        *(_row(scenario.name, simulate(scenario, hours, seed)) for scenario in SCENARIOS),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(name: str, result: Result) -> tuple[str, ...]:
    waits = " / ".join(f"{result.wait(share):.1f} s" for share in (0.5, 0.95, 1.0))
    return name, f"{result.served:.1f}", f"{result.refused:.2f}", waits, f"{result.background:.1%}"


def _schedulers(programs: int) -> list[Scheduler[Ticket]]:
    if programs == 1:
        return [Budget(jitter=lambda: 0.5)]
    shared = Shared()
    return [Program(shared) for _ in range(programs)]
