"""The matrix of plans: a row a price, an allowance, a feature; a column a plan. Pure.

A row tells which plans have room for what an account uses. Only what is counted is judged. What a 0 in a
plan means, the service does not say (reference: plans), and what it does not tell, such as clicks used, is
not guessed.
"""

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from linkdash.api.fields import fields_of
from linkdash.api.resources.plans import FEATURES, Feature, Limits, Plan, Prices, feature_words
from linkdash.api.resources.users import User
from linkdash.model.csv_text import csv_text
from linkdash.model.document.blocks import Block, Heading, Outside, Sentence, Table, Toned, Words
from linkdash.model.document.markdown import in_markdown
from linkdash.model.humanize import counted
from linkdash.model.insight.allowances import COUNTED_BY, limit_words
from linkdash.model.insight.plan_fit import PlanFit
from linkdash.model.statistics.chart_data import Tone

# ---- the matrix ----

AS_SENT = "as the service sent them; it does not say what 0 means, nor the unit of retention"
"""A remark about the numbers."""

NO_UNIT = " (days or months: the service does not say)"
"""A remark about the retention of a plan."""

YES, NO, UNKNOWN, OVER = "✓", "–", "?", "✗"

_FIT, _ALLOWANCES, _FEATURES = "Fit", "Allowances", "Features"
_RETENTION = next(field.title for field in fields_of(Limits) if field.name == "retention")
_PRICES = {"monthly": "A month", "yearly": "A year", "lifetime": "For life"}


class CellLook(enum.Enum):
    """The meaning of an entry, besides its text."""

    VALUE = "value"
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"
    OVER = "over"


@dataclass(frozen=True)
class MatrixCell:
    """A plan's entry in one row."""

    text: str
    look: CellLook = CellLook.VALUE
    count: int | None = None
    """The number in it that can be set against those of other plans."""

    @property
    def has_feature(self) -> bool:
        """Return whether the plan has the feature, be it less of it than is used."""
        return self.look is CellLook.YES or (self.look is CellLook.OVER and self.count is not None)


@dataclass(frozen=True)
class MatrixRowOfPlans:
    """A feature or price of plans, with an entry a plan."""

    group: str
    title: str
    entries: tuple[MatrixCell, ...]
    is_compared: bool = True
    """True if plans are told apart by it."""
    used: int | None = None
    """The number of it that the account has, None where that is not known."""

    @property
    def differs(self) -> bool:
        """Return whether the plans are not all the same here."""
        return self.is_compared and len({entry.text for entry in self.entries}) > 1


@dataclass(frozen=True)
class PlanMatrix:
    """The plans in the service's order, and the rows over all of them."""

    plans: tuple[Plan, ...]
    rows: tuple[MatrixRowOfPlans, ...]

    @property
    def names(self) -> list[str]:
        """Return the titles of the columns."""
        return [plan.name or f"plan {plan.id}" for plan in self.plans]

    def between(self, first: int, second: int) -> list[tuple[str, str, str]]:
        """Return where two of the plans differ: the row's title, and what each of them has."""
        pairs = ((row.title, row.entries[first], row.entries[second]) for row in self.rows if row.differs)
        return [(title, one.text, other.text) for title, one, other in pairs if one != other]

    def lost(self, first: int, second: int) -> list[str]:
        """Return what the second of two plans has less of than the first, a line an allowance.

        The service does not say what 0 of an allowance means: it may be without an end.
        """
        gone, less = list[str](), list[str]()
        for row in self.rows:
            was, now = row.entries[first], row.entries[second]
            count = "" if was.count is None else f"{was.count:,}"
            if row.group == _FEATURES and was.has_feature and not now.has_feature:
                gone.append(f"{row.title} ({count})" if count else row.title)
            elif row.group in (_ALLOWANCES, _FEATURES) and _is_less(was, now):
                more = limit_words(0) if was.count == 0 else count
                left = UNKNOWN if now.count is None else f"{now.count:,}"
                less.append(f"{row.title}: {more} → {left}{NO_UNIT if row.title == _RETENTION else ''}")
        return [*([f"No longer: {', '.join(gone)}"] if gone else []), *less]


def _is_less(was: MatrixCell, now: MatrixCell) -> bool:
    if was.count is None or was.count == now.count:
        return False
    return now.count is None or was.count == 0 or 0 < now.count < was.count


def matrix(
    plans: Sequence[Plan],
    users: Sequence[User] | None,
    fits: Sequence[PlanFit] = (),
    used: Mapping[str, int | None] | None = None,
    own_id: int | None = None,
) -> PlanMatrix:
    """The matrix of these plans; `users` are those that are known, None where none are.

    `fits` is how each plan takes what is used; without it there is no such row. `used` is how many records of
    each resource the account has, None for what is not known. `own_id` is the plan it has, where known.
    """
    entries = tuple(_fit(one, is_own=one.plan.id == own_id) for one in fits)
    fitting = [MatrixRowOfPlans(_FIT, "Your use", entries, is_compared=False)] if fits else []
    counted, features = _users_row(plans, users), _feature_rows(plans, fits, used or {})
    rows = (*fitting, counted, *_price_rows(plans), *_allowance_rows(plans), *features)
    return PlanMatrix(tuple(plans), rows)


def _fit(fit: PlanFit, *, is_own: bool) -> MatrixCell:
    """`✓ yours`, `✗ 4 short`, and `✗ 4, yours`: no wider than the name of a plan."""
    if fit.fits is None or fit.fits:
        sign, look = (UNKNOWN, CellLook.UNKNOWN) if fit.fits is None else (YES, CellLook.YES)
        return MatrixCell(f"{sign} yours" if is_own else sign, look)
    over = f"{OVER} {len(fit.over)}"
    return MatrixCell(f"{over}, yours" if is_own else f"{over} short", CellLook.OVER)


