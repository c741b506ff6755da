"""Periods: what was added adds up, and no number claims more than the readings."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.model.humanize import CountChange
from linkdash.model.statistics.period import PERIODS, PeriodName, kept_words, period, span_words
from linkdash.model.statistics.period_comparison import (
    Amount,
    Comparison,
    Track,
    added,
    breakdown,
    compared,
    in_steps,
    telling,
    turn,
)
from linkdash.model.statistics.readings import in_order
from linkdash.model.statistics.sentences import turn_words
from linkdash.store.reading import Reading


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (1, "11 Jan 2026, compared with 10 Jan 2026"),
        (7, "5 to 11 Jan 2026, compared with 29 Dec 2025 to 4 Jan 2026"),
        (10, "2 to 11 Jan 2026, compared with 23 Dec 2025 to 1 Jan 2026"),
        (30, "13 Dec 2025 to 11 Jan 2026, compared with 13 Nov to 12 Dec 2025"),
    ],
)
def test_an_own_period_in_words(days: int, words: str) -> None:
    assert span_words(days, datetime(2026, 1, 12, 15, tzinfo=BERLIN)) == words


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (3, ""),
        (5, "Kept since 1 Jan: 4 of the 5 days before are known\nUp to 4 days can be compared"),
        (9, "Kept since 1 Jan: 0 of the 9 days before are known\nUp to 4 days can be compared"),
        (14, "Kept since 1 Jan: 9 of these 14 days are known, none before\nUp to 4 days can be compared"),
    ],
)
def test_a_period_that_reaches_before_the_first_reading_says_which_days_are_known(
    days: int, words: str
) -> None:
    first, now = datetime(2026, 1, 1, 23, tzinfo=BERLIN), datetime(2026, 1, 11, 15, tzinfo=BERLIN)
    assert kept_words(days, first, now) == words


def test_a_first_day_that_is_whole_counts_and_one_that_is_not_over_does_not() -> None:
    now = datetime(2026, 1, 11, 15, tzinfo=BERLIN)
    assert kept_words(5, datetime(2026, 1, 1, tzinfo=BERLIN), now) == ""
    assert kept_words(2, now, now) == "Kept since 11 Jan: no whole day is known yet"


BERLIN = ZoneInfo("Europe/Berlin")
ZONES = (UTC, BERLIN, ZoneInfo("Australia/Lord_Howe"), ZoneInfo("America/Havana"))
NOW = datetime(2026, 11, 21, 13, 14, tzinfo=BERLIN)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)

moments = st.datetimes(datetime(2026, 9, 1), datetime(2026, 11, 21), timezones=st.just(UTC))
histories = st.lists(st.builds(Reading, moments, scans=st.none() | st.integers(0, 10**6)), max_size=30)
names = st.sampled_from(PERIODS)
zones = st.sampled_from(ZONES)


def growing(
    days: float, *, a_day: float = 24.0, every: timedelta = HOUR, until: datetime = NOW, **countries: float
) -> list[Reading]:
    """Readings of a code that is scanned evenly, up to a moment."""
    count = int(days * DAY / every)
    readings = []
    for number in range(count + 1):
        share = number / count if count else 0
        labels = {label: round(final * share) for label, final in countries.items()}
        at = (until.astimezone(UTC) - (count - number) * every).astimezone(UTC)
        readings.append(
            Reading(at, scans=round(number * every / DAY * a_day), breakdowns={"countries": labels})
        )
    return readings


# ---- laws ----


@given(histories, names, zones, st.integers(1, 120))
def test_the_steps_of_a_period_add_up_to_the_period(
    history: list[Reading], name: PeriodName, zone: ZoneInfo, days: int
) -> None:
    over = period(name, NOW.astimezone(zone), days=days, last_visit=NOW - 3 * DAY)
    tracks = [Track(history)]
    steps, whole = in_steps(tracks, "scans", over), compared(tracks, "scans", over)
    half = len(over.marks_before) - 1
    for side, amounts in ((whole.before, steps[:half]), (whole.now, steps[half:])):
        known = [amount for amount in amounts if amount is not None]
        assert (side.value if side else 0) == sum(amount.value for amount in known)
        if side is not None and not side.is_partial:
            assert len(known) == len(amounts)
            assert not any(amount.is_partial for amount in known)


@given(histories, st.lists(moments, min_size=2, max_size=2))
def test_more_readings_never_make_a_sure_number_another(history: list[Reading], ends: list[datetime]) -> None:
    """With a reading at both ends only these two count, and nothing is an estimate."""
    start, end = sorted(ends)
    if start == end:
        return
    sure = [Reading(start, scans=100), Reading(end, scans=140)]
    others = [one for one in history if one.at not in (start, end)]
    assert added([Track([*others, *sure])], "scans", start, end) == Amount(40)


@given(histories, st.lists(moments, min_size=2, max_size=2))
def test_an_amount_is_unknown_partial_or_within_what_was_read(
    history: list[Reading], ends: list[datetime]
) -> None:
    start, end = sorted(ends)
    known = [(one.at, one.scans) for one in in_order(history) if one.scans is not None]
    found = added([Track(history)], "scans", start, end)
    if start == end or len(known) < 2 or end <= known[0][0] or start >= known[-1][0]:
        assert found is None
    elif found is not None:
        assert found.is_partial == (start < known[0][0] or end > known[-1][0])
        values = [scans for _, scans in known if scans is not None]
        assert abs(found.value) <= max(values) - min(values)


@given(histories, histories, names)
def test_codes_add_up_to_their_group(one: list[Reading], other: list[Reading], name: PeriodName) -> None:
    over = period(name, NOW)
    parts = [compared([Track(history)], "scans", over).now for history in (one, other)]
    known = [part for part in parts if part is not None]
    whole = compared([Track(one), Track(other)], "scans", over).now
    assert (whole.value if whole else None) == (sum(part.value for part in known) if known else None)
    if whole is not None and len(known) == 1:
        assert whole.is_partial


@given(names, zones, moments, st.integers(1, 400))
def test_a_period_and_the_one_before_it_follow_each_other(
    name: PeriodName, zone: ZoneInfo, now: datetime, days: int
) -> None:
    over = period(name, now.astimezone(zone), days=days)
    steps = over.steps
    assert over.marks_before[-1] == over.start
    assert over.end.astimezone(UTC) <= now.astimezone(UTC)
    assert all(start.astimezone(UTC) < end.astimezone(UTC) for start, end in steps)
    assert all(left[1] == right[0] for left, right in pairwise(steps))
    if name in ("week", "month"):
        assert len(steps) == 2 * {"week": 7, "month": 30}[name]


# ---- what they say ----


@pytest.mark.parametrize(
    ("now", "before", "words", "is_telling"),
    [
        (300, 1600, "▼ 81 %", True),
        (104, 100, "▲ 4 %", False),
        (20, 10, "+10", False),
        (50, 50, "= 0 %", False),
        (5, 0, "+5", False),
        (520, 0, "+520", True),
        (-60, 500, "-560", True),
    ],
)
def test_a_change_in_words(now: int, before: int, words: str, is_telling: bool) -> None:
    comparison = Comparison(Amount(now), Amount(before))
    assert (comparison.words, comparison.is_telling) == (words, is_telling)
    assert comparison.words == CountChange(now, before).words, "in lists as in statistics"


def test_nothing_is_compared_with_a_time_that_is_not_wholly_known() -> None:
    comparison = compared([Track(growing(10))], "scans", period("week", NOW))
    assert comparison.now == Amount(168)
    assert comparison.before is not None
    assert (comparison.before.is_partial, str(comparison.before)) == (True, "≥59")
    assert comparison.percent is None


def test_a_missing_reading_at_the_end_of_a_step_makes_it_an_estimate() -> None:
    over = period("week", NOW)
    history = [one for one in growing(20) if not over.marks[2] - 8 * HOUR < one.at < over.marks[2] + 8 * HOUR]
    steps = in_steps([Track(history)], "scans", over)[7:]
    assert [amount.sign for amount in steps if amount] == ["", "≈", "≈", "", "", "", ""]
    assert compared([Track(history)], "scans", over).now == Amount(168)
    readings_of_a_day = growing(20, every=DAY)
    assert all(one and one.is_estimate for one in in_steps([Track(readings_of_a_day)], "scans", over))
    still = [Reading(one.at, scans=7) for one in readings_of_a_day]
    assert in_steps([Track(still)], "scans", over) == [Amount(0)] * 14


def test_the_day_a_code_fell_is_found_among_weekends() -> None:
    over = period("week", NOW)
    values: Sequence[int] = (210, 130, 220, 215, 205, 200, 216, 84, 70, 52, 50, 48, 30, 28)
    turned = turn([Amount(value) for value in values], over)
    assert turned is not None
    assert turned.at == over.start
    assert (turned.before, turned.after) == (216, 84)
    even: Sequence[int] = (210, 215, 205, 200, 216, 208, 211) * 2
    assert turn([Amount(value) for value in even], over) is None
    assert turn([None, *(Amount(value) for value in values[1:])], over) is None, "weekends are not known"


def test_a_weekend_like_the_one_before_is_no_turn() -> None:
    over = period("week", NOW)
    week = [100, 100, 100, 100, 100, 60, 55]
    assert turn([*map(Amount, [*week, *week[:5], 57, 52])], over) is None
    fallen = turn([*map(Amount, [*week, *week[:5], 40, 35])], over)
    assert fallen is not None
    assert fallen.index == 12


def test_the_day_a_sum_fell_a_little_is_not_taken_for_the_weekend_before() -> None:
    over = period("week", NOW)
    week = [3046, 3010, 2990, 2149, 2080, 2960, 3001]
    fallen = turn([*map(Amount, [*week, *(round(value * 0.76) for value in week)])], over)
    assert fallen is not None
    assert fallen.at == over.start
    assert (fallen.mean_before, fallen.mean_after) == (2748, 2089)


@given(
    st.lists(st.integers(100, 9000), min_size=7, max_size=7),
    st.integers(2, 12),
    st.one_of(st.floats(0.1, 0.7), st.floats(1.5, 9)),
)
def test_whatever_the_days_of_a_week_are_like_the_day_that_changed_them_is_found(
    week: list[int], cut: int, factor: float
) -> None:
    over = period("week", NOW)
    values = [*week, *week]
    assert turn([*map(Amount, values)], over) is None
    changed = [*values[:cut], *(round(value * factor) for value in values[cut:])]
    turned = turn([*map(Amount, changed)], over)
    assert turned is not None
    assert (turned.index, turned.is_fall) == (cut, factor < 1)
    assert turned.mean_after == pytest.approx(turned.mean_before * factor, rel=0.02, abs=1)


@pytest.mark.parametrize("silent", [0, 5])
def test_what_rests_at_weekends_falls_when_it_falls(silent: int) -> None:
    over = period("week", NOW)
    week = [100, 100, 100, 100, 100, silent, 0]
    turned = turn([*map(Amount, [*week, 100, *(value // 2 for value in week[1:])])], over)
    assert turned is not None
    assert turned.index == 8


def test_a_fall_after_a_weekend_is_not_told_as_a_rise() -> None:
    over = period("week", NOW)
    week = [100, 100, 30, 25, 100, 100, 100]
    turned = turn([*map(Amount, [*week, *week[:4], *(value * 6 // 10 for value in week[4:])])], over)
    assert turned is not None
    assert turn_words(turned, over, NOW) == ("▼ Wed 18 Nov", "same weekdays: mean 100 → 60 a day")
    whole = turn([*map(Amount, [*[100] * 20, *[50] * 20])], period("own", NOW, days=20))
    assert whole is not None
    mean = "the mean fell from 100 to 50 a day"
    assert turn_words(whole, period("own", NOW, days=20), NOW)[1] == mean, "of all days on both sides"
    hours = turn([*map(Amount, [*[100] * 30, *[50] * 18])], period("day", NOW))
    assert hours is not None
    assert turn_words(hours, period("day", NOW), NOW)[1] == "same hours: mean 100 → 50 an hour"


def test_labels_are_new_gone_or_compared_and_their_shares_add_up() -> None:
    over = period("week", NOW)
    history = growing(20, Brazil=400.0, Japan=100.0)
    changed = []
    for one in history:
        labels = dict(one.breakdowns["countries"])
        if one.at >= over.start:
            labels["Peru"] = 5
        else:
            labels["Chile"] = 38
        changed.append(Reading(one.at, scans=one.scans, breakdowns={"countries": labels}))
    rows = breakdown([Track(changed)], "countries", over, NOW)
    assert rows is not None
    assert [row.label for row in rows] == ["Brazil", "Japan", "Peru", "Chile"]
    assert [(row.is_new, row.was) for row in rows] == [
        (False, None),
        (False, None),
        (True, None),
        (False, 38),
    ]
    assert sum(row.share or 0 for row in rows) == pytest.approx(1)
    in_all = breakdown([Track(changed)], "countries", None, NOW)
    assert in_all is not None
    assert {row.label: row.count for row in in_all} == {"Brazil": 400, "Japan": 100, "Peru": 5}
    assert breakdown([Track(changed)], "browsers", over, NOW) is None


def test_labels_of_a_code_whose_breakdowns_were_first_read_in_the_period_are_not_new() -> None:
    over = period("week", NOW)
    late = Track(one for one in growing(20, Peru=9) if one.at > over.start)
    rows = breakdown([Track(growing(20, Chile=40)), late], "countries", over, NOW) or []
    assert [(row.label, row.is_new) for row in rows] == [("Chile", False), ("Peru", False)]


def test_a_breakdown_that_was_read_once_tells_nothing_of_a_period() -> None:
    *earlier, last = growing(10, Germany=70)
    once = Track([*(replace(reading, breakdowns={}) for reading in earlier), last])
    whole, over = Track(growing(10, Germany=70)), period("week", NOW)
    assert breakdown([once], "countries", over, NOW) is None, "which is not zero"
    assert [row.count for row in breakdown([once], "countries", None, NOW) or []] == [70]
    assert telling([once, whole], "countries", over, NOW) == [whole]
    assert telling([once, whole], "countries", None, NOW) == [once, whole]
    summed = breakdown([once, whole], "countries", over, NOW) or []
    assert [row.count for row in summed] == [49]
