"""The budget screen: requests, what they were for, their waits, what was left. Looking costs nothing."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from textwrap import wrap
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.widgets import Static

from linkdash.api.budget.gate import NOT_SHARED
from linkdash.api.budget.lanes import Lane, counts_as
from linkdash.api.budget.ledger import HOUR, RequestOutcome, SentRequest, Spending, spending
from linkdash.api.budget.scheduler import Waiting
from linkdash.api.fields import Kind
from linkdash.model.humanize import counted
from linkdash.model.lists.columns import Column, alike, told_once
from linkdash.model.session import Session
from linkdash.screens.actions import BACK, Action, bindings
from linkdash.screens.left_over_time import DEFAULT_WINDOW, left_over_time
from linkdash.screens.rows_screen import RowsScreen
from linkdash.widgets.charts.budget_history import (
    LEGEND,
    NO_WAIT,
    BudgetHistory,
    LeftOverTime,
    Spent,
    spending_rows,
)
from linkdash.widgets.charts.budget_level import SERIES
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, TickingLines, Tone, apart
from linkdash.widgets.table.list_panel import ListPanel

BUDGET_ACTIONS: tuple[Action["BudgetScreen"], ...] = (
    Action(
        "open",
        "enter",
        "Inspect",
        "Show the request and its answer, of the last 200",
        shown=True,
        do=lambda screen: screen.do_open(),
    ),
    Action(
        "period",
        "t",
        "Period",
        "Another period: the last 10 minutes, 60 minutes, or window",
        shown=True,
        do=lambda screen: screen.do_period(),
    ),
    Action(
        "group",
        "m",
        "Group",
        "Group what was spent by purpose, or by request",
        shown=True,
        do=lambda screen: screen.do_group(),
    ),
    replace(BACK, keys="escape,b", help="Go back to where you were"),
)
_PERIODS = {"last 10 minutes": 600.0, "last 60 minutes": HOUR, "last window": None}
"""Seconds of each period that can be looked at; None for the service's own window."""


class RequestRow(NamedTuple):
    """A request as the table shows it."""

    key: Hashable
    when: str
    label: str
    lane: str
    waited: str
    took: str
    answer: str


_ANSWERS = {
    RequestOutcome.ANSWERED: "answered",
    RequestOutcome.REFUSED: "refused",
    RequestOutcome.LOST: "answer lost",
}


def row_of(entry: SentRequest, started: datetime) -> RequestRow:
    """The row of a request that is over; `started` is when it was sent by the clock on the wall."""
    answer = _ANSWERS[entry.outcome] + (f" {entry.status}" if entry.status is not None else "")
    took = f"{(entry.ended_at - entry.sent_at) * 1000:,.0f} ms" if entry.status is not None else _NONE
    key, when = (entry.sent_at, entry.label), f"{started:%H:%M:%S}"
    label, purpose = _without_root(entry.label), counts_as(entry.lane, entry.label).purpose
    return RequestRow(key, when, label, purpose, _waited(entry.waited), took, answer)


def _without_root(label: str) -> str:
    """`GET /pixels?page=2` of `GET /api/pixels?page=2`: every request begins with the rest."""
    return label.replace(" /api/", " /", 1)


def waiting_rows(queued: Sequence[Waiting], clock: float) -> list[RequestRow]:
    """The requests that wait now, the one that goes next first."""
    return [
        RequestRow(
            (waiting.since, waiting.label, number),
            "waiting",
            _without_root(waiting.label),
            counts_as(waiting.lane, waiting.label).purpose,
            _waited(clock - waiting.since),
            "–",
            "next" if number == 0 else f"{number} ahead",
        )
        for number, waiting in enumerate(queued)
    ]


def by_purpose(entries: Sequence[SentRequest]) -> list[Spent]:
    """Return what was spent by purpose, the user's own changes first; also on what nothing was."""
    found: dict[Lane, list[SentRequest]] = {lane: [] for lane in Lane}
    for entry in entries:
        found[counts_as(entry.lane, entry.label)].append(entry)
    whole = len(entries)
    return [_spent(*sign, lane.purpose, found[lane], whole) for lane, sign in zip(Lane, SERIES, strict=True)]


def by_request(entries: Sequence[SentRequest], most: int) -> list[Spent]:
    """Return what was spent on each address, the most expensive first; beyond `most` rows on the rest."""
    found: dict[str, list[SentRequest]] = {}
    for entry in entries:
        found.setdefault(_without_root(entry.label), []).append(entry)
    whole = len(entries)
    groups = sorted(found.items(), key=lambda one: len(one[1]), reverse=True)
    shown = max(1, most if len(groups) <= most else most - 1)
    rest = [entry for _, group in groups[shown:] for entry in group]
    more = [_spent("+", Tone.MUTED, f"{len(groups) - shown:,} more", rest, whole)] if rest else []
    return [*(_spent("·", Tone.TREND, label, group, whole) for label, group in groups[:shown]), *more]


