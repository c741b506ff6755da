"""The top list: codes that are scanned most, or changed most."""

from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal, Self

from textual import on
from textual.app import ComposeResult

from linkdash.api.fields import Kind
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import CountChange, Trend, counted, share
from linkdash.model.lists.columns import Column, Computed
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.period import period
from linkdash.model.statistics.report.from_history import kept_report
from linkdash.model.statistics.scan_activity import ScansOver, Sharply
from linkdash.screens import export
from linkdash.screens.actions import BACK, Action, Flow, Need, bindings
from linkdash.screens.rows_screen import RowsScreen
from linkdash.screens.statistics.code_actions import COMPARABLE, COMPARE, WATCH
from linkdash.screens.statistics.compare import CompareScreen, missing_to_compare
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.screens.statistics.statistics_exports import report_exports
from linkdash.widgets.charts.cell_pictures import CHANGE_CELLS
from linkdash.widgets.frame.key_line import Claim
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.record_table import RecordTable

# ---- all that are loaded ----

TopOrder = Literal["now", "growth", "fall", "scans"]

_ORDERS: Mapping[TopOrder, str] = {
    "now": "by scans in the last {}",
    "growth": "by growth in the last {}",
    "fall": "by fall in the last {}",
    "scans": "by all scans",
}
"""The orders in words, in the order in which one key goes through them; with the time."""
_ORDER_OF: Mapping[Sharply, TopOrder] = {"rose": "growth", "fell": "fall"}
"""The order that such a list begins with."""
_TIMES = {7: "7 days", 1: "day", 30: "30 days"}
"""Days that are counted, in the order in which one key goes through them."""
_BEFORE = {7: "Before", 1: "Week ago", 30: "Before"}  # a Sunday is no fall after a Saturday
_DAYS_DRAWN = ((180, 30), (0, 14))
"""Days of the picture of each code, by the least columns of the terminal."""
_FIRST = 10
"""Codes whose part of all scans is told."""

CODES: Need["TopScreen"] = Need(lambda screen: screen.missing_codes())
_WATCH: Action["TopScreen"] = WATCH
TOP_ACTIONS: tuple[Action["TopScreen"], ...] = (
    Action(
        "open",
        "enter",
        "Open",
        "Open the statistics of the code",
        cost="1 request",
        shown=True,
        do=lambda screen: screen.do_open(),
    ),
    Action(
        "sort",
        "s",
        "Sort",
        "By scans in the time, by growth, by fall, or by all scans",
        shown=True,
        do=lambda screen: screen.do_sort(),
    ),
    Action(
        "period",
        "t",
        "Period",
        "Another period: the last 7 days, the last day or 30 days",
        shown=True,
        do=lambda screen: screen.do_period(),
    ),
    Action(
        "export",
        "x",
        "Export",
        "A report of these codes, to a file or the clipboard",
        shown=True,
        needs=(CODES,),
        do=lambda screen: screen.do_export(),
        opens=True,
    ),
    Action(
        "mark",
        "space",
        "Select",
        "Select the code, or deselect it",
        shown=True,
        needs=(CODES,),
        do=lambda screen: screen.do_select(),
    ),
    COMPARE,
    replace(_WATCH, needs=(CODES,)),
    replace(BACK, help="Back to the list"),
)


@dataclass(frozen=True)
class TopRow:
    """A code in the order; what the history does not tell is None, which is not zero."""

    rank: int
    code: QrCode
    over: ScansOver | None
    part: str = ""
    """Its part of the scans of all codes in the time, in words."""

    @property
    def id(self) -> int:
        """The code's id."""
        return self.code.id

    @property
    def name(self) -> str:
        """Return the name of the code."""
        return self.code.shown_name

    @property
    def scans(self) -> int | None:
        """All scans, as the list told them."""
        return self.code.scans

    @property
    def now(self) -> int | None:
        """The scans in the time."""
        return None if self.over is None else self.over.now

    @property
    def before(self) -> int | None:
        """The scans in the time before."""
        return None if self.over is None else self.over.before


def top_rows(
    codes: Sequence[QrCode], known: Mapping[int, ScansOver], order: TopOrder, total: int
) -> list[TopRow]:
    """The codes in an order, the largest first; what is not known comes last. Pure.

    `total` are the scans in the time that theirs are a part of; 0 where that is not told.
    """

    def value(code: QrCode) -> int | None:
        over = known.get(code.id)
        if order == "scans" or over is None:
            return code.scans if order == "scans" else None
        if order == "now":
            return over.now
        if over.change is None:
            return None
        grown = over.change.now - over.change.before
        return -grown if order == "fall" else grown

    def rank(code: QrCode) -> tuple[bool, int, int]:
        return value(code) is None, -(value(code) or 0), code.id

    return [
        TopRow(number, code, over, share(over.now, total) if over is not None and total else "")
        for number, code in enumerate(sorted(codes, key=rank), 1)
        for over in [known.get(code.id)]
    ]


