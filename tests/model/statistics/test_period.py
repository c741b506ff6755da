"""Periods from one day to another, and when they are over."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.model.statistics.period import between, period

BERLIN = ZoneInfo("Europe/Berlin")
DAYS = st.dates(date(2020, 1, 1), date(2030, 12, 31))


@given(DAYS, st.integers(0, 100))
def test_both_days_count_and_as_many_come_before(first: date, more: int) -> None:
    last = first + timedelta(days=more)
    found = between(first, last, BERLIN)
    assert (found.start.date(), found.end.date()) == (first, last + timedelta(days=1))
    assert found.start_before.date() == first - timedelta(days=more + 1)
    assert found.days == more + 1
    assert found.step == ("day" if more + 1 < 46 else "week")
    assert found.steps[0][0] == found.start_before
    assert found.steps[-1][1] == found.end


@pytest.mark.parametrize(
    ("last", "words", "before", "both"),
    [
        (date(2026, 3, 31), "7 days to 31 Mar 2026", "7 before", "14 days: 7 before, 7 last"),
        (date(2026, 3, 25), "day 25 Mar 2026", "day before", "2 days: the one before, the last full one"),
    ],
)
def test_it_is_called_by_its_last_day(last: date, words: str, before: str, both: str) -> None:
    found = between(date(2026, 3, 25), last, BERLIN)
    assert (found.words, found.words_before, found.both) == (words, before, both)


def test_it_is_told_up_to_now_until_the_day_it_ended_on_is_over() -> None:
    found = between(date(2026, 3, 25), date(2026, 3, 31), BERLIN)
    meanwhile, after = datetime(2026, 4, 1, 12, tzinfo=BERLIN), datetime(2026, 4, 2, tzinfo=BERLIN)
    assert found.last_moment(meanwhile) == meanwhile
    assert found.last_moment(after) == found.end


def test_the_last_days_are_whole_ones() -> None:
    found = period("week", datetime(2026, 3, 31, 12, tzinfo=BERLIN))
    assert (found.start, found.end) == (
        datetime(2026, 3, 24, tzinfo=BERLIN),
        datetime(2026, 3, 31, tzinfo=BERLIN),
    )
    assert found.start_before == datetime(2026, 3, 17, tzinfo=BERLIN)
