"""Charts as data: what is drawn of what is known."""

import pytest

from linkdash.model.insight.overview import MOST
from linkdash.model.statistics.charts import common_base, compared_days, pulse_chart
from linkdash.model.statistics.period import period
from linkdash.model.statistics.period_comparison import Track
from linkdash.model.statistics.scan_activity import activities, pulse
from linkdash.model.statistics.sentences import reach_words
from tests.model.statistics.test_period_comparison import NOW, growing
from tests.model.statistics.test_scan_activity import scans, turned


def test_the_pulse_is_two_weeks_of_all_codes_with_their_sums_and_the_turn() -> None:
    found = pulse(activities({1: turned(500, 100), 2: turned(300, 60)}, NOW).values(), most=MOST)
    chart = pulse_chart(found, NOW)
    before, now = ([column.value for column in side] for side in (chart.before, chart.now))
    assert len(before) == len(now) == 7
    assert chart.caption_before.endswith(f": {sum(value or 0 for value in before):,}")
    assert chart.caption_now.endswith(f": {sum(value or 0 for value in now):,} ▼")
    assert (chart.tone, chart.turn, chart.running) == ("bad", 7, None)
    assert chart.notes[0].startswith("▼ ")


def test_days_that_no_code_was_read_on_are_not_zero() -> None:
    chart = pulse_chart(pulse(activities({1: scans(growing(3))}, NOW).values(), most=MOST), NOW)
    assert [column.value for column in chart.before] == [None] * 7
    assert chart.now[-1].value == 24


def test_curves_are_drawn_of_what_is_known_where_the_time_before_is_not() -> None:
    month = period("month", NOW)
    long, short = Track(growing(61)), Track(growing(20))
    assert common_base([long], month) == "before"
    assert common_base([long, short], month) == "known"
    chart = compared_days([("Long", long), ("Short", short)], month, base="known", if_empty="")
    for _, points in chart.series:
        known = [value for _, value in points if value is not None]
        assert known
        assert sum(known) / len(known) == pytest.approx(100)


def test_the_time_before_is_a_hundred_percent_where_it_has_more_weeks() -> None:
    own = period("own", NOW, days=46)
    weeks = len(own.marks_before) - 1
    assert weeks > len(own.marks) - 1
    chart = compared_days([("One", Track(growing(100)))], own, base="before", if_empty="")
    before = [value or 0 for _, value in chart.series[0][1][:weeks]]
    assert sum(before) / weeks == pytest.approx(100)


def test_the_reach_of_a_short_history_is_told_with_its_period() -> None:
    month = period("month", NOW)
    assert reach_words([Track(growing(61))], "scans", month) == "60 days: 30 before, 30 last"
    assert reach_words([Track(growing(20))], "scans", month).startswith("last 30 days, read since ")
