"""The base of screens with charts: codes that are read, a period, panels to go through, the export."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import ServiceError
from linkdash.api.resources.qr import QrCode
from linkdash.model.as_command import statistics_commands
from linkdash.model.copy_choices import PickerChoice
from linkdash.model.humanize import counted
from linkdash.model.insight.alerts import look
from linkdash.model.lists.export import Export
from linkdash.model.session import Session
from linkdash.model.statistics import statistics_export as exports
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader
from linkdash.model.statistics.period import PERIODS, Period, PeriodName, period, span_words
from linkdash.model.statistics.period_comparison import Track
from linkdash.model.statistics.readings import has_news
from linkdash.model.statistics.report import Report, csv, html, json, markdown, report, text
from linkdash.model.statistics.watch_pace import LATEST, SOONEST, WatchPace
from linkdash.screens import export
from linkdash.screens.actions import BACK, Action, Flow, Need
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.record_actions import copy_one
from linkdash.screens.windows import questions
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import PanelText, Window
from linkdash.widgets.panels import Panels
from linkdash.widgets.qr_code import qr_picture
from linkdash.widgets.styled_text import LINEAR, Piece, Tone

CHART_ACTIONS: tuple[Action["ChartsScreen"], ...] = (
    Action(
        "next-panel",
        "tab,right",
        "Next",
        "The next panel",
        "Move",
        shown=True,
        do=lambda screen: screen.panels.step(1),
    ),
    Action(
        "previous-panel",
        "shift+tab,left",
        "Previous",
        "The previous panel",
        "Move",
        do=lambda screen: screen.panels.step(-1),
    ),
    Action(
        "zoom", "z", "Zoom", "This panel alone, or all of them", "Move", do=lambda screen: screen.do_zoom()
    ),
    Action("down", "j,down", "Down", "Scroll the panel down", "Move", do=lambda screen: screen.scroll_by(1)),
    Action("up", "k,up", "Up", "Scroll the panel up", "Move", do=lambda screen: screen.scroll_by(-1)),
    Action(
        "page-down",
        "pagedown",
        "Page down",
        "Scroll the panel a page down",
        "Move",
        do=lambda screen: screen.scrolled.scroll_page_down(animate=False),
    ),
    Action(
        "page-up",
        "pageup",
        "Page up",
        "Scroll the panel a page up",
        "Move",
        do=lambda screen: screen.scrolled.scroll_page_up(animate=False),
    ),
    Action(
        "top-row",
        "g,home",
        "Top",
        "To the first row of the panel",
        "Move",
        do=lambda screen: screen.scrolled.scroll_home(animate=False),
    ),
    Action(
        "last-row",
        "G,end",
        "Bottom",
        "To the last row of the panel",
        "Move",
        do=lambda screen: screen.scrolled.scroll_end(animate=False),
    ),
    Action(
        "period",
        "t",
        "Period",
        "Another period: the last week, month, day, or since your last visit",
        shown=True,
        do=lambda screen: screen.do_period(),
    ),
    Action(
        "own-period", "P", "Own period", "As many days as you like", do=lambda screen: screen.do_own_period()
    ),
    Action(
        "in-all",
        "T",
        "Total",
        "Chart what was added, or the running total",
        do=lambda screen: screen.do_in_all(),
    ),
)
NUMBERS: Action["ChartsScreen"] = Action(
    "numbers",
    "v",
    "Numbers",
    "Show the numbers as tables",
    shown=True,
    needs=(Need["ChartsScreen"](lambda screen: screen.missing_numbers()),),
    do=lambda screen: screen.do_numbers(),
)
REFRESH: Action["ChartsScreen"] = Action(
    "refresh",
    "r",
    "Refresh",
    "Ask for the numbers as of now",
    cost="1 request a code",
    shown=True,
    do=lambda screen: screen.do_refresh(),
)
BACK_TO_LIST = replace(BACK, help="Back to the list")
WATCH: Action["ChartsScreen"] = Action(
    "watch",
    "W",
    "Watch live",
    "Follow the numbers live, or stop",
    cost="1 request each time",
    shown=True,
    do=lambda screen: screen.do_watch(),
)
EXPORT: Action["ChartsScreen"] = Action(
    "export",
    "x",
    "Export",
    "A report or the numbers, to a file or the clipboard",
    shown=True,
    do=lambda screen: screen.do_export(),
    opens=True,
)
COPY: Action["ChartsScreen"] = Action(
    "copy",
    "y",
    "Copy",
    "Copy the link, or the command that does the same",
    do=lambda screen: screen.do_copy(),
    opens=True,
)

_LONGEST_DAYS = 365
_ASKED_FROM = 6  # codes whose refresh takes a good part of a minute's requests


class ChartsScreen(HostScreen):
    """A screen of panels over some codes. A subclass composes `Panels` and paints them."""

    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-low"), (30, "-high")]

    def __init__(self, session: Session, codes: Sequence[QrCode]) -> None:
        super().__init__(session)
        self.reader = StatisticsReader(session)
        self.codes = [CodeStatistics(code) for code in codes]
        self.period_name: PeriodName = PERIODS[0]
        self.own_days = 14
        self.shows_totals = False
        """True if it shows what the numbers had come to instead of what was added."""
        self.pace: WatchPace | None = None
        """When each code is read again while the numbers are followed; None while they are not."""

    @property
    def oldest(self) -> float | None:
        """Seconds since the reading of the code that was read least lately; None where none was."""
        now = self.reader.now
        return max((age for code in self.codes if (age := code.age(now)) is not None), default=None)

    # ---- for subclasses ----

    @property
    def subject(self) -> str:
        """Return the subject of the numbers."""
        raise NotImplementedError

    async def open(self) -> None:
        """Show what was kept, and ask for what has to be asked for."""
        raise NotImplementedError

    def paint(self) -> None:
        """Show what is known."""
        raise NotImplementedError

    def paint_status(self) -> None:
        """Say how old everything is."""
        raise NotImplementedError

    @property
    def panels(self) -> Panels:
        return self.query_one(Panels)

    @property
    def period(self) -> Period:
        """The period that is looked at, as of now."""
        visits = [code.last_visit for code in self.codes if code.last_visit is not None]
        last_visit = max(visits, default=None)
        return period(self.period_name, self.reader.now, days=self.own_days, last_visit=last_visit)

    @property
    def report(self) -> Report:
        """Return what is known of the codes in the period, to be read or exported."""
        return report([(code.code, code.readings) for code in self.codes], self.period, self.reader.now)

    def tracks(self, period: Period) -> list[Track]:
        """The numbers of each code as far back as the period asks for."""
        return [code.track(period) for code in self.codes]

    def status_words(self, words: str) -> str:
        """A status line, with whether the numbers are followed, and why nothing is kept if nothing is."""
        watching = "" if self.pace is None else "watching · " if self.app.app_focus else "watching, paused · "
        trouble = self.session.store_trouble
        return f"{watching}{words}" + (f" · no history: {trouble.what}" if trouble else "")

    # ---- reading ----

    def on_screen_resume(self) -> None:
        self.run_worker(self.open(), group="open", exclusive=True, exit_on_error=False)

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tick)

    def _tick(self) -> None:
        if self.is_active:
            self._follow()
            self.paint_status()

    def _follow(self) -> None:
        """Read the next code that is due, one at a time, while the screen is looked at."""
        if self.pace is None or not self.app.app_focus or any(code.loading for code in self.codes):
            return
        due = self.pace.due(self.session.now())
        self.read_codes([code for code in self.codes if code.code.id == due], Lane.BACKGROUND)

    def read_codes(self, codes: Sequence[CodeStatistics], lane: Lane | None = None) -> None:
        """Ask for codes beside each other; several are a task, which leaves room for other reads."""
        if lane is None:
            lane = Lane.TASK if len(codes) > 1 else Lane.READ
        for code in codes:
            if not code.loading:
                code.loading = True
                self.run_worker(self._read(code, lane), group=_group(code), exit_on_error=False)
        if codes:
            self.paint()

    async def _read(self, code: CodeStatistics, lane: Lane) -> None:
        """Ask for a code, and show what came or why nothing did."""
        known = code.latest
        try:
            await self.reader.read(code, lane)
            await self.reader.note_visit(code)
        except ServiceError as error:
            if code.latest is not None and code.error is None:
                self.tell(error)
            code.fail(error)
        finally:
            code.loading = False
            if self.pace is not None:
                self.pace.note_read(code.code.id, self.session.now(), changed=has_news(known, code.latest))
            if self.is_mounted:
                self.paint()
        if self.pace is not None and self.session.settings.alerts:
            self.begin(look(self.session, self.warn), "alerts")

    async def recall(self, codes: Sequence[CodeStatistics]) -> None:
        """Show what was kept of codes; costs no request."""
        for code in codes:
            if not code.recalled:
                await self.reader.recall(code)
        self.paint()

    def on_screen_suspend(self) -> None:
        """Withdraw the requests of a screen that is not looked at any more, if they were not sent yet."""
        if self.is_current:  # something lies over it
            return
        for code in self.codes:
            if code.loading and self.reader.is_waiting(code):
                self.workers.cancel_group(self, _group(code))

    def do_refresh(self) -> Flow | None:
        if all(code.loading for code in self.codes):
            self.say("The numbers are already loading.")
        elif len(self.codes) >= _ASKED_FROM:
            return self._refresh_many()
        else:
            self.read_codes(self.codes)
        return None

    async def _refresh_many(self) -> None:
        what = f"{counted(len(self.codes), 'code')} of {self.subject}"
        if await self.app.push_screen_wait(questions.reading_many(what, len(self.codes), self.session)):
            self.read_codes(self.codes)

    def do_watch(self) -> None:
        again = self.key_of("watch")
        if self.pace is None:
            self.pace = WatchPace(code.code.id for code in self.codes)
            seconds = f"{SOONEST:.0f} s to {LATEST / 60:.0f} min"
            self.say(f"Read every {seconds} as the budget allows; {again} stops.", "Watching")
        else:
            self.pace = None
            self.say(f"{again} watches again.", "Stopped watching")
        self.paint_status()

    def missing_numbers(self) -> str | None:
        """The reason why there is nothing to be shown as a table."""
        return None

    def do_numbers(self) -> None:
        self.app.push_screen(ViewerScreen(f"{self.subject} in numbers", partial(text, self.report)))

    def do_export(self) -> Flow:
        return offer_export(self, self.codes, self.report)

    async def do_copy(self) -> None:
        """Offer the links of the codes, and the commands that read the same."""
        codes = [code.code for code in self.codes]
        links = [code.link for code in codes if code.link]
        choices = [PickerChoice("Link" if len(codes) == 1 else "Links", "\n".join(links))] if links else []
        base_url = self.session.settings.base_url
        choices += await statistics_commands(base_url, [code.id for code in codes], self.period.days)
        await copy_one(self, f"Copy from {self.place.rpartition(' · ')[2]}", choices)

    # ---- panels ----

    def do_zoom(self) -> None:
        self.toggle_class("-zoomed")
        self.call_after_refresh(self.panels.current.scroll_visible, animate=False)

    @property
    def scrolled(self) -> Widget:
        """Return the panels that keys scroll: the current one; for a screen reader all of them."""
        return self.panels if self.app.has_class(LINEAR) else self.panels.current.content

    def scroll_by(self, by: int) -> None:
        """Scroll down, or up for less than nothing."""
        self.scrolled.scroll_relative(y=by, animate=False)

    # ---- period ----

    def do_period(self) -> None:
        """The next period; an own one only by its own key."""
        names: list[PeriodName] = [name for name in PERIODS if name != "own"]
        if not any(code.last_visit for code in self.codes):
            names.remove("visit")
        at = names.index(self.period_name) if self.period_name in names else -1
        self.period_name = names[(at + 1) % len(names)]
        self.paint()

    def do_own_period(self) -> None:
        self.app.push_screen(DaysScreen(self.own_days, self.reader.now), self._look_back)

    def _look_back(self, days: int | None) -> None:
        if days is not None:
            self.period_name, self.own_days = "own", days
            self.paint()

    def do_in_all(self) -> None:
        self.shows_totals = not self.shows_totals
        self.paint()


class DaysScreen(ModalScreen[int | None]):
    """A window that asks how many days a period has; None when the user goes back."""

    BINDINGS = [Binding("enter", "take", "Show", priority=True), Binding("escape", "dismiss", "Back")]

    def __init__(self, days: int, now: datetime) -> None:
        super().__init__()
        self._days, self._now = days, now

    def compose(self) -> ComposeResult:
        with Window(title="Days to look back", classes="-question"):
            yield StillInput(str(self._days), type="integer", max_length=3, id="typed", compact=True)
            yield Static(classes="window-hint", id="hint", markup=False)
        yield KeyLine()

    @on(Input.Changed)
    def _show(self) -> None:
        """Say which days these are, and what they are compared with."""
        days = self._typed
        said = f"Type a number from 1 to {_LONGEST_DAYS}" if days is None else span_words(days, self._now)
        self.query_one("#hint", Static).update(said)

    @property
    def _typed(self) -> int | None:
        """The number that stands there; None for no number of days."""
        typed = self.query_one(Input).value
        return int(typed) if typed.isdecimal() and 1 <= int(typed) <= _LONGEST_DAYS else None

    def action_take(self) -> None:
        if self._typed is None:
            self.query_one("#hint", Static).update(f"✗ Type a number from 1 to {_LONGEST_DAYS}")
        else:
            self.dismiss(self._typed)


def muted(text: str) -> PanelText:
    """Return what a panel says of its counts, its age, its keys; nothing where there is no text."""
    return [Piece(text, Tone.MUTED)] if text else []


def _group(code: CodeStatistics) -> str:
    return f"read-{code.code.id}"


# ---- what can be exported ----


async def offer_export(screen: HostScreen, codes: Sequence[CodeStatistics], report: Report) -> None:
    """Ask what is to be exported and where to, and do it."""
    stem = f"qr-{'-'.join(str(code.code.id) for code in codes[:6])}"
    images = _images(codes[0].code.link) if len(codes) == 1 and codes[0].code.link else []
    panel = screen.panels.current if isinstance(screen, ChartsScreen) else None
    await export.offer(
        screen, stem, [*_texts(codes, report, screen.session.settings.profile), *images], panel=panel
    )


def report_exports(report: Report, profile: str) -> list[Export]:
    """A report on a profile's codes in each of its formats."""
    return [
        Export("Report", "Markdown", "report", "md", partial(markdown, report)),
        Export("Report", "HTML", "report", "html", partial(html, report, profile)),
        Export("Report", "CSV", "report", "csv", partial(csv, report)),
        Export("Report", "JSON", "report", "json", partial(json, report)),
    ]


def _texts(codes: Sequence[CodeStatistics], report: Report, profile: str) -> list[Export]:
    in_full = replace(report, has_details=True)  # the codes on a screen are few
    texts = report_exports(in_full, profile)
    read = [(code.code, code.latest) for code in codes]
    texts += [
        Export("Statistics", "CSV", "statistics", "csv", partial(exports.comparison_csv, read)),
        Export("Statistics", "JSON", "statistics", "json", partial(exports.comparison_json, read)),
    ]
    if len(codes) == 1:
        code, readings = codes[0].code, tuple(codes[0].readings)
        texts += [
            Export("History", "CSV", "history", "csv", partial(exports.history_csv, code, readings)),
            Export("History", "JSON", "history", "json", partial(exports.history_json, code, readings)),
        ]
    return texts


def _images(link: str) -> list[Export]:
    """A code as a picture."""
    kinds: tuple[Literal["svg", "png"], ...] = ("svg", "png")
    about = "a picture, to be printed"
    return [
        Export("Code", kind.upper(), "code", kind, partial(qr_picture, link, kind), about, is_text=False)
        for kind in kinds
    ]
