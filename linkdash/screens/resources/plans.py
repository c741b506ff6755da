"""The list of plans with what they cost and allow, and the end of a subscription beside its form."""

import asyncio
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from datetime import datetime

from rich.cells import cell_len

from linkdash.api.fields import fields_of
from linkdash.api.resources.plans import FEATURES, Feature, Limits, Plan, Prices, feature_words
from linkdash.model.humanize import span
from linkdash.model.insight.allowances import limit_words
from linkdash.model.insight.plan_matrix import AS_SENT, PlanMatrix, matrix, missing_unit
from linkdash.model.insight.related import KnownUsers, Tally, users_of_plans
from linkdash.model.lists.columns import Column, drawn, value_of
from linkdash.model.resources.plans import RESOURCE
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.session import Session
from linkdash.model.writes.planned_changes import UNDO_REACHES
from linkdash.screens.actions import WRITING, Action, bindings
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.lists.list_actions import SUBSCRIBING_ACTIONS, UNDO
from linkdash.screens.lists.list_needs import ASSIGNMENT, PANE, ROW
from linkdash.screens.lists.related import RelatedFacts, end_piece, heading, several_tallies
from linkdash.screens.lists.row_details import BELOW
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.store.journal_entry import WriteIntent
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.styled_text import Lines, Piece, Tone, cells, fitted
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

_WIDEST_NAME = max(map(len, FEATURES.values()))
_COUNT_CELLS = 9  # a mark, a count and the spaces around them
_BESIDE_TITLES = 14
_TITLE_GAP = 2  # cells between a title and what stands beside it
_BETWEEN_PLANS = 3


