"""All plans beside each other: a row a price, an allowance, a feature; a column a plan. Pure.

And which plans have room for what an account uses: the smallest that fits, what is over in others. Only
what is counted is judged. What a 0 in a plan means, the service does not say (reference: plans), and what it
tells nobody, such as clicks used, is not guessed.
"""

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from linkdash.api.fields import fields_of
from linkdash.api.plans import FEATURES, Feature, Limits, Plan, Prices
from linkdash.api.users import User
from linkdash.model.export import csv_text
from linkdash.model.resources import place
from linkdash.model.review import COUNTED_BY, allowances

# ---- which plans have room ----


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
    return min(fitting, key=lambda one: _month(one.plan), default=None)


def _month(plan: Plan) -> tuple[bool, Decimal]:
    price = Decimal(0) if plan.free else plan.monthly
    return price is None, price or Decimal(0)


# ---- the matrix ----

YES, NO, UNKNOWN, OVER = "✓", "–", "?", "✗"

_PRICES = {"monthly": "A month", "yearly": "A year", "lifetime": "For life"}


class Look(enum.Enum):
    """What an entry says, besides its text."""

    VALUE = "value"
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"
    OVER = "over"


@dataclass(frozen=True)
class Entry:
    """What one plan has in one row."""

    text: str
    look: Look = Look.VALUE


@dataclass(frozen=True)
class Row:
    """One thing that plans have or cost, with an entry a plan."""

    group: str
    title: str
    entries: tuple[Entry, ...]
    is_compared: bool = True
    """Whether plans are told apart by it."""

    @property
    def differs(self) -> bool:
        """Whether the plans are not all the same here."""
        return self.is_compared and len({entry.text for entry in self.entries}) > 1


@dataclass(frozen=True)
class Matrix:
    """The plans in the service's order, and the rows over all of them."""

    plans: tuple[Plan, ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> list[str]:
        """What the columns are called."""
        return [plan.name or f"plan {plan.id}" for plan in self.plans]

    @property
    def differing(self) -> list[Row]:
        """The rows in which plans differ."""
        return [row for row in self.rows if row.differs]

    def between(self, first: int, second: int) -> list[tuple[str, str, str]]:
        """Where two of the plans differ: the row's title, and what each of them has."""
        pairs = ((row.title, row.entries[first], row.entries[second]) for row in self.rows if row.differs)
        return [(title, one.text, other.text) for title, one, other in pairs if one != other]


def matrix(plans: Sequence[Plan], users: Sequence[User] | None, fits: Sequence[Fit] = ()) -> Matrix:
    """The matrix of these plans; `users` are those that are known, None where none are.

    `fits` is how each plan takes what is used; without it there is no such row.
    """
    used = [Row("Your use", "Fits", tuple(map(_fit, fits)), is_compared=False)] if fits else []
    counted = _users_row(plans, users)
    rows = (*used, counted, *_price_rows(plans), *_allowance_rows(plans), *_feature_rows(plans))
    return Matrix(tuple(plans), rows)


def _fit(fit: Fit) -> Entry:
    if fit.fits is None:
        return _UNKNOWN
    return Entry(YES, Look.YES) if fit.fits else Entry(f"{OVER} {len(fit.over)} over", Look.OVER)


def _users_row(plans: Sequence[Plan], users: Sequence[User] | None) -> Row:
    counts = None if users is None else Counter(user.planid for user in users)
    entries = (_UNKNOWN if counts is None else Entry(f"{counts[plan.id]:,}") for plan in plans)
    return Row("Users", "Known users", tuple(entries), is_compared=False)


def _price_rows(plans: Sequence[Plan]) -> list[Row]:
    return [
        Row("Price", _PRICES[field.name], tuple(_price(plan, field.name) for plan in plans))
        for field in fields_of(Prices)
    ]


def _price(plan: Plan, term: str) -> Entry:
    if plan.prices is None:
        return Entry("free", Look.YES) if plan.free else _UNKNOWN
    price = getattr(plan.prices, term)
    return Entry(NO, Look.NO) if price is None else Entry(f"{price:,.2f}")


def _allowance_rows(plans: Sequence[Plan]) -> list[Row]:
    return [
        Row("Allowances", field.title, tuple(_allowance(plan, field.name) for plan in plans))
        for field in fields_of(Limits)
        if field.name != "features"
    ]


def _allowance(plan: Plan, name: str) -> Entry:
    count = None if plan.limits is None else getattr(plan.limits, name)
    return Entry(f"{count:,}") if isinstance(count, int) else _UNKNOWN


def _feature_rows(plans: Sequence[Plan]) -> list[Row]:
    sent = {name for plan in plans if plan.limits is not None for name in plan.limits.features}
    names = [*(name for name in FEATURES if name in sent), *sorted(sent - set(FEATURES))]
    return [Row("Features", name, tuple(_feature(plan.limits, name) for plan in plans)) for name in names]


def _feature(limits: Limits | None, name: str) -> Entry:
    feature = Feature() if limits is None else limits.features.get(name, Feature())
    sign, look = {True: (YES, Look.YES), False: (NO, Look.NO), None: (UNKNOWN, Look.UNKNOWN)}[feature.enabled]
    return Entry(sign if feature.count is None else f"{sign} {feature.count:,}", look)


_UNKNOWN = Entry(UNKNOWN, Look.UNKNOWN)

# ---- for export ----


def matrix_csv(matrix: Matrix) -> str:
    """The matrix as CSV, a column a plan."""
    return csv_text(["", *matrix.names], [_texts(row) for row in matrix.rows])


def matrix_markdown(matrix: Matrix) -> str:
    """The matrix as a Markdown table, a column a plan."""
    rule = ["---", *("---:" for _ in matrix.plans)]
    lines = [["", *matrix.names], rule, *map(_texts, matrix.rows)]
    return "".join(f"| {' | '.join(map(_in_markdown, cells))} |\n" for cells in lines)


def _texts(row: Row) -> list[str]:
    return [row.title, *(entry.text for entry in row.entries)]


def _in_markdown(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
