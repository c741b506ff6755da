"""Ends of users' plans, and the names of these plans. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from linkdash.model.humanize import LATER, TimeLeft
from linkdash.model.lists.columns import drawn_value

if TYPE_CHECKING:  # the overview does not wait for them
    from linkdash.api.resources.plans import Plan
    from linkdash.api.resources.users import User


def time_left(user: "User", now: datetime) -> TimeLeft:
    """The time that the plan of a user lasts; `now` is without a zone."""
    is_estimate = user.expires is not None and "expires" in user.estimated
    return TimeLeft(user.expires, now, is_estimate=is_estimate)


def left_shown(user: "User", now: datetime) -> object:
    """The time left for a cell; an end that only the service knows in words, nothing of an odd one."""
    left = time_left(user, now)
    if left.end is not None or "expires" not in user.odd:
        return left
    return drawn_value(user, "expires") if "expires" in user.estimated else ""


def expiring(users: "Sequence[User]", now: datetime, within: timedelta) -> "list[User]":
    """The users who expire within a time from now on; `now` is without a zone."""
    return [user for user in users if time_left(user, now).is_within(within)]


def due(users: "Sequence[User]", now: datetime) -> "list[User]":
    """Return users who are expired and still pro, then those who expire within 30 days, the nearest first."""
    over = [user for user in users if user.status.strip() == "pro" and time_left(user, now).is_over]
    return [*sorted(over, key=_by_expiry, reverse=True), *sorted(expiring(users, now, LATER), key=_by_expiry)]


def _by_expiry(user: "User") -> tuple[bool, str, int]:
    end = user.expires
    return (end is None, str(end), user.id)


def plan_names(plans: Iterable["Plan"]) -> Mapping[int, str]:
    """The names of plans, by id."""
    return {plan.id: plan.name for plan in plans}


def plan_name(id: int | None, names: Mapping[int, str]) -> str:
    """Return the name of a user's plan; its id where that is not known, empty where there is none."""
    return (names.get(id) or f"plan {id}") if id else ""
