"""What an admin looks for among users: who expires, who is on which plan, and what does not fit. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from linkdash.api.plans import Plan
from linkdash.api.users import User
from linkdash.model.pictures import LATER, SOON

WEEKS = 8
"""How many weeks ahead users are counted by the week they expire in."""


@dataclass(frozen=True)
class Finding:
    """Users that have something in common."""

    title: str
    users: Sequence[User]
    needs_action: bool = False
    """Whether an admin should do something about them."""


def review(users: Sequence[User], plans: Sequence[Plan], now: datetime) -> list[Finding]:
    """What there is to know of these users, what needs an admin first; what concerns nobody is left out.

    `now` is without a zone, as the service's moments are. Without `plans`, no plan is called unknown.
    """
    names = {plan.id: plan.name for plan in plans}
    paid = {plan.id for plan in plans if plan.free is False}
    pro = [user for user in users if user.status == "pro"]
    free = [user for user in users if user.status == "free"]
    findings = [
        _finding("expired, still pro", [user for user in pro if _expired(user, now)], needs_action=True),
        _finding("unknown plan", _of_unknown_plan(users, names), needs_action=True),
        _finding("free, on a paid plan", [user for user in free if user.planid in paid], needs_action=True),
        _finding("expires within 7 days", expiring(users, now, SOON), needs_action=True),
        _finding("expires within 30 days", expiring(users, now, LATER)),
        _finding("pro, never expires", [user for user in pro if user.expires is None]),
    ]
    by_week = _by_week(users, now)
    by_class = _grouped(users, lambda user: f"class {user.status or 'not told'}")
    by_plan = _grouped(users, lambda user: _plan_title(user.planid, names))
    findings += [
        _finding(title, group) for groups in (by_week, by_class, by_plan) for title, group in groups.items()
    ]
    return [finding for finding in findings if finding.users]


def _finding(title: str, users: Sequence[User], *, needs_action: bool = False) -> Finding:
    """A finding whose users stand in the order in which they expire."""
    return Finding(title, sorted(users, key=_by_expiry), needs_action)


def _grouped(users: Sequence[User], title_of: Callable[[User], str]) -> dict[str, list[User]]:
    groups: dict[str, list[User]] = {}
    for user in users:
        groups.setdefault(title_of(user), []).append(user)
    return dict(sorted(groups.items()))


def _by_week(users: Sequence[User], now: datetime) -> dict[str, list[User]]:
    """Who expires in each of the weeks to come, the nearest first; weeks begin on Monday."""
    weeks: dict[date, list[User]] = {}
    for user in expiring(users, now, timedelta(weeks=WEEKS)):
        if user.expires is not None:
            day = user.expires.date()
            weeks.setdefault(day - timedelta(days=day.weekday()), []).append(user)
    return {f"week of {monday:%-d %b}": weeks[monday] for monday in sorted(weeks)}


def _by_expiry(user: User) -> tuple[bool, str, int]:
    return (user.expires is None, str(user.expires), user.id)


def _expired(user: User, now: datetime) -> bool:
    return user.expires is not None and user.expires < now


def expiring(users: Sequence[User], now: datetime, within: timedelta) -> list[User]:
    """The users who expire within a time from now on; `now` is without a zone."""
    return [user for user in users if user.expires is not None and now <= user.expires <= now + within]


def due(users: Sequence[User], now: datetime) -> list[User]:
    """Who is expired and still pro, then who expires within 30 days, each the nearest to now first."""
    over = [user for user in users if user.status == "pro" and _expired(user, now)]
    return [*sorted(over, key=_by_expiry, reverse=True), *sorted(expiring(users, now, LATER), key=_by_expiry)]


def _of_unknown_plan(users: Sequence[User], names: Mapping[int, str]) -> list[User]:
    return [user for user in users if names and user.planid and user.planid not in names]


def _plan_title(id: int | None, names: Mapping[int, str]) -> str:
    return f"plan {names.get(id) or id}" if id else "no plan"


def plan_name(id: int | None, names: Mapping[int, str]) -> str:
    """What a user's plan is called; its id where that is not known, empty where there is none."""
    return (names.get(id) or f"plan {id}") if id else ""