def _users_row(plans: Sequence[Plan], users: Sequence[User] | None) -> MatrixRowOfPlans:
    counts = None if users is None else Counter(user.planid for user in users)
    entries = (_UNKNOWN if counts is None else _counted(counts[plan.id]) for plan in plans)
    return MatrixRowOfPlans("Users", "Known users", tuple(entries), is_compared=False)


def _price_rows(plans: Sequence[Plan]) -> list[MatrixRowOfPlans]:
    return [
        MatrixRowOfPlans("Price", _PRICES[field.name], tuple(_price(plan, field.name) for plan in plans))
        for field in fields_of(Prices)
    ]


def _price(plan: Plan, term: str) -> MatrixCell:
    if plan.prices is None:
        return MatrixCell("free", CellLook.YES) if plan.free else _UNKNOWN
    price = getattr(plan.prices, term)
    return MatrixCell(NO, CellLook.NO) if price is None else MatrixCell(f"{price:,.2f}")


def _allowance_rows(plans: Sequence[Plan]) -> list[MatrixRowOfPlans]:
    return [
        MatrixRowOfPlans(_ALLOWANCES, field.title, tuple(_allowance(plan, field.name) for plan in plans))
        for field in fields_of(Limits)
        if field.name != "features"
    ]


def _allowance(plan: Plan, name: str) -> MatrixCell:
    count = None if plan.limits is None else getattr(plan.limits, name)
    if count == 0:
        return MatrixCell(limit_words(0), count=0)
    return _counted(count) if isinstance(count, int) else _UNKNOWN


def _counted(count: int) -> MatrixCell:
    return MatrixCell(f"{count:,}", count=count)


def _feature_rows(
    plans: Sequence[Plan], fits: Sequence[PlanFit], used: Mapping[str, int | None]
) -> list[MatrixRowOfPlans]:
    sent = {name for plan in plans if plan.limits is not None for name in plan.limits.features}
    names = [*(name for name in FEATURES if name in sent), *sorted(sent - set(FEATURES))]
    rows = []
    for name in names:
        resource = COUNTED_BY.get(name, "")
        over = [resource in one.exceeded for one in fits] or [False] * len(plans)
        entries = (_feature(plan.limits, name, is_over) for plan, is_over in zip(plans, over, strict=True))
        rows.append(MatrixRowOfPlans(_FEATURES, feature_words(name), tuple(entries), used=used.get(resource)))
    return rows


def _feature(limits: Limits | None, name: str, is_over: bool) -> MatrixCell:
    feature = Feature() if limits is None else limits.features.get(name, Feature())
    sign, look = {True: (YES, CellLook.YES), False: (NO, CellLook.NO), None: (UNKNOWN, CellLook.UNKNOWN)}[
        feature.enabled
    ]
    if is_over:
        sign, look = OVER, CellLook.OVER
    if look is CellLook.NO:  # "– 50" would read as a number below 0
        return MatrixCell(f"no ({feature.count:,})" if feature.count else sign, look)
    if feature.count is None:
        return MatrixCell(sign, look)
    return MatrixCell(f"{sign} {feature.count:,}", look, feature.count if feature.enabled else None)


_UNKNOWN = MatrixCell(UNKNOWN, CellLook.UNKNOWN)

# ---- for export ----


def matrix_csv(matrix: PlanMatrix) -> str:
    """The matrix as CSV, a column a plan."""
    return csv_text(["", *matrix.names], [_texts(row) for row in matrix.rows])


def matrix_markdown(matrix: PlanMatrix) -> str:
    """The matrix as a Markdown table, a column a plan."""
    return f"{in_markdown(_table(matrix, matrix.rows))}\n"


def matrix_blocks(matrix: PlanMatrix) -> Iterator[Block]:
    """The matrix as a document, a table a group of rows."""
    yield Heading(1, f"{counted(len(matrix.plans), 'plan')} side by side")
    yield from _fitting(matrix)
    yield Sentence(f"Numbers are {AS_SENT}.")
    for group, rows in groupby(matrix.rows, lambda row: row.group):
        yield Heading(2, group)
        yield _table(matrix, rows)


def _table(matrix: PlanMatrix, rows: Iterable[MatrixRowOfPlans]) -> Table:
    cells = [(Outside(_label(row)), *map(_toned, row.entries)) for row in rows]
    return Table(("", *map(Outside, matrix.names)), cells, "l" + "r" * len(matrix.plans))


def _fitting(matrix: PlanMatrix) -> Iterator[Sentence]:
    """The answer to which plans take what is used, where that could be judged."""
    judged = [row.entries for row in matrix.rows if row.group == _FIT]
    for entries in judged:
        looks = dict(zip(matrix.names, (entry.look for entry in entries), strict=True))
        if fitting := [Outside(name) for name, look in looks.items() if look is CellLook.YES]:
            names = [part for name in fitting for part in (", ", name)][1:]
            yield Sentence(["As far as known, your use fits ", *names, "."], is_strong=True)
        elif CellLook.OVER in looks.values():
            yield Sentence("Your use fits none of them.", is_strong=True)


def _toned(entry: MatrixCell) -> Words:
    tone: Tone = "good" if entry.look is CellLook.YES else "bad" if entry.look is CellLook.OVER else "plain"
    return Toned(entry.text, tone)


def _texts(row: MatrixRowOfPlans) -> list[str]:
    return [_label(row), *(entry.text for entry in row.entries)]


def _label(row: MatrixRowOfPlans) -> str:
    """`tracking pixels, you 130`"""
    return row.title if row.used is None else f"{row.title}, you {row.used:,}"
