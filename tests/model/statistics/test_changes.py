"""Changes between two readings: differences add up, and nothing is claimed that was not said."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.model.statistics.readings import RETENTION, Delta, ReadingChange, describe
from linkdash.store.history import TOTALS, Reading

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

counts = st.integers(0, 10**6)
labels = st.sampled_from(["Brazil", "Japan", "", "Unknown", "Perú"])
breakdowns = st.dictionaries(
    st.sampled_from(["countries", "browsers"]), st.dictionaries(labels, counts, max_size=5), max_size=2
)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))
readings = st.builds(Reading, moments, st.none() | counts, st.none() | counts, st.none() | counts, breakdowns)


def scans(at: datetime, count: int | None) -> Reading:
    return Reading(at, scans=count)


@given(readings)
def test_a_reading_does_not_differ_from_itself(reading: Reading) -> None:
    change = ReadingChange(reading, reading)
    assert change.is_nothing
    assert not change.has_drops
    assert describe(change) == ["nothing changed"]


@given(readings, readings, readings)
def test_differences_add_up(a: Reading, b: Reading, c: Reading) -> None:
    first, second, both = ReadingChange(a, b), ReadingChange(b, c), ReadingChange(a, c)
    assert first + second == both
    for name in TOTALS:
        parts = first.total(name), second.total(name), both.total(name)
        if None not in (a.total(name), b.total(name), c.total(name)):
            assert parts[0] is not None
            assert parts[1] is not None
            assert parts[2] is not None
            assert parts[0].by + parts[1].by == parts[2].by
    for breakdown in set(a.breakdowns) & set(b.breakdowns) & set(c.breakdowns):
        nothing = Delta(None, None)
        for label in {*a.breakdowns[breakdown], *b.breakdowns[breakdown], *c.breakdowns[breakdown]}:
            by = [change.labels(breakdown).get(label, nothing).by for change in (first, second, both)]
            assert by[0] + by[1] == by[2]


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


def test_changes_that_do_not_follow_each_other_cannot_be_added() -> None:
    a, b, c = (scans(NOON + timedelta(hours=hour), hour) for hour in range(3))
    with pytest.raises(ValueError, match="does not begin where"):
        ReadingChange(a, b) + ReadingChange(a, c)


def test_what_changed_is_told_in_words() -> None:
    before = Reading(NOON, 100, None, 50, {"countries": {"Japan": 9, "Peru": 4, "Chile": 7}, "browsers": {}})
    after = Reading(
        NOON, 1_112, 60, 50, {"countries": {"Brazil": 12, "Japan": 6, "Chile": 7}, "systems": {"iOS": 1}}
    )
    assert describe(ReadingChange(before, after)) == [
        "clicks +1,012 (100 → 1,112)",
        "countries: Brazil +12, first seen",
        "countries: Peru gone (was 4)",
        "countries: Japan −3, dropped",
        RETENTION,
    ]


def test_retention_is_mentioned_only_where_something_fell() -> None:
    grown = ReadingChange(Reading(NOON, clicks=1), Reading(NOON, clicks=2))
    fallen = ReadingChange(Reading(NOON, clicks=2), Reading(NOON, clicks=1))
    assert describe(grown) == ["clicks +1 (1 → 2)"]
    assert describe(fallen) == ["clicks −1, dropped (2 → 1)", RETENTION]


def test_what_one_reading_does_not_say_is_no_change() -> None:
    full = Reading(NOON, 5, 5, 5, {"countries": {"Japan": 5}})
    partial = Reading(NOON)
    assert ReadingChange(full, partial).is_nothing
    assert ReadingChange(partial, full).is_nothing
    assert ReadingChange(full, partial).total("clicks") is None


def test_a_label_that_goes_at_zero_is_gone_but_nothing_dropped() -> None:
    change = ReadingChange(
        Reading(NOON, breakdowns={"social": {"x": 0}}), Reading(NOON, breakdowns={"social": {}})
    )
    assert describe(change) == ["social: x gone (was 0)"]