def _total(codes: Sequence[QrCode], known: Mapping[int, ScansOver]) -> int:
    """The scans of these codes in the time, as far as they are known."""
    found = (known[code.id].now for code in codes if code.id in known)
    return sum(now for now in found if now is not None)


def _columns(days: int, drawn: int) -> Sequence[Column[TopRow]]:
    def change(row: TopRow) -> CountChange | None:
        return None if row.over is None else row.over.change

    def growth(row: TopRow) -> str | None:
        found = change(row)
        return None if found is None else f"{found.now - found.before:+,}"

    def last_days(row: TopRow) -> Trend | None:
        over = row.over
        if over is None or all(day is None for day in over.days):
            return None
        return Trend(over.days[-drawn:], over.change, drawn)

    return (
        Column("rank", "", Kind.COUNT, 4, align="right", essential=True),
        Column("name", "Code", Kind.TEXT, 26, grow=True, essential=True),
        Column("now", _TIMES[days].capitalize(), Kind.COUNT, 8, align="right", essential=True),
        Column("before", _BEFORE[days], Kind.COUNT, 8, align="right"),
        Computed("growth", "Change", Kind.TEXT, 8, align="right", essential=True, draw=growth),
        Computed("percent", "%", Kind.TEXT, CHANGE_CELLS, align="right", essential=True, draw=change),
        Column("part", "Share", Kind.TEXT, 5, align="right"),
        Computed("days", f"{drawn} days", Kind.TEXT, drawn, draw=last_days),
        Column("scans", "All", Kind.COUNT, 8, align="right"),
    )


