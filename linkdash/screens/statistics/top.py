"""All QR codes that are loaded, by scans and by growth. It costs no request: lists and history tell it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from textual import on
from textual.app import ComposeResult

from linkdash.api.fields import Kind
from linkdash.api.qr import QrCode
from linkdash.model.columns import Column
from linkdash.model.session import Session
from linkdash.model.statistics.chart_data import Bars
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.periods import Amount
from linkdash.screens.actions import Action, bindings
from linkdash.screens.host import RowsScreen
from linkdash.screens.statistics.screen import StatisticsScreen
from linkdash.widgets.chart import Chart
from linkdash.widgets.table import RecordTable

Order = Literal["scans", "growth"]

WINDOWS = {"a week": timedelta(days=7), "a day": timedelta(days=1), "30 days": timedelta(days=30)}
"""The times over which growth is told, in the order one key goes through them."""

TOP_ACTIONS = (
    Action("open", "enter", "Open", "Open the statistics of the code", cost="1 request", shown=True),
    Action("sort", "s", "Sort", "By scans, or by growth", shown=True),
    Action("window", "c", "Time", "Growth over a week, a day or 30 days", shown=True),
    Action("back", "escape", "Back", "Back to the list", "Move", shown=True),
)


@dataclass(frozen=True)
class Row:
    """A code in the order; `growth` is None where the history does not tell it, which is not zero."""

    rank: int
    code: QrCode
    growth: Amount | None

    @property
    def id(self) -> int:
        """The code's id."""
        return self.code.id

    @property
    def name(self) -> str:
        """What a person calls the code."""
        return self.code.name or f"QR code {self.code.id}"

    @property
    def scans(self) -> int | None:
        """The scans the list told."""
        return self.code.scans

    @property
    def grown(self) -> str:
        """The growth in words."""
        return "" if self.growth is None else f"{self.growth.sign}{self.growth.value:+,}"


def ranked(codes: Sequence[QrCode], growth: Mapping[int, Amount], order: Order) -> list[Row]:
    """The codes by scans or by growth, the largest first; what is not known comes last. Pure."""

    def rank(code: QrCode) -> tuple[bool, int, int]:
        grown = growth.get(code.id)
        value = code.scans if order == "scans" else None if grown is None else grown.value
        return value is None, -(value or 0), code.id

    return [Row(number, code, growth.get(code.id)) for number, code in enumerate(sorted(codes, key=rank), 1)]


def bars(rows: Sequence[Row], order: Order, window: str) -> Bars:
    """The rows as a chart."""
    if order == "scans":
        return Bars("Scans", tuple((row.name, row.scans) for row in rows))
    known = [(row.name, row.growth.value) for row in rows if row.growth is not None]
    return Bars(f"New scans in {window}", tuple(known))


class TopScreen(RowsScreen[Row]):
    """The codes in one order, with bars beside them where there is room."""

    place_id = "qr"
    TITLE = "QR codes · top"
    ACTIONS = TOP_ACTIONS
    BINDINGS = bindings(TOP_ACTIONS)
    columns: Sequence[Column[Row]] = (
        Column("rank", "", Kind.COUNT, 4, align="right", essential=True),
        Column("name", "Name", Kind.TEXT, 16, grow=True, essential=True),
        Column("scans", "Scans", Kind.COUNT, 10, align="right", essential=True),
        Column("grown", "Growth", Kind.TEXT, 10, align="right", essential=True),
        Column("id", "Id", Kind.IDENTIFIER, 6, align="right"),
    )

    def __init__(self, session: Session, codes: Sequence[QrCode], total: int | None) -> None:
        """`codes` are those loaded, of `total` that the service has, if it said so."""
        super().__init__(session)
        self.reader = StatisticsReader(session)
        self.codes = tuple(codes)
        self.total = total
        self.order: Order = "scans"
        self.window = next(iter(WINDOWS))
        self.growth: Mapping[int, Amount] = {}

    def compose_middle(self) -> ComposeResult:
        yield self.layout_of(pane=Chart(id="bars"))

    def key(self, row: Row) -> Hashable:
        return row.id

    def on_screen_resume(self) -> None:
        self.table.focus()
        self.paint()
        self._recall()

    def _recall(self) -> None:
        self.run_worker(self._read(), group="recall", exclusive=True, exit_on_error=False)

    async def _read(self) -> None:
        self.growth = await self.reader.grown(WINDOWS[self.window])
        self.paint()

    def paint(self) -> None:
        """Shows what is loaded."""
        rows = ranked(self.codes, self.growth, self.order)
        self.table.sort = ("scans" if self.order == "scans" else "grown", True)
        advice = f"{self.key_of('back')} goes back to the list, which loads them."
        self.show_rows(rows, "No QR code is loaded.", advice)
        self.query_one(Chart).show(bars(rows, self.order, self.window))
        self.show_status(self._status(rows))

    def _status(self, rows: Sequence[Row]) -> str:
        told = sum(row.growth is not None for row in rows)
        of = f" of {self.total:,}" if self.total is not None and self.total > len(rows) else ""
        return f"{len(rows):,}{of} loaded · by {self.order} · growth in {self.window}: known of {told:,}"

    @on(RecordTable.HeaderClicked)
    def _sort_by_clicked(self, message: RecordTable.HeaderClicked[Row]) -> None:
        self.order = "growth" if message.column.name == "grown" else "scans"
        self.paint()

    @on(RecordTable.Opened)
    def _open_row(self) -> None:
        self.action_do("open")

    def do_open(self) -> None:
        if self.row is not None:
            self.app.push_screen(StatisticsScreen(self.session, self.row.code))

    def do_sort(self) -> None:
        self.order = "growth" if self.order == "scans" else "scans"
        self.paint()
        self.table.action_first()

    def do_window(self) -> None:
        names = [*WINDOWS]
        self.window = names[(names.index(self.window) + 1) % len(names)]
        self._recall()

    def do_back(self) -> None:
        self.dismiss()
