"""The budget: who spent what, how long it waited, what was left over time. Looking costs nothing."""

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from linkdash.api.budget import Waiting
from linkdash.api.fields import Kind
from linkdash.api.gate import HOUR, Gate, Outcome, SentRequest, Spending, spending
from linkdash.model.columns import Column
from linkdash.model.humanize import counted
from linkdash.screens.actions import Action, bindings
from linkdash.screens.host import RowsScreen
from linkdash.widgets.budget_history import BudgetHistory, Kept
from linkdash.widgets.table import RecordTable

DEFAULT_WINDOW = 60.0
"""Seconds of a window where the service has not told its length."""

BUDGET_ACTIONS = (
    Action("open", "enter", "Inspect", "Show the request and its answer, of the last 200", shown=True),
    Action("period", "p", "Period", "Switch between the last hour and the last window", shown=True),
    Action("sums", "s", "Sums", "Sum up by request, or list one by one", shown=True),
    Action("back", "escape,b", "Back", "Go back to where you were", "Move", shown=True),
)


@dataclass(frozen=True)
class RequestRow:
    """One request, or all to the same address together, as the table shows it."""

    key: Hashable
    when: str
    label: str
    lane: str
    waited: str
    cost: int
    answer: str


def row_of(entry: SentRequest, started: datetime) -> RequestRow:
    """The row of a request that is over; `started` is when it was sent by the clock on the wall."""
    answers = {
        Outcome.ANSWERED: f"answered {entry.status}",
        Outcome.REFUSED: f"refused {entry.status}",
        Outcome.LOST: "answer lost",
        Outcome.NOT_SENT: "not sent",
    }
    key = (entry.sent_at, entry.label)
    waited, answer = _waited(entry.waited), answers[entry.outcome]
    return RequestRow(key, f"{started:%H:%M:%S}", entry.label, entry.lane.purpose, waited, entry.cost, answer)


def waiting_rows(queued: Sequence[Waiting], clock: float) -> list[RequestRow]:
    """The requests that wait now, the one that goes next first."""
    return [
        RequestRow(
            (waiting.since, waiting.label, number),
            "waiting",
            waiting.label,
            waiting.lane.purpose,
            _waited(clock - waiting.since),
            0,
            "goes next" if number == 0 else f"{number} before it",
        )
        for number, waiting in enumerate(queued)
    ]


def sum_rows(by_label: Mapping[str, Spending]) -> list[RequestRow]:
    """What was asked in all, the most expensive first."""
    return [
        RequestRow(
            label, "", label, "", _waited(spent.longest_wait), spent.cost, " · ".join(_errors(spent)) or "–"
        )
        for label, spent in by_label.items()
    ]


