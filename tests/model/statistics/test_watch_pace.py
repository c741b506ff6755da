"""The pace of a watch, against a clock of the test's own."""

from hypothesis import given
from hypothesis import strategies as st

from linkdash.model.statistics.watch_pace import LATEST, SOONEST, WatchPace


def test_every_code_is_read_once_before_any_is_read_again() -> None:
    pace, read = WatchPace([1, 2, 3]), []
    while (code := pace.due(0.0)) is not None:
        read.append(code)
        pace.note_read(code, 0.0, changed=True)
    assert read == [1, 2, 3]
    assert pace.wait(0.0) == SOONEST


def test_what_changes_is_read_more_often_than_what_stands_still() -> None:
    pace, reads = WatchPace([1, 2]), {1: 0, 2: 0}
    for now in range(3600):
        while (code := pace.due(now)) is not None:
            reads[code] += 1
            pace.note_read(code, now, changed=code == 1)
    assert reads[1] == 3600 / SOONEST
    assert 3600 / LATEST <= reads[2] < 20


def test_a_change_after_a_long_rest_brings_the_pace_back() -> None:
    pace, now = WatchPace([1]), 0.0
    for _ in range(10):
        pace.note_read(1, now, changed=False)
        now += LATEST
    assert pace.due(now) == 1
    pace.note_read(1, now, changed=True)
    assert pace.wait(now) == SOONEST


def test_a_person_can_hurry_it_and_a_clock_set_back_does_not_stop_it() -> None:
    pace = WatchPace([1])
    pace.note_read(1, 1000.0, changed=False)
    assert pace.due(1001.0) is None
    pace.hurry()
    assert pace.due(1001.0) == 1
    pace.note_read(1, 1000.0, changed=False)
    assert pace.due(400.0) == 1


@given(st.lists(st.tuples(st.floats(0, 100), st.booleans()), max_size=60))
def test_no_code_is_ever_read_more_often_than_is_useful_nor_forgotten(
    steps: list[tuple[float, bool]],
) -> None:
    pace, now, last = WatchPace([1, 2, 3]), 0.0, dict.fromkeys([1, 2, 3], -SOONEST)
    for seconds, changed in steps:
        now += seconds
        code = pace.due(now)
        if code is not None:
            assert now - last[code] >= SOONEST - 1e-6
            pace.note_read(code, now, changed=changed)
            last[code] = now
        assert 0 <= pace.wait(now) <= LATEST
