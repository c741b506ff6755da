"""Readings over time: time is cut as people cut it, and a gap stays a gap."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.model.statistics.readings import Point, Step, in_order, series
from linkdash.store.reading import Reading

BERLIN = ZoneInfo("Europe/Berlin")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")  # its clocks change by half an hour
HAVANA = ZoneInfo("America/Havana")  # its clocks change at midnight
ZONES = (UTC, BERLIN, LORD_HOWE, HAVANA)
STEPS: tuple[Step, ...] = ("hour", "day", "week")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

counts = st.none() | st.integers(0, 10**6)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))
histories = st.lists(st.builds(Reading, moments, counts, counts, counts), min_size=1, max_size=40)


def scans(at: datetime, count: int | None) -> Reading:
    return Reading(at, scans=count)


@given(histories, st.sampled_from(STEPS), st.sampled_from(ZONES))
def test_a_series_is_in_order_whatever_order_the_readings_came_in(
    history: list[Reading], step: Step, zone: ZoneInfo
) -> None:
    unique = in_order(history)
    points = series(unique, "clicks", step, zone)
    moments = [point.at.astimezone(UTC) for point in points]
    assert moments == sorted(set(moments))
    assert series(unique[::-1], "clicks", step, zone) == points
    known = [reading.clicks for reading in unique if reading.clicks is not None]
    assert [point.value for point in points if point.value is not None][-1:] == known[-1:]


@given(histories, st.sampled_from(STEPS), st.sampled_from(ZONES))
def test_a_gap_is_one_point_without_a_value_between_two_with_one(
    history: list[Reading], step: Step, zone: ZoneInfo
) -> None:
    values = [point.value for point in series(history, "scans", step, zone)]
    assert all(left is not None or right is not None for left, right in pairwise(values))
    if values:
        assert values[0] is not None
        assert values[-1] is not None


def test_a_day_is_a_day_of_the_zone_and_its_last_value_counts() -> None:
    readings = [
        scans(datetime(2026, 11, 20, 22, 30, tzinfo=UTC), 1),  # 23:30 in Berlin
        scans(datetime(2026, 11, 20, 22, 59, tzinfo=UTC), 2),
        scans(datetime(2026, 11, 20, 23, 30, tzinfo=UTC), 5),  # 0:30 of the next day
    ]
    assert series(readings, "scans", "day", BERLIN) == [
        Point(datetime(2026, 11, 20, 23, 59, tzinfo=BERLIN), 2),
        Point(datetime(2026, 11, 21, 0, 30, tzinfo=BERLIN), 5),
    ]


def test_weeks_begin_on_monday_and_their_values_stand_where_they_were_read() -> None:
    readings = [scans(datetime(2026, 11, day, 12, tzinfo=UTC), day) for day in (15, 16, 22, 23)]
    points = series(readings, "scans", "week", BERLIN)
    assert [(point.at.day, point.value) for point in points] == [(15, 15), (22, 22), (23, 23)]


@pytest.mark.parametrize(
    ("zone", "first", "hours", "expected"),
    [
        (BERLIN, datetime(2026, 10, 25, tzinfo=BERLIN), 5, [0, 1, 2, 2, 3]),
        (BERLIN, datetime(2026, 3, 29, tzinfo=BERLIN), 4, [0, 1, 3, 4]),
        (HAVANA, datetime(2026, 11, 1, tzinfo=HAVANA), 3, [0, 0, 1]),
    ],
)
def test_hours_go_on_when_the_clocks_change(
    zone: ZoneInfo, first: datetime, hours: int, expected: list[int]
) -> None:
    begin = first.astimezone(UTC)
    readings = [scans(begin + timedelta(hours=hour, minutes=5), hour) for hour in range(hours)]
    points = series(readings, "scans", "hour", zone)
    assert [point.at.hour for point in points] == expected
    assert [point.value for point in points] == list(range(hours))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("step", "every"), [("hour", 0.25), ("day", 6), ("week", 20)])
def test_a_year_of_regular_readings_has_no_gap(zone: ZoneInfo, step: Step, every: float) -> None:
    begin = datetime(2026, 2, 1, tzinfo=UTC)
    readings = [
        scans(begin + timedelta(hours=every * number), number) for number in range(int(365 * 24 / every))
    ]
    points = series(readings, "scans", step, zone)
    assert None not in [point.value for point in points]
    length = {"hour": 365 * 24, "day": 366, "week": 53}[step]
    assert length - 1 <= len(points) <= length + 1


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("step", "hours"), [("hour", 1), ("day", 24), ("week", 168)])
def test_a_single_missing_hour_day_or_week_is_a_gap(zone: ZoneInfo, step: Step, hours: int) -> None:
    begin = datetime(2026, 6, 10, 12, tzinfo=zone)
    readings = [scans(begin + timedelta(hours=hours * number), number) for number in (0, 1, 3, 4)]
    assert [point.value for point in series(readings, "scans", step, zone)] == [0, 1, None, 3, 4]


def test_of_two_readings_at_one_moment_the_later_given_counts() -> None:
    same_moment = NOON.astimezone(BERLIN)
    assert in_order([scans(NOON, 1), scans(same_moment, 2)]) == [scans(same_moment, 2)]
