"""Plans and ends: what a plan allows and what of it is used, when something ends, what does not fit. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from linkdash.model.humanize import LATER, SOON

if TYPE_CHECKING:  # the overview does not wait for them
    from linkdash.api.plans import Plan
    from linkdash.api.users import User

# ---- what is used of a plan, and when something ends ----

COUNTED_BY = {"domain": "domains", "pixels": "pixels", "overlay": "overlays", "splash": "splash"}
"""Features of a plan that carry a count, and the resource whose records are counted against it."""

_SOON = 30
_VERY_SOON = 7
_NEARLY = 0.8  # of an allowance


class Allowance(NamedTuple):
    """What a plan allows of something, as the service sent it, and what is used of it."""

    name: str
    limit: int
    used: int | None
    """None where it is not known."""
    resource: str = ""
    """The resource that is counted; empty where the service tells nobody what is used."""

    @property
    def share(self) -> float | None:
        """Which part is used; None where one of both is not known, or where nothing is allowed."""
        return self.used / self.limit if self.used is not None and self.limit > 0 else None

    @property
    def is_nearly_used(self) -> bool:
        """Whether little is left of it."""
        return self.share is not None and self.share >= _NEARLY

    @property
    def is_used_up(self) -> bool:
        """Whether nothing is left of it."""
        return self.share is not None and self.share >= 1


def allowances(plan: "Plan", counts: Mapping[str, int | None]) -> list[Allowance]:
    """What a plan allows, against how many records of each resource there are, where that is known."""
    limits = plan.limits
    if limits is None:
        return []
    plain = [("Links", limits.links), ("Clicks", limits.clicks)]
    found = [Allowance(name, limit, None) for name, limit in plain if limit is not None]
    for name, feature in limits.features.items():
        if feature.enabled and feature.count is not None:
            resource = COUNTED_BY.get(name, "")
            used = counts.get(resource) if resource else None
            found.append(Allowance(name.capitalize(), feature.count, used, resource))
    return found


class Expiry(NamedTuple):
    """When an account ends, against now."""

    days: int | None
    """Days left, negative once it is over; None where the service tells no date."""

    @property
    def words(self) -> str:
        """`18 days left`, `expired 3 days ago`, `no expiry date`."""
        if self.days is None:
            return "no expiry date"
        count = abs(self.days)
        noun = "day" if count == 1 else "days"
        if self.days < 0:
            return f"expired {count:,} {noun} ago"
        return "expires today" if self.days == 0 else f"{count:,} {noun} left"

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.days is not None and self.days < 0

    @property
    def is_soon(self) -> bool:
        """Whether it ends within 30 days."""
        return self.days is not None and 0 <= self.days <= _SOON

    @property
    def sign(self) -> str:
        """A glyph that says the same without color."""
        if self.is_over:
            return "✗ "
        if self.days is None or not self.is_soon:
            return ""
        return "▲ " if self.days <= _VERY_SOON else "△ "


def expiry(expires: datetime | None, now: datetime) -> Expiry:
    """How long something lasts; both moments are of the same clock, without a zone."""
    return Expiry(None if expires is None else (expires.date() - now.date()).days)


# ---- what an admin looks for among users ----

WEEKS = 8
"""How many weeks ahead users are counted by the week they expire in."""


Kind: TypeAlias = Literal["finding", "week", "status", "plan"]
"""What users of a finding have in common: something to look at, when they expire, their status, plan."""


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
    untold = [user for user in pro if user.expires is None and not _never_expires(user)]
    findings = [
        _finding("expired, still pro", [user for user in pro if _expired(user, now)], needs_action=True),
        *(_not_on_their_plan(users, plans) if plans else ()),
        _finding("expires within 7 days", expiring(users, now, SOON), needs_action=True),
        _finding("expires within 30 days", expiring(users, now, LATER)),
        _finding("pro, never expires", [user for user in pro if _never_expires(user)]),
        *([_finding("pro, end not told yet", untold)] if untold else ()),
    ]
    weeks = [*_by_week(users, now)]
    return [
        *sorted(findings, key=lambda finding: not finding.users),
        *(weeks if any(week.users for week in weeks) else ()),
        *_grouped("status", users, lambda user: user.status or "not told"),
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


def _never_expires(user: "User") -> bool:
    """Whether the service says so; after a subscription it has not said yet when that ends."""
    return user.expires is None and "expires" not in user.odd


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