class PlansScreen(ResourceScreen[Plan]):
    """The list of plans, with what each costs and allows."""

    TITLE = RESOURCE.title
    ACTIONS = PLAN_ACTIONS
    BINDINGS = bindings(PLAN_ACTIONS)
    DETAILS = BELOW

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self.records.columns = [_in_words(column) for column in self.records.columns]
        self._is_arriving = False
        self._known = 0
        """The number of users that are known."""
        self._users: Mapping[int, KnownUsers] = {}
        self._own: int | None = None
        """The id of the account's plan, where it is known."""

    @property
    def notes(self) -> Mapping[Hashable, str]:
        """The plan of the account carries a sign."""
        own = {plan.key: "yours" for plan in self.collection.records if plan.id == self._own}
        return {**own, **super().notes}

    def facts(self) -> Sequence[str]:
        """Return which plan is that of the account, after the sign of its row."""
        own = next((plan for plan in self.collection.records if plan.id == self._own), None)
        sign = "" if self.session.settings.linear else f"{NOTE_SIGNS['yours']} "
        return () if own is None else (f"{sign}yours: {own.name}",)

    async def read_related(self) -> None:
        own = await self.session.own_user()
        if (found := None if own is None else own.planid) != self._own:
            self._own = found
            self.paint_list()
        users = await self.session.collection_of(USERS).known_records()
        self._users = await asyncio.to_thread(users_of_plans, users, self.session.local_time())
        self._known = len(users)

    def related(self, record: Plan) -> RelatedFacts:
        """The users of a plan, as far as they are known."""
        if not self._known:
            how = f"{self.key_of('go-users')} loads them"
            return RelatedFacts("Its users", "", lambda width, height: [[Piece(how, Tone.MUTED)]])
        users, now = self._users.get(record.id, KnownUsers(0, (), ())), self.session.local_time()
        of = f"{users.number:,} of {self._known:,} known"
        plans = [Tally(plan.name, self._users[plan.id].number) for plan in self._used_plans]
        in_numbers = self.session.settings.linear

        def lines(width: int, height: int) -> Lines:
            return user_lines(users, plans, now, width, height, in_numbers=in_numbers)

        return RelatedFacts("Its users", of, lines)

    @property
    def _used_plans(self) -> Sequence[Plan]:
        """The plans that some known user has, in the order of the list."""
        return [plan for plan in self.collection.records if plan.id in self._users]

    def lines(self, record: Plan, width: int) -> Sequence[DetailLine]:
        """A plan in one glance; its users, too, where nothing stands beside it."""
        in_row = self.table.told_of(record) if width else frozenset[str]()
        told = plan_lines(record, width, in_row, in_words=self.session.settings.linear)
        if not self.has_related:
            return [*told, DetailLine(""), *self._user_lines(record)]
        height = self.query_one(Details).size.height
        compared = self._compared(record, width)
        if compared and len(told) + 1 + len(compared) <= height:
            return [*told, DetailLine(""), *compared]
        for differences in self._differences(record):
            if len(told) + 1 + len(differences) <= height:
                told += [DetailLine(""), *differences]
        return told

    def _compared(self, record: Plan, width: int) -> Sequence[DetailLine]:
        """The other plans beside each other, where several have room and nobody is read the columns."""
        plans = self.collection.records
        at = next((at for at, plan in enumerate(plans) if plan.id == record.id), 0)
        compared = matrix(plans, None)
        for count in range(0 if self.session.settings.linear else len(plans) - 1, 1, -1):
            nearest = sorted(range(len(plans)), key=lambda other: (abs(other - at), -other))[1 : count + 1]
            lines = against_lines(compared, at, sorted(nearest))
            if max(cell_len(line.title) + cell_len(line.text) for line in lines) + _TITLE_GAP <= width:
                return lines
        return ()

    def _differences(self, record: Plan) -> Iterator[Sequence[DetailLine]]:
        """The differences to each other plan: those before it, the nearest first, then those behind it."""
        plans = self.collection.records
        at = next((at for at, plan in enumerate(plans) if plan.id == record.id), 0)
        compared = matrix(plans, None)
        for other in (*range(at - 1, -1, -1), *range(at + 1, len(plans))):
            is_before = other < at
            changes = compared.between(other, at) if is_before else compared.between(at, other)
            title = "Instead of" if is_before else "Next plan" if other == at + 1 else "Or"
            yield [
                DetailLine(title, (Piece(plans[other].name, Tone.HERO),)),
                *(
                    DetailLine(name, (Piece(f"{was} → ", Tone.MUTED), Piece(now), *_no_unit(name)))
                    for name, was, now in changes
                ),
            ]

    def _user_lines(self, record: Plan) -> Sequence[DetailLine]:
        """The users of a plan, and how many by the time that they have left, as far as they are known."""
        if not self._known:
            how = f"not known; {self.key_of('go-users')} loads them"
            return [DetailLine("Users", (Piece(how, Tone.MUTED),))]
        users = self._users.get(record.id, KnownUsers(0, (), ()))
        number = DetailLine("Users", (Piece(f"{users.number:,} of {self._known:,} known", Tone.HERO),))
        ends = " · ".join(f"{one.label} {one.number:,}" for one in users.ends)
        return [number, DetailLine("Time left", (Piece(ends),))] if ends else [number]

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


def against_lines(compared: PlanMatrix, at: int, others: Sequence[int]) -> list[DetailLine]:
    """The differences of other plans to one, a column each; muted where one has the same."""
    rows, names = compared.against(at, others), compared.names
    cells_of = {
        other: max(cell_len(text) for text in (names[other], *(row.entries[other].text for row in rows)))
        for other in others
    }

    def in_columns(told: Mapping[int, Piece]) -> list[Piece]:
        return [_to_right(told[other], cells_of[other] + _BETWEEN_PLANS) for other in others]

    head = {other: Piece(names[other], Tone.HERO) for other in others}
    lines = [DetailLine(f"Against {names[at]}", (*in_columns(head),))]
    for row in rows:
        own = row.entries[at]
        entries = ((other, row.entries[other]) for other in others)
        told = {other: Piece(one.text, Tone.MUTED if one == own else Tone.PLAIN) for other, one in entries}
        lines.append(DetailLine(row.title, (*in_columns(told), *_no_unit(row.title))))
    return lines


def _no_unit(title: str) -> list[Piece]:
    words = missing_unit(title)
    return [Piece(f"  {words}", Tone.FAINT)] if words else []


def _to_right(piece: Piece, width: int) -> Piece:
    return piece._replace(text=" " * (width - cell_len(piece.text)) + piece.text)


_READ_OUT_CELLS = 40
"""The most cells of a name and the fact beside it where there is no picture between them."""


