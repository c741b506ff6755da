"""Changes between two readings: nothing is claimed that was not said."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.model.statistics.readings import Delta, ReadingChange
from linkdash.store.reading import Reading

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

counts = st.integers(0, 10**6)
labels = st.sampled_from(["Brazil", "Japan", "", "Unknown", "Perú"])
breakdowns = st.dictionaries(
    st.sampled_from(["countries", "browsers"]), st.dictionaries(labels, counts, max_size=5), max_size=2
)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))
readings = st.builds(Reading, moments, st.none() | counts, st.none() | counts, st.none() | counts, breakdowns)


@given(readings)
def test_a_reading_does_not_differ_from_itself(reading: Reading) -> None:
    change = ReadingChange(reading, reading)
    assert change.is_nothing


@given(readings, readings)
def test_a_difference_applied_to_the_first_reading_gives_the_second(a: Reading, b: Reading) -> None:
    change = ReadingChange(a, b)
    for breakdown in change.breakdowns:
        applied = {
            label: a.breakdowns[breakdown].get(label, 0) + delta.by
            for label, delta in change.labels(breakdown).items()
            if delta.after is not None
        }
        assert applied == b.breakdowns[breakdown]


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (Delta(9, 6), "−3, dropped"),
        (Delta(100, 1_112), "+1,012"),
        (Delta(7, 7), "unchanged"),
    ],
)
def test_a_difference_is_told_in_words(delta: Delta, words: str) -> None:
    assert delta.words() == words


def test_what_one_reading_does_not_say_is_no_change() -> None:
    full = Reading(NOON, 5, 5, 5, {"countries": {"Japan": 5}})
    partial = Reading(NOON)
    assert ReadingChange(full, partial).is_nothing
    assert ReadingChange(partial, full).is_nothing
    assert ReadingChange(full, partial).total("clicks") is None
