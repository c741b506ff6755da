"""Which plans have room for what an account uses: the smallest that fits, what is over in others. Pure.

Only what is counted is judged. What a 0 in a plan means, the service does not say (reference: plans), and
what it tells nobody, such as clicks used, is not guessed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from linkdash.api.plans import Plan
from linkdash.model.overview import COUNTED_BY, allowances
from linkdash.model.places import place


@dataclass(frozen=True)
class Fit:
    """How one plan takes what is used."""

    plan: Plan
    over: tuple[str, ...]
    """What does not fit, in words: `pixels 130 of 30`."""
    judged: tuple[str, ...]
    """What was counted against an allowance: its resources."""
    unjudged: tuple[str, ...]
    """What could not be, and why, in words."""

    @property
    def fits(self) -> bool | None:
        """Whether what is known fits; None where nothing could be judged."""
        return not self.over if self.judged else None


def fit(plan: Plan, used: Mapping[str, int | None]) -> Fit:
    """How a plan takes what is used of each resource, None for what is not known."""
    over, judged, unjudged = [], [], []
    for one in allowances(plan, used):
        name = place(one.resource).title if one.resource else one.name
        if one.used is None:
            unjudged.append(f"{name}: use not {'loaded' if one.resource else 'reported'}")
        elif one.limit == 0:
            unjudged.append(f"{name}: 0 in the plan, and what that means is not told")
        else:
            judged.append(one.resource)
            over += [f"{name} {one.used:,} of {one.limit:,}"] if one.used > one.limit else []
    for feature, resource in COUNTED_BY.items():
        count = used.get(resource)
        if count and plan.limits is not None and _is_off(plan, feature):
            judged.append(resource)
            over.append(f"{place(resource).title} {count:,}, not in the plan")
    return Fit(plan, tuple(over), tuple(judged), tuple(unjudged))


def _is_off(plan: Plan, feature: str) -> bool:
    found = plan.limits.features.get(feature) if plan.limits is not None else None
    return found is not None and found.enabled is False


def smallest(fits: Sequence[Fit]) -> Fit | None:
    """The cheapest a month that fits; the first of the service's order where prices are alike or unknown."""
    fitting = [one for one in fits if one.fits]
    return min(fitting, key=lambda one: _price(one.plan), default=None)


def _price(plan: Plan) -> tuple[bool, Decimal]:
    price = Decimal(0) if plan.free else plan.monthly
    return price is None, price or Decimal(0)