def user_lines(
    users: KnownUsers, plans: Sequence[Tally], now: datetime, width: int, height: int, *, in_numbers: bool
) -> list[Sequence[Piece]]:
    """The users of a plan by the time that they have left, those of every plan, then names."""
    if in_numbers:
        width = min(width, _READ_OUT_CELLS)
    alike = [[Piece(f"Time left: {users.ends[0].label}", Tone.MUTED)]] if len(users.ends) == 1 else []
    tallies = () if alike else users.ends
    others = [("Users of every plan", plans)]
    room = height - len(alike)
    lines = [*alike, *several_tallies(tallies, others, width, room, in_numbers=in_numbers)]
    ends = [(name, end_piece(expires, now)) for expires, name in users.coming]
    room = height - len(lines)
    lines += _named("Next to expire", ends, width, room // 2 if users.newest else room)
    ages = [(name, Piece(f"  {span((now - at).days)}", Tone.MUTED)) for at, name in users.newest]
    return [*lines, *_named("Registered last", ages, width, height - len(lines))]


def _named(title: str, users: Sequence[tuple[str, Piece]], width: int, height: int) -> Lines:
    """Names with a fact beside each, below a title; nothing where there is no room for one."""
    shown = users[: max(0, height - 2)]
    if not shown:
        return []
    rows = [[*fitted([Piece(name)], width - cells([fact])), fact] for name, fact in shown]
    return [[], heading(title, width), *rows]


def plan_lines(
    plan: Plan, width: int, in_row: Set[str] = frozenset(), *, in_words: bool = False
) -> list[DetailLine]:
    """A plan in one glance, for `width` cells: prices, allowances, and every feature with its count.

    What fields `in_row` hold is left out, as its row tells that. `in_words` says which features it has and
    which not; else a sign before each does.
    """
    prices = [] if in_row >= Prices.model_fields.keys() else [price_line(plan)]
    heading = [DetailLine("Name", (Piece(plan.name, Tone.HERO),)), *prices]
    id = [] if "id" in in_row else [DetailLine("Id", (Piece(f"{plan.id}"),))]
    if plan.limits is None:
        return [*heading, DetailLine("Limits", (Piece("unknown", Tone.MUTED),)), *id]
    features = _features_in_words(plan.limits) if in_words else _feature_lines(plan.limits, width)
    return [*heading, *_allowance_lines(plan.limits, in_row), *features, *id]


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


def _features_in_words(limits: Limits) -> list[DetailLine]:
    titles = {True: "Features", False: "Not in it", None: "Not known"}
    told: dict[str, list[str]] = {title: [] for title in titles.values()}
    for name in _feature_names(limits):
        feature = limits.features[name]
        count = f" {feature.count:,}" if feature.count else ""
        told[titles[feature.enabled]].append(f"{feature_words(name)}{count}")
    return [DetailLine(title, (Piece(" · ".join(names)),)) for title, names in told.items() if names]


def _feature_lines(limits: Limits, width: int) -> list[DetailLine]:
    names = _feature_names(limits)
    abreast = (width - _BESIDE_TITLES) // (_WIDEST_NAME + _COUNT_CELLS)
    if abreast < 2:
        return [_feature_line(name, limits.features[name]) for name in names]
    rows = [names[first : first + abreast] for first in range(0, len(names), abreast)]
    return [
        DetailLine(
            "" if number else "Features",
            tuple(piece for name in row for piece in _feature_pieces(name, limits.features[name])),
        )
        for number, row in enumerate(rows)
    ]


def _feature_line(name: str, feature: Feature) -> DetailLine:
    sign, *_ = _feature_pieces(name, feature)
    count = "" if feature.count is None else f"{feature.count:,}"
    return DetailLine(feature_words(name), (sign, Piece(count)))


def _feature_pieces(name: str, feature: Feature) -> list[Piece]:
    count = "" if feature.count is None else f"  {feature.count:,}"
    label = f"{feature_words(name)}{count}".ljust(_WIDEST_NAME + _COUNT_CELLS - 2)
    if feature.enabled is None:
        return [Piece("? ", Tone.ODD), Piece(label)]
    if feature.enabled:
        return [Piece("✓ ", Tone.GOOD), Piece(label)]
    return [Piece("– ", Tone.MUTED), Piece(label, Tone.MUTED)]
