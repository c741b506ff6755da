"""The budget: who spent what, how long it waited, what was left over time. Looking costs nothing."""

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widgets import Static

from linkdash.api.fields import Kind
from linkdash.api.ledger import HOUR, Entry, Outcome, Sample, spending
from linkdash.screens.actions import Action, bindings
from linkdash.screens.host import HostScreen
from linkdash.screens.words import counted
from linkdash.widgets.chart import Chart
from linkdash.widgets.charts.data import Lines
from linkdash.widgets.columns import Column
from linkdash.widgets.state_panel import StatePanel
from linkdash.widgets.table import RecordTable

DEFAULT_WINDOW = 60.0
"""Seconds of a window where the service has not told its length."""

BUDGET_ACTIONS = (
    Action("period", "p", "Period", "The last hour, or only the last window", shown=True),
    Action("back", "escape,b", "Back", "Back to where you were", "Move", shown=True),
)


@dataclass(frozen=True)
class Row:
    """One request as the table shows it."""

    number: int
    when: str
    label: str
    lane: str
    waited: str
    answer: str


def row_of(entry: Entry, number: int, started: datetime) -> Row:
    """The row of an entry, which was sent at `started` by the clock on the wall."""
    answers = {
        Outcome.ANSWERED: f"answered {entry.status}",
        Outcome.REFUSED: f"refused {entry.status}",
        Outcome.LOST: "answer lost",
        Outcome.NOT_SENT: "not sent, free",
    }
    waited = f"{entry.waited:.1f} s" if entry.waited >= 0.05 else "–"
    return Row(number, f"{started:%H:%M:%S}", entry.label, entry.lane.purpose, waited, answers[entry.outcome])


def remaining_over_time(samples: Sequence[Sample], clock: float, wall: datetime) -> Lines | None:
    """The chart of what was left; `wall` is the moment at which the gate's clock says `clock`."""
    if len(samples) < 2:
        return None
    points = tuple((wall - timedelta(seconds=clock - sample.at), sample.remaining) for sample in samples)
    return Lines("Requests left", (("left", points),))


class BudgetScreen(HostScreen):
    """The ledger of requests, the newest first, under a chart of what was left."""

    TITLE = "Budget"
    ACTIONS = BUDGET_ACTIONS
    BINDINGS = bindings(BUDGET_ACTIONS)
    columns: Sequence[Column[Row]] = (
        Column("when", "Sent", Kind.TEXT, 8, essential=True),
        Column("label", "Request", Kind.TEXT, 20, grow=True, essential=True),
        Column("lane", "For", Kind.TEXT, 23),
        Column("waited", "Waited", Kind.TEXT, 8, align="right", essential=True),
        Column("answer", "Answer", Kind.TEXT, 14, essential=True),
    )

    _whole_hour = True

    def compose_middle(self) -> ComposeResult:
        with Container(id="work"), Vertical(id="list"):
            yield Chart(id="left")
            yield RecordTable(self.columns, key=_key, id="records")
            yield StatePanel()
            yield Static(id="truth", markup=False)

    @property
    def table(self) -> RecordTable[Row]:
        return self.query_one("#records", RecordTable)

    def on_mount(self) -> None:
        self.set_interval(1.0, self.paint)
        self.table.focus()

    def on_screen_resume(self) -> None:
        self.paint()

    def paint(self) -> None:
        """Shows the ledger as it is now."""
        gate, clock, wall = (
            self.session.gate,
            time.monotonic(),
            datetime.fromtimestamp(self.session.now(), UTC),
        )
        window = gate.state.window or DEFAULT_WINDOW
        entries = gate.ledger.entries(clock, HOUR if self._whole_hour else window)
        rows = [
            row_of(entry, number, (wall - timedelta(seconds=clock - entry.sent_at)).astimezone())
            for number, entry in enumerate(entries)
        ]
        self.query_one(Chart).show(remaining_over_time(gate.ledger.samples(clock), clock, wall))
        self.table.show(rows[::-1])
        panel = self.query_one(StatePanel)
        panel.display, self.table.display = not rows, bool(rows)
        panel.show("No request was sent in this time.", "p shows another period.")
        self.query_one("#truth", Static).update(self._summary(entries, window))

    def _summary(self, entries: Sequence[Entry], window: float) -> str:
        total = spending(entries)
        period = "the last hour" if self._whole_hour else f"the last window of {window:.0f} s"
        parts = [f"{period}: {counted(total.cost, 'request')}", f"{total.refused} refused"]
        if total.lost:
            parts.append(f"{counted(total.lost, 'answer')} lost")
        return " · ".join([*parts, f"longest wait {total.longest_wait:.1f} s"])

    def do_period(self) -> None:
        self._whole_hour = not self._whole_hour
        self.paint()

    @on(RecordTable.Opened)
    def _opened(self) -> None:
        self.notify("A request is all here.", markup=False)

    def do_back(self) -> None:
        self.dismiss()


def _key(row: Row) -> Hashable:
    return row.number
