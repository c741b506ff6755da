"""The watch screen: codes that are read again and again, within the budget."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from textual.app import ComposeResult
from textual.content import Content

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import ServiceError
from linkdash.api.fields import Kind
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import CountChange, ScanStrip, Trend, age_words, counted, lasting
from linkdash.model.insight.alerts import look
from linkdash.model.lists.columns import Column, Computed
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader
from linkdash.model.statistics.period import day_words
from linkdash.model.statistics.readings import has_news
from linkdash.model.statistics.scan_activity import REACH
from linkdash.model.statistics.watch_pace import WatchPace
from linkdash.model.statistics.watched_scans import WatchNews, hour_strip, new_scans, news_of, week_trend
from linkdash.screens.actions import BACK, Action, Need, bindings
from linkdash.screens.host_app import HostApp
from linkdash.screens.rows_screen import RowsScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.widgets.charts.cell_pictures import CHANGE_CELLS
from linkdash.widgets.charts.sparkline import BEGAN, TREND_CELLS
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.text_page import TextPage

ROW: Need["WatchScreen"] = Need(lambda screen: screen.missing_row(), is_record=True)
STOPPED: Need["WatchScreen"] = Need(lambda screen: screen.missing_stopped())
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
    Action(
        "stop-one",
        "d",
        "Stop one",
        "Stop watching the code under the cursor",
        shown=True,
        needs=(ROW,),
        do=lambda screen: screen.do_stop_one(),
    ),
    Action(
        "watch",
        "W",
        "Watch again",
        "Watch the code again that was stopped last",
        shown=True,
        needs=(STOPPED,),
        do=lambda screen: screen.do_watch(),
    ),
    replace(BACK, help="Go back; nothing is read until codes are watched again"),
)

_TICK = 0.5
"""Seconds between two looks whether a code is due; a look costs nothing."""
_STRIP_CELLS = 10  # of the strip of an hour
_MOST_NEWS = 200


@dataclass
class WatchedCode:
    """A code that is watched, and what is known of it beside its readings."""

    statistics: CodeStatistics
    week: Trend | None = None
    news: Sequence[WatchNews] = ()

    def learn(self, now: datetime) -> None:
        """Find out of the readings what is shown of them."""
        code = self.statistics
        self.week = week_trend(code.code.id, code.readings, now)
        self.news = news_of(code.code.id, code.readings, now)


@dataclass(frozen=True)
class WatchRow:
    """A watched code as the table shows it; what is new is since the watch began."""

    id: int
    name: str
    scans: int | None
    new: str
    hour: ScanStrip
    week: Trend | None
    read: str
    next: str


async def watch_codes(app: HostApp, codes: Sequence[QrCode]) -> None:
    """Watch these codes, and no others; over a watch of them, go back to it."""
    *_, below = (None, *app.screen_stack[:-1])
    if isinstance(below, WatchScreen) and {code.id for code in codes} <= below.codes.keys():
        app.pop_screen()  # not awaited: the flow is that of the screen that goes
        return
    session = app.session
    await session.recents.recall()
    app.push_screen(WatchScreen(session, codes))


def _change(row: WatchRow) -> CountChange | None:
    return None if row.week is None else row.week.change


class WatchScreen(RowsScreen[WatchRow]):
    """A table of watched codes. It pauses while it cannot be seen."""

    place_id = "qr"
    TITLE = "QR codes · watch"
    ACTIONS = WATCH_ACTIONS
    BINDINGS = bindings(WATCH_ACTIONS)
    columns = (
        Column("name", "Name", Kind.TEXT, 20, grow=True, essential=True),
        Column("scans", "Scans", Kind.COUNT, 7, align="right", essential=True),
        Column("new", "New", Kind.TEXT, 6, align="right", essential=True),
        Computed[WatchRow](
            "hour", "60 min", Kind.TEXT, _STRIP_CELLS + 1, essential=True, draw=lambda row: row.hour
        ),
        Column("next", "Next", Kind.TEXT, 8),
        Column("read", "Read", Kind.TEXT, 10),
        Computed[WatchRow]("week", "7 days", Kind.TEXT, TREND_CELLS, draw=lambda row: row.week),
        Computed("change", "Change", Kind.TEXT, CHANGE_CELLS, align="right", draw=_change),
    )

    def __init__(self, session: Session, codes: Sequence[QrCode]) -> None:
        super().__init__(session)
        self.reader = StatisticsReader(session)
        week = session.recents.activities
        self.codes = {
            code.id: WatchedCode(CodeStatistics(code), week=week[code.id].trend if code.id in week else None)
            for code in codes
        }
        self.pace = WatchPace(self.codes)
        self.began = self.reader.now
        self.reading: CodeStatistics | None = None
        """The code that is being read now."""
        self._has_recalled = False
        """True once what is kept was found: what is new is told against that."""
        self._stopped: list[WatchedCode] = []
        """The codes that are watched no more, the one stopped last at the end."""
        self._shown: list[WatchRow] | None = None

    def compose_middle(self) -> ComposeResult:
        yield self.layout_of(pane=TextPage(id="news"))

    def key(self, row: WatchRow) -> Hashable:
        return row.id

    # ---- reading, while it is looked at ----

    def on_mount(self) -> None:
        self.query_one("#list", Panel).say("Watch live")
        self.query_one("#pane", Panel).say("What happened", above=[Piece("newest first", Tone.MUTED)])
        self.set_interval(_TICK, self._tick)
        self._remember()

    async def _recall(self) -> None:
        """Find what is kept of each code, its past and what lists have told of it since; then read on."""
        for code in [*self.codes.values()]:
            await self.reader.recall(code.statistics, self.reader.now - REACH)
            code.learn(self.reader.now)
            self.paint()
        self._has_recalled = True
        self._read_on()

    def _remember(self) -> None:
        codes = [(id, code.statistics.name) for id, code in self.codes.items()]
        self.run_worker(self.session.recents.watch(codes), group="kept", exit_on_error=False)

    def on_screen_resume(self) -> None:
        self.run_worker(self._recall(), group="recall", exclusive=True, exit_on_error=False)
        self.table.focus()
        self.paint()

    def on_screen_suspend(self) -> None:
        if not self.is_in_sight:
            self._take_back()

    def _tick(self) -> None:
        if not self.app.app_focus:  # the app would keep whoever watches this for as long as it runs
            self._take_back()
        if self.is_in_sight:
            self._read_on()
            self.paint()

    def _read_on(self) -> None:
        """Read the next code that is due, one at a time, if it is looked at."""
        is_looked_at = self.is_in_sight and self.app.app_focus
        if self.reading is not None or not is_looked_at or not self._has_recalled:
            return
        code_id = self.pace.due(self.session.now())
        if code_id is not None:
            code = self.codes[code_id]
            self.reading = code.statistics
            self.run_worker(self._read(code), group="watch", exclusive=True, exit_on_error=False)

    def _take_back(self) -> None:
        """Withdraw a request that still waits for its turn while the screen is not looked at."""
        if self.reading is not None and self.reader.is_waiting(self.reading):
            self.workers.cancel_group(self, "watch")

    async def _read(self, watched: WatchedCode) -> None:
        """Read a code, mark what changed, and go on with the next one that is due."""
        code = watched.statistics
        known, had_answered = code.latest, code.answered
        try:
            await self.reader.read(code, Lane.BACKGROUND)
        except ServiceError as error:
            if code.error is None:
                self.tell(error)
            code.fail(error)
        finally:
            changed = has_news(known, code.latest)
            self.reading = None
            is_first = code.answered and not had_answered
            self.pace.note_read(code.code.id, self.session.now(), changed=changed or is_first)
        self._mark(code.code.id, changed=changed and known is not None)
        watched.learn(self.reader.now)
        self.paint()
        if self.session.settings.alerts:
            self.begin(look(self.session, self.warn), "alerts")
        self._read_on()

    def _mark(self, code_id: int, *, changed: bool) -> None:
        notes = {key: note for key, note in self.table.notes.items() if key != code_id}
        self.table.notes = {**notes, code_id: "changed"} if changed else notes

    # ---- painting ----

    def paint(self) -> None:
        """Show what is known."""
        rows = [self._row(code) for code in self.codes.values()]
        if rows != self._shown:
            self._shown = rows
            advice = f"{self.key_of('back')} goes back to the list."
            if self._stopped:
                last = self._stopped[-1].statistics.name
                advice = f"{self.key_of('watch')} watches {last} again; {advice}"
            self.show_rows(rows, "No code is watched.", advice)
        said = (self._since(), self._doing(), _LEGEND)
        self.show_status(" · ".join(filter(None, said)) if rows else "")
        self.query_one("#news", TextPage).show(self._news())

    def on_resize(self) -> None:
        self.paint()

    def _row(self, watched: WatchedCode) -> WatchRow:
        code, now = watched.statistics, self.reader.now
        newest, new = code.last_counted, new_scans(code.readings, self.began) if code.answered else None
        age = None if newest is None else max(0.0, (now - newest.at).total_seconds())
        return WatchRow(
            code.code.id,
            code.name,
            newest.scans if newest is not None else code.code.scans,
            f"{new:+,}" if new else "" if new is None else "0",
            hour_strip(code.readings, self.began, now, _STRIP_CELLS),
            watched.week,
            "failed" if code.error else "not yet" if age is None else age_words(age),
            self._next(code),
        )

    def _next(self, code: CodeStatistics) -> str:
        if not self.app.app_focus:
            return "paused"
        if code is self.reading:
            return "waiting" if self.reader.is_waiting(code) else "reading"
        wait = self.pace.wait_of(code.code.id, self.session.now())
        return f"in {lasting(round(wait))}" if wait >= 0.5 else "now"

    def _since(self) -> str:
        return f"{counted(len(self.codes), 'code')} · {BEGAN} watch began {self.began:%H:%M}"

    def _doing(self) -> str:
        if not self.app.app_focus:
            return "paused: the terminal has no focus"
        if self.reading is not None:  # the status bar says why one waits
            return "" if self.reader.is_waiting(self.reading) else f"reading {self.reading.name}…"
        if not self.table.hidden:  # each row says when it is read next
            return ""
        return f"next in {self.pace.wait(self.session.now()):.0f} s"

    def _news(self) -> Content:
        """The events of all codes by day: time, code where there are several, event, in lines that hang."""
        now = self.reader.now
        news = sorted((one for code in self.codes.values() for one in code.news), reverse=True)[:_MOST_NEWS]
        failed = {id: code.statistics.error for id, code in self.codes.items() if code.statistics.error}
        lines = [("", "not read", id, str(error)) for id, error in failed.items()]
        lines += [(_day(one.at, now), f"{one.at.astimezone():%H:%M}", one.code_id, one.words) for one in news]
        has_several, width = len(self.codes) > 1, self.query_one("#news").scrollable_content_region.width
        rows, day_before = list[Content](), ""
        for day, when, id, words in lines:
            new_day = day if day != day_before else ""
            day_before = day
            name = f"{self.codes[id].statistics.name}  " if has_several else ""
            at = content([Piece(f"{new_day:<{_DAY}}  {when}  ", Tone.MUTED)])
            rows.append(_hung(at, content([Piece(name, bold=True), words]), width))
        return Content("\n").join(rows) if rows else Content("Changes will be listed here.")

    # ---- actions ----

    def missing_row(self) -> str | None:
        """The reason why there is no code under the cursor."""
        return "No code is watched." if self.row is None else None

    def missing_stopped(self) -> str | None:
        """The reason why there is no code to watch again."""
        return None if self._stopped else f"No code was stopped here; {self.key_of('stop-one')} stops one."

    def do_open(self) -> None:
        if self.row is not None:
            self.app.push_screen(StatisticsScreen(self.session, self.codes[self.row.id].statistics.code))

    def do_refresh(self) -> None:
        self.pace.hurry()
        self._read_on()

    def do_stop_one(self) -> None:
        if self.row is None:
            return
        stopped = self.codes.pop(self.row.id)
        self._stopped.append(stopped)
        if self.reading is stopped.statistics:
            self._take_back()
        self.pace.remove(stopped.statistics.code.id)
        self._remember()
        self.paint()
        self.update_keys()
        self.say(f"{self.key_of('watch')} watches it again.", f"Stopped watching {stopped.statistics.name}")

    def do_watch(self) -> None:
        """Watch the code again that was stopped last."""
        again = self._stopped.pop()
        id = again.statistics.code.id
        self.codes[id] = again
        self.pace.add(id)
        self._remember()
        self.paint()
        self.table.move_to_key(id)
        self._read_on()


_DAY = 10  # cells of `Sun 20 Sep`
_LEGEND = "gray: estimated"
"""The steps of a strip before its line: spread evenly between two readings."""


def _hung(head: Content, text: Content, width: int) -> Content:
    """A text with a head before its first line, and as much room before the others."""
    room = width - head.cell_length
    if room < head.cell_length:
        return head + text
    return head + Content(f"\n{' ' * head.cell_length}").join(text.wrap(room))


def _day(moment: datetime, now: datetime) -> str:
    """The day of an event."""
    moment = moment.astimezone()
    return "Today" if moment.date() == now.astimezone().date() else day_words(moment)
