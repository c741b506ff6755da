"""The bars the budget has to clear on every kind of service, and the proof that they catch a bad one."""

import pytest

from linkdash.api.budget import Ticket
from tests.simulator.naive import ClientWindow, Overwrite
from tests.simulator.report import LIMIT, PERSON_RATE, SCENARIOS, WINDOW, Scenario, simulate, table
from tests.simulator.servers import SPELLINGS, Sliding
from tests.simulator.world import Network, World, saturate


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_no_refusal_no_waiting_and_background_gets_what_is_left(scenario: Scenario) -> None:
    result = simulate(scenario, hours=4 if scenario.programs == 1 else 0.5, seed=1)
    assert result.refused == 0
    assert result.wait(0.95) < 1.0
    assert result.background >= 0.9


@pytest.mark.parametrize("naive", [ClientWindow, Overwrite])
def test_the_naive_limiters_are_refused_many_times_an_hour(
    naive: type[ClientWindow] | type[Overwrite],
) -> None:
    limiter = Sliding(LIMIT, WINDOW, tells_oldest=True)
    world: World[Ticket] = World(
        [naive(LIMIT, WINDOW)], limiter, SPELLINGS["epoch seconds"], seed=1, network=Network()
    )
    saturate(world, schedulers=1, person_rate=PERSON_RATE, seconds=3_600)
    world.run(3_600)
    assert len(world.refused) > 20


def test_the_table_is_markdown() -> None:
    lines = table(hours=0.05, seed=1).splitlines()
    assert len(lines) == len(SCENARIOS) + 2
    assert {line.count("|") for line in lines} == {6}
