"""A watched code in a row: strips add up to what the readings tell, and changes are told in words."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from linkdash.model.statistics.watched_scans import WatchNews, hour_strip, new_scans, news_of, week_trend
from linkdash.store.reading import Reading
from linkdash.widgets.charts.sparkline import strip_pieces

NOW = datetime(2026, 9, 21, 14, 13, 20, tzinfo=UTC)


def ago(minutes: float, scans: int, **breakdowns: dict[str, int]) -> Reading:
    return Reading(NOW - timedelta(minutes=minutes), clicks=scans, scans=scans, breakdowns=breakdowns)


def test_steps_without_a_reading_are_not_zero() -> None:
    strip = hour_strip([ago(20, 5), ago(10, 9)], NOW - timedelta(minutes=5), NOW, 6)
    assert strip.scans[:3] == (None, None, None)
    assert sum(scans for scans in strip.scans if scans is not None) == 4
    assert strip.live == 2


@given(
    st.lists(st.integers(1, 59), min_size=2, max_size=9, unique=True),
    st.lists(st.integers(0, 50), min_size=9, max_size=9),
    st.sampled_from([10, 20, 30]),
)
def test_a_strip_adds_up_to_what_was_added_in_the_hour(
    minutes: list[int], more: list[int], cells: int
) -> None:
    totals = [sum(more[: index + 1]) for index in range(len(minutes))]
    readings = [ago(at, total) for at, total in zip(sorted(minutes, reverse=True), totals, strict=True)]
    within = [one for one in readings if one.at >= NOW - timedelta(minutes=53)]
    strip = hour_strip(within, NOW, NOW, cells)
    told = sum(scans or 0 for scans in strip.scans)
    assert told == (totals[-1] - (within[0].scans or 0) if within else 0)
    assert sum(len(piece.text) for piece in strip_pieces(strip, cells + 1)) == cells + 1


def test_a_line_stands_where_the_watch_began_and_goes_once_it_lasts_longer() -> None:
    readings = [ago(90, 0), ago(0, 900)]
    begun = strip_pieces(hour_strip(readings, NOW, NOW, 10), 11)
    assert "".join(piece.text for piece in begun).index("│") == 9
    long_ago = strip_pieces(hour_strip(readings, NOW - timedelta(hours=2), NOW, 10), 11)
    assert "│" not in "".join(piece.text for piece in long_ago)


def test_what_is_new_is_counted_from_what_was_known_when_the_watch_began() -> None:
    began = NOW - timedelta(minutes=5)
    before, since = [ago(6, 40)], [ago(4.5, 41), Reading(NOW, clicks=3)]
    assert new_scans(before, began) is None, "nothing was read since"
    assert new_scans([], began) is None
    assert new_scans([*before, *since], began) == 1
    assert news_of(3, [*before, *since], NOW)[-1].words.startswith("+1 scan, +1 click in ")
    assert new_scans([*since, ago(0, 44)], began) == 3, "counted from the first of the watch without any"
    assert new_scans([ago(5, 7)], began + timedelta(microseconds=9)) == 0, "readings are kept to the second"


def test_a_change_names_how_much_how_long_and_from_where() -> None:
    before = ago(15, 100, countries={"Germany": 60, "Spain": 9})
    after = ago(0, 112, countries={"Germany": 64, "Austria": 8, "Spain": 9, "Chile": 1})
    (news,) = news_of(7, [before, replace(before, at=NOW - timedelta(minutes=12)), after], NOW)
    assert news.words == "+12 scans, +12 clicks in 12 min: Austria 8, Germany 4"
    assert news.code_id == 7


def test_countries_that_have_more_than_what_is_told_beside_them_are_named_without_numbers() -> None:
    before = Reading(NOW - timedelta(minutes=15), 8, scans=7, breakdowns={"countries": {"Germany": 5}})
    after = Reading(NOW, 10, scans=8, breakdowns={"countries": {"Germany": 6, "Czechia": 1}})
    (news,) = news_of(7, [before, after], NOW)
    assert news.words == "+1 scan, +2 clicks in 15 min: Czechia 1, Germany 1"
    (news,) = news_of(7, [before, replace(after, clicks=9)], NOW)
    assert news.words == "+1 scan, +1 click in 15 min: Czechia, Germany"


def test_what_the_list_tells_in_between_hides_no_clicks_and_no_countries() -> None:
    first, last = ago(10, 10, countries={"Chile": 10}), ago(0, 13, countries={"Chile": 13})
    listed = Reading(NOW - timedelta(minutes=5), scans=13)
    told = [news.words for news in news_of(7, [first, listed, last], NOW)]
    assert told == ["+3 clicks in 10 min: Chile 3", "+3 scans in 5 min"]
    hours_ago = [replace(one, at=one.at - timedelta(hours=2)) for one in (first, listed, last)]
    later = replace(listed, at=NOW - timedelta(hours=2), scans=14)
    (whole,) = news_of(7, [*hours_ago, replace(later, at=NOW - timedelta(hours=1.9))], NOW)
    assert whole.words == "+4 scans, +3 clicks in 16 min: Chile 3"


def scans_of(news: WatchNews) -> str:
    """Return what is told of scans alone."""
    return re.sub(r", \+[\d,]+ clicks?", "", news.words)


def quarters(*more: int, first: int = 0) -> list[Reading]:
    """A reading every quarter of an hour, each with so many scans more; the last is `first` minutes old."""
    last = first + 15 * len(more)
    return [ago(last - 15 * at, sum(more[:at])) for at in range(len(more) + 1)]


def test_quiet_times_that_follow_one_another_are_one_line_and_the_last_hour_is_told_one_by_one() -> None:
    told = [scans_of(one) for one in news_of(7, quarters(1, 0, 2, 1, 9, 2, 0, 0, 1, 1, 1, 2, 1), NOW)]
    assert told == [
        *["+1 scan in 15 min", "+2 scans in 15 min", "+1 scan in 15 min", "+1 scan in 15 min"],
        "+3 scans in 1 h",
        "+9 scans in 15 min",
        "+4 scans in 1 h",
    ]


def test_a_quiet_time_is_of_one_day_and_of_short_times_between_readings() -> None:
    over_midnight = news_of(7, quarters(*[1] * 12, first=13 * 60), NOW)
    assert [scans_of(one) for one in over_midnight] == [
        "+5 scans in 75 min",
        "+7 scans in 105 min",
    ]
    alone = news_of(7, quarters(1, 0, 0, first=120), NOW)
    assert [scans_of(one) for one in alone] == ["+1 scan in 15 min"]
    assert news_of(7, quarters(0, 0, 0, first=120), NOW) == []
    seldom = [ago(minutes, 100 - minutes // 60) for minutes in (960, 840, 720)]
    assert [scans_of(one) for one in news_of(7, seldom, NOW)] == ["+2 scans in 2 h"] * 2
    scans_only = [
        replace(one, scans=None) if at % 2 else one for at, one in enumerate(quarters(1, 1, 1, first=90))
    ]
    told = [scans_of(one) for one in news_of(7, scans_only, NOW)]
    assert told == ["+3 clicks in 45 min"], "what both ends tell"


def test_the_week_is_that_of_the_lists() -> None:
    days = [Reading(NOW - timedelta(days=day), scans=(20 - day) * 10) for day in range(16, -1, -1)]
    trend = week_trend(7, days, NOW)
    assert trend is not None
    assert trend.days[-7:] == (10,) * 7
    assert trend.change is not None
    assert trend.change.now == 70
