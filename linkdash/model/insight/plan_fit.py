"""The fit of plans with an account, and the smallest that fits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from linkdash.api.resources.plans import Plan
from linkdash.model.insight.allowances import COUNTED_BY, allowances, uses_unknown
from linkdash.model.resources import place


@dataclass(frozen=True)
class PlanFit:
    """The fit of one plan with what is used."""

    plan: Plan
    over: tuple[str, ...]
    """Excesses, in words: `pixels 130 of 30`."""
    judged: tuple[str, ...]
    """The resources that were counted against an allowance."""
    unjudged: tuple[str, ...]
    """The resources that could not be, and why, in words."""
    exceeded: tuple[str, ...] = ()
    """The resources of which more is used than the plan has."""

    @property
    def fits(self) -> bool | None:
        """Return whether what is known fits; None where nothing could be judged."""
        return not self.over if self.judged else None


def fit(plan: Plan, used: Mapping[str, int | None]) -> PlanFit:
    """Return the fit of a plan with what is used of each resource, None for what is not known."""
    over, exceeded, judged, unjudged = [], [], [], []
    uncounted = []
    for one in allowances(plan, used):
        name = place(one.resource).title if one.resource else one.name
        if not one.resource:
            uncounted.append(name)
        elif one.used is None:
            unjudged.append(f"{name}: use not loaded")
        elif one.limit == 0:
            unjudged.append(f"{name}: the plan says 0; the service does not say what that means")
        else:
            judged.append(one.resource)
            if one.used > one.limit:
                exceeded.append(one.resource)
                over.append(f"{name} {one.used:,} of {one.limit:,}")
    if uncounted:
        unjudged.insert(0, uses_unknown(uncounted))
    for feature, resource in COUNTED_BY.items():
        count = used.get(resource)
        if count and plan.limits is not None and _is_off(plan, feature):
            judged.append(resource)
            exceeded.append(resource)
            over.append(f"{place(resource).title} {count:,}, not in the plan")
    return PlanFit(plan, tuple(over), tuple(judged), tuple(unjudged), tuple(exceeded))


def _is_off(plan: Plan, feature: str) -> bool:
    found = plan.limits.features.get(feature) if plan.limits is not None else None
    return found is not None and found.enabled is False


def smallest(fits: Sequence[PlanFit]) -> PlanFit | None:
    """The cheapest a month that fits; the first of the service's order where prices are alike or unknown."""
    fitting = [one for one in fits if one.fits]
    return min(fitting, key=lambda one: _month(one.plan), default=None)


def _month(plan: Plan) -> tuple[bool, Decimal]:
    price = Decimal(0) if plan.free else plan.monthly
    return price is None, price or Decimal(0)
