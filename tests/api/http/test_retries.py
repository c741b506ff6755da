"""The pauses before a read is asked again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.http.retries import pause


@pytest.mark.parametrize(("attempt", "longest"), [(0, 0.5), (1, 1.0), (2, 2.0), (4, 8.0), (50, 8.0)])
def test_each_is_twice_as_long_as_the_one_before_and_none_without_end(attempt: int, longest: float) -> None:
    found = [pause(attempt) or 0.0 for _ in range(200)]
    assert longest / 2 <= min(found)
    assert max(found) <= longest
    assert max(found) - min(found) > longest / 4, "programs do not come back at once"


@given(st.integers(0, 9), st.floats(0, 30))
def test_it_is_never_shorter_than_what_the_service_has_told(attempt: int, told: float) -> None:
    assert told <= (pause(attempt, told) or 0.0) <= max(told, 8.0)


def test_what_is_too_long_to_wait_for_is_not_waited_for() -> None:
    assert pause(0, 30.0) == 30.0
    assert pause(0, 30.1) is None
