"""Charts as data: what is drawn of what is known."""

from linkdash.model.statistics.charts import pulse_chart
from linkdash.model.statistics.scan_activity import activities, pulse
from tests.model.statistics.test_period_comparison import NOW, growing
from tests.model.statistics.test_scan_activity import scans, turned


def test_the_pulse_is_two_weeks_of_all_codes_with_their_sums_and_the_turn() -> None:
    found = pulse(activities({1: turned(500, 100), 2: turned(300, 60)}, NOW).values())
    chart = pulse_chart(found, NOW)
    before, now = ([column.value for column in side] for side in (chart.before, chart.now))
    assert len(before) == len(now) == 7
    assert chart.caption_before.endswith(f": {sum(value or 0 for value in before):,}")
    assert chart.caption_now.endswith(f": {sum(value or 0 for value in now):,} ▼")
    assert (chart.tone, chart.turn, chart.running) == ("bad", 7, None)
    assert chart.notes[0].startswith("▼ ")


def test_days_that_no_code_was_read_on_are_not_zero() -> None:
    chart = pulse_chart(pulse(activities({1: scans(growing(3))}, NOW).values()), NOW)
    assert [column.value for column in chart.before] == [None] * 7
    assert chart.now[-1].value == 24
