"""The list of plans with what they cost and allow, and the end of a subscription beside its form."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence, Set
from typing import ClassVar

from linkdash.api.fields import Kind, fields_of
from linkdash.api.resources.plans import FEATURES, Feature, Limits, Plan, Prices, feature_words
from linkdash.model.humanize import counted
from linkdash.model.insight.allowances import limit_words
from linkdash.model.insight.plan_matrix import AS_SENT
from linkdash.model.lists.columns import Column, Computed, drawn, value_of
from linkdash.model.resources.plans import RESOURCE
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.session import Session
from linkdash.model.writes.planned_changes import UNDO_REACHES
from linkdash.screens.actions import WRITING, Action, bindings
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.lists.list_actions import SUBSCRIBING_ACTIONS, UNDO
from linkdash.screens.lists.list_needs import ASSIGNMENT, PANE, ROW
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.store.journal_entry import WriteIntent
from linkdash.widgets.details import DetailLine
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.row_line import NOTE_SIGNS

UNDO_SUBSCRIPTION: Action["PlansScreen"] = Action(
    UNDO.id,
    UNDO.keys,
    UNDO.label,
    "Undo the last subscription to the plan from here, at its user, after a preview",
    UNDO.group,
    "1 request",
    needs=(WRITING, ASSIGNMENT, PANE, ROW),
    do=lambda screen: screen.do_undo(),
    asks=True,
)
PLAN_ACTIONS: tuple[Action["PlansScreen"], ...] = (
    Action(
        "matrix",
        "m",
        "Matrix",
        "All plans side by side, and where they differ",
        shown=True,
        do=lambda screen: screen.do_matrix(),
    ),
    *(UNDO_SUBSCRIPTION if action is UNDO else action for action in SUBSCRIBING_ACTIONS),
)

_USERS = "users"


class PlansScreen(ResourceScreen[Plan]):
    """The list of plans, with what each costs and allows, and how many of the known users have it."""

    TITLE = RESOURCE.title
    ACTIONS = PLAN_ACTIONS
    BINDINGS = bindings(PLAN_ACTIONS)
    COLUMN_TITLES: ClassVar[Mapping[str, str]] = {_USERS: "Users"}

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        title = self.COLUMN_TITLES[_USERS]
        users = Computed(
            _USERS, title, Kind.COUNT, 6, align="right", draw=self._users_of, rank=self._users_of
        )
        *first, id = (_in_words(column) for column in self.records.columns)
        self.records.columns = (*first, users, id)
        self.collection.arrangement.use(self.records.columns, ())
        self._is_arriving = False
        self._users: Mapping[int | None, int] = {}
        """The number of the known users that have a plan, by its id."""
        self._own: int | None = None
        """The id of the account's plan, where it is known."""

    def _users_of(self, plan: Plan) -> int | None:
        return self._users.get(plan.id, 0) if self._users else None

    @property
    def notes(self) -> Mapping[Hashable, str]:
        """The plan of the account carries a sign."""
        own = {plan.key: "yours" for plan in self.collection.records if plan.id == self._own}
        return {**own, **super().notes}

    def facts(self) -> Sequence[str]:
        """Return which plan is the account's, after the sign of its row, and how many users are known."""
        own = next((plan for plan in self.collection.records if plan.id == self._own), None)
        yours = () if own is None else (f"{NOTE_SIGNS['yours']} yours: {own.name}",)
        if not self._users:
            return (*yours, f"users not known, {self.key_of('go-users')} loads them")
        return (*yours, f"{counted(sum(self._users.values()), 'user')} known")

    async def read_known(self) -> None:
        own = await self.session.own_user()
        if (found := None if own is None else own.planid) != self._own:
            self._own = found
            self.paint_list()
        users = await self.session.collections.of(USERS).known_records()
        if (counts := Counter(user.planid for user in users)) != self._users:
            self._users = counts
            self.show_columns_anew()

    def lines(self, record: Plan, width: int) -> Sequence[DetailLine]:
        """A plan in one glance."""
        return plan_lines(record, self.table.told_of(record) if width else frozenset())

    def arrive(self) -> None:
        """Begin with all plans side by side once there are any; the list is below them."""
        self._is_arriving = True
        self.paint_list()

    def paint_list(self) -> None:
        super().paint_list()
        if self._is_arriving and self.is_active and self.collection.records:
            self._is_arriving = False
            self.call_later(self.do_matrix)

    async def do_undo(self) -> None:
        """Go to the user who was subscribed to the plan last from here, and undo it there."""
        if (plan := self.row) is None:
            return
        entries = await self.session.store.journal.recent(UNDO_REACHES)
        last = next((one for one in entries if one.was_done and _is_to_plan(one.intent, plan.id)), None)
        if last is None:
            self.say(f"No subscription to {plan.name} was made from here.", "Nothing to undo")
        else:
            self.services.navigation.go_to_record("users", last.intent.record_id, UNDO.id)

    def do_matrix(self) -> None:
        self.app.push_screen(PlanMatrixScreen(self.session))


