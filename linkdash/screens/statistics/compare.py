"""The comparison of several codes: by share, so that large and small ones compare, by number or by change."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import age_words, counted
from linkdash.model.local_time import local_zone
from linkdash.model.session import Session
from linkdash.model.statistics.chart_data import NO_STATISTICS, MultiBars
from linkdash.model.statistics.charts import (
    PANEL_TITLES,
    Base,
    common_base,
    compared_breakdown,
    compared_days,
    fitting_step,
    is_covered,
    totals_chart,
)
from linkdash.model.statistics.period import Period
from linkdash.model.statistics.period_comparison import Track, compared
from linkdash.model.statistics.sentences import CodeAnswer, answer, comparable_from, in_a_step, reach_words
from linkdash.screens.actions import Action, bindings
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
from linkdash.widgets.charts.cards import comparison_lines
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.charts.chart_text import SIGNS
from linkdash.widgets.charts.grouped_bars import bold_words
from linkdash.widgets.panel import Panel
from linkdash.widgets.panels import PanelOfSeveral, Panels

FEWEST, MOST = 2, 6
"""The numbers of codes that can be told apart in one chart."""

View = Literal["share", "number", "change"]
VIEWS: tuple[View, ...] = get_args(View)
"""The contents of bars and curves, in the order one key goes through them."""
_BY_SHARE = "highest first"
"""The order of breakdowns by share, told once."""
_UNTOLD = "– too few readings"
"""The explanation below a change that is not known."""

_BASES: dict[Base, str] = {
    "before": "100 % = each code's own mean, {}",
    "known": "100 % = each code's own mean of the days drawn",
}
_NO_CHANGE = "no comparison yet"
_LOADING = MultiBars("", (), (), if_empty="Loading…")
"""Stands in charts until the first picture is drawn."""

COMPARE_ACTIONS: tuple[Action["CompareScreen"], ...] = (
    *CHART_ACTIONS,
    WATCH,
    replace(EXPORT, help="A report or the numbers, to a file or the clipboard"),
    Action(
        "view",
        "m",
        "Share/number/change",
        "By share, by number or by change",
        shown=True,
        do=lambda screen: screen.do_view(),
    ),
    NUMBERS,
    replace(REFRESH, help="Ask for all of them again", cost="1 request each"),
    COPY,
    BACK_TO_LIST,
)


def _untold_words(data: MultiBars) -> str:
    return _UNTOLD if any(value is None for _, values in data.rows for value in values) else ""


def missing_to_compare(count: int, select: str) -> str | None:
    """The reason why so many codes cannot be compared, with the key that selects; None where they can."""
    if FEWEST <= count <= MOST:
        return None
    return f"Select {FEWEST} to {MOST} codes with {select} to compare them; {count} are selected."


class CompareScreen(ChartsScreen):
    """A line a code, then curves and breakdowns with one series a code under the same signs."""

    place_id = "qr"
    TITLE = "QR codes · compare"
    ACTIONS = COMPARE_ACTIONS
    BINDINGS = bindings(COMPARE_ACTIONS)

    def __init__(self, session: Session, codes: Sequence[QrCode]) -> None:
        super().__init__(session, codes)
        self.view: View = VIEWS[0]

    @property
    def subject(self) -> str:
        return "The codes"

    @property
    def place(self) -> str:
        return f"QR codes · compare {len(self.codes)}"

    def compose_middle(self) -> ComposeResult:
        with VerticalScroll(id="comparison", can_focus=False):
            title = counted(len(self.codes), "code")  # the header says that they are compared
            yield Panel(Static(id="codes", markup=False), title=title)
            yield Panels(
                PanelOfSeveral("time", "Scans", Chart(_LOADING, id="time")),
                *(
                    PanelOfSeveral(name, title, Chart(_LOADING, id=name))
                    for name, title in PANEL_TITLES.items()
                ),
            )

    # ---- reading ----

    async def open(self) -> None:
        """Show what was kept at once; then ask for those that are old."""
        await self.recall(self.codes)
        now = self.reader.now
        self.read_codes([code for code in self.codes if code.is_old(now) and code.error is None])

    # ---- painting ----

    def on_resize(self) -> None:
        self.call_after_refresh(self._paint_codes)  # its room depends on what stands beside it now

    def paint(self) -> None:
        self._paint_codes()
        series = [
            (code.name, track) for code, track in zip(self.codes, self.tracks(self.period), strict=True)
        ]
        self._paint_time(series)
        self._paint_breakdowns(series)
        self.paint_status()

    def _paint_time(self, series: Sequence[tuple[str, Track]]) -> None:
        panel, chart, period = self.panels.panel("time"), self.query_one("#time", Chart), self.period
        if self.shows_totals:
            step = fitting_step(max(self.codes, key=lambda code: len(code.readings)).readings)
            panel.say(
                "Scans", above=muted(f"in all, by {step}"), keys=muted(f"{self.key_of('in-all')} added")
            )
            totals = totals_chart(self.codes, "scans", step, local_zone())
            chart.show(replace(totals, title="", has_legend=False))
            return
        tracks = [track for _, track in series]
        base = None if self.view == "number" else common_base(tracks, period)
        words = _BASES[base].format(period.title_before) if base else reach_words(tracks, "scans", period)
        words = f"{words} · right: last {period.step}"
        keys = f"{self.key_of('period')} period · {self.key_of('in-all')} in all"
        panel.say(f"Scans {in_a_step(period)}", above=muted(words), keys=muted(keys))
        chart.show(compared_days(series, period, base=base, if_empty=self._if_empty))

    def _paint_breakdowns(self, series: Sequence[tuple[str, Track]]) -> None:
        """All codes over the same time: all there is, where the history of one is shorter than the period."""
        now, period, is_change = self.reader.now, self.period, self.view == "change"
        told = period if is_change or all(is_covered(track, period) for _, track in series) else None
        if_empty = _NO_CHANGE if is_change and self._if_empty == NO_STATISTICS else self._if_empty
        head = self.query_one("#comparison > Panel", Panel)
        short = [SIGNS[n] for n, (_, of) in enumerate(series) if not is_covered(of, period)]
        head.say(above=muted(f"{period.words} · {self._breakdown_words(told, short)}"))
        made = {
            name: compared_breakdown(name, series, told, now, view=self.view, if_empty=if_empty)
            for name in PANEL_TITLES
        }
        remarks = self._remarks(made)
        for name, data in made.items():
            self.query_one(f"#{name}", Chart).show(data)
            self.panels.panel(name).say(below=muted(" · ".join(remarks.get(name, ()))))

    def _remarks(self, made: Mapping[str, MultiBars]) -> Mapping[str, Sequence[str]]:
        """The order of breakdowns, and what is bold or a dash in them: once each, and beside each other."""
        explain = _untold_words if self.view == "change" else bold_words
        ordered = [name for name, data in made.items() if data.by_share and len(data.rows) > 1][:1]
        explained = [name for name, data in made.items() if explain(data)]
        explained.sort(key=lambda name: name in ordered)  # in another panel, if there is one
        found = {name: [_BY_SHARE] for name in ordered}
        for name in explained[:1]:
            found.setdefault(name, []).append(explain(made[name]))
        return found

    def _breakdown_words(self, told: Period | None, short: Sequence[str]) -> str:
        """Return what the breakdowns show; of all time where codes lack readings: `short` are their signs."""
        if told is None:  # some of the period may be known: that is no reason to say none
            lack = f"{' '.join(short)} {'lacks' if len(short) == 1 else 'lack'} readings"
            return f"breakdowns: all time, {lack} · {self.view} of clicks"
        if self.view != "change":
            return f"breakdowns: {self.view} of clicks"
        tracks = self.tracks(told)
        is_known = any(compared([track], "clicks", told).percent is not None for track in tracks)
        late = "" if is_known else comparable_from(tracks, "clicks", told, self.reader.now)
        return f"breakdowns: {late or 'change of clicks against the period before'}"

    @property
    def _if_empty(self) -> str:
        """Return the words of a chart that has nothing to show yet."""
        is_loading = any(code.loading or not code.recalled for code in self.codes)
        return _LOADING.if_empty if is_loading else NO_STATISTICS

    def _paint_codes(self) -> None:
        width = self.query_one("#codes", Static).content_size.width
        lines = comparison_lines([(code.name, self._answer(n)) for n, code in enumerate(self.codes)], width)
        self.query_one("#codes", Static).update(Content("\n").join(lines))

    def _answer(self, number: int) -> CodeAnswer:
        period = self.period
        return answer([self.codes[number].track(period)], "scans", period, self.reader.now)

    def paint_status(self) -> None:
        loading = sum(code.loading for code in self.codes)
        failed = sum(code.error is not None for code in self.codes)
        parts = [f"oldest as of {age_words(self.oldest)}"] if self.oldest is not None else []
        parts += [f"{loading} loading…"] if loading else []
        parts += [f"{failed} failed"] if failed else []
        head = self.query_one("#comparison > Panel", Panel)
        head.say(below=muted(self.status_words(" · ".join(parts))))

    # ---- actions ----

    def do_view(self) -> None:
        self.view = VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)]
        self.paint()
