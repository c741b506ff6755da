"""Lines of the overview, out of what is known: allowances, expiry, and what moved."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.resources.plans import Feature, Limits, Plan
from linkdash.model.humanize import CountChange, TimeLeft
from linkdash.model.insight.allowances import PlanAllowance, allowances
from linkdash.model.insight.overview import MOST
from linkdash.model.statistics.scan_activity import activities, pulse
from linkdash.store.reading import Scans
from tests.model.statistics.test_period_comparison import DAY, HOUR, NOW
from tests.model.statistics.test_scan_activity import turned

TODAY = datetime(2026, 11, 21, 16, 0)


def plan(**features: Feature) -> Plan:
    return Plan(id=1, name="Pro", limits=Limits(links=500, clicks=0, features=features))


def test_what_is_used_is_told_only_where_it_was_counted() -> None:
    features = {
        "pixels": Feature(enabled=True, count=30),
        "splash": Feature(enabled=True, count=10),
        "team": Feature(enabled=True, count=5),
        "overlay": Feature(enabled=False, count=9),
        "alias": Feature(enabled=True, count=None),
    }
    found = {one.name: one for one in allowances(plan(**features), {"pixels": 28, "splash": None})}
    assert list(found) == ["Pixels", "Links", "Clicks", "Splash", "Team"], (
        "only what the plan has, with a number"
    )
    assert (found["Pixels"].used, found["Pixels"].limit, found["Pixels"].is_nearly_used) == (28, 30, True)
    assert [found[name].share for name in ("Links", "Splash", "Team")] == [None] * 3
    assert found["Clicks"].limit == 0, "as the service sent it"
    assert allowances(Plan(id=2, name="Odd"), {"pixels": 3}) == []


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_what_is_used_up_is_nearly_used_too(limit: int, used: int) -> None:
    one = PlanAllowance("Pixels", limit, used)
    assert (one.share is None) is (limit == 0), "of nothing there is no part"
    assert not one.is_used_up or one.is_nearly_used
    assert one.is_used_up is (limit > 0 and used >= limit)


@pytest.mark.parametrize(
    ("days", "words", "sign"),
    [
        (None, "no expiry date", ""),
        (-3, "expired 3 days ago", "✗ "),
        (-1, "expired 24 h ago", "✗ "),
        (1, "24 h left", "! "),
        (2, "2 days left", "! "),
        (18, "18 days left", "! "),
        (31, "31 days left", ""),
    ],
)
def test_an_expiry_in_words(days: int | None, words: str, sign: str) -> None:
    found = TimeLeft(None if days is None else TODAY + timedelta(days=days), TODAY)
    assert (found.words, found.sign) == (words, sign)


def test_the_largest_changes_come_first_and_the_most_scanned_on_top() -> None:
    found = activities({1: turned(50, 10), 2: turned(20, 60), 3: turned(30, 32)}, NOW)
    known = pulse(found.values(), most=MOST)
    by = [abs(one.week.difference) for one in known.changed]
    assert by == sorted(by, reverse=True)
    assert {one.code_id for one in known.changed} == {1, 2, 3}
    weeks = [one.week.now.value for one in known.top if one.week.now is not None]
    assert len(weeks) == 3
    assert weeks == sorted(weeks, reverse=True), "by their week, not by all that they ever had"
    assert [one.scans for one in known.top] != sorted((one.scans for one in known.top), reverse=True)
    assert (known.codes, known.compared) == (3, 3)
    assert len(pulse(found.values(), most=2).top) == 2


def test_of_nothing_nothing_is_claimed() -> None:
    known = pulse([], most=MOST)
    day, week = known.day.comparison, known.week.comparison
    assert (day.now, week.now, known.codes, known.top, known.changed) == (None, None, 0, (), ())
    assert week.difference == 0


def fallen(before: int, last: int) -> Scans:
    """A code that is scanned so often a day, and on the last whole day that much."""
    midnight, count, found = NOW.replace(hour=0, minute=0), 0.0, []
    for hour in range(16 * 24):
        at = midnight + HOUR * (hour + 1) - 16 * DAY
        count += (last if at > midnight - DAY else before) / 24
        found.append((at, round(count)))
    return (*found, (NOW, round(count)))


def test_a_few_scans_less_in_a_day_are_no_news() -> None:
    found = activities({1: fallen(36, 24), 2: fallen(360, 240)}, NOW)
    assert all(one.day.is_telling for one in found.values())
    known = pulse(found.values(), most=MOST)
    assert [one.code_id for one in known.headlines] == [2]


def test_a_day_is_compared_with_its_weekday_and_is_news_once() -> None:
    midnight = NOW.replace(hour=0, minute=0)

    def scanned(*a_day: int) -> Scans:
        """A code that is scanned so often on each of the last days."""
        counts = [sum(a_day[:days]) for days in range(len(a_day) + 1)]
        return tuple((midnight - DAY * (len(a_day) - at), count) for at, count in enumerate(counts))

    weekend = scanned(*[300, 300, 300, 300, 300, 200, 80] * 2)
    fell_then = scanned(*[300] * 13, 80)
    fell_before = scanned(*[300] * 12, 80, 80)
    unknown = scanned(*[300, 300, 200, 80])
    found = activities({1: weekend, 2: fell_then, 3: fell_before, 4: unknown}, NOW)
    assert found[1].day.words == "= 0 %", "it is always so on that day"
    assert [found[code].day.words for code in (2, 3, 4)] == ["▼ 73 %", "▼ 73 %", ""]
    assert [one.code_id for one in pulse(found.values(), most=MOST).headlines] == [2]


@pytest.mark.parametrize(
    ("now", "before", "words"),
    [
        (81, 90, "10 % less than the day before"),
        (90, 60, "50 % more than the day before"),
        (3, 5, "2 fewer than the day before"),
        (9, 0, "9 more than the day before"),
        (1001, 1000, "about as many as the day before"),
        (50, 50, "as many as the day before"),
    ],
)
def test_a_change_in_words_has_no_sign_of_its_own(now: int, before: int, words: str) -> None:
    assert CountChange(now, before).than("the day before") == words
