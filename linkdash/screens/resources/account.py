"""The screen of the account."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Self

from textual.app import ComposeResult

from linkdash.api.resources.account import Account
from linkdash.api.resources.plans import Plan
from linkdash.model.humanize import age_words, counted
from linkdash.model.insight.allowances import (
    COUNTED_BY,
    USE_UNKNOWN,
    PlanAllowance,
    allowances,
    limit_words,
)
from linkdash.model.insight.review import expiry
from linkdash.model.resources import PLACES, Place
from linkdash.model.resources.account import RESOURCE as ACCOUNT
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.session import Session
from linkdash.model.statistics.chart_data import Columns
from linkdash.model.statistics.charts import pulse_chart
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import pulse
from linkdash.screens.actions import Action, Flow, bindings
from linkdash.screens.change_lines import change_pieces, changed_lines
from linkdash.screens.insight.allowance_signs import allowance_sign
from linkdash.screens.lists.list_actions import (
    FIND_ACTIONS,
    PAGE_ACTIONS,
    RECORD_ACTIONS,
    SELECT_ACTIONS,
    WRITE_ACTIONS,
)
from linkdash.screens.lists.related import RelatedFacts
from linkdash.screens.lists.row_details import BELOW
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.resources.plans import features_line, price_line
from linkdash.store.journal_entry import JournalEntry
from linkdash.widgets.charts.cell_pictures import gauge
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.frame.key_line import Claim
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Lines, Piece, TickingLines, Tone

_ONE_RECORD = (  # there is nothing to find
    replace(action, shown=action.id == "refresh")
    for action in (*FIND_ACTIONS, *SELECT_ACTIONS, *PAGE_ACTIONS)
)
_NOTHING_TO_FIND = {action.id for action in (*FIND_ACTIONS, *SELECT_ACTIONS, *PAGE_ACTIONS)} - {"refresh"}
ACCOUNT_ACTIONS = (*WRITE_ACTIONS, *_ONE_RECORD, *RECORD_ACTIONS)


CHANGES = 40
"""How many of the last changes are read: as many are shown as there is room for."""
_FEWEST_CHANGES = 3
"""How many of them are shown below the facts, however little room there is."""
_GAUGE = 60  # cells at most
_BEHIND = ("Id", "Status", "Avatar")  # what is looked for seldom, or said by the header
_LISTS = [place for place in PLACES if place.id != ACCOUNT.id]
_TOTAL_TITLE = 14  # cells of the name of a list
_LAST_CHANGES, _KEPT = "Last changes", "Kept here"
_NO_CHANGES = Piece("none from here yet", Tone.MUTED)


_BESIDE_GAUGE = 36  # cells of the title and of what is said beside a gauge


class AccountScreen(ResourceScreen[Account]):
    """The account that the key belongs to."""

    TITLE = ACCOUNT.title
    ACTIONS = ACCOUNT_ACTIONS
    BINDINGS = bindings(ACCOUNT_ACTIONS)
    DETAILS = BELOW

    def __init__(self, session: Session) -> None:
        super().__init__(session, ACCOUNT)
        self._plan: Plan | None = None
        self._allowed: Sequence[PlanAllowance] = ()
        self._changes: Sequence[JournalEntry] = ()
        self._chart = Chart()
        """The scans of all codes in the last two weeks, as far as they are kept."""
        self._pages = self._history = (0, 0)
        """How many answers, and of how many codes the readings, are kept, each with its bytes."""

    def compose_others(self) -> ComposeResult:
        changes = Panel(TickingLines(self._change_lines), title=_LAST_CHANGES, id="changes")
        changes.say(keys=self.key_hint("journal", "all changes"))
        scans = Panel(self._chart, title="Scans a day", id="scans")
        scans.say(above=[Piece("of all codes, 7 days before and 7 last", Tone.MUTED)])
        yield scans
        yield changes

    @property
    def age(self) -> float | None:
        return self.collection.listing.age(self.session.now())

    def claim_of(self, action: Action[Self]) -> Claim | None:
        """Leave what finds one of several records out of the key line, however much room that has."""
        return None if action.id in _NOTHING_TO_FIND else super().claim_of(action)

    def paint_list(self) -> None:
        """Show the record as a page of facts: a table of one row would say them twice."""
        super().paint_list()
        is_filtered = self.filtering.is_open or bool(self.collection.arrangement.text)
        self.set_class(bool(self.collection.listing.rows) and not is_filtered, "-known")

    def do_filter(self) -> Flow:
        self.remove_class("-known")  # the filter stands below the table
        return super().do_filter()

    async def read_related(self) -> None:
        session = self.session
        self._changes = await session.kept(session.store.journal.recent(CHANGES), [])
        self._pages = await session.kept(session.store.pages.size(), (0, 0))
        self._history = await session.kept(session.store.history.size(), (0, 0))
        self._show_scans(await self._read_scans())
        if session.collections.known("users") is not None:
            await self._read_plan()

    async def _read_scans(self) -> Columns | None:
        reader = StatisticsReader(self.session)
        known = await asyncio.to_thread(pulse, (await reader.activities()).values(), most=0)
        if self.session.settings.linear or all(day is None for day in known.days):
            return None
        return pulse_chart(known, reader.now)

    def _show_scans(self, days: Columns | None) -> None:
        self._chart.show(days)
        self.set_class(days is not None, "-scanned")

    async def _read_plan(self) -> None:
        user = await self.session.own_user()
        plans = await self.session.collection_of(PLANS).known_records()
        self._plan = next((plan for plan in plans if user is not None and plan.id == user.planid), None)
        known = {resource: self.session.collections.known(resource) for resource in COUNTED_BY.values()}
        used = {resource: one.listing.total for resource, one in known.items() if one is not None}
        self._allowed = allowances(self._plan, used) if self._plan is not None else []

    def lines(self, record: Account, width: int) -> Sequence[DetailLine]:
        """The lines of the account, its term and allowances, and of what is kept here of it."""
        cells = 0 if self.session.settings.linear else max(0, min(_GAUGE, width - _BESIDE_GAUGE))
        fields = {line.title: line for line in super().lines(record, width)}
        first = [line for title, line in fields.items() if title not in _BEHIND]
        behind = [_joined([fields[title] for title in _BEHIND if title in fields])]
        between = [DetailLine("")] if self.has_class("-high") else []
        told = [*first, *between, *self._plan_lines(record, cells), *between, self._budget_line()]
        if self._has_changes_panel:
            return [*told, *behind]
        told += [] if self.has_related else [DetailLine(_KEPT, (Piece(", ".join(self._kept())),))]
        room = self.query_one(Details).size.height - len(told) - 2 * len(between) - len(behind)
        return [*told, *between, *self._changes_below(max(_FEWEST_CHANGES, room)), *between, *behind]

    @property
    def _has_changes_panel(self) -> bool:
        """Return whether the last changes stand in a panel of their own, in lines of its whole width."""
        is_wide = self.has_class("-roomy") or self.has_class("-wide")
        return is_wide and self.has_class("-high") and not self.session.settings.linear

    def _change_lines(self, width: int) -> Lines:
        today = self.session.local_time().date()
        told = (changed_lines(entry, today, width) for entry in self._changes)
        return [*chain.from_iterable(told)] or [[_NO_CHANGES]]

    def related(self, record: Account) -> RelatedFacts:
        """Facts of what is kept here, and the age of each list."""
        has_any = any(self._age_of(place) is not None for place in _LISTS)
        return RelatedFacts(_KEPT, "lists as of" if has_any else "", self._kept_lines)

    def _kept_lines(self, width: int, height: int) -> Lines:
        lists = [self._list_line(place) for place in _LISTS]
        return [*lists, *([Piece(part)] for part in self._kept())][:height]

    def _age_of(self, place: Place) -> float | None:
        """The age of a list in seconds; None where it is not loaded."""
        known = self.session.collections.known(place.id)
        return None if known is None else known.listing.age(self.session.now())

    def _list_line(self, place: Place) -> list[Piece]:
        """The age of a list; the sidebar says how many records it has."""
        age = self._age_of(place)
        title = Piece(f"{place.title:<{_TOTAL_TITLE}}", Tone.MUTED)
        if age is None:
            return [title, Piece(f"{self.key_of(f'go-{place.id}')} loads them", Tone.FAINT)]
        return [title, Piece(age_words(age))]

    def _changes_below(self, most: int) -> list[DetailLine]:
        shown = self._changes[:most]
        today = self.session.local_time().date()
        changes = [
            DetailLine("" if number else _LAST_CHANGES, tuple(change_pieces(entry, today)))
            for number, entry in enumerate(shown)
        ]
        return changes or [DetailLine(_LAST_CHANGES, (_NO_CHANGES,))]

    def _plan_lines(self, record: Account, cells: int) -> list[DetailLine]:
        lines = [DetailLine("Term", self._term(record, cells))]
        if self._plan is None:
            users, plans = self.key_of("go-users"), self.key_of("go-plans")
            how = f"not known; with an admin's key, {plans} and {users} load it"
            return [*lines, DetailLine("Plan", (Piece(how, Tone.MUTED),))]
        named = (Piece(self._plan.name, Tone.HERO), Piece(f" ({self._plan.id})", Tone.MUTED))
        counts = max((len(_counts(one)) for one in self._allowed), default=0)
        told = [_allowance_line(one, cells, counts) for one in self._allowed]
        has = [price_line(self._plan), *features_line(self._plan)] if self._has_features else []
        return [DetailLine("Plan", named), *has, *lines, *_said_once(told)]

    @property
    def _has_features(self) -> bool:
        """Return whether there is room for what the plan costs and has."""
        return self.has_related and self.has_class("-high")

    def _term(self, record: Account, cells: int) -> tuple[Piece, ...]:
        """The share of the time since the registration that is over, and the rest."""
        now = self.session.local_time()
        ends = expiry(record.expires, now)
        tone = Tone.BAD if ends.is_over else Tone.WARNING if ends.is_soon else Tone.GOOD
        if record.expires is None:
            return (Piece(f"{ends.sign}{ends.words}", tone),)
        drawn, share = tuple[Piece, ...](), ""
        if record.registered is not None and record.registered < record.expires:
            whole, gone = record.expires - record.registered, now - record.registered
            drawn = _gauge_pieces(gone.total_seconds(), whole.total_seconds(), cells, tone)
            share = f"  {min(1, gone / whole):.0%} over".replace("%", " %") if self.has_related else ""
        return (*drawn, Piece(f"{ends.sign}{ends.words}", tone), Piece(share, Tone.MUTED))

    def _budget_line(self) -> DetailLine:
        words = self.session.gate.state.limit_words
        unknown = Piece("not known before the first answer", Tone.MUTED)
        return DetailLine("Requests", (Piece(words) if words else unknown,))

    def _kept(self) -> Sequence[str]:
        """The readings and the answers that are kept on this machine, and their size."""
        (lists, page_bytes), (codes, history_bytes) = self._pages, self._history
        size = f"{(page_bytes + history_bytes) / 1e6:,.1f} MB"
        return f"readings of {counted(codes, 'QR code')}", f"{counted(lists, 'page')} of lists · {size}"


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
            known = USE_UNKNOWN if one.limit else f"{USE_UNKNOWN}, nor what 0 means"
        return DetailLine(one.name, (Piece(limit_words(one.limit)), Piece(f"  {known}", Tone.FAINT)))
    sign, tone = allowance_sign(one)
    drawn = _gauge_pieces(one.used or 0, one.limit, cells, tone)
    told = Piece(f"  {sign}{' ' if sign else ''}{one.share * 100:,.0f} %", tone)
    return DetailLine(one.name, (*drawn, Piece(f"{_counts(one):>{counts}}"), told))
