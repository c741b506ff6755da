"""Codes under watch: read again and again at the pace the budget allows, with what changed marked."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.widgets import Static

from linkdash.api.budget import Lane
from linkdash.api.errors import ServiceError
from linkdash.api.fields import Kind
from linkdash.api.qr import QrCode
from linkdash.model.columns import Column
from linkdash.model.humanize import ago, counted
from linkdash.model.session import Session
from linkdash.model.statistics.charts import code_name
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.reader import Answer, StatisticsReader
from linkdash.model.statistics.watch_pace import WatchPace
from linkdash.screens.actions import Action, bindings
from linkdash.screens.host import HostScreen
from linkdash.store.changes import Change, Total, describe, difference
from linkdash.widgets.table import RecordTable
from linkdash.widgets.text_page import TextPage

WATCH_ACTIONS = (
    Action("open", "enter", "Open", "Open the statistics of the code", cost="1 request", shown=True),
    Action("refresh", "r", "Read now", "Read every code again, as soon as the budget allows", shown=True),
    Action("back", "escape", "Back", "Stop watching", "Move", shown=True),
)

_TICK = 0.5
"""Seconds between two looks whether a code is due; a look costs nothing."""


@dataclass(frozen=True)
class Row:
    """A watched code as the table shows it; what is new is since the watch began."""

    id: int
    name: str
    clicks: int | None
    clicks_new: str
    scans: int | None
    scans_new: str
    read: str


def change_in_watch(code: CodeStatistics) -> Change | None:
    """What happened since the watch began."""
    return difference(code.readings[0], code.readings[-1]) if len(code.readings) > 1 else None


def last_change(code: CodeStatistics) -> Change | None:
    """What the last reading brought; None where there is only one."""
    return difference(code.readings[-2], code.readings[-1]) if len(code.readings) > 1 else None


def row_of(code: CodeStatistics, now: datetime) -> Row:
    """The row of a code."""
    latest, age = code.latest, code.age(now)
    read = "not yet" if age is None else ago(age)
    return Row(
        code.code.id,
        code_name(code),
        latest.clicks if latest else None,
        _new(code, "clicks"),
        latest.scans if latest else None,
        _new(code, "scans"),
        "failed" if code.error else read,
    )


def _new(code: CodeStatistics, name: Total) -> str:
    change = change_in_watch(code)
    delta = change.total(name) if change else None
    return f"{delta.by:+,}" if delta and delta.by else ""


class WatchScreen(HostScreen):
    """A table of watched codes. It pauses while nobody can look at it."""

    place_id = "qr"
    TITLE = "QR codes · watch"
    ACTIONS = WATCH_ACTIONS
    BINDINGS = bindings(WATCH_ACTIONS)
    columns: Sequence[Column[Row]] = (
        Column("id", "Id", Kind.IDENTIFIER, 6, align="right"),
        Column("name", "Name", Kind.TEXT, 12, grow=True, essential=True),
        Column("clicks", "Clicks", Kind.COUNT, 9, align="right"),
        Column("clicks_new", "New", Kind.TEXT, 7),
        Column("scans", "Scans", Kind.COUNT, 9, align="right", essential=True),
        Column("scans_new", "New", Kind.TEXT, 7, essential=True),
        Column("read", "Read", Kind.TEXT, 10),
    )

    class Answered(Message):
        """A code was read."""

        def __init__(self, code_id: int, answer: Answer) -> None:
            super().__init__()
            self.code_id, self.answer = code_id, answer

    class Failed(Message):
        """A code could not be read."""

        def __init__(self, code_id: int, error: ServiceError) -> None:
            super().__init__()
            self.code_id, self.error = code_id, error

    def __init__(self, session: Session, codes: Sequence[QrCode]) -> None:
        super().__init__(session)
        self.reader = StatisticsReader(session)
        self.codes = {code.id: CodeStatistics(code) for code in codes}
        self.pace = WatchPace(self.codes)
        self.began = self.reader.now
        self._reading: int | None = None

    def compose_middle(self) -> ComposeResult:
        records = RecordTable(self.columns, key=_key, id="records")
        listed = Vertical(records, Static(id="status-line", markup=False), id="list")
        yield Container(listed, Container(TextPage(id="news"), id="pane"), id="work")

    @property
    def table(self) -> RecordTable[Row]:
        return self.query_one("#records", RecordTable)

    # ---- reading, while somebody looks ----

    def on_mount(self) -> None:
        self.set_interval(_TICK, self._tick)
        self.watch(self.app, "app_focus", self._focus_changed, init=False)

    def on_screen_resume(self) -> None:
        self.table.focus()
        self.paint()
        self._read_on()

    def on_screen_suspend(self) -> None:
        self._take_back()

    def _focus_changed(self, focused: bool) -> None:
        if not focused:
            self._take_back()
        self._tick()

    def _tick(self) -> None:
        if self.is_active:
            self.paint()
            self._read_on()

    def _read_on(self) -> None:
        """Reads the next code that is due, one at a time, if somebody looks."""
        if self._reading is not None or not self.is_active or not self.app.app_focus:
            return
        code_id = self.pace.due(self.session.now())
        if code_id is not None:
            self._reading = code_id
            self.run_worker(self._read(code_id), group="watch", exclusive=True, exit_on_error=False)

    def _take_back(self) -> None:
        """A question that still waits for its turn is not asked while nobody looks."""
        if self._reading is not None and self.reader.is_waiting(self._reading):
            self.workers.cancel_group(self, "watch")
            self._reading = None

    async def _read(self, code_id: int) -> None:
        try:
            answer = await self.reader.read(code_id, Lane.BACKGROUND)
        except ServiceError as error:
            self.post_message(self.Failed(code_id, error))
        else:
            self.post_message(self.Answered(code_id, answer))

    @on(Answered)
    def _show_answer(self, message: Answered) -> None:
        code = self.codes[message.code_id]
        first = not code.readings
        code.told(message.answer.code, message.answer.snapshot)
        change = last_change(code)
        changed = change is not None and not change.is_nothing
        self._mark(message.code_id, changed=changed)
        self._rest(message.code_id, changed=changed or first)

    @on(Failed)
    def _show_failure(self, message: Failed) -> None:
        code = self.codes[message.code_id]
        if code.error is None:
            self.tell(message.error)
        code.failed(message.error)
        self._rest(message.code_id, changed=False)

    def _rest(self, code_id: int, *, changed: bool) -> None:
        self._reading = None
        self.pace.told(code_id, self.session.now(), changed=changed)
        self.paint()
        self._read_on()

    def _mark(self, code_id: int, *, changed: bool) -> None:
        notes = {key: note for key, note in self.table.notes.items() if key != code_id}
        self.table.notes = {**notes, code_id: "changed"} if changed else notes

    # ---- painting ----

    def paint(self) -> None:
        """Shows what is known."""
        now = self.reader.now
        self.table.show([row_of(code, now) for code in self.codes.values()])
        self.query_one("#status-line", Static).update(f"{self._since()} · {self._doing()}")

    def _since(self) -> str:
        return f"watching {counted(len(self.codes), 'code')} since {self.began:%H:%M:%S}"

    def _doing(self) -> str:
        if not self.app.app_focus:
            return "paused: the terminal has no focus"
        if self._reading is not None:
            waiting = self.reader.is_waiting(self._reading) and self.session.gate.state.reason
            return waiting or f"reading {code_name(self.codes[self._reading])}…"
        return f"next in {self.pace.wait(self.session.now()):.0f} s"

    @on(RecordTable.CursorMoved)
    def _show_news(self) -> None:
        row = self.table.cursor_row
        if isinstance(row, Row):
            self.query_one("#news", TextPage).show(self._news(self.codes[row.id]))

    def _news(self, code: CodeStatistics) -> Text:
        text = Text().append(f"{code_name(code)}, since {self.began:%H:%M:%S}\n", "bold")
        if code.error is not None:
            text.append(f"not refreshed: {code.error}\n")
        change = change_in_watch(code)
        if change is None:
            return text.append("What changes will be listed here.")
        return text.append("\n".join(describe(change)))

    # ---- actions ----

    @on(RecordTable.Opened)
    def _open_row(self) -> None:
        self.action_do("open")

    def do_open(self) -> None:
        from linkdash.screens.statistics.screen import StatisticsScreen  # each of the two opens the other

        row = self.table.cursor_row
        if isinstance(row, Row):
            self.app.push_screen(StatisticsScreen(self.session, self.codes[row.id].code))

    def do_refresh(self) -> None:
        self.pace.hurry()
        self._read_on()

    def do_back(self) -> None:
        self.dismiss()


def _key(row: Row) -> Hashable:
    return row.id
