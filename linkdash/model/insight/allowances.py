"""The used part of the plan's allowances."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the overview does not wait for them
    from linkdash.api.resources.plans import Plan


COUNTED_BY = {
    "domain": "domains",
    "pixels": "pixels",
    "overlay": "overlays",
    "splash": "splash",
    "bundle": "campaigns",
}
"""Features of a plan, with or without a number, and the resource whose records are counted against each."""

_NEARLY = 0.8  # of an allowance


USE_UNKNOWN = "use not reported"
"""The remark on what a plan limits and the service does not count."""


class PlanAllowance(NamedTuple):
    """A plan's allowance of something, as the service sent it, and what is used of it."""

    name: str
    limit: int
    used: int | None
    """None where it is not known."""
    resource: str = ""
    """The resource that is counted; empty where the service does not tell what is used."""

    @property
    def share(self) -> float | None:
        """The share that is used; None where one of both is not known, or where nothing is allowed."""
        return self.used / self.limit if self.used is not None and self.limit > 0 else None

    @property
    def is_nearly_used(self) -> bool:
        """Return whether little is left of it."""
        return self.share is not None and self.share >= _NEARLY

    @property
    def is_used_up(self) -> bool:
        """Return whether nothing is left of it."""
        return self.share is not None and self.share >= 1


def allowances(plan: "Plan", counts: Mapping[str, int | None]) -> list[PlanAllowance]:
    """Return a plan's allowances, against how many records of each resource there are, where known.

    What is nearest to its end comes first, what is not known last.
    """
    limits = plan.limits
    if limits is None:
        return []
    plain = [("Links", limits.links), ("Clicks", limits.clicks)]
    found = [PlanAllowance(name, limit, None) for name, limit in plain if limit is not None]
    for name, feature in limits.features.items():
        if feature.enabled and feature.count is not None:
            resource = COUNTED_BY.get(name, "")
            used = counts.get(resource) if resource else None
            found.append(PlanAllowance(name.capitalize(), feature.count, used, resource))
    return sorted(found, key=lambda one: -1 if one.share is None else one.share, reverse=True)


def limit_words(limit: int) -> str:
    """`50 in the plan`, `0 (unlimited?)`: the service does not say what 0 means."""
    return f"{limit:,} in the plan" if limit else "0 (unlimited?)"


def uses_unknown(names: Iterable[str]) -> str:
    """`Links, Clicks: use not reported`"""
    return f"{', '.join(names)}: {USE_UNKNOWN}"
