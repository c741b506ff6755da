"""What is left to an account: what its plan allows against what is used, and how long it lasts. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the overview does not wait for it
    from linkdash.api.plans import Plan

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
