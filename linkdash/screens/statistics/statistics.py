"""The statistics of a QR code, or of several summed (reference: QR code)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from linkdash.api.records import as_sent
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import age_words, counted
from linkdash.model.lists.loaded_pages import State
from linkdash.model.local_time import local_zone
from linkdash.model.session import Session
from linkdash.model.statistics.charts import (
    PANEL_TITLES,
    added_chart,
    breakdown_chart,
    fitting_step,
    totals_chart,
)
from linkdash.model.statistics.code_statistics import CodeStatistics, words_for
from linkdash.model.statistics.period import Period
from linkdash.model.statistics.period_comparison import Track, breakdown, compared, telling
from linkdash.model.statistics.readings import TOTAL_TITLES, InAll, in_all
from linkdash.model.statistics.sentences import CodeAnswer, answer, figures, in_a_step
from linkdash.screens.actions import Action, Flow, Need, bindings
from linkdash.screens.clipboard import copy_text
from linkdash.screens.key_names import KeyNames
from linkdash.screens.lists.record_actions import open_link_of
from linkdash.screens.statistics.chart_actions import (
    BACK_TO_LIST,
    CHART_ACTIONS,
    COPY,
    EXPORT,
    NUMBERS,
    REFRESH,
    WATCH,
)
from linkdash.screens.statistics.charts_screen import ChartsScreen, muted
from linkdash.store.reading import Total
from linkdash.widgets.charts.cards import Cards, SentenceText, sentence_content
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.frame.state_panel import StatePanel
from linkdash.widgets.panel import Panel
from linkdash.widgets.panels import PanelOfSeveral, Panels
from linkdash.widgets.qr_image import QrImage
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.table.cell_text import shorten_link
from linkdash.widgets.window_screen import WindowScreen

LINK: Need["StatisticsScreen"] = Need(lambda screen: screen.missing_link())
STATISTICS_ACTIONS: tuple[Action["StatisticsScreen"], ...] = (
    *CHART_ACTIONS,
    Action(
        "code",
        "Q",
        "Code",
        "The QR code, to be scanned from here",
        shown=True,
        needs=(LINK,),
        do=lambda screen: screen.do_code(),
        opens=True,
    ),
    replace(EXPORT, help="A report, the numbers, the history or the code, to a file or the clipboard"),
    WATCH,
    REFRESH,
    Action(
        "counts",
        "m",
        "All time",
        "Breakdowns of the period where their history covers it, or of all time",
        shown=True,
        do=lambda screen: screen.do_counts(),
    ),
    NUMBERS,
    COPY,
    Action(
        "browse",
        "o",
        "Open link",
        "Open the link in the browser",
        needs=(LINK,),
        do=lambda screen: screen.do_browse(),
    ),
    BACK_TO_LIST,
)

_LINK_CELLS = 36


class StatisticsScreen(ChartsScreen):
    """The answer in a sentence; then numbers, what was added a day, and where it came from."""

    place_id = "qr"
    TITLE = "QR codes · statistics"
    ACTIONS = STATISTICS_ACTIONS
    BINDINGS = bindings(STATISTICS_ACTIONS)

    def __init__(self, session: Session, codes: QrCode | Sequence[QrCode], title: str = "") -> None:
        """Show one code, or several that are summed under a `title`; these are asked for only when wanted."""
        super().__init__(session, [codes] if isinstance(codes, QrCode) else codes)
        self._group_title = title
        self.counts_all = False
        """True if breakdowns hold all there is, also where there is a period."""

    @property
    def statistics(self) -> CodeStatistics:
        """The first code; the only one, unless they are summed."""
        return self.codes[0]

    @property
    def is_group(self) -> bool:
        """Return whether several codes are summed."""
        return len(self.codes) > 1

    @property
    def subject(self) -> str:
        return self._group_title or self.statistics.name

    @property
    def place(self) -> str:
        return f"QR codes · {self.subject}"

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        with VerticalScroll(id="statistics", can_focus=False):
            yield StatePanel()
            yield Panel(SentenceText(id="answer"), title=self.subject)
            yield Cards()
            yield Panels(
                PanelOfSeveral("time", "Scans", Chart(id="time")),
                *(PanelOfSeveral(name, title, Chart(id=name)) for name, title in PANEL_TITLES.items()),
            )

    # ---- reading ----

    async def open(self) -> None:
        """Show what was kept at once; one code is asked for if that is old, several only on demand."""
        await self.recall(self.codes)
        if self.is_group:
            return
        code = self.statistics.code
        self.note_opened("qr", code.id, self.statistics.name)
        if not self.statistics.is_old(self.reader.now):
            await self.reader.note_visit(self.statistics)
        elif self.statistics.error is None:
            self.read_codes(self.codes)

    # ---- painting ----

    def paint(self) -> None:
        now, period = self.reader.now, self.period
        words = (
            words_for(self.statistics, now, self.key_of)
            if not any(code.latest for code in self.codes)
            else None
        )
        self.set_class(words is not None, "-stated")
        if words is not None:
            self.query_one(StatePanel).show(words.headline, words.advice, failed=words.failed)
        self._paint_frame()
        tracks = self.tracks(period)
        names = [code.name for code in self.codes] if self.is_group else []
        found = answer(tracks, self._key, period, now, names=names)
        self.query_one(SentenceText).show(sentence_content(found.sentence))
        self.query_one(Cards).show(figures(tracks, period, self._in_all, self._first_at))
        self._paint_time(found, tracks)
        told = self._periods_of_breakdowns(tracks, found)
        self._paint_breakdowns(tracks, dict.fromkeys(told) if self.counts_all else told)
        self.paint_status()

    @property
    def _key(self) -> Total:
        """Scans, unless none of the codes tells them."""
        told = [code.latest for code in self.codes if code.latest is not None]
        return "clicks" if told and all(reading.scans is None for reading in told) else "scans"

    @property
    def _first_at(self) -> datetime | None:
        """The start of the history."""
        return min((code.readings[0].at for code in self.codes if code.readings), default=None)

    @property
    def _in_all(self) -> Mapping[Total, InAll]:
        """The totals as of the latest reading of each code, summed."""
        return in_all([code.latest for code in self.codes])

    def _paint_time(self, found: CodeAnswer, tracks: Sequence[Track]) -> None:
        panel, chart = self.panels.panel("time"), self.query_one("#time", Chart)
        if self.shows_totals or all(amount is None for amount in found.steps):
            step = fitting_step(self.statistics.readings)
            panel.say(
                TOTAL_TITLES[self._key],
                above=muted(f"in all, by {step}"),
                keys=muted(f"{self.key_of('in-all')} added"),
            )
            chart.show(totals_chart(self.codes, self._key, step, local_zone()))
        else:
            panel.say(
                f"{self._key.capitalize()} {in_a_step(found.period)}",
                above=muted(found.period.both),
                keys=muted(f"{self.key_of('period')} period"),
            )
            chart.show(added_chart(found, tracks, self._key, self.reader.now))

    def _paint_breakdowns(self, tracks: Sequence[Track], periods: Mapping[str, Period | None]) -> None:
        now = self.reader.now
        for name, period in periods.items():
            rows = breakdown(tracks, name, period, now)
            self.query_one(f"#{name}", Chart).show(breakdown_chart(name, rows))
            known = [row for row in rows or () if row.was is None]
            count = sum(max(0, row.count) for row in known)
            told = len(telling(tracks, name, period, now))
            reach = [f"{told} of {counted(len(tracks), 'code')}"] if 0 < told < len(tracks) else []
            below = [f"{count:,}{self._of_clicks(count, tracks, period)}"] if rows else []
            new, gone = sum(row.is_new for row in known), len(rows or ()) - len(known)
            below += [f"▲ {new} new"] if new and period else []
            below += [f"▼ {gone} gone"] if gone and period else []
            above = [] if rows is None else [*reach, "share" if period else "of all time"]
            self.panels.panel(name).say(above=muted(" · ".join(above)), below=muted(" · ".join(below)))

    def _periods_of_breakdowns(self, tracks: Sequence[Track], found: CodeAnswer) -> dict[str, Period | None]:
        """The period that each breakdown can be told of; None where its history begins later."""
        period, now = found.period, self.reader.now
        return {
            name: period if _is_whole(found) and telling(tracks, name, period, now) else None
            for name in PANEL_TITLES
        }

    def _of_clicks(self, count: int, tracks: Sequence[Track], period: Period | None) -> str:
        """The number of clicks that a breakdown counts, which are no scans: ` of 705 clicks`."""
        if period is None:
            clicks = self._in_all["clicks"].value
        else:
            added = compared(tracks, "clicks", period).now
            clicks = None if added is None or added.sign else added.value
        return f" of {clicks:,} clicks" if clicks is not None and clicks > count else " clicks"

    def paint_status(self) -> None:
        now, code = self.reader.now, self.statistics
        panel = self.query_one("#statistics > Panel", Panel)
        if self.is_group:
            known = sum(one.latest is not None for one in self.codes)
            codes = counted(len(self.codes), "code")
            words = codes if known == len(self.codes) else f"{known} of {codes} known"
            words += f" · oldest as of {age_words(self.oldest)}" if self.oldest is not None else ""
            panel.say(self.subject, below=muted(self.status_words(words)))
            return
        link = shorten_link(code.code.link, _LINK_CELLS)
        tone = Tone.WARNING if code.state(now) is State.STALE else Tone.MUTED
        status = Piece(self.status_words(code.status_line(now)), tone)
        panel.say(self.subject, above=muted(link), below=[status])

    # ---- what actions need, and do ----

    def missing_numbers(self) -> str | None:
        return None if any(code.latest for code in self.codes) else "There are no numbers yet."

    def missing_link(self) -> str | None:
        if self.is_group:
            return "These are several codes; open one of them for its link."
        return None if self.statistics.code.link else "The service gave no link for this code."

    async def do_code(self) -> None:
        if await self.app.push_screen_wait(CodeWindow(self.statistics.code, self.keys)):
            await self.do_export()

    def do_counts(self) -> None:
        period, key = self.period, self.key_of("counts")
        tracks = self.tracks(period)
        told = self._periods_of_breakdowns(tracks, answer(tracks, self._key, period, self.reader.now))
        if not self.counts_all and not any(told.values()):
            self.say(f"Their history does not cover the {period.words}.", "Breakdowns are of all time")
            return
        self.counts_all = not self.counts_all
        if self.counts_all:
            self.say(f"{key} shows those of the {period.words}.", "Breakdowns of all time")
        else:
            rest = "" if all(told.values()) else "where their history goes back that far; "
            self.say(f"{rest}{key} shows all time.", f"Breakdowns of the {period.words}")
        self.paint()

    def do_browse(self) -> Flow:
        return open_link_of(self, self.statistics.code, "QR code")


def _is_whole(found: CodeAnswer) -> bool:
    return found.comparison.now is not None and not found.comparison.now.is_partial


class CodeWindow(WindowScreen[bool]):
    """The code of a link, black on white in every theme; True when it is to be exported."""

    BINDINGS = [
        Binding("escape,q,Q", "dismiss(False)", "Close"),
        Binding("y", "copy", "Copy link", id=COPY.id),
        Binding("x", "dismiss(True)", "Export", id=EXPORT.id),
    ]

    def __init__(self, code: QrCode, keys: KeyNames) -> None:
        """`keys` are those that the user has."""
        super().__init__()
        self._code = code
        self._export = keys.of(EXPORT.id, [EXPORT])

    def compose(self) -> ComposeResult:
        with Vertical(id="code-window") as window:
            yield QrImage(is_large=True, advice=f"{self._export} saves it as PNG or SVG.", id="code")
            yield Static(
                content([Piece(self._code.link, Tone.LINK, bold=True)]), id="code-link", markup=False
            )
        window.border_title = content([Piece(self._code.shown_name, bold=True)])
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(QrImage).show(as_sent(self._code).link)

    def action_copy(self) -> None:
        copy_text(self.app, "Link", as_sent(self._code).link)
