"""The arithmetic of history: differences add up, time is cut as people cut it, nothing is claimed."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.store.changes import (
    RETENTION,
    TOTALS,
    Change,
    Delta,
    Growth,
    Point,
    Snapshot,
    Step,
    baseline,
    describe,
    difference,
    growth,
    in_order,
    increments,
    series,
)

BERLIN = ZoneInfo("Europe/Berlin")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")  # its clocks change by half an hour
HAVANA = ZoneInfo("America/Havana")  # its clocks change at midnight
ZONES = (UTC, BERLIN, LORD_HOWE, HAVANA)
STEPS: tuple[Step, ...] = ("hour", "day", "week")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

counts = st.integers(0, 10**6)
labels = st.sampled_from(["Brazil", "Japan", "", "Unknown", "Perú"])
breakdowns = st.dictionaries(
    st.sampled_from(["countries", "browsers"]), st.dictionaries(labels, counts, max_size=5), max_size=2
)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))
snapshots = st.builds(
    Snapshot, moments, st.none() | counts, st.none() | counts, st.none() | counts, breakdowns
)
histories = st.lists(snapshots, min_size=1, max_size=40)


def scans(at: datetime, count: int | None) -> Snapshot:
    return Snapshot(at, scans=count)


# ---- differences ----


@given(snapshots)
def test_a_reading_does_not_differ_from_itself(snapshot: Snapshot) -> None:
    change = difference(snapshot, snapshot)
    assert change.is_nothing
    assert not change.has_drops
    assert describe(change) == ["nothing changed"]


@given(snapshots, snapshots, snapshots)
def test_differences_add_up(a: Snapshot, b: Snapshot, c: Snapshot) -> None:
    first, second, both = difference(a, b), difference(b, c), difference(a, c)
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


@given(snapshots, snapshots)
def test_a_difference_applied_to_the_first_reading_gives_the_second(a: Snapshot, b: Snapshot) -> None:
    change = difference(a, b)
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
        difference(a, b) + Change(a, c)


def test_what_changed_is_told_in_words() -> None:
    before = Snapshot(NOON, 100, None, 50, {"countries": {"Japan": 9, "Peru": 4, "Chile": 7}, "browsers": {}})
    after = Snapshot(
        NOON, 1_112, 60, 50, {"countries": {"Brazil": 12, "Japan": 6, "Chile": 7}, "systems": {"iOS": 1}}
    )
    assert describe(difference(before, after)) == [
        "clicks +1,012 (100 → 1,112)",
        "countries: Brazil +12, first seen",
        "countries: Peru gone (was 4)",
        "countries: Japan −3, dropped",
        RETENTION,
    ]


def test_retention_is_mentioned_only_where_something_fell() -> None:
    grown = difference(Snapshot(NOON, clicks=1), Snapshot(NOON, clicks=2))
    fallen = difference(Snapshot(NOON, clicks=2), Snapshot(NOON, clicks=1))
    assert describe(grown) == ["clicks +1 (1 → 2)"]
    assert describe(fallen) == ["clicks −1, dropped (2 → 1)", RETENTION]


def test_what_one_reading_does_not_say_is_no_change() -> None:
    full = Snapshot(NOON, 5, 5, 5, {"countries": {"Japan": 5}})
    partial = Snapshot(NOON)
    assert difference(full, partial).is_nothing
    assert difference(partial, full).is_nothing
    assert difference(full, partial).total("clicks") is None


def test_a_label_that_goes_at_zero_is_gone_but_nothing_dropped() -> None:
    change = difference(
        Snapshot(NOON, breakdowns={"social": {"x": 0}}), Snapshot(NOON, breakdowns={"social": {}})
    )
    assert describe(change) == ["social: x gone (was 0)"]


# ---- over time ----


@given(histories, st.sampled_from(STEPS), st.sampled_from(ZONES))
def test_increments_sum_up_to_the_last_reading_less_the_first(
    history: list[Snapshot], step: Step, zone: ZoneInfo
) -> None:
    known = [snapshot.scans for snapshot in in_order(history) if snapshot.scans is not None]
    total = sum(point.value or 0 for point in increments(history, "scans", step, zone))
    assert total == (known[-1] - known[0] if known else 0)


@given(histories, st.sampled_from(STEPS), st.sampled_from(ZONES))
def test_a_series_is_in_order_whatever_order_the_readings_came_in(
    history: list[Snapshot], step: Step, zone: ZoneInfo
) -> None:
    unique = in_order(history)
    points = series(unique, "clicks", step, zone)
    moments = [point.at.astimezone(UTC) for point in points]
    assert moments == sorted(set(moments))
    assert series(unique[::-1], "clicks", step, zone) == points
    known = [snapshot.clicks for snapshot in unique if snapshot.clicks is not None]
    assert [point.value for point in points if point.value is not None][-1:] == known[-1:]


@given(histories, st.sampled_from(STEPS), st.sampled_from(ZONES))
def test_a_gap_is_one_point_without_a_value_between_two_with_one(
    history: list[Snapshot], step: Step, zone: ZoneInfo
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
        Point(datetime(2026, 11, 20, tzinfo=BERLIN), 2),
        Point(datetime(2026, 11, 21, tzinfo=BERLIN), 5),
    ]


def test_weeks_begin_on_monday() -> None:
    readings = [scans(datetime(2026, 11, day, 12, tzinfo=UTC), day) for day in (15, 16, 22, 23)]
    points = series(readings, "scans", "week", BERLIN)
    assert [(point.at.day, point.value) for point in points] == [(9, 15), (16, 22), (23, 23)]


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


def test_simulated_months_with_a_drop_a_gap_and_a_clock_that_was_set_back() -> None:
    begin = datetime(2026, 9, 1, 12, tzinfo=UTC)
    readings = []
    for day in range(90):
        if 30 <= day < 37:
            continue  # nothing was read for a week
        count = 10 * day - (200 if day >= 60 else 0)  # retention took 200 on day 60
        readings.append(scans(begin + timedelta(days=day), count))
    readings.append(scans(begin + timedelta(days=50, hours=-1), 499))  # read late by a clock set back
    points = series(readings, "scans", "day", BERLIN)
    added = {point.at.date(): point.value for point in increments(readings, "scans", "day", BERLIN)}
    assert [point.value for point in points].count(None) == 1
    assert added[(begin + timedelta(days=37)).date()] == 80  # all that was missed
    assert added[(begin + timedelta(days=60)).date()] == -190
    assert added[(begin + timedelta(days=50)).date()] == 10
    assert sum(value or 0 for value in added.values()) == 890 - 200


def test_of_two_readings_at_one_moment_the_later_given_counts() -> None:
    same_moment = NOON.astimezone(BERLIN)
    assert in_order([scans(NOON, 1), scans(same_moment, 2)]) == [scans(same_moment, 2)]


# ---- what to compare with ----


def test_the_baseline_is_the_last_reading_that_is_old_enough() -> None:
    now = datetime(2026, 11, 20, 14, tzinfo=BERLIN)
    readings = [scans(now - timedelta(hours=hours), hours) for hours in (200, 170, 30, 25, 23, 1)]
    yesterday = baseline(readings, now, "yesterday")
    assert yesterday.snapshot is not None
    assert yesterday.snapshot.scans == 25
    assert yesterday.words == "since 2026-11-19 13:00"
    last_week = baseline(readings, now, "last week").snapshot
    assert last_week is not None
    assert last_week.scans == 170
    looked = baseline(readings, now, "last look", last_look=now - timedelta(hours=2)).snapshot
    assert looked is not None
    assert looked.scans == 23


def test_yesterday_is_the_same_time_of_day_when_the_clocks_changed() -> None:
    now = datetime(2026, 10, 25, 14, tzinfo=BERLIN)  # 25 hours after 14:00 of the day before
    readings = [scans(datetime(2026, 10, 24, 14, tzinfo=BERLIN), 1), scans(now, 2)]
    assert baseline(readings, now, "yesterday").snapshot == readings[0]


@pytest.mark.parametrize("since", ["last look", "yesterday", "last week"])
def test_a_history_that_is_too_young_says_where_it_begins(since: str) -> None:
    now = datetime(2026, 11, 20, 15, tzinfo=BERLIN)
    readings = [scans(datetime(2026, 11, 20, 14, 3, tzinfo=BERLIN), 1), scans(now, 2)]
    found = baseline(readings, now, since)  # type: ignore[arg-type]  # parametrize gives plain strings
    assert found == (readings[0], "since 2026-11-20 14:03", False)


def test_without_readings_history_begins_now() -> None:
    assert baseline([], NOON, "yesterday") == (None, "history begins now", True)
    tomorrow = [scans(NOON + timedelta(days=1), 1)]  # read by a clock that ran ahead
    assert baseline(tomorrow, NOON, "yesterday").snapshot is None


def test_growth_ranks_codes_by_what_was_added_in_the_window() -> None:
    readings = [scans(NOON - timedelta(days=day), 100 - day) for day in range(10)]
    assert growth(readings, NOON, timedelta(days=7)) == Growth(7, NOON - timedelta(days=7))
    assert growth(readings, NOON, timedelta(days=30)) == Growth(9, NOON - timedelta(days=9))


def test_growth_is_unknown_rather_than_zero() -> None:
    assert growth([], NOON, timedelta(days=7)) is None
    assert growth([scans(NOON, 5)], NOON, timedelta(days=7)) is None
    assert growth([scans(NOON - timedelta(days=1), None), scans(NOON, 5)], NOON, timedelta(days=7)) is None