def _waited(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 0.05 else "–"


def _errors(spent: Spending) -> list[str]:
    refused = [f"{spent.refused} refused"] if spent.refused else []
    return [*refused, *([f"{spent.lost} lost"] if spent.lost else [])]


def left_over_time(gate: Gate, clock: float, seconds: float) -> Kept | None:
    """What was left in the last `seconds` before `clock`; None where nothing is known."""
    samples, state = gate.ledger.samples(clock, seconds), gate.state
    limit = state.limit or max((sample.limit or sample.remaining for sample in samples), default=0)
    return Kept(samples, clock, seconds, state.window or DEFAULT_WINDOW, limit) if samples else None


def sharing_words(reason: str | None, team: str = "") -> str:
    """Whether other programs on the key and this one know of each other; `team` is the name of its store."""
    if reason is None and team:
        return f"Every linkdash with this key and this {team} shares this budget."
    if reason is None:
        return "Every linkdash with this key on this machine shares this budget."
    return f"Not shared with other programs: {reason}. The service's headers alone count."


class BudgetScreen(RowsScreen[RequestRow]):
    """The ledger of requests, the newest first, under a chart of what was left."""

    TITLE = "Budget"
    ACTIONS = BUDGET_ACTIONS
    BINDINGS = bindings(BUDGET_ACTIONS)
    columns: Sequence[Column[RequestRow]] = (
        Column("when", "Sent", Kind.TEXT, 8, essential=True),
        Column("label", "Request", Kind.TEXT, 20, grow=True, essential=True),
        Column("lane", "For", Kind.TEXT, 17),
        Column("waited", "Waited", Kind.TEXT, 6, align="right", essential=True),
        Column("answer", "Answer", Kind.TEXT, 12, essential=True),
        Column("cost", "Cost", Kind.COUNT, 4, align="right"),
    )
    sum_columns: Sequence[Column[RequestRow]] = (
        Column("label", "Request", Kind.TEXT, 20, grow=True, essential=True),
        Column("cost", "Cost", Kind.COUNT, 5, align="right", essential=True),
        Column("waited", "Longest wait", Kind.TEXT, 12, align="right", essential=True),
        Column("answer", "Errors", Kind.TEXT, 20),
    )

    _whole_hour = True
    _in_sums = False

    def key(self, row: RequestRow) -> Hashable:
        return row.key

    def compose_middle(self) -> ComposeResult:
        left = BudgetHistory(lambda: left_over_time(self.session.gate, time.monotonic(), self._seconds))
        yield self.layout_of(left, below=Static(id="notes", markup=False))

    def on_mount(self) -> None:
        wall = datetime.fromtimestamp(self.session.now(), UTC)
        self._wall_at_zero = (wall - timedelta(seconds=time.monotonic())).astimezone()
        self.set_interval(1.0, self.paint)
        self.table.focus()

    def on_screen_resume(self) -> None:
        self.paint()

    def paint(self) -> None:
        """Shows the ledger, and what waits, as it is now."""
        gate, clock, seconds = self.session.gate, time.monotonic(), self._seconds
        entries = gate.ledger.entries(clock, seconds)
        rows = sum_rows(gate.ledger.by_label(clock, seconds)) if self._in_sums else self._rows(entries, clock)
        left = self.query_one(BudgetHistory)
        left.display = left_over_time(gate, clock, seconds) is not None
        left.update_lines()
        self.show_rows(
            rows,
            "No request was sent in this time.",
            f"{self.key_of('period')} shows another period.",
            columns=self.sum_columns if self._in_sums else self.columns,
        )
        self.query_one("#notes", Static).update("\n".join(self._notes()), layout=False)
        self.show_status(self._summary(entries, seconds))

    @property
    def _seconds(self) -> float:
        """How far back it looks."""
        return HOUR if self._whole_hour else self.session.gate.state.window or DEFAULT_WINDOW

    def _rows(self, entries: Sequence[SentRequest], clock: float) -> list[RequestRow]:
        sent = [row_of(entry, self._wall_at_zero + timedelta(seconds=entry.sent_at)) for entry in entries]
        return [*waiting_rows(self.session.gate.state.queued, clock), *sent[::-1]]

    def _notes(self) -> list[str]:
        team = self.session.store.team
        words = sharing_words(self.session.gate.sharing, "" if team is None else team.name)
        return [words, *self.session.notices]

    def _summary(self, entries: Sequence[SentRequest], seconds: float) -> str:
        total = spending(entries)
        period = "the last hour" if self._whole_hour else f"the last window of {seconds:.0f} s"
        parts = [f"{period}: {counted(total.cost, 'request')}", f"{total.refused} refused"]
        if total.lost:
            parts.append(f"{counted(total.lost, 'answer')} lost")
        return " · ".join([*parts, f"longest wait {total.longest_wait:.1f} s"])

    def do_period(self) -> None:
        self._whole_hour = not self._whole_hour
        self.paint()

    def do_sums(self) -> None:
        self._in_sums = not self._in_sums
        self.paint()

    @on(RecordTable.Opened)
    def _open_row(self) -> None:
        self.action_do("open")

    def do_open(self) -> None:
        from linkdash.screens.record_actions import show_exchange

        match self.row.key if self.row is not None else None:
            case (float() as sent_at, str() as label):
                exchange = self.session.client.connection.exchanges.at(label, sent_at)
                show_exchange(self, label, exchange)
            case _ if self._in_sums:
                self.say(f"This is a sum; {self.key_of('sums')} lists the requests one by one.")
            case _:
                self.say("This request was not sent yet.")