def _spent(sign: str, tone: Tone, name: str, entries: Sequence[SentRequest], whole: int) -> Spent:
    total = spending(entries)
    share = total.requests / whole if whole else 0.0
    return Spent(sign, tone, name, total.requests, share, total.longest_wait, total.refused + total.lost)


_TOLD_ONCE = {"answer", "lane", "waited", "took"}
"""The columns that are told in the frame where all requests have the same."""
_NONE = "–"


def _waited(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= NO_WAIT else _NONE


def _told(column: Column[RequestRow], row: RequestRow) -> str:
    value = column.shown(row)
    if column.name == "took":
        return "none answered" if value == _NONE else f"each took {value}"
    return "none waited" if value == _NONE else told_once(column, row)


def sharing_words(reason: str | None, team: str) -> str:
    """Return words on whether programs on the key know of each other; `team` is the name of its store."""
    if reason is None and team:
        return f"Every linkdash with this key and this {team} shares this budget."
    if reason is None:
        return "Every linkdash with this key on this machine shares this budget."
    if reason == NOT_SHARED:
        return "Other programs' requests count from the next answer on."
    return f"Not shared with other programs: {reason}."


class BudgetScreen(RowsScreen[RequestRow]):
    """The budget: what is left, what requests were for, what waits, and requests, newest first."""

    TITLE = "Budget"
    ACTIONS = BUDGET_ACTIONS
    BINDINGS = bindings(BUDGET_ACTIONS)
    columns: Sequence[Column[RequestRow]] = (
        Column("when", "Sent", Kind.TEXT, 8, essential=True),
        Column("label", "Request", Kind.TEXT, 20, grow=True, essential=True),
        Column("answer", "Answer", Kind.TEXT, 12),
        Column("lane", "For", Kind.TEXT, 16),
        Column("waited", "Waited", Kind.TEXT, 6, align="right"),
        Column("took", "Took", Kind.TEXT, 8, align="right"),
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.period = next(iter(_PERIODS))
        """The period that it looks back over."""
        self._by_request = False
        self._told: Sequence[str] = ()
        """What all requests of the table have."""
        self._notices: Sequence[str] = ()

    def key(self, row: RequestRow) -> Hashable:
        return row.key

    def compose_middle(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Static(id="notes", markup=False)
            with Container(id="budget"):
                yield Panel(TickingLines(self._left_lines), BudgetHistory(self._kept), id="left")
                yield Panel(TickingLines(self._spent_lines), title="What requests were for", id="spent")
                yield Panel(TickingLines(self._waiting_lines), title="Waiting", id="queue")
                yield ListPanel(self.columns, self.key, title="Latest requests")

    def on_mount(self) -> None:
        wall = datetime.fromtimestamp(self.session.now(), UTC)
        self._wall_at_zero = (wall - timedelta(seconds=self.session.gate.now())).astimezone()
        self.set_interval(1.0, self.paint)
        self.table.focus()

    def on_resize(self) -> None:
        """Have the list in sight, which keys work on."""
        self.call_after_refresh(self.table.scroll_visible, animate=False)

    def on_screen_resume(self) -> None:
        self.paint()

    def paint(self) -> None:
        """Show the ledger, and what waits, as it is now."""
        if not self.is_active:
            return
        clock, entries = self.session.gate.now(), self._requests
        sent = [row_of(entry, self._wall_at_zero + timedelta(seconds=entry.sent_at)) for entry in entries]
        rows = [*waiting_rows(self.session.gate.state.queued, clock), *sent[::-1]]
        if not rows or rows != self.table.rows:
            words = "No request was sent in this time.", f"{self.key_of('period')} shows another period."
            # What waits has no answer yet, and waits on.
            found = alike(self.columns, rows) if len(rows) == len(sent) else []
            same = [column for column in found if column.name in _TOLD_ONCE]
            self._told = [_told(column, rows[0]) for column in same]
            is_at_newest = self.table.cursor == 0
            self.show_rows(rows, *words, columns=[one for one in self.columns if one not in same])
            if is_at_newest:  # who has gone to none of them sees each that comes
                self.table.move_cursor(0)
        if (notices := self.session.notices) != self._notices:
            self._notices = notices
            notes = self.query_one("#notes", Static)
            notes.update("\n".join(notices))
            notes.display = bool(notices)
        self._paint_titles(spending(entries))

    def _paint_titles(self, total: Spending) -> None:
        by = "by request" if self._by_request else "by purpose"
        lost = f" · {counted(total.lost, 'answer')} lost" if total.lost else ""
        within = self.period.removeprefix("last ")
        said = f"{total.requests:,} in {within} · {total.refused} refused{lost}"
        queued = len(self.session.gate.state.queued)
        keys = self.key_hint("period", "period")
        limit = [Piece(self.session.gate.state.limit_words, Tone.MUTED)]
        self._panel("left").say(f"Left, {self.period}", above=LEGEND, below=limit, keys=keys)
        self._panel("spent").say(above=[Piece(by, Tone.MUTED)], below=[Piece(said, Tone.MUTED)])
        self._panel("queue").say(below=[Piece(f"{queued} queued", Tone.MUTED)] if queued else ())
        self._panel("list").say(below=self._below_list(total))

    def _below_list(self, total: Spending) -> list[Piece]:
        """Return what failed where the table has no room for it, and what is true of all of its requests."""
        failed = total.refused + total.lost if "answer" in self.table.without_room else 0
        told = [Piece(f"{failed} failed", Tone.BAD)] if failed else []
        told += [Piece(words, Tone.MUTED) for words in self._told]
        if total.longest_wait >= NO_WAIT:
            told.append(Piece(f"longest wait {total.longest_wait:.1f} s", Tone.MUTED))
        return [piece for one in told for piece in (Piece(" · ", Tone.FAINT), one)][1:]

    def _panel(self, id: str) -> Panel:
        return self.query_one(f"#{id}", Panel)

    @property
    def _seconds(self) -> float:
        return _PERIODS[self.period] or self.session.gate.state.window or DEFAULT_WINDOW

    @property
    def _requests(self) -> Sequence[SentRequest]:
        return self.session.gate.ledger.entries(self.session.gate.now(), self._seconds)

    def _kept(self) -> LeftOverTime | None:
        return left_over_time(self.session.gate, self._seconds)

    # ---- lines ----

    def _left_lines(self, width: int) -> Lines:
        """Return who shares it, and when it is full; the status bar has what is left, and what waits."""
        state = self.session.gate.state
        if state.remaining is None or not state.limit:
            return [[Piece("Unknown until the service first answers.", Tone.MUTED)]]
        lowest, full = self._lowest(), self._full_again()
        right = [Piece(" · ".join(filter(None, (lowest, full))), Tone.MUTED)]
        return [apart([Piece(self._sharing(), Tone.MUTED)], right, width)]

    def _lowest(self) -> str:
        """Return the least that was left in the time, and when; nothing where none was sent."""
        kept = self._kept()
        samples = [] if kept is None else [one for one in kept.samples if one.at >= kept.now - kept.seconds]
        if not samples:
            return ""
        lowest = min(samples, key=lambda one: one.remaining)
        at = self._wall_at_zero + timedelta(seconds=lowest.at)
        return f"lowest {lowest.remaining:,} at {at:%H:%M}"

    def _full_again(self) -> str:
        state = self.session.gate.state
        if state.reset_in is None or state.renewed:
            return ""
        full = self._wall_at_zero + timedelta(seconds=self.session.gate.now() + state.reset_in)
        return f"full again at {full:%H:%M:%S}"

    def _spent_lines(self, width: int) -> Lines:
        entries = self._requests
        if not self._by_request:
            return spending_rows(by_purpose(entries), width)
        room = self._panel("spent").query_one(TickingLines).size.height - 1  # below the head
        return spending_rows(by_request(entries, room), width)

    def _waiting_lines(self, width: int) -> Lines:
        state = self.session.gate.state
        if not state.queued:
            return [[Piece("Nothing is queued.", Tone.MUTED)]]
        lines = [[Piece(row, Tone.WARNING)] for row in wrap(state.reason or "", max(1, width))]
        for number, waiting in enumerate(state.queued, 1):
            sign, tone = SERIES[counts_as(waiting.lane, waiting.label)]
            lines.append(
                [
                    Piece(f"{number} ", Tone.FAINT),
                    Piece(f"{sign} ", tone),
                    Piece(_without_root(waiting.label)),
                ]
            )
        return lines

    def _sharing(self) -> str:
        team = self.session.store.team
        return sharing_words(self.session.gate.sharing, "" if team is None else team.name)

    # ---- actions ----

    def do_period(self) -> None:
        names = [*_PERIODS]
        self.period = names[(names.index(self.period) + 1) % len(names)]
        self._paint_all()

    def do_group(self) -> None:
        self._by_request = not self._by_request
        self._paint_all()

    def _paint_all(self) -> None:
        """Paint what looks by itself every second, too."""
        self.paint()
        for lines in self.query(DrawnLines):
            lines.update_lines()

    def do_open(self) -> None:
        from linkdash.screens.lists.record_actions import show_exchange

        match self.row.key if self.row is not None else None:
            case (float() as sent_at, str() as label):
                exchange = self.session.client.connection.exchanges.at(label, sent_at)
                show_exchange(self, label, exchange)
            case _:
                self.say("This request was not sent yet.")
