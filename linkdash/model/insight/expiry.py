"""Ends of accounts and of users' plans, and the names of these plans. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from linkdash.model.humanize import ATTENTION, ESTIMATED, LATER, TimeLeft
from linkdash.model.lists.columns import drawn_value

if TYPE_CHECKING:  # the overview does not wait for them
    from linkdash.api.resources.plans import Plan
    from linkdash.api.resources.users import User


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