def _in_words(column: Column[Plan]) -> Column[Plan]:
    """A column with words where a plan costs nothing, and where it is not said what its 0 means."""
    if column.name in Prices.model_fields:
        return drawn(
            column, lambda plan: "free" if plan.free else value_of(plan, column.name), width=column.width
        )
    if column.name in Limits.model_fields:
        return drawn(column, lambda plan: _or_as_sent(value_of(plan, column.name)), width=column.width)
    return column


def _or_as_sent(count: object) -> object:
    return limit_words(0) if count == 0 else count


def _is_to_plan(intent: WriteIntent, plan: int) -> bool:
    return intent.action == "subscribe" and intent.record_ids[1:] == (plan,)


def plan_lines(plan: Plan, in_row: Set[str] = frozenset()) -> list[DetailLine]:
    """A plan in one glance: prices, allowances, and every feature with its count.

    What fields `in_row` hold is left out, as its row tells that.
    """
    prices = [] if in_row >= Prices.model_fields.keys() else [price_line(plan)]
    heading = [DetailLine("Name", (Piece(plan.name, Tone.HERO),)), *prices]
    id = [] if "id" in in_row else [DetailLine("Id", (Piece(f"{plan.id}"),))]
    if plan.limits is None:
        return [*heading, DetailLine("Limits", (Piece("unknown", Tone.MUTED),)), *id]
    return [*heading, *_allowance_lines(plan.limits, in_row), _feature_line(plan.limits), *id]


def price_line(plan: Plan) -> DetailLine:
    """The prices of a plan by term."""
    if plan.prices is None:
        return DetailLine("Price", (Piece("free", Tone.GOOD) if plan.free else Piece("unknown", Tone.MUTED),))
    prices = [(field.title.lower(), getattr(plan.prices, field.name)) for field in fields_of(Prices)]
    offered = [f"{price:,.2f} {term}" for term, price in prices if price is not None]
    return DetailLine("Price", (Piece(" · ".join(offered) or "not offered"),))


def _allowance_lines(limits: Limits, in_row: Set[str]) -> list[DetailLine]:
    """The numbers of a plan that are not in its row, and what the service does not say of them."""
    fields = [field for field in fields_of(Limits) if field.name not in in_row]
    counts = [(field.title, getattr(limits, field.name)) for field in fields]
    known = [(title, count) for title, count in counts if isinstance(count, int)]
    if in_row and not known:
        return []
    unit = "  unit not reported" if limits.retention is not None else ""
    unsaid = f"  {AS_SENT}" if any(count == 0 for _, count in counts) else unit
    title, told = "Allowances", " · ".join(f"{count:,} {title.lower()}" for title, count in known)
    if len(known) == 1:
        ((title, count),) = known
        told = f"{count:,}"
    return [DetailLine(title, (Piece(told or "unknown"), Piece(unsaid, Tone.MUTED)))]


def features_line(plan: Plan) -> list[DetailLine]:
    """The features that a plan has, in one line; none where they are not known."""
    found = plan.limits.features if plan.limits is not None else {}
    names = [feature_words(name) for name in FEATURES if name in found and found[name].enabled]
    return [DetailLine("Features", (Piece(" · ".join(names)),))] if names else []


def _feature_names(limits: Limits) -> list[str]:
    known = [name for name in FEATURES if name in limits.features]
    return [*known, *sorted(limits.features.keys() - set(FEATURES))]


def _feature_line(limits: Limits) -> DetailLine:
    """Every feature with its sign and its count, as a list that is wrapped."""
    *first, last = [_feature(name, limits.features[name]) for name in _feature_names(limits)] or [Piece("–")]
    return DetailLine("Features", (*(one._replace(text=f"{one.text} · ") for one in first), last))


def _feature(name: str, feature: Feature) -> Piece:
    count = "" if feature.count is None else f" {feature.count:,}"
    if feature.enabled is False:
        count = f" ({feature.count:,})" if feature.count else ""
    sign, tone = {None: ("?", Tone.ODD), True: ("✓", Tone.GOOD), False: ("–", Tone.MUTED)}[feature.enabled]
    return Piece(f"{sign} {feature_words(name)}{count}", tone)
