"""The watch screen: codes that are read again and again, within the budget."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.text import Text
from textual import on
from textual.app import ComposeResult

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import ServiceError
from linkdash.api.fields import Kind
from linkdash.api.inert_text import inert
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import age_words, counted
from linkdash.model.insight.alerts import look
from linkdash.model.lists.columns import Column
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader
from linkdash.model.statistics.readings import ReadingChange, describe, has_news
from linkdash.model.statistics.watch_pace import WatchPace
from linkdash.screens.actions import Action, bindings
from linkdash.screens.rows_screen import RowsScreen
from linkdash.screens.statistics import StatisticsScreen
from linkdash.store.history import Total
from linkdash.widgets.table.record_table import RecordTable
from linkdash.widgets.text_page import TextPage

WATCH_ACTIONS: tuple[Action["WatchScreen"], ...] = (
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
        "refresh",
        "r",
        "Read now",
        "Read every code again, as soon as the budget allows",
        shown=True,
        do=lambda screen: screen.do_refresh(),
    ),
    Action("back", "escape", "Back", "Stop watching", "Move", shown=True, do=lambda screen: screen.do_back()),
)

_TICK = 0.5
"""Seconds between two looks whether a code is due; a look costs nothing."""


@dataclass(frozen=True)
class WatchRow:
    """A watched code as the table shows it; what is new is since the watch began."""

    id: int
    name: str
    clicks: int | None
    clicks_new: str
    scans: int | None
    scans_new: str
    read: str


def change_in_watch(code: CodeStatistics) -> ReadingChange | None:
    """Return what happened since the watch began."""
    return ReadingChange(code.readings[0], code.readings[-1]) if len(code.readings) > 1 else None


def watch_row(code: CodeStatistics, now: datetime) -> WatchRow:
    """The row of a code."""
    latest, age = code.latest, code.age(now)
    read = "not yet" if age is None else age_words(age)
    return WatchRow(
        code.code.id,
        code.name,
        latest.clicks if latest else None,
        _new_in_watch(code, "clicks"),
        latest.scans if latest else None,
        _new_in_watch(code, "scans"),
        "failed" if code.error else read,
    )


def _new_in_watch(code: CodeStatistics, name: Total) -> str:
    change = change_in_watch(code)
    delta = change.total(name) if change else None
    return f"{delta.by:+,}" if delta and delta.by else ""


class WatchScreen(RowsScreen[WatchRow]):
    """A table of watched codes. It pauses while it cannot be seen."""

    place_id = "qr"
    TITLE = "QR codes · watch"
    ACTIONS = WATCH_ACTIONS
    BINDINGS = bindings(WATCH_ACTIONS)
    columns: Sequence[Column[WatchRow]] = (
        Column("name", "Name", Kind.TEXT, 20, grow=True, essential=True),
        Column("scans", "Scans", Kind.COUNT, 7, align="right", essential=True),
        Column("scans_new", "New", Kind.TEXT, 6, essential=True),
        Column("clicks", "Clicks", Kind.COUNT, 7, align="right"),
        Column("clicks_new", "New", Kind.TEXT, 6),
        Column("read", "Read", Kind.TEXT, 9),
        Column("id", "Id", Kind.IDENTIFIER, 6, align="right"),
    )

    def __init__(self, session: Session, codes: Sequence[QrCode]) -> None:
        super().__init__(session)
        self.reader = StatisticsReader(session)
        self.codes = {code.id: CodeStatistics(code) for code in codes}
        self.pace = WatchPace(self.codes)
        self.began = self.reader.now
        self._reading: CodeStatistics | None = None
        self._shown: list[WatchRow] = []

    def compose_middle(self) -> ComposeResult:
        yield self.layout_of(pane=TextPage(id="news"))

    def key(self, row: WatchRow) -> Hashable:
        return row.id

    # ---- reading, while it is looked at ----

    def on_mount(self) -> None:
        self.set_interval(_TICK, self._tick)
        self.watch(self.app, "app_focus", self._focus_changed, init=False)
        codes = [(code.code.id, code.name) for code in self.codes.values()]
        self.run_worker(self.session.recents.watch(codes), group="kept", exit_on_error=False)

    def on_screen_resume(self) -> None:
        self.table.focus()
        self._read_on()
        self.paint()

    def on_screen_suspend(self) -> None:
        self._take_back()

    def _focus_changed(self, focused: bool) -> None:
        if not focused:
            self._take_back()
        self._tick()

    def _tick(self) -> None:
        if self.is_active:
            self._read_on()
            self.paint()

    def _read_on(self) -> None:
        """Reads the next code that is due, one at a time, if it is looked at."""
        if self._reading is not None or not self.is_active or not self.app.app_focus:
            return
        code_id = self.pace.due(self.session.now())
        if code_id is not None:
            self._reading = self.codes[code_id]
            self.run_worker(self._read(self._reading), group="watch", exclusive=True, exit_on_error=False)

    def _take_back(self) -> None:
        """Withdraw a request that still waits for its turn while the screen is not looked at."""
        if self._reading is not None and self.reader.is_waiting(self._reading):
            self.workers.cancel_group(self, "watch")

    async def _read(self, code: CodeStatistics) -> None:
        """Reads a code, marks what changed, and goes on with the next one that is due."""
        known = code.latest
        try:
            await self.reader.read(code, Lane.BACKGROUND)
        except ServiceError as error:
            if code.error is None:
                self.tell(error)
            code.fail(error)
        finally:
            changed = has_news(known, code.latest)
            self._reading = None
            self.pace.note_read(code.code.id, self.session.now(), changed=changed)
        self._mark(code.code.id, changed=changed and known is not None)
        self.paint()
        if self.session.settings.alerts:
            self.begin(look(self.session, self.warn), "alerts")
        self._read_on()

    def _mark(self, code_id: int, *, changed: bool) -> None:
        notes = {key: note for key, note in self.table.notes.items() if key != code_id}
        self.table.notes = {**notes, code_id: "changed"} if changed else notes

    # ---- painting ----

    def paint(self) -> None:
        """Shows what is known."""
        now = self.reader.now
        rows = [watch_row(code, now) for code in self.codes.values()]
        if rows != self._shown:
            self._shown = rows
            self.show_rows(rows, "No code is watched.", "")
        self.show_status(f"{self._since()} · {self._doing()}")

    def _since(self) -> str:
        return f"watching {counted(len(self.codes), 'code')} since {self.began:%H:%M:%S}"

    def _doing(self) -> str:
        if not self.app.app_focus:
            return "paused: the terminal has no focus"
        if self._reading is not None:
            waiting = self.reader.is_waiting(self._reading) and self.session.gate.state.reason
            return waiting or f"reading {self._reading.name}…"
        return f"next in {self.pace.wait(self.session.now()):.0f} s"

    @on(RecordTable.CursorMoved)
    def _show_news(self) -> None:
        if self.row is not None:
            self.query_one("#news", TextPage).show(self._news(self.codes[self.row.id]))

    def _news(self, code: CodeStatistics) -> Text:
        text = Text().append(f"{inert(code.name)}, since {self.began:%H:%M:%S}\n", "bold")
        if code.error is not None:
            text.append(f"not refreshed: {code.error}\n")
        change = change_in_watch(code)
        if change is None:
            return text.append("Changes will be listed here.")
        return text.append("\n".join(describe(change)))

    # ---- actions ----

    @on(RecordTable.Opened)
    def _open_row(self) -> None:
        self.action_do("open")

    def do_open(self) -> None:
        if self.row is not None:
            self.app.push_screen(StatisticsScreen(self.session, self.codes[self.row.id].code))

    def do_refresh(self) -> None:
        self.pace.hurry()
        self._read_on()

    def do_back(self) -> None:
        self.dismiss()
