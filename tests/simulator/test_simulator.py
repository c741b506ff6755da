"""The bars the budget has to clear on every kind of service."""

from collections.abc import Mapping

import pytest

from tests.simulator.report import NEAR, SCENARIOS, WINDOW, Scenario, simulate, table

SECONDS = 330.0


def refused_at_most(scenario: Scenario) -> float:
    """Requests a minute: only where the service does not tell, or somebody else spends, there are any."""
    if scenario.name.startswith("no headers"):
        return 1.0
    return 0.6 if scenario.foreign else 0.0


LONGEST_P95: Mapping[str, float] = {
    "no headers, refused with 200, sliding": 5.0,
    "no headers, refused in words, sliding": 5.0,
    "no headers, 20 a minute, fixed": 15.0,
    "no headers, fixed, someone else takes 40 %": 35.0,  # nobody tells how long the pause must be
    "sliding, someone else takes 50 %": 6.0,
}
"""Seconds the user may wait in one of twenty cases, where that is more than two."""

LEAST_SERVED: Mapping[str, float] = {
    "sliding, someone else takes 50 %": 0.6,
    "no headers, refused in words, 10 in 10 s": 0.33,
    "no headers, 60 a minute, sliding": 0.33,
    "sliding, 10 in 4 s": 0.25,
    "sliding, 20 in 10 s": 0.25,
    "token bucket, 10 in 4 s": 0.25,
}
"""The share served, where it is less than three quarters: of windows that slide within seconds, and of limits
that nobody tells and that are not the documented one."""


ALWAYS = {
    "fixed, aligned",
    "sliding, tells the oldest",
    "token bucket, tells the next",
    "sliding, no Date",
    "fixed, 10 in 4 s",
    "token bucket, 10 in 4 s",
    "sliding, someone else takes 50 %",
    "no headers, fixed",
    "no headers, refused with 200, sliding",
    "no headers, refused in words, fixed",
    "no headers, refused in words, 10 in 10 s",
    "no headers, 60 a minute, sliding",
}
"""One of every kind; the others are variations of these."""


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(scenario, id=scenario.name, marks=() if scenario.name in ALWAYS else pytest.mark.nightly)
        for scenario in SCENARIOS
    ],
)
def test_few_refusals_no_waiting_and_hardly_anything_unused(scenario: Scenario) -> None:
    if scenario.window < WINDOW:
        result = simulate(scenario, 130.0, seed=1, network=NEAR)
        assert result.served >= LEAST_SERVED.get(scenario.name, 0.8)
    else:
        result = simulate(scenario, SECONDS, seed=1)
    assert result.refused <= refused_at_most(scenario)
    assert result.wait(0.95) <= LONGEST_P95.get(scenario.name, 2.0)
    assert result.served >= LEAST_SERVED.get(scenario.name, 0.75)


@pytest.mark.nightly
def test_slow_and_lost_answers_take_little_of_short_windows() -> None:
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == "fixed, 10 in 4 s")
    result = simulate(scenario, SECONDS, seed=1)
    assert result.served >= 0.82
    assert result.refused == 0.0
    assert result.wait(0.95) <= 1.5


def test_the_table_is_markdown() -> None:
    lines = [*table(seconds=120.0, seed=1, scenarios=SCENARIOS[:1])]
    assert len(lines) == 3
    assert len({line.count("|") for line in lines}) == 1
