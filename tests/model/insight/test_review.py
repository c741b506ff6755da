"""Findings of a review among users."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.fields import fields_of
from linkdash.api.records import Unreadable
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.users import User
from linkdash.model.humanize import LATER, SOON, TimeLeft
from linkdash.model.insight.review import WEEKS, due, expiring, expiry, later, review, time_left
from linkdash.model.lists.filter import parse
from linkdash.widgets.charts.cell_pictures import time_left_words

NOW = datetime(2026, 11, 21, 12)


def user(
    id: int,
    status: str = "pro",
    days: float | None = 100,
    plan: int = 2,
    expires: str | None = None,
    estimated: Sequence[str] = (),
) -> User:
    if expires is None and days is not None:
        expires = f"{NOW + timedelta(days=days):%Y-%m-%d %H:%M:%S}"
    found = User.read({"id": id, "username": f"u{id}", "status": status, "expires": expires, "planid": plan})
    assert not isinstance(found, Unreadable)
    return found.with_estimates(estimated)


def plans() -> list[Plan]:
    found = [
        Plan.read({"id": 1, "name": "Free", "free": True}),
        Plan.read({"id": 2, "name": "Pro", "free": False}),
    ]
    return [plan for plan in found if not isinstance(plan, Unreadable)]


def found(*users: User) -> dict[str, list[int]]:
    """By title, without what was looked for and not found."""
    known = review(users, plans(), NOW)
    return {one.title: [user.id for user in one.users] for one in known if one.users or one.kind == "week"}


@pytest.mark.parametrize(
    ("one", "titles"),
    [
        (user(1, days=-0.1), {"expired, still pro"}),
        (user(1, days=0), {"expires within 7 days", "expires within 30 days"}),
        (user(1, days=6.9), {"expires within 7 days", "expires within 30 days"}),
        (user(1, days=7), {"expires within 30 days"}),
        (user(1, days=30), set()),
        (user(1, days=None), {"pro, never expires"}),
        (user(1, plan=9), {"unknown plan"}),
        (user(1, "free", None, 1), set()),
        (user(1, "free", None, 2), {"free, on a paid plan"}),
        (user(1, "free", -5, 1), set()),
    ],
)
def test_each_finding_has_its_users_and_no_others(one: User, titles: set[str]) -> None:
    told = {title for title in found(one) if not title.startswith(("status ", "plan ", "no plan", "week of"))}
    assert told == titles


def test_who_was_just_subscribed_does_not_count_as_never_expiring() -> None:
    told = found(user(1, expires="2026-12-22", estimated=["expires"]), user(2, days=None))
    assert (told["pro, never expires"], told["pro, end not reported yet"]) == ([2], [1])


def test_an_end_that_is_expected_counts_as_the_list_shows_it() -> None:
    expected, lifetime = (
        user(at, expires=end, estimated=["expires"]) for at, end in ((1, "2026-12-20"), (2, "lifetime"))
    )
    told = found(expected, lifetime, user(3, days=2))
    assert told["expires within 30 days"] == [3, 1]
    assert told["week of 14 Dec"] == [1]
    assert [time_left_words(time_left(one, NOW)) for one in (expected, lifetime)] == ["! ≈ 28 d", "never"]


def test_users_are_counted_by_class_and_plan_in_the_order_they_expire() -> None:
    told = found(user(1, days=9), user(2, days=5), user(3, "free", None, 1), user(4, "", None, 0))
    assert told["expires within 30 days"] == [2, 1]
    assert (told["status pro"], told["status free"], told["status not reported"]) == ([2, 1], [3], [4])
    assert (told["plan Pro"], told["plan Free"], told["no plan"]) == ([2, 1], [3], [4])


def test_a_class_that_is_assumed_counts_as_that_class() -> None:
    told = found(user(1, estimated=["status"]), user(2), user(3, days=-1, estimated=["status"]))
    assert told["status pro"] == [3, 1, 2]
    assert [title for title in told if title.startswith("status ")] == ["status pro"]
    assert told["expired, still pro"] == [3]


def test_without_plans_none_is_unknown() -> None:
    assert "unknown plan" not in {finding.title for finding in review([user(1, plan=9)], [], NOW)}


def test_what_was_looked_for_and_not_found_is_told_last() -> None:
    told = [one for one in review([user(1, days=None)], plans(), NOW) if one.kind == "finding"]
    assert [(one.title, len(one.users)) for one in told] == [
        ("pro, never expires", 1),
        ("expired, still pro", 0),
        ("unknown plan", 0),
        ("free, on a paid plan", 0),
        ("expires within 7 days", 0),
        ("expires within 30 days", 0),
    ]
    assert review([], plans(), NOW) == []


def test_users_are_counted_by_the_week_they_expire_in_with_the_weeks_between() -> None:
    told = found(user(1, days=9), user(2, days=1), user(3, days=0.5), user(4, days=-1), user(5, days=80))
    weeks = [(title, ids) for title, ids in told.items() if title.startswith("week")]
    assert weeks[:3] == [("week of 16 Nov", [3, 2]), ("week of 23 Nov", []), ("week of 30 Nov", [1])]
    assert len(weeks) == WEEKS
    assert not any(ids for _, ids in weeks[3:])


def test_whoever_expires_after_the_weeks_is_told_apart() -> None:
    users = [user(1, days=400), user(2, days=1), user(3, days=None), user(4, days=-9), user(5, days=80)]
    after = later(users, NOW, WEEKS)
    assert [one.id for one in after.users] == [5, 1]
    within = [one.id for week in review(users, plans(), NOW) if week.kind == "week" for one in week.users]
    assert sorted([*within, 5, 1]) == [1, 2, 5], "everybody with an end to come is counted once"


def test_a_kind_has_labels_of_its_own() -> None:
    labels = {(one.kind, one.label) for one in review([user(1, days=9), user(2, plan=0)], plans(), NOW)}
    assert labels >= {("status", "pro"), ("plan", "Pro"), ("plan", "no plan"), ("week", "30 Nov")}


_SECONDS = st.integers(-3 * 86_400, 40 * 86_400) | st.sampled_from([-1, 0, 7 * 86_400, 30 * 86_400])


@given(st.lists(_SECONDS | st.none(), min_size=1), st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)))
def test_all_who_count_the_users_that_expire_soon_count_the_same(
    left: list[int | None], moment: datetime
) -> None:
    now = moment.replace(microsecond=0)
    users = [
        user(id, expires=None if seconds is None else str(now + timedelta(seconds=seconds)), days=None)
        for id, seconds in enumerate(left, 1)
    ]
    reviewed = {one.title: len(one.users) for one in review(users, plans(), now)}

    def filtered(text: str) -> int:
        return sum(parse(text, fields_of(User), now).matches(user) is True for user in users)

    week, month = len(expiring(users, now, SOON)), len(expiring(users, now, LATER))
    assert week == reviewed["expires within 7 days"] == filtered("expires<7d")
    assert month - week == filtered("expires>=7d expires<30d")
    assert month == reviewed["expires within 30 days"] == filtered("expires<30d")
    assert reviewed["expired, still pro"] == len(due(users, now)) - month
    marked = [time_left_words(TimeLeft(one.expires, now)).startswith("!") for one in users]
    assert marked == [expiry(one.expires, now).is_soon for one in users]
    assert sum(marked) == month
