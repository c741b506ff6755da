"""The review of users: whose plan ends, who is over, who is on which plan. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from linkdash.model.humanize import ATTENTION, ESTIMATED, LATER, SOON, TimeLeft

if TYPE_CHECKING:  # the overview does not wait for them
    from linkdash.api.resources.plans import Plan
    from linkdash.api.resources.users import User

from linkdash.model.lists.columns import drawn_value


class Expiry(NamedTuple):
    """The end of an account, against now."""

    left: TimeLeft
    """Without an end where the service tells no date."""

    @property
    def words(self) -> str:
        """`11 h left`, `18 days left`, `expired 3 days ago`, `no expiry date`."""
        if self.left.time is None:
            return "no expiry date"
        length = f"{ESTIMATED} {self.left.length}" if self.left.is_estimate else self.left.length
        return f"expired {length} ago" if self.is_over else f"{length} left"

    @property
    def is_over(self) -> bool:
        """Return whether it has ended."""
        return self.left.is_over

    @property
    def is_soon(self) -> bool:
        """Return whether it ends within 30 days."""
        return self.left.is_within(LATER)

    @property
    def sign(self) -> str:
        """A glyph that says the same without color."""
        if self.is_over:
            return "✗ "
        return f"{ATTENTION} " if self.is_soon else ""


def expiry(expires: datetime | None, now: datetime) -> Expiry:
    """Return how long something lasts; both moments are of the same clock, without a zone."""
    return Expiry(TimeLeft(expires, now))


# ---- when a user's plan ends ----


def time_left(user: "Reviewed", now: datetime) -> TimeLeft:
    """The time that the plan of a user lasts; `now` is without a zone."""
    is_estimate = user.expires is not None and "expires" in user.estimated
    return TimeLeft(user.expires, now, is_estimate=is_estimate)


def left_shown(user: "User", now: datetime) -> object:
    """The time left for a cell; an end that only the service knows in words, nothing of an odd one."""
    left = time_left(user, now)
    if left.end is not None or "expires" not in user.odd:
        return left
    return drawn_value(user, "expires") if "expires" in user.estimated else ""


# ---- what an admin looks for among users ----

WITHIN_A_WEEK = "expires within 7 days"
"""The title of the finding that the overview counts."""
WEEKS = 8
"""The number of weeks ahead in which users are counted by the week they expire in."""


AFTER_WEEKS = "later"
"""The label of the users who expire after all weeks."""


Kind: TypeAlias = Literal["finding", "week", "status", "plan"]
"""The kind of a finding: something to look at, when users expire, their status, their plan."""


class Reviewed(Protocol):
    """The facts of a user that a review asks for."""

    @property
    def id(self) -> int: ...
    @property
    def status(self) -> str: ...
    @property
    def expires(self) -> datetime | None: ...
    @property
    def planid(self) -> int | None: ...
    @property
    def odd(self) -> Mapping[str, object]: ...
    @property
    def estimated(self) -> frozenset[str]: ...


U = TypeVar("U", bound=Reviewed)


class Finding(NamedTuple, Generic[U]):
    """Users that have something in common."""

    title: str
    users: Sequence[U]
    needs_action: bool = False
    """True if an admin should do something about them."""
    kind: Kind = "finding"
    label: str = ""
    """Its name among those of its kind: `21 Sep` of `week of 21 Sep`."""


def review(
    users: Sequence[U], plans: "Sequence[Plan]", now: datetime, weeks: int = WEEKS
) -> list[Finding[U]]:
    """Return the findings about these users, those that need an admin first; in each the nearest end first.

    Without users who expire in the weeks to come there are no weeks.
    `now` is without a zone, as the service's moments are. Without `plans` nothing is said of what they tell.
    """
    if not users:
        return []
    users = sorted(users, key=_by_expiry)  # as each finding has them
    names = plan_names(plans)
    pro = [user for user in users if _class_of(user) == "pro"]
    untold = [user for user in pro if {*user.odd, *user.estimated} >= {"expires"}]
    findings = [
        Finding("expired, still pro", [user for user in pro if _expired(user, now)], needs_action=True),
        *(_not_on_their_plan(users, plans) if plans else ()),
        Finding(WITHIN_A_WEEK, expiring(users, now, SOON), needs_action=True),
        Finding("expires within 30 days", expiring(users, now, LATER)),
        Finding("pro, never expires", [user for user in pro if _never_expires(user)]),
        *([Finding("pro, end not reported yet", untold)] if untold else ()),
    ]
    coming = [*_by_week(users, now, weeks)]
    return [
        *sorted(findings, key=lambda finding: not finding.users),
        *(coming if any(week.users for week in coming) else ()),
        *_grouped("status", users, lambda user: _class_of(user) or "not reported"),
        *_grouped("plan", users, lambda user: _plan_label(user.planid, names)),
    ]


def _not_on_their_plan(users: Sequence[U], plans: "Sequence[Plan]") -> Iterator[Finding[U]]:
    ids = {plan.id for plan in plans}
    paid = {plan.id for plan in plans if plan.free is False}
    unknown = [user for user in users if user.planid and user.planid not in ids]
    free = [user for user in users if _class_of(user) == "free" and user.planid in paid]
    yield Finding("unknown plan", unknown, needs_action=True)
    yield Finding("free, on a paid plan", free, needs_action=True)


def _grouped(kind: Kind, users: Sequence[U], label_of: Callable[[U], str]) -> list[Finding[U]]:
    groups: dict[str, list[U]] = {}
    for user in users:
        groups.setdefault(label_of(user), []).append(user)
    return [
        Finding(_title(kind, label), group, kind=kind, label=label) for label, group in sorted(groups.items())
    ]


def _by_week(users: Sequence[U], now: datetime, weeks: int) -> Iterator[Finding[U]]:
    """Count the users who expire in each of the weeks to come, the nearest first; weeks begin on Monday."""
    monday = _monday(now)
    coming = expiring(users, now, timedelta(weeks=weeks))
    for _ in range(weeks):
        after = monday + timedelta(weeks=1)
        group = [user for user in coming if (end := user.expires) and monday <= end.date() < after]
        label = f"{monday:%-d %b}"
        yield Finding(f"week of {label}", group, kind="week", label=label)
        monday = after


def later(users: Iterable[U], now: datetime, weeks: int) -> Finding[U]:
    """The users who expire after so many weeks, the nearest end first."""
    after = _monday(now) + timedelta(weeks=weeks)
    group = [user for user in users if (end := user.expires) and end.date() >= after]
    return Finding("expires later", sorted(group, key=_by_expiry), kind="week", label=AFTER_WEEKS)


def _monday(now: datetime) -> date:
    return now.date() - timedelta(days=now.weekday())


def _by_expiry(user: Reviewed) -> tuple[bool, str, int]:
    end = user.expires
    return (end is None, str(end), user.id)


def _class_of(user: Reviewed) -> str:
    """The class of a user; one that is assumed after a subscription counts as reported."""
    return user.status.strip()


def _never_expires(user: Reviewed) -> bool:
    """Return whether the service says that it never ends; after a subscription it has not said yet."""
    return user.expires is None and "expires" not in user.odd


def _expired(user: Reviewed, now: datetime) -> bool:
    return time_left(user, now).is_over


def expiring(users: Sequence[U], now: datetime, within: timedelta) -> list[U]:
    """The users who expire within a time from now on; `now` is without a zone."""
    return [user for user in users if time_left(user, now).is_within(within)]


def due(users: Sequence[U], now: datetime) -> list[U]:
    """Return users who are expired and still pro, then those who expire within 30 days, the nearest first."""
    over = [user for user in users if _class_of(user) == "pro" and _expired(user, now)]
    return [*sorted(over, key=_by_expiry, reverse=True), *sorted(expiring(users, now, LATER), key=_by_expiry)]


_NO_PLAN = "no plan"


def _title(kind: Kind, label: str) -> str:
    return label if label == _NO_PLAN else f"{kind} {label}"


def _plan_label(id: int | None, names: Mapping[int, str]) -> str:
    return (names.get(id) or str(id)) if id else _NO_PLAN


def plan_names(plans: Iterable["Plan"]) -> Mapping[int, str]:
    """The names of plans, by id."""
    return {plan.id: plan.name for plan in plans}


def plan_name(id: int | None, names: Mapping[int, str]) -> str:
    """Return the name of a user's plan; its id where that is not known, empty where there is none."""
    return (names.get(id) or f"plan {id}") if id else ""
