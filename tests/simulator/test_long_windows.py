"""A window longer than is believed at first costs one refusal, and is known from then on."""

from collections.abc import Mapping

import pytest

from linkdash.api.budget.refusals import LimitRefusal
from linkdash.api.budget.scheduler import Budget, Ticket
from tests.simulator.servers import SPELLINGS, Fixed
from tests.simulator.world import Network, World, saturate

pytestmark = pytest.mark.nightly

SECONDS = 4 * 3600
LIMIT = 30
PEOPLE = 20  # requests in each window


class WithoutRetryAfter(Budget):
    """A budget on a service whose refusals name no `Retry-After`."""

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
        told = {name: value for name, value in headers.items() if name != "Retry-After"}
        super().answered(ticket, status, told, now, refusal=refusal, ahead=ahead)


@pytest.mark.parametrize("budget", [Budget, WithoutRetryAfter])
@pytest.mark.parametrize("spelling", ["seconds left", "epoch seconds"])
@pytest.mark.parametrize("phase", [0.0, 0.4, 0.7])
@pytest.mark.parametrize("anchored", [True, False])
@pytest.mark.parametrize("window", [300.0, 3600.0])
def test_a_long_window_is_learned_from_one_refusal(
    window: float, anchored: bool, phase: float, spelling: str, budget: type[Budget]
) -> None:
    world: World[Ticket] = World(
        [budget(jitter=lambda: 0.5)],
        Fixed(LIMIT, window, anchored=anchored),
        SPELLINGS[spelling],
        seed=1,
        network=Network(request_lost=0, answer_lost=0),
        clock_offset=1_700_000_400.0 - 1_700_000_400 % window + phase * window,
    )
    saturate(world, schedulers=1, person_rate=PEOPLE * 60 / window, seconds=SECONDS)
    world.run(SECONDS)
    assert len(world.refused) <= 1
    assert len(world.granted) > 0.9 * LIMIT * SECONDS / window
