"""The statistics of one QR code: what support staff come for (reference: QR code)."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Static

from linkdash.api.errors import ServiceError
from linkdash.api.qr import QrCode
from linkdash.model.listing import State
from linkdash.model.session import Session
from linkdash.model.statistics.chart_data import exact
from linkdash.model.statistics.charts import TAB_TITLES, breakdown_chart, time_chart
from linkdash.model.statistics.code_statistics import CodeStatistics, Compared, words_for
from linkdash.model.statistics.reader import Answer, Past
from linkdash.model.statistics.readings import TOTAL_TITLES, has_statistics, ratio
from linkdash.model.statistics.text import delta_words, news, numbers, ratio_words, since_words
from linkdash.model.timezone import local_zone
from linkdash.screens.actions import Action, Flow, bindings
from linkdash.screens.outside import copy
from linkdash.screens.record_actions import open_link_of
from linkdash.screens.statistics.charts_screen import CHART_ACTIONS, EXPORT, WATCH, ChartsScreen
from linkdash.screens.statistics.papers import offer
from linkdash.screens.statistics.watch import WatchScreen
from linkdash.screens.windows import ViewerScreen
from linkdash.store.changes import Step
from linkdash.widgets.cells import shorten_link
from linkdash.widgets.chart import Chart
from linkdash.widgets.panels import Panel, Panels
from linkdash.widgets.qr_image import QrImage
from linkdash.widgets.states import StatePanel
from linkdash.widgets.text_page import TextPage
from linkdash.widgets.top_bar import TopBar
from linkdash.widgets.total import Total

STATISTICS_ACTIONS = (
    *CHART_ACTIONS,
    Action("numbers", "v", "Numbers", "The same as a table of numbers", shown=True, needs=("numbers",)),
    EXPORT,
    Action("refresh", "r", "Refresh", "Ask for the numbers as of now", cost="1 request", shown=True),
    WATCH,
    Action("copy", "y", "Copy", "Copy the landing address", needs=("link",)),
    Action("browse", "o", "Open link", "Open the landing address in the browser", needs=("link",)),
    Action("back", "escape", "Back", "Back to the list", "Move", shown=True),
)

_LINK_CELLS = 36
_GRID = ("countries", "referrers", "code", "browsers", "systems", "social", "time", "new")
"""The panels row by row; the code takes two rows."""


class StatisticsScreen(ChartsScreen):
    """Totals in large digits over charts of where the clicks came from, since when, and the code itself."""

    place_id = "qr"
    TITLE = "QR codes · statistics"
    ACTIONS = STATISTICS_ACTIONS
    BINDINGS = bindings(STATISTICS_ACTIONS)

    class Recalled(Message):
        """What was kept of earlier looks came from the store."""

        def __init__(self, past: Past) -> None:
            super().__init__()
            self.past = past

    class Answered(Message):
        """The service answered."""

        def __init__(self, answer: Answer) -> None:
            super().__init__()
            self.answer = answer

    class Failed(Message):
        """The answer did not come."""

        def __init__(self, error: ServiceError) -> None:
            super().__init__()
            self.error = error

    def __init__(self, session: Session, code: QrCode) -> None:
        super().__init__(session)
        self.statistics = CodeStatistics(code)

    @property
    def place(self) -> str:
        return f"QR codes · {self.statistics.code.name or self.statistics.code.id}"

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        with Vertical(id="statistics"):
            yield StatePanel()
            with Horizontal(id="totals"):
                for name, title in TOTAL_TITLES.items():
                    yield Total(title, id=name)
                yield Total("Unique of clicks", id="ratio")
            yield Static(id="totals-line", markup=False)
            yield Static(id="since", markup=False)
            yield Panels(
                *(Panel(name, title, Chart(id=name)) for name, title in TAB_TITLES.items()),
                Panel("time", "Over time", Chart(id="time")),
                Panel("new", "What is new", TextPage(id="new")),
                Panel("code", "Code", QrImage(id="code")),
                grid=_GRID,
            )
            yield Static(id="status-line", markup=False)

    # ---- asking ----

    def on_screen_resume(self) -> None:
        self.paint()
        if not self.statistics.answered and not self._settled:
            self.statistics.asked()
            self.run_worker(self._open(), group="read", exclusive=True, exit_on_error=False)
        elif self.statistics.is_old(self.reader.now) and not self._settled:
            self.do_refresh()

    @property
    def _settled(self) -> bool:
        """Whether an answer is on its way, or asking again by itself would only repeat a failure."""
        return self.statistics.loading or self.statistics.error is not None

    def on_screen_suspend(self) -> None:
        """An answer that nobody looks at any more is not asked for, if it was not yet."""
        if self.is_current:  # something lies over it
            return
        if self.statistics.loading and self.reader.is_waiting(self.statistics.code.id):
            self.workers.cancel_group(self, "read")
            self.statistics.withdrawn()

    async def _open(self) -> None:
        """Old numbers at once, then new ones."""
        self.post_message(self.Recalled(await self.reader.past(self.statistics.code.id)))
        await self._read()

    async def _read(self) -> None:
        try:
            answer = await self.reader.read(self.statistics.code.id)
        except ServiceError as error:
            self.post_message(self.Failed(error))
        else:
            self.post_message(self.Answered(answer))
            await self.reader.looked(self.statistics.code.id)

    def do_refresh(self) -> None:
        if self.statistics.loading:
            self.notify("The numbers are on their way already.", markup=False)
            return
        self.statistics.asked()
        self.paint()
        self.run_worker(self._read(), group="read", exclusive=True, exit_on_error=False)

    @on(Recalled)
    def _show_recalled(self, message: Recalled) -> None:
        self.statistics.recalled(message.past.readings, message.past.last_look)
        self.paint()

    @on(Answered)
    def _show_answer(self, message: Answered) -> None:
        self.statistics.told(message.answer.code, message.answer.snapshot)
        self.query_one(TopBar).place(self.place)
        self.paint()

    @on(Failed)
    def _show_failure(self, message: Failed) -> None:
        self.statistics.failed(message.error)
        self.paint()
        if self.statistics.latest is not None:
            self.tell(message.error)

    # ---- painting ----

    def fitting_step(self) -> Step:
        return self.statistics.fitting_step()

    def paint(self) -> None:
        words = words_for(self.statistics, self.reader.now, self.key_of)
        self.set_class(words is not None, "-stated")
        if words is not None:
            self.query_one(StatePanel).show(words.headline, words.advice, failed=words.failed)
        self._paint_totals()
        self._paint_panels()
        self.paint_truth()

    def _paint_totals(self) -> None:
        latest, compared = self.statistics.latest, self._compared
        values = {name: latest.total(name) if latest else None for name in TOTAL_TITLES}
        for name, value in values.items():
            self.query_one(f"#{name}", Total).show(value, delta_words(compared, name))
        share = ratio(values["unique"], values["clicks"])
        self.query_one("#ratio", Total).show(share, ratio_words(latest))
        line = " · ".join(f"{TOTAL_TITLES[name]} {exact(value)}" for name, value in values.items())
        self.query_one("#totals-line", Static).update(line)
        self.query_one("#since", Static).update(since_words(compared, self.since))

    def _paint_panels(self) -> None:
        latest = self.statistics.latest
        for name in TAB_TITLES:
            self.query_one(f"#{name}", Chart).show(breakdown_chart(name, latest))
        over_time = time_chart(self.statistics.readings, self.shown_step, local_zone(), added=self.added)
        self.query_one("#time", Chart).show(over_time if has_statistics(latest) else None)
        self.query_one("#new", TextPage).show(news(self._compared, self.since))
        if self.statistics.code.link:
            self.query_one("#code", QrImage).show(self.statistics.code.link)

    def paint_truth(self) -> None:
        now, code = self.reader.now, self.statistics.code
        words = f"{shorten_link(code.link, _LINK_CELLS)} · {self.statistics.truth(now)}"
        self.show_truth(words, stale=self.statistics.state(now) is State.STALE)

    @property
    def _compared(self) -> Compared:
        return self.statistics.compared(self.since, self.reader.now)

    # ---- what actions need, and do ----

    def missing(self, need: str) -> str | None:
        match need:
            case "numbers":
                return None if self.statistics.latest else "There are no numbers yet."
            case "link" if not self.statistics.code.link:
                return "The service told no landing address of this code."
        return super().missing(need)

    def do_numbers(self) -> None:
        text = numbers(self.statistics, self._compared, self.since, self.reader.now)
        self.app.push_screen(ViewerScreen(f"{self.place} in numbers", text))

    def do_watch(self) -> None:
        self.app.push_screen(WatchScreen(self.session, [self.statistics.code]))

    def do_copy(self) -> None:
        copy(self.app, "Landing address", self.statistics.code.link)

    def do_browse(self) -> Flow:
        return open_link_of(self, self.statistics.code, "QR code")

    def do_export(self) -> Flow:
        return offer(self, self.statistics, self.reader.now)