class TopScreen(RowsScreen[TopRow]):
    """The codes in one order, with what they had before and how the last month went."""

    place_id = "qr"
    TITLE = "QR codes · top"
    ACTIONS = TOP_ACTIONS
    BINDINGS = bindings(TOP_ACTIONS)
    columns = _columns(next(iter(_TIMES)), _DAYS_DRAWN[-1][1])

    def __init__(
        self,
        session: Session,
        codes: Sequence[QrCode],
        total: int | None,
        *,
        sharply: Sharply | None = None,
    ) -> None:
        """`codes` are those loaded, of `total` that the service has, if it said so.

        With `sharply`, only those are listed that changed so in the time.
        """
        super().__init__(session)
        self.sharply: Sharply | None = sharply
        self.reader = StatisticsReader(session)
        self.codes = tuple(codes)
        self.total = total
        self.order: TopOrder = _ORDER_OF[sharply] if sharply else "now"
        self.days = next(iter(_TIMES))
        self.selected: Set[int] = frozenset()
        """The ids of the codes that are selected to be compared or watched."""
        self._days_shown = 0
        self.known: Mapping[int, ScansOver] | None = None
        """The scans of each code in the time, by id; None before the history was read."""

    @property
    def place(self) -> str:
        return f"QR codes · {self.sharply} sharply" if self.sharply else super().place

    def compose_middle(self) -> ComposeResult:
        yield self.layout_of()

    def key(self, row: TopRow) -> Hashable:
        return row.id

    def on_resize(self) -> None:
        self.paint()

    def on_screen_resume(self) -> None:
        self.table.focus()
        self.paint()
        self._recall()

    def on_mount(self) -> None:
        self.screen_layout_refresh_signal.subscribe(self, lambda _: self._say(self._rows))

    def _recall(self) -> None:
        self.run_worker(self._read(), group="recall", exclusive=True, exit_on_error=False)

    async def _read(self) -> None:
        self.known = await self.reader.over(self.days)
        self.paint()
        if self._days_shown != self.days:  # another order: its top is what was asked for
            self._days_shown = self.days
            self.table.action_first()

    def paint(self) -> None:
        """Show what is loaded."""
        rows = self._rows
        drawn = next(days for least, days in _DAYS_DRAWN if self.app.size.width >= least)
        self.table.sort = ("growth", False) if self.order == "fall" else (self.order, True)
        self.show_rows(rows, *self._words_for_none, columns=self._columns(drawn))
        self._say(rows)

    def _say(self, rows: Sequence[TopRow]) -> None:
        title = f"{self.sharply.capitalize()} sharply" if self.sharply else "Top codes"
        words = Piece(_ORDERS[self.order].format(_TIMES[self.days]), Tone.MUTED)
        self.query_one("#list", Panel).say(
            title, above=[words], below=[Piece(self._status(rows), Tone.MUTED)]
        )

    @property
    def _rows(self) -> Sequence[TopRow]:
        """The rows in their order; only those that changed sharply, if these are wanted."""
        known = self.known or {}
        if self.sharply is None:
            return top_rows(self.codes, known, self.order, _total(self.codes, known))
        found = [code for code in self.codes if code.id in known and known[code.id].sharply == self.sharply]
        return top_rows(found, known, self.order, 0)

    @property
    def _words_for_none(self) -> tuple[str, str]:
        back = self.key_of("back")
        if self.sharply is None:
            return "No QR code is loaded.", f"{back} goes back to the list, which loads them."
        if self.known is None:
            return "Reading saved data…", ""
        headline = f"No code {self.sharply} sharply in the last {_TIMES[self.days]}."
        return headline, f"{self.key_of('period')} shows another period; {back} goes back."

    def _columns(self, drawn: int) -> Sequence[Column[TopRow]]:
        left_out = {"part"} if self.sharply else set[str]()
        return [column for column in _columns(self.days, drawn) if column.name not in left_out]

    def _status(self, rows: Sequence[TopRow]) -> str:
        if self.known is None:
            return "reading saved data…"
        total = _total([row.code for row in rows], self.known)
        parts = [counted(len(rows), "code")]
        if total and len(rows) > _FIRST and not self.sharply:
            most = sorted((row.now or 0 for row in rows), reverse=True)[:_FIRST]
            parts = [f"top {_FIRST} of {len(rows):,}: {share(sum(most), total)} of {total:,} scans"]
        if self.total is not None and self.total > len(rows):
            parts.append(f"{self.total - len(rows):,} not loaded")
        untold = sum(row.now is None for row in rows)
        parts += [f"{untold:,} not known"] if untold else []
        parts[:0] = [f"{len(self.selected)} selected"] if self.selected else []
        return " · ".join([*parts, *self._legend(rows)])

    def _legend(self, rows: Sequence[TopRow]) -> Sequence[str]:
        """The words for days that are drawn without a reading, where there are some."""
        if "days" in self.table.without_room:
            return ()
        drawn = (column.shown(row) for column in self.table.columns if column.name == "days" for row in rows)
        has_gaps = any(isinstance(trend, Trend) and None in trend.days for trend in drawn)
        return ["dots: not read"] if has_gaps else ()

    @on(RecordTable.HeaderClicked)
    def _sort_by_clicked(self, message: RecordTable.HeaderClicked[TopRow]) -> None:
        order: TopOrder | None = next((one for one in _ORDERS if one == message.column.name), None)
        if order is not None:
            self.order = "fall" if order == self.order == "growth" else order
            self.paint()

    def missing_codes(self) -> str | None:
        return None if self._rows else self._words_for_none[0]

    def do_open(self) -> None:
        if self.row is not None:
            self.app.push_screen(StatisticsScreen(self.session, self.row.code))

    def claim_of(self, action: Action[Self]) -> Claim | None:
        """Offer to compare as soon as enough is selected for it."""
        is_ready = action.id == COMPARE.id and COMPARABLE.why_not(self) is None
        return Claim.NOW if is_ready else super().claim_of(action)

    def missing_to_compare(self) -> str | None:
        return missing_to_compare(len(self._selected_codes), self.key_of("mark"))

    def do_select(self) -> None:
        if self.row is not None:
            self.selected ^= {self.row.id}
            self.table.marks = self.selected
            self.table.action_move(1)
            self._say(self._rows)
            self.update_keys()

    @property
    def _selected_codes(self) -> Sequence[QrCode]:
        return [row.code for row in self._rows if row.id in self.selected]

    def do_compare(self) -> None:
        self.app.push_screen(CompareScreen(self.session, self._selected_codes))

    def do_watch(self) -> Flow | None:
        codes = self._selected_codes or ([self.row.code] if self.row is not None else [])
        return self.services.watch_codes(codes) if codes else None

    def do_sort(self) -> None:
        orders: list[TopOrder] = [*_ORDERS]
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self.paint()
        self.table.action_first()

    async def do_export(self) -> None:
        """Offer a report of these codes over the time that is chosen, in their order, from what is kept."""
        over = period("own", self.reader.now, days=self.days)
        made = await kept_report(self.session, [row.code for row in self._rows], over, sort=None)
        await export.offer(self, made.file_stem, report_exports(made, self.session.settings.profile))

    def do_period(self) -> None:
        times = [*_TIMES]
        self.days = times[(times.index(self.days) + 1) % len(times)]
        self._recall()
