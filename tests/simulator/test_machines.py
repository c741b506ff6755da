"""Machines on one key that share a row of a database: nobody is refused, little is left, people go first.

This is the short form, in virtual time; `python -m tests.simulator.team` measures real processes.
"""

from collections.abc import Callable

import pytest

from tests.simulator.machines import simulate
from tests.simulator.report import PERSON_RATE, bucket, fixed, sliding
from tests.simulator.servers import Limiter


@pytest.mark.parametrize("kind", [pytest.param(fixed, marks=pytest.mark.nightly), sliding, bucket])
def test_eight_machines_are_never_refused_and_people_hardly_wait(
    kind: Callable[[int, float], Limiter],
) -> None:
    result = simulate(8, PERSON_RATE, 180.0, kind=kind)
    assert result.refused == 0
    assert result.served >= 0.85
    assert result.wait(0.95) <= 2.0
    assert result.busy < 0.05
