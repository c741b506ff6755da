"""Plans with room for what is used; nothing is invented about what is not told."""

from collections.abc import Mapping

import pytest

from linkdash.api.records import Unreadable
from linkdash.api.resources.plans import Plan
from linkdash.model.insight.plan_fit import fit, smallest


def plan(id: int, price: object = None, **limits: object) -> Plan:
    prices = None if price is None else {"monthly": price}
    found = Plan.read({"id": id, "name": f"P{id}", "free": price is None, "prices": prices, "limits": limits})
    assert not isinstance(found, Unreadable)
    return found


def allowed(pixels: int) -> Mapping[str, object]:
    return {"enabled": True, "count": pixels}


@pytest.mark.parametrize(
    ("limits", "used", "over", "fits"),
    [
        ({"pixels": allowed(30)}, {"pixels": 30}, (), True),
        ({"pixels": allowed(30)}, {"pixels": 31}, ("Pixels 31 of 30",), False),
        ({"pixels": allowed(30), "domain": allowed(1)}, {"pixels": 1, "domains": None}, (), True),
        ({"pixels": {"enabled": False, "count": 0}}, {"pixels": 2}, ("Pixels 2, not in the plan",), False),
        ({"pixels": {"enabled": False, "count": 0}}, {"pixels": 0}, (), None),
        ({"pixels": allowed(0)}, {"pixels": 2}, (), None),
        ({"pixels": allowed(9)}, {"pixels": None}, (), None),
        ({"links": 0, "clicks": 50_000}, {}, (), None),
    ],
)
def test_only_what_is_counted_is_judged(
    limits: Mapping[str, object],
    used: Mapping[str, int | None],
    over: tuple[str, ...],
    fits: bool | None,
) -> None:
    found = fit(plan(1, **limits), used)
    assert (found.over, found.fits) == (over, fits)


def test_it_says_what_it_could_not_judge() -> None:
    found = fit(plan(1, links=100, pixels=allowed(0), domain=allowed(3)), {"pixels": 5, "domains": None})
    assert found.unjudged == (
        "Links: use not reported",
        "Pixels: the plan says 0; the service does not say what that means",
        "Domains: use not loaded",
    )


def test_the_smallest_is_the_cheapest_that_fits() -> None:
    plans = [plan(3, 99, pixels=allowed(99)), plan(2, 9, pixels=allowed(50)), plan(1, pixels=allowed(5))]
    used = {"pixels": 20}
    least = smallest([fit(one, used) for one in plans])
    assert least is not None
    assert least.plan.id == 2
    assert smallest([fit(one, {"pixels": 500}) for one in plans]) is None
    free = smallest([fit(one, {"pixels": 5}) for one in plans])
    assert free is not None
    assert free.plan.id == 1


def test_a_plan_without_a_price_comes_last() -> None:
    unpriced = plan(1, "", pixels=allowed(50))
    priced = plan(2, 500, pixels=allowed(50))
    least = smallest([fit(one, {"pixels": 5}) for one in (unpriced, priced)])
    assert least is not None
    assert least.plan.id == 2
