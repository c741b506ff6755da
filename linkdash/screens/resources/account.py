"""The screen of the account."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Self

from linkdash.api.resources.account import Account
from linkdash.api.resources.plans import Plan
from linkdash.model.humanize import LATER, TimeLeft, counted, size_words
from linkdash.model.insight.allowances import (
    COUNTED_BY,
    USE_UNKNOWN,
    PlanAllowance,
    allowances,
    limit_words,
)
from linkdash.model.resources.account import RESOURCE as ACCOUNT
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.session import Session
from linkdash.screens.actions import Action, Flow, bindings
from linkdash.screens.insight.allowance_signs import allowance_sign, plan_advice
from linkdash.screens.lists.list_actions import (
    FIND_ACTIONS,
    PAGE_ACTIONS,
    RECORD_ACTIONS,
    SELECT_ACTIONS,
    WRITE_ACTIONS,
)
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.resources.plans import features_line, price_line
from linkdash.widgets.charts.cell_pictures import gauge
from linkdash.widgets.details import DetailLine
from linkdash.widgets.frame.key_line import Claim
from linkdash.widgets.styled_text import Piece, Tone

_ONE_RECORD = (  # there is nothing to find
    replace(action, shown=action.id == "refresh")
    for action in (*FIND_ACTIONS, *SELECT_ACTIONS, *PAGE_ACTIONS)
)
_NOTHING_TO_FIND = {action.id for action in (*FIND_ACTIONS, *SELECT_ACTIONS, *PAGE_ACTIONS)} - {"refresh"}
ACCOUNT_ACTIONS = (*WRITE_ACTIONS, *_ONE_RECORD, *RECORD_ACTIONS)


_GAUGE = 60  # cells at most
_BEHIND = ("Id", "Status", "Avatar")  # what is looked for seldom, or said by the header
_BESIDE_GAUGE = 48  # cells of the title and of what is said beside a gauge


class AccountScreen(ResourceScreen[Account]):
    """The account that the key belongs to."""

    TITLE = ACCOUNT.title
    ACTIONS = ACCOUNT_ACTIONS
    BINDINGS = bindings(ACCOUNT_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, ACCOUNT)
        self._plan: Plan | None = None
        self._allowed: Sequence[PlanAllowance] = ()
        self._read_of: Sequence[object] = ()
        """The rows that were there when the plan was read: it is found by the name of the account."""
        self._pages = self._history = (0, 0)
        """How many answers, and of how many codes the readings, are kept, each with its bytes."""

    @property
    def age(self) -> float | None:
        return self.collection.listing.age(self.session.now())

    def claim_of(self, action: Action[Self]) -> Claim | None:
        """Leave what finds one of several records out of the key line, however much room that has."""
        return None if action.id in _NOTHING_TO_FIND else super().claim_of(action)

    def paint_list(self) -> None:
        """Show the record as a page of facts: a table of one row would say them twice."""
        super().paint_list()
        if self.collection.listing.rows is not self._read_of:
            self._read_of = self.collection.listing.rows
            self.show_known()
        is_filtered = self.filtering.is_open or bool(self.collection.arrangement.text)
        self.set_class(bool(self.collection.listing.rows) and not is_filtered, "-known")

    def do_filter(self) -> Flow:
        self.remove_class("-known")  # the filter stands below the table
        return super().do_filter()

    async def read_known(self) -> None:
        session = self.session
        self._pages = await session.kept(session.store.pages.size(), (0, 0))
        self._history = await session.kept(session.store.history.size(), (0, 0))
        if session.collections.known("users") is not None:
            await self._read_plan()

    async def _read_plan(self) -> None:
        user = await self.session.own_user()
        plans = await self.session.collections.of(PLANS).known_records()
        self._plan = next((plan for plan in plans if user is not None and plan.id == user.planid), None)
        known = {resource: self.session.collections.known(resource) for resource in COUNTED_BY.values()}
        used = {resource: one.listing.total for resource, one in known.items() if one is not None}
        self._allowed = allowances(self._plan, used) if self._plan is not None else []

    def lines(self, record: Account, width: int) -> Sequence[DetailLine]:
        """The lines of the account, its term and allowances, and of what is kept here of it."""
        cells = max(0, min(_GAUGE, width - _BESIDE_GAUGE))
        fields = {line.title: line for line in super().lines(record, width)}
        first = [line for title, line in fields.items() if title not in _BEHIND]
        behind = [_joined([fields[title] for title in _BEHIND if title in fields])]
        here = [self._budget_line(), self._kept_line()]
        return [*first, *self._plan_lines(record, cells), *here, *behind]

    def _plan_lines(self, record: Account, cells: int) -> list[DetailLine]:
        lines = [DetailLine("Term", self._term(record, cells))]
        if self._plan is None:
            users, plans = self.key_of("go-users"), self.key_of("go-plans")
            how = f"not known. {plan_advice(self.session.admin_refusal is None, plans, users)}"
            return [*lines, DetailLine("Plan", (Piece(how, Tone.MUTED),))]
        named = (Piece(self._plan.name, Tone.HERO), Piece(f" ({self._plan.id})", Tone.MUTED))
        counts = max((len(_counts(one)) for one in self._allowed), default=0)
        told = [_allowance_line(one, cells, counts) for one in self._allowed]
        has = [price_line(self._plan), *features_line(self._plan)]
        return [DetailLine("Plan", named), *has, *lines, *_said_once(told)]

    def _term(self, record: Account, cells: int) -> tuple[Piece, ...]:
        """The share of the time since the registration that is over, and the rest."""
        now = self.session.local_time()
        ends = TimeLeft(record.expires, now)
        tone = Tone.BAD if ends.is_over else Tone.WARNING if ends.is_within(LATER) else Tone.GOOD
        if record.expires is None:
            return (Piece(f"{ends.sign}{ends.words}", tone),)
        drawn, share = tuple[Piece, ...](), ""
        if record.registered is not None and record.registered < record.expires:
            whole, gone = record.expires - record.registered, now - record.registered
            drawn = _gauge_pieces(gone.total_seconds(), whole.total_seconds(), cells, tone)
            share = f"  {min(1, gone / whole):.0%} gone".replace("%", " %")
        return (*drawn, Piece(f"{ends.sign}{ends.words}", tone), Piece(share, Tone.MUTED))

    def _budget_line(self) -> DetailLine:
        words = self.session.gate.state.limit_words
        unknown = Piece("not known before the first answer", Tone.MUTED)
        return DetailLine("Requests", (Piece(words) if words else unknown,))

    def _kept_line(self) -> DetailLine:
        """The readings and the answers that are kept on this machine, and their size."""
        (lists, page_bytes), (codes, history_bytes) = self._pages, self._history
        size = size_words(page_bytes + history_bytes)
        words = f"readings of {counted(codes, 'QR code')}, {counted(lists, 'page')} of lists · {size}"
        return DetailLine("Kept here", (Piece(words),))


def _said_once(lines: Sequence[DetailLine]) -> list[DetailLine]:
    """Lines, of which those that follow one another and say the same are one: `Links, Clicks`."""
    runs = groupby(lines, key=lambda line: line.pieces)
    return [DetailLine(", ".join(line.title for line in run), pieces) for pieces, run in runs]


def _joined(lines: Sequence[DetailLine]) -> DetailLine:
    """Lines as one, with the titles of all but the first between the values."""
    first, *others = lines
    pieces = [*first.pieces]
    for line in others:
        pieces += [Piece(f" · {line.title.lower()} ", Tone.MUTED), *line.pieces]
    return DetailLine(first.title, tuple(pieces))


def _counts(one: PlanAllowance) -> str:
    return "" if one.share is None else f"{one.used:,} of {one.limit:,}"


def _gauge_pieces(part: float, whole: float, cells: int, tone: Tone) -> tuple[Piece, ...]:
    heavy, light = gauge(part, whole, cells)
    return (Piece(heavy, tone), Piece(f"{light}  ", Tone.FAINT)) if cells else ()


def _allowance_line(one: PlanAllowance, cells: int, counts: int) -> DetailLine:
    if one.share is None:
        known = "use not loaded" if one.used is None else f"{one.used:,} used"
        if not one.resource:
            known = USE_UNKNOWN
        return DetailLine(one.name, (Piece(limit_words(one.limit)), Piece(f"  {known}", Tone.FAINT)))
    sign, tone = allowance_sign(one)
    drawn = _gauge_pieces(one.used or 0, one.limit, cells, tone)
    told = Piece(f"  {sign}{' ' if sign else ''}{one.share * 100:,.0f} %", tone)
    return DetailLine(one.name, (*drawn, Piece(f"{_counts(one):>{counts}}"), told))
