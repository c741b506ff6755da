"""What an admin looks for among users: who expires, who is on which plan, and what does not fit. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from linkdash.model.pictures import LATER, SOON

if TYPE_CHECKING:  # the overview does not wait for them
    from linkdash.api.plans import Plan
    from linkdash.api.users import User

WEEKS = 8
"""How many weeks ahead users are counted by the week they expire in."""


Kind: TypeAlias = Literal["finding", "week", "class", "plan"]
"""What users of a finding have in common: something to look at, or when they expire, or their class, plan."""


class Finding(NamedTuple):
    """Users that have something in common."""

    title: str
    users: "Sequence[User]"
    needs_action: bool = False
    """Whether an admin should do something about them."""
    kind: Kind = "finding"
    label: str = ""
    """What it is called among those of its kind: `21 Sep` of `week of 21 Sep`."""


def review(users: "Sequence[User]", plans: "Sequence[Plan]", now: datetime) -> list[Finding]:
    """What there is to know of these users, what needs an admin first and what concerns nobody last.

    Without anybody who expires in the weeks to come there are no weeks.
    `now` is without a zone, as the service's moments are. Without `plans` nothing is said of what they tell.
    """
    if not users:
        return []
    names = {plan.id: plan.name for plan in plans}
    pro = [user for user in users if user.status == "pro"]
    findings = [
        _finding("expired, still pro", [user for user in pro if _expired(user, now)], needs_action=True),
        *(_not_on_their_plan(users, plans) if plans else ()),
        _finding("expires within 7 days", expiring(users, now, SOON), needs_action=True),
        _finding("expires within 30 days", expiring(users, now, LATER)),
        _finding("pro, never expires", [user for user in pro if user.expires is None]),
    ]
    weeks = [*_by_week(users, now)]
    return [
        *sorted(findings, key=lambda finding: not finding.users),
        *(weeks if any(week.users for week in weeks) else ()),
        *_grouped("class", users, lambda user: user.status or "not told"),
        *_grouped("plan", users, lambda user: _plan_label(user.planid, names)),
    ]


def _not_on_their_plan(users: "Sequence[User]", plans: "Sequence[Plan]") -> Iterator[Finding]:
    ids = {plan.id for plan in plans}
    paid = {plan.id for plan in plans if plan.free is False}
    unknown = [user for user in users if user.planid and user.planid not in ids]
    free = [user for user in users if user.status == "free" and user.planid in paid]
    yield _finding("unknown plan", unknown, needs_action=True)
    yield _finding("free, on a paid plan", free, needs_action=True)


def _finding(title: str, users: "Sequence[User]", *, needs_action: bool = False) -> Finding:
    """A finding whose users stand in the order in which they expire."""
    return Finding(title, sorted(users, key=_by_expiry), needs_action)


def _grouped(kind: Kind, users: "Sequence[User]", label_of: "Callable[[User], str]") -> list[Finding]:
    groups: dict[str, list[User]] = {}
    for user in users:
        groups.setdefault(label_of(user), []).append(user)
    return [
        Finding(_title(kind, label), sorted(group, key=_by_expiry), kind=kind, label=label)
        for label, group in sorted(groups.items())
    ]


def _by_week(users: "Sequence[User]", now: datetime) -> Iterator[Finding]:
    """Who expires in each of the weeks to come, the nearest first; weeks begin on Monday."""
    monday = now.date() - timedelta(days=now.weekday())
    coming = expiring(users, now, timedelta(weeks=WEEKS))
    for _ in range(WEEKS):
        after = monday + timedelta(weeks=1)
        group = [user for user in coming if user.expires and monday <= user.expires.date() < after]
        label = f"{monday:%-d %b}"
        yield Finding(f"week of {label}", sorted(group, key=_by_expiry), kind="week", label=label)
        monday = after


def _by_expiry(user: "User") -> tuple[bool, str, int]:
    return (user.expires is None, str(user.expires), user.id)


def _expired(user: "User", now: datetime) -> bool:
    return user.expires is not None and user.expires < now


def expiring(users: "Sequence[User]", now: datetime, within: timedelta) -> "list[User]":
    """The users who expire within a time from now on; `now` is without a zone."""
    return [user for user in users if user.expires is not None and now <= user.expires <= now + within]


def due(users: "Sequence[User]", now: datetime) -> "list[User]":
    """Who is expired and still pro, then who expires within 30 days, each the nearest to now first."""
    over = [user for user in users if user.status == "pro" and _expired(user, now)]
    return [*sorted(over, key=_by_expiry, reverse=True), *sorted(expiring(users, now, LATER), key=_by_expiry)]


_NO_PLAN = "no plan"


def _title(kind: Kind, label: str) -> str:
    return label if label == _NO_PLAN else f"{kind} {label}"


def _plan_label(id: int | None, names: Mapping[int, str]) -> str:
    return (names.get(id) or str(id)) if id else _NO_PLAN


def plan_name(id: int | None, names: Mapping[int, str]) -> str:
    """What a user's plan is called; its id where that is not known, empty where there is none."""
    return (names.get(id) or f"plan {id}") if id else ""
