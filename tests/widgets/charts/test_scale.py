"""The axes of charts: every value is on them, ticks are round, ordered and as few as asked for."""

import math
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkdash.widgets.charts.scale import row_scale, seconds, time_ticks

BERLIN = ZoneInfo("Europe/Berlin")
SUNDAY = datetime(2026, 10, 25, tzinfo=BERLIN)  # the clocks go back at 3:00

values = st.floats(-1e300, 1e300) | st.integers(-(10**12), 10**12).map(float)


@given(values, values, st.integers(2, 40), st.integers(2, 4))
@example(0.0, 5e-324, 3, 2)
def test_every_value_is_on_the_scale(one: float, other: float, rows: int, apart: int) -> None:
    low, high = sorted((one, other))
    scale = row_scale(low, high, rows, apart)
    assert scale.low < scale.high
    assert 0 <= scale.position(low) <= scale.position(high) <= 1
    at = [tick.position * rows for tick in scale.ticks]
    assert at == [pytest.approx(round(row)) for row in at]
    assert len({round(after) - round(before) for before, after in pairwise(at)}) == 1


@given(st.integers(0, 10**9), st.integers(3, 60), st.integers(2, 4))
@example(130, 7, 3)
@example(1_600, 8, 2)
@example(210, 8, 2)
def test_steps_are_as_people_count_and_the_highest_value_is_seen_well(
    high: int, rows: int, apart: int
) -> None:
    scale = row_scale(0.0, float(high), rows, apart)
    step = (scale.ticks[1].position - scale.ticks[0].position) * scale.high
    first = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert round(first, 6) in (1, 1.5, 2, 2.5, 3, 5)
    assert high <= scale.ticks[-1].position * scale.high + 1e-6
    assert high < 10 or scale.position(high) >= 0.3


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 0.0, ["0", "1", "2"]),
        (0.0, 3.0, ["0", "1", "2", "3"]),
        (5.0, 5.0, ["0", "2", "4", "6"]),
        (40.0, 100.0, ["0", "50", "100"]),
        (0.0, 5_085.0, ["0", "2,000", "4,000", "6,000"]),
        (10_000.0, 10_012.0, ["10,000", "10,005", "10,010", "10,015"]),
        (-30.0, 50.0, ["-30", "0", "30", "60"]),
        (-50.0, -40.0, ["-50", "-45", "-40"]),
        (0.1, 0.4, ["0", "0.2", "0.4"]),
        (0.0, 25_000_000.0, ["0", "10M", "20M", "30M"]),
    ],
)
def test_ticks_are_round_and_begin_at_zero_unless_little_happens_far_from_it(
    low: float, high: float, labels: list[str]
) -> None:
    assert [tick.label for tick in row_scale(low, high, 9, 3).ticks] == labels


@pytest.mark.parametrize("rows", [4, 5])
@pytest.mark.parametrize("apart", [2, 3])
def test_a_low_chart_ends_just_above_its_highest_value_and_has_a_tick_between(rows: int, apart: int) -> None:
    ticks = row_scale(0.0, 5_294.0, rows, apart).ticks
    assert [tick.label for tick in ticks] == ["0", "3,000", "6,000"]


@given(
    st.datetimes(timezones=st.sampled_from([UTC, BERLIN])),
    st.timedeltas(timedelta(seconds=1), timedelta(days=30_000)),
    st.integers(1, 12),
)
def test_ticks_of_time_are_ordered_and_between_the_ends(start: datetime, span: timedelta, count: int) -> None:
    try:
        end = start + span
    except OverflowError:
        end = datetime.max.replace(tzinfo=start.tzinfo)
    if seconds(end) <= seconds(start):
        return
    ticks = time_ticks(start, end, count)
    assert len(ticks) <= count + 1
    assert all(0 <= left.position < right.position <= 1 for left, right in pairwise(ticks))


@pytest.mark.parametrize(
    ("span", "labels"),
    [
        (timedelta(hours=8), ["25 Oct", "03:00", "06:00"]),
        (timedelta(days=3), ["25 Oct", "27 Oct"]),
        (timedelta(days=20), ["25 Oct", "1 Nov", "8 Nov"]),
        (timedelta(days=200), ["Jan 2027", "Apr 2027"]),
        (timedelta(days=4_000), ["Jan 2031", "Jan 2036"]),
    ],
)
def test_ticks_of_time_suit_the_span(span: timedelta, labels: list[str]) -> None:
    assert [tick.label for tick in time_ticks(SUNDAY, SUNDAY + span, 3)] == labels


def test_midnights_stay_midnights_when_the_clocks_change() -> None:
    ticks = time_ticks(SUNDAY, SUNDAY + timedelta(days=2), 3)
    assert [(round(tick.position * 49, 6), tick.label) for tick in ticks] == [
        (0, "25 Oct"),
        (25, "26 Oct"),
        (49, "27 Oct"),
    ]


def test_the_calendar_ends() -> None:
    end = datetime.max.replace(tzinfo=UTC)
    assert len(time_ticks(end - timedelta(days=3), end, 3)) <= 4


@pytest.mark.parametrize("high", [12_500.0, 25_000.0, 30_000.0, 450_000.0])
def test_short_numbers_of_an_axis_are_as_exact_as_long_ones(high: float) -> None:
    long, short = (row_scale(0.0, high, 9, 2, is_short=is_short).ticks for is_short in (False, True))
    assert [float(tick.label.replace("k", "e3")) for tick in short] == [
        float(tick.label.replace(",", "")) for tick in long
    ]
