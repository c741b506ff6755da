"""Plans with their prices, allowances and features."""

from collections.abc import Sequence

from linkdash.api.client import Endpoints
from linkdash.api.fields import Kind, fields_of
from linkdash.api.model import Body
from linkdash.api.plans import FEATURES, Feature, Limits, Plan, Prices
from linkdash.api.resource import Source
from linkdash.model.columns import Column, column
from linkdash.screens import places
from linkdash.screens.actions import bindings
from linkdash.screens.list_actions import SUBSCRIBING_ACTIONS
from linkdash.screens.writing.subscribing import PLAN_GIVING, USER_GIVEN, ExpiryPreview
from linkdash.screens.writing.writable import WritableScreen
from linkdash.widgets.cells import Piece, Tone
from linkdash.widgets.details import Line
from linkdash.widgets.form import Preview

_WIDEST_NAME = max(map(len, FEATURES))
_COUNT_CELLS = 9  # a mark, a count and the spaces around them
_BESIDE_TITLES = 14


class PlansScreen(WritableScreen[Plan]):
    """What each plan costs and allows."""

    name_of_place = places.PLANS.id
    for_admins = True
    TITLE = places.PLANS.title
    record_type = Plan
    singular = "plan"
    columns = (
        column(Plan, "id"),
        column(Plan, "name", grow=True, essential=True),
        Column("monthly", "Monthly", Kind.TEXT, width=9, align="right"),
        Column("yearly", "Yearly", Kind.TEXT, width=9, align="right"),
        Column("lifetime", "Lifetime", Kind.TEXT, width=9, align="right"),
        Column("links", "Links", Kind.COUNT, width=9, align="right"),
        Column("clicks", "Clicks", Kind.COUNT, width=10, align="right"),
    )

    ACTIONS = SUBSCRIBING_ACTIONS
    BINDINGS = bindings(SUBSCRIBING_ACTIONS)
    giving = PLAN_GIVING
    given = USER_GIVEN

    @property
    def targets(self) -> list[Plan]:
        """One plan at a time: a user has only one."""
        return [self.row] if self.row else []

    def missing_targets(self) -> str | None:
        return self.missing_row()

    def preview(self, model: type[Body]) -> Preview:
        return ExpiryPreview(self.session.local_time)

    def source(self, endpoints: Endpoints) -> Source[Plan]:
        return endpoints.plans.source

    def lines(self, record: Plan, width: int) -> Sequence[Line]:
        return plan_lines(record, width)


def plan_lines(plan: Plan, width: int) -> list[Line]:
    """A plan in one glance, for `width` cells: prices, allowances, and every feature with its count."""
    heading = Line(plan.name, (Piece(f"plan {plan.id}", Tone.MUTED),))
    if plan.limits is None:
        return [heading, _price_line(plan), Line("Limits", (Piece("not told", Tone.MUTED),))]
    return [heading, _price_line(plan), _allowance_line(plan.limits), *_feature_lines(plan.limits, width)]


def _price_line(plan: Plan) -> Line:
    if plan.prices is None:
        return Line("Price", (Piece("free", Tone.GOOD) if plan.free else Piece("not told", Tone.MUTED),))
    prices = [(field.title.lower(), getattr(plan.prices, field.name)) for field in fields_of(Prices)]
    offered = [f"{price:,.2f} {term}" for term, price in prices if price is not None]
    return Line("Price", (Piece(" · ".join(offered) or "not offered"),))


def _allowance_line(limits: Limits) -> Line:
    counts = [(field.title.lower(), getattr(limits, field.name)) for field in fields_of(Limits)]
    told = [f"{count:,} {name}" for name, count in counts if isinstance(count, int)]
    return Line("Allowances", (Piece(" · ".join(told) or "not told"),))


def _feature_lines(limits: Limits, width: int) -> list[Line]:
    names = [name for name in FEATURES if name in limits.features]
    names += sorted(limits.features.keys() - set(FEATURES))
    abreast = max(1, (width - _BESIDE_TITLES) // (_WIDEST_NAME + _COUNT_CELLS))
    rows = [names[first : first + abreast] for first in range(0, len(names), abreast)]
    return [
        Line(
            "" if number else "Features",
            tuple(piece for name in row for piece in _feature_pieces(name, limits.features[name])),
        )
        for number, row in enumerate(rows)
    ]


def _feature_pieces(name: str, feature: Feature) -> list[Piece]:
    count = "" if feature.count is None else f"{feature.count:,}"
    label = f"{name:<{_WIDEST_NAME}} {count:<6}"
    if feature.enabled is None:
        return [Piece("? ", Tone.ODD), Piece(label)]
    if feature.enabled:
        return [Piece("✓ ", Tone.GOOD), Piece(label)]
    return [Piece("– ", Tone.MUTED), Piece(label, Tone.MUTED)]
