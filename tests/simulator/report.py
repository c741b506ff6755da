"""The scenarios of the simulator and the table they make."""

from collections.abc import Callable
from dataclasses import dataclass

from linkdash.api.budget import Budget, Ticket
from linkdash.api.pacing import Lane
from tests.simulator.servers import SPELLINGS, Fixed, Limiter, Sliding, TokenBucket
from tests.simulator.world import Network, Tally, World, saturate

LIMIT, WINDOW = 30, 60.0
PERSON_RATE = 6.0


@dataclass(frozen=True, slots=True)
class Service:
    """A kind of service, and how it spells its reset."""

    name: str
    limiter: Callable[[], Limiter]
    spelling: str


SERVICES = (
    Service("fixed, aligned", lambda: Fixed(LIMIT, WINDOW, anchored=False), "epoch seconds"),
    Service("fixed, anchored", lambda: Fixed(LIMIT, WINDOW, anchored=True), "epoch seconds, rounded down"),
    Service(
        "sliding, tells the oldest", lambda: Sliding(LIMIT, WINDOW, tells_oldest=True), "local date and time"
    ),
    Service("sliding, tells the newest", lambda: Sliding(LIMIT, WINDOW, tells_oldest=False), "epoch seconds"),
    Service(
        "token bucket, tells the next", lambda: TokenBucket(LIMIT, WINDOW, tells_next=True), "seconds left"
    ),
    Service(
        "token bucket, tells the last",
        lambda: TokenBucket(LIMIT, WINDOW, tells_next=False),
        "epoch milliseconds",
    ),
)


def simulate(service: Service, hours: float, seed: int, network: Network | None = None) -> Tally:
    """Run one service for so many hours and count what happened."""
    seconds = hours * 3600
    world: World[Ticket] = World(
        [Budget(jitter=lambda: 0.5)],
        service.limiter(),
        SPELLINGS[service.spelling],
        seed,
        network or Network(),
    )
    saturate(world, schedulers=1, person_rate=PERSON_RATE, seconds=seconds)
    world.run(seconds)
    return tally(world, seconds)


def tally(world: World[Ticket], seconds: float) -> Tally:
    result = Tally(minutes=seconds / 60)
    for _, lane in world.granted:
        result.granted[lane] += 1
    for _, lane, waited in world.sent:
        result.waits[lane].append(waited)
    result.refused = len(world.refused)
    result.refused_probes = sum(ticket.probe for ticket in world.refused)
    return result


def table(hours: float, seed: int) -> str:
    """The table of the README, in Markdown."""
    lines = [
        "| service | served a minute | refused an hour (of them probes) | person waits p50 / p95 / max | background gets |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [_row(service.name, simulate(service, hours, seed), hours) for service in SERVICES]
    return "\n".join(lines)


def _row(name: str, result: Tally, hours: float) -> str:
    waits = result.person_waits
    p50, p95, longest = (f"{waits[int(share * (len(waits) - 1))]:.1f} s" for share in (0.5, 0.95, 1))
    refused = f"{result.refused / hours:.1f} ({result.refused_probes / hours:.1f})"
    share = result.background_share(LIMIT * 60 / WINDOW)
    return f"| {name} | {result.served / result.minutes:.1f} | {refused} | {p50} / {p95} / {longest} | {share:.0%} |"
