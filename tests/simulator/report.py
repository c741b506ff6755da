"""The scenarios of the simulator and the table they make."""

import asyncio
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.simulator import virtual_time
from tests.simulator.gated import Ours
from tests.simulator.servers import RATE_HEADERS, Fixed, Limiter, Manner, Sliding, TokenBucket
from tests.simulator.service import Crowd, Program, Service
from tests.simulator.world import Network

NEAR = Network(delay=0.005, jitter=0.01, slow=0.0, request_lost=0.0, answer_lost=0.0)
"""A service in the same house."""

LIMIT, WINDOW = 30, 60.0
PERSON_RATE = 6.0
"""Requests a minute that people ask for, all programs together."""


_TRUTHFUL = Manner()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of service, how it tells, who else spends, and how many programs are in front of it."""

    name: str
    limiter: Callable[[int, float], Limiter]
    manner: Manner = _TRUTHFUL
    limit: int = LIMIT
    window: float = WINDOW
    programs: int = 1
    foreign: float = 0.0
    """The share of the limit that somebody else takes."""


def fixed(limit: int, window: float) -> Limiter:
    return Fixed(limit, window, anchored=False)


def anchored(limit: int, window: float) -> Limiter:
    return Fixed(limit, window, anchored=True)


def sliding(limit: int, window: float) -> Limiter:
    return Sliding(limit, window, tells_oldest=True)


def sliding_newest(limit: int, window: float) -> Limiter:
    return Sliding(limit, window, tells_oldest=False)


def charged(limit: int, window: float) -> Limiter:
    return Sliding(limit, window, tells_oldest=True, charged=True)


def bucket(limit: int, window: float) -> Limiter:
    return TokenBucket(limit, window, tells_next=True)


def full_bucket(limit: int, window: float) -> Limiter:
    return TokenBucket(limit, window, tells_next=False)


_NO_DATE = Manner(leaves_away=frozenset({"Date"}))
_NO_RESET = Manner(leaves_away=frozenset({"X-RateLimit-Reset", "Retry-After"}))
_SILENT = Manner(leaves_away=RATE_HEADERS)
_MUTE = Manner(leaves_away=RATE_HEADERS | {"Retry-After"})
_MUTE_200 = Manner(leaves_away=RATE_HEADERS | {"Retry-After"}, refuses_with=200)
_IN_WORDS = Manner(leaves_away=RATE_HEADERS | {"Retry-After"}, refuses_with=200, in_words=True)

SCENARIOS = (
    Scenario("fixed, aligned", fixed),
    Scenario("fixed, anchored", anchored, Manner("epoch seconds, rounded down")),
    Scenario("sliding, tells the oldest", sliding, Manner("local time")),
    Scenario("sliding, tells the newest", sliding_newest),
    Scenario("sliding, refusals are charged", charged),
    Scenario("token bucket, tells the next", bucket, Manner("seconds left")),
    Scenario("token bucket, tells full", full_bucket, Manner("epoch millis")),
    Scenario("fixed, no Date", fixed, _NO_DATE),
    Scenario("sliding, no Date", sliding, _NO_DATE),
    Scenario("fixed, no Reset", fixed, _NO_RESET),
    Scenario("sliding, no Reset", sliding, _NO_RESET),
    Scenario("fixed, 10 in 4 s", fixed, limit=10, window=4.0),
    Scenario("sliding, 10 in 4 s", sliding, Manner("seconds left"), limit=10, window=4.0),
    Scenario("token bucket, 10 in 4 s", bucket, Manner("seconds left"), limit=10, window=4.0),
    Scenario("token bucket tells full, 10 in 4 s", full_bucket, Manner("seconds left"), 10, 4.0),
    Scenario("fixed, 20 in 10 s", fixed, limit=20, window=10.0),
    Scenario("sliding, 20 in 10 s", sliding, limit=20, window=10.0),
    Scenario("fixed, someone else takes 40 %", fixed, foreign=0.4),
    Scenario("fixed, someone else takes 50 %", fixed, foreign=0.5),
    Scenario("sliding, someone else takes 50 %", sliding, foreign=0.5),
    Scenario("fixed, three programs", fixed, programs=3),
    Scenario("sliding, three programs", sliding, Manner("seconds left"), programs=3),
    Scenario("no headers, fixed", fixed, _SILENT),
    Scenario("no headers, fixed, no Retry-After", fixed, _MUTE),
    Scenario("no headers, sliding, no Retry-After", sliding, _MUTE),
    Scenario("no headers, refused with 200, fixed", fixed, _MUTE_200),
    Scenario("no headers, refused with 200, sliding", sliding, _MUTE_200),
    Scenario("no headers, refused in words, fixed", fixed, _IN_WORDS),
    Scenario("no headers, refused in words, sliding", sliding, _IN_WORDS),
    Scenario("no headers, refused in words, 10 in 10 s", fixed, _IN_WORDS, limit=10, window=10.0),
    Scenario("no headers, 20 a minute, fixed", fixed, _MUTE, limit=20),
    Scenario("no headers, 60 a minute, sliding", sliding, _MUTE, limit=60),
    Scenario("no headers, fixed, someone else takes 40 %", fixed, _MUTE, foreign=0.4),
    Scenario("no headers, fixed, three programs", fixed, _MUTE, programs=3),
    Scenario("no headers, sliding, three programs", sliding, _MUTE, programs=3),
)


@dataclass(frozen=True, slots=True)
class Result:
    """The events in a run after its first window."""

    served: float
    """The share of what the service and the others on the key left."""
    refused: float
    """Requests a minute."""
    refused_first: int
    """Requests in the first window."""
    waits: list[float]
    """Seconds each request of the user waited, the shortest first."""

    def wait(self, share: float) -> float:
        """The wait that this share of the user's requests did not exceed."""
        return self.waits[int(share * (len(self.waits) - 1))]


