"""Two to six QR codes side by side: totals, breakdowns and history."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from linkdash.api.errors import ServiceError
from linkdash.api.fields import Kind
from linkdash.api.qr import QrCode
from linkdash.model.columns import Column
from linkdash.model.humanize import ago, counted
from linkdash.model.listing import State
from linkdash.model.session import Session
from linkdash.model.statistics.charts import (
    TAB_TITLES,
    code_name,
    compared_breakdown,
    compared_times,
)
from linkdash.model.statistics.code_statistics import CodeStatistics, Compared
from linkdash.model.statistics.reader import Answer, Past
from linkdash.model.statistics.text import delta_words, news, numbers, ratio_share, scan_shares, since_words
from linkdash.model.timezone import local_zone
from linkdash.screens import export
from linkdash.screens.actions import Action, Flow, bindings
from linkdash.screens.statistics.charts_screen import CHART_ACTIONS, EXPORT, WATCH, ChartsScreen
from linkdash.screens.statistics.papers import comparison_papers
from linkdash.screens.statistics.watch import WatchScreen
from linkdash.screens.windows import ViewerScreen
from linkdash.store.changes import Step
from linkdash.widgets.chart import Chart
from linkdash.widgets.panels import Panel, Panels
from linkdash.widgets.table import RecordTable
from linkdash.widgets.text_page import TextPage

FEWEST, MOST = 2, 6
"""How many codes can be told apart in one chart."""

COMPARE_ACTIONS = (
    *CHART_ACTIONS,
    Action("numbers", "v", "Numbers", "The same as tables of numbers", shown=True),
    replace(EXPORT, help="A report or the numbers, to a file or the clipboard"),
    Action("refresh", "r", "Refresh", "Ask for all of them again", cost="1 request each", shown=True),
    WATCH,
    Action("back", "escape", "Back", "Back to the list", "Move", shown=True),
)


@dataclass(frozen=True)
class Row:
    """The totals of one code; `sign` is its number in the charts."""

    sign: int
    id: int
    name: str
    clicks: int | None
    unique: int | None
    scans: int | None
    part: str
    """Its share of the scans of all."""
    new: str
    share: str
    """How many of its clicks were unique."""
    read: str


class CompareScreen(ChartsScreen):
    """A table of totals over charts with one series a code."""

    place_id = "qr"
    TITLE = "QR codes · compare"
    ACTIONS = COMPARE_ACTIONS
    BINDINGS = bindings(COMPARE_ACTIONS)
    columns: Sequence[Column[Row]] = (
        Column("sign", "#", Kind.TEXT, 1, essential=True),
        Column("name", "Name", Kind.TEXT, 12, grow=True, essential=True),
        Column("clicks", "Clicks", Kind.COUNT, 7, align="right", essential=True),
        Column("unique", "Unique", Kind.COUNT, 7, align="right"),
        Column("scans", "Scans", Kind.COUNT, 7, align="right", essential=True),
        Column("part", "Share", Kind.TEXT, 5, align="right", essential=True),
        Column("new", "New scans", Kind.TEXT, 10),
        Column("share", "Unique/click", Kind.TEXT, 12, align="right"),
        Column("read", "Read", Kind.TEXT, 10),
    )

    class Recalled(Message):
        """What was kept of a code came from the store."""

        def __init__(self, code_id: int, past: Past) -> None:
            super().__init__()
            self.code_id, self.past = code_id, past

    class Answered(Message):
        """The service answered about a code."""

        def __init__(self, code_id: int, answer: Answer) -> None:
            super().__init__()
            self.code_id, self.answer = code_id, answer

    class Failed(Message):
        """The answer about a code did not come."""

        def __init__(self, code_id: int, error: ServiceError) -> None:
            super().__init__()
            self.code_id, self.error = code_id, error

    def __init__(self, session: Session, codes: Sequence[QrCode]) -> None:
        super().__init__(session)
        self.codes = {code.id: CodeStatistics(code) for code in codes}

    @property
    def statistics(self) -> list[CodeStatistics]:
        """The codes in the order of their numbers."""
        return [*self.codes.values()]

    def compose_middle(self) -> ComposeResult:
        with Vertical(id="comparison"):
            yield RecordTable(self.columns, key=_key, id="records")
            yield Static(id="since", markup=False)
            yield Panels(
                *(Panel(name, title, Chart(id=name)) for name, title in TAB_TITLES.items()),
                Panel("clicks", "Clicks", Chart(id="clicks")),
                Panel("time", "Scans", Chart(id="time")),
                Panel("new", "What is new", TextPage(id="new")),
            )
            yield Static(id="status-line", markup=False)

    # ---- asking ----

    def on_mount(self) -> None:
        self.query_one(RecordTable).can_focus = False
        self.query_one(RecordTable).styles.height = len(self.codes) + 1

    def on_screen_resume(self) -> None:
        self.paint()
        new = [code for code in self.statistics if not code.answered and not code.loading and not code.error]
        self._ask(new, past=True)

    def on_screen_suspend(self) -> None:
        """What nobody looks at any more is not asked for, if it was not yet."""
        if self.is_current:  # something lies over it
            return
        waiting = [code for code in self.statistics if code.loading and self.reader.is_waiting(code.code.id)]
        for code in waiting:
            self.workers.cancel_group(self, _group(code))
            code.withdrawn()

    def do_refresh(self) -> None:
        self._ask([code for code in self.statistics if not code.loading], past=False)

    def _ask(self, codes: Sequence[CodeStatistics], *, past: bool) -> None:
        for code in codes:
            code.asked()
            self.run_worker(self._read(code.code.id, past), group=_group(code), exit_on_error=False)
        self.paint()

    async def _read(self, code_id: int, past: bool) -> None:
        if past:
            self.post_message(self.Recalled(code_id, await self.reader.past(code_id)))
        try:
            answer = await self.reader.read(code_id)
        except ServiceError as error:
            self.post_message(self.Failed(code_id, error))
        else:
            self.post_message(self.Answered(code_id, answer))

    @on(Recalled)
    def _show_recalled(self, message: Recalled) -> None:
        self.codes[message.code_id].recalled(message.past.readings, message.past.last_look)
        self.paint()

    @on(Answered)
    def _show_answer(self, message: Answered) -> None:
        self.codes[message.code_id].told(message.answer.code, message.answer.snapshot)
        self.paint()

    @on(Failed)
    def _show_failure(self, message: Failed) -> None:
        self.codes[message.code_id].failed(message.error)
        self.tell(message.error)
        self.paint()

    # ---- painting ----

    def fitting_step(self) -> Step:
        return max(self.statistics, key=lambda code: len(code.readings)).fitting_step()

    def paint(self) -> None:
        parts = scan_shares(self.statistics)
        self.query_one(RecordTable).show(
            [self._row(sign, code, parts[sign - 1]) for sign, code in enumerate(self.statistics, 1)]
        )
        for name in TAB_TITLES:
            self.query_one(f"#{name}", Chart).show(compared_breakdown(name, self.statistics))
        zone, step = local_zone(), self.shown_step
        clicks = compared_times(self.statistics, "clicks", step, zone, added=self.added)
        scans = compared_times(self.statistics, "scans", step, zone, added=self.added)
        self.query_one("#clicks", Chart).show(clicks)
        self.query_one("#time", Chart).show(scans)
        self.query_one("#new", TextPage).show(self._news())
        self.query_one("#since", Static).update(since_words(self._compared(self.statistics[0]), self.since))
        self.paint_truth()

    def _row(self, sign: int, code: CodeStatistics, part: str) -> Row:
        latest, age = code.latest, code.age(self.reader.now)
        read = "not yet" if age is None else ago(age)
        return Row(
            sign,
            code.code.id,
            code_name(code),
            latest.clicks if latest else None,
            latest.unique if latest else None,
            latest.scans if latest else None,
            part,
            delta_words(self._compared(code), "scans"),
            ratio_share(latest),
            "failed" if code.error else read,
        )

    def _compared(self, code: CodeStatistics) -> Compared:
        return code.compared(self.since, self.reader.now)

    def _news(self) -> Text:
        text = Text()
        for sign, code in enumerate(self.statistics, 1):
            text.append(f"{sign} {code_name(code)}\n", "bold").append_text(
                news(self._compared(code), self.since)
            )
            text.append("\n\n")
        return text

    def paint_truth(self) -> None:
        now = self.reader.now
        read = sum(code.answered for code in self.statistics)
        loading = sum(code.loading for code in self.statistics)
        parts = [f"{read} of {counted(len(self.codes), 'code')} read"]
        parts += [f"{loading} on the way"] if loading else []
        ages = [age for code in self.statistics if (age := code.age(now)) is not None]
        parts += [f"the oldest as of {ago(max(ages))}"] if ages else []
        stale = any(code.state(now) in (State.STALE, State.ERROR) for code in self.statistics)
        self.show_truth(" · ".join(parts), stale=stale)

    # ---- actions ----

    def do_watch(self) -> None:
        self.app.push_screen(WatchScreen(self.session, [code.code for code in self.statistics]))

    def do_export(self) -> Flow:
        papers = comparison_papers(self.statistics, self.fitting_step(), self.reader.now)
        return export.offer(self, f"qr-{'-'.join(map(str, self.codes))}", papers)

    def do_numbers(self) -> None:
        text = Text()
        for sign, code in enumerate(self.statistics, 1):
            text.append(f"{sign} {code_name(code)}\n", "bold")
            text.append_text(numbers(code, self._compared(code), self.since, self.reader.now)).append("\n")
        self.app.push_screen(ViewerScreen("The codes in numbers", text))


def _key(row: Row) -> Hashable:
    return row.id


def _group(code: CodeStatistics) -> str:
    return f"read-{code.code.id}"