def simulate(
    scenario: Scenario,
    seconds: float,
    seed: int,
    network: Network | None = None,
) -> Result:
    """Run one scenario, with background asking for all it can get, and measure after the first minute."""
    rng = random.Random(seed)
    service = Service(
        scenario.limiter(scenario.limit, scenario.window),
        scenario.manner,
        network or Network(),
        rng,
        offset=1_700_000_000 + rng.uniform(0, 3600),
    )

    async def main() -> Crowd:
        with tempfile.TemporaryDirectory() as folder:
            programs: list[Program] = [Ours(service, Path(folder)) for _ in range(scenario.programs)]
            crowd = Crowd(programs, rng, PERSON_RATE)
            tasks = []
            if scenario.foreign:
                elsewhere = service.spend_elsewhere(scenario.foreign, scenario.window)
                tasks.append(asyncio.create_task(elsewhere))
            await crowd.ask_for(seconds)
            for task in tasks:
                task.cancel()
            return crowd

    crowd = virtual_time.run(main())
    first = min(max(scenario.window, WINDOW), seconds / 2)
    measured = seconds - first
    possible = scenario.limit * measured / scenario.window - _after(service.foreign, first)
    return Result(
        served=_after(service.granted, first) / possible,
        refused=_after(service.refused, first) * 60 / measured,
        refused_first=len(service.refused) - _after(service.refused, first),
        waits=sorted(waited for asked, waited in crowd.waits if asked >= first),
    )


def _after(moments: list[float], first: float) -> int:
    return sum(moment >= first for moment in moments)


def table(seconds: float, seed: int, scenarios: tuple[Scenario, ...] = SCENARIOS) -> Iterator[str]:
    """The table of TESTING.md, in Markdown, a line as soon as it is known."""
    yield _line("service", "served", "refused a minute", "a person waits p50 / p95 / max")
    yield _line("---", "---:", "---:", "---:")
    for scenario in scenarios:
        yield _line(scenario.name, *_cells(simulate(scenario, seconds, seed)))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(result: Result) -> tuple[str, ...]:
    waits = " / ".join(f"{result.wait(share):.1f}" for share in (0.5, 0.95, 1.0))
    return f"{result.served:.0%}", f"{result.refused:.2f}", f"{waits} s"
