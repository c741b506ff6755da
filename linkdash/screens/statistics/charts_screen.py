"""The base of screens with charts: codes that are read, a period, panels to go through."""

from collections.abc import Sequence
from functools import partial

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widget import Widget

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import ServiceError
from linkdash.api.records import as_sent
from linkdash.api.resources.qr import QrCode
from linkdash.model.as_command import statistics_commands
from linkdash.model.copy_choices import MOVING, PickerChoice, with_keys
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader
from linkdash.model.statistics.period import PERIODS, Period, PeriodName, period
from linkdash.model.statistics.period_comparison import Track
from linkdash.model.statistics.report import Report, report, text
from linkdash.screens.actions import Flow
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.record_actions import copy_one
from linkdash.screens.statistics.statistics_exports import offer_export
from linkdash.screens.windows import questions
from linkdash.screens.windows.days import DaysScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.widgets.panel import PanelText
from linkdash.widgets.panels import Panels
from linkdash.widgets.styled_text import Piece, Tone

_ASKED_FROM = 6  # codes whose refresh takes a good part of a minute's requests
_RECALL_EVERY = 2.0  # seconds


class ChartsScreen(HostScreen):
    """A screen of panels over some codes. A subclass composes `Panels` and paints them."""

    def __init__(self, session: Session, codes: Sequence[QrCode]) -> None:
        super().__init__(session)
        self.reader = StatisticsReader(session)
        self.codes = [CodeStatistics(code) for code in codes]
        self.period_name: PeriodName = PERIODS[0]
        self.own_days = 14
        self.shows_totals = False
        """True if it shows what the numbers had come to instead of what was added."""
        self._kept_state: tuple[int, ...] | None = None
        """The state of the history when it was recalled last."""

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
        """A status line, with why nothing is kept if nothing is."""
        trouble = self.session.store_trouble
        return words + (f" · no history: {trouble.what}" if trouble else "")

    # ---- reading ----

    def on_screen_resume(self) -> None:
        self.run_worker(self.open(), group="open", exclusive=True, exit_on_error=False)

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tick)
        self.set_interval(_RECALL_EVERY, self._look_for_more)

    def _tick(self) -> None:
        if self.is_active:
            self.paint_status()

    def read_codes(self, codes: Sequence[CodeStatistics]) -> None:
        """Ask for codes beside each other; several are a task, which leaves room for other reads."""
        lane = Lane.TASK if len(codes) > 1 else Lane.READ
        for code in codes:
            if not code.loading:
                code.loading = True
                self.run_worker(self._read(code, lane), group=_group(code), exit_on_error=False)
        if codes:
            self.paint()

    async def _read(self, code: CodeStatistics, lane: Lane) -> None:
        """Ask for a code, and show what came or why nothing did."""
        try:
            await self.reader.read(code, lane)
            await self.reader.note_visit(code)
        except ServiceError as error:
            if code.latest is not None and code.error is None:
                self.tell(error)
            code.fail(error)
        finally:
            code.loading = False
            if self.is_mounted:
                self.paint()

    async def recall(self, codes: Sequence[CodeStatistics]) -> None:
        """Show what was kept of codes; costs no request."""
        self._kept_state = await self.reader.kept_state()
        for code in codes:
            if not code.recalled:
                await self.reader.recall(code)
        self.paint()

    def _look_for_more(self) -> None:
        if self.is_in_sight and self._kept_state is not None:
            self.run_worker(self._recall_more(), group="recall", exit_on_error=False)

    async def _recall_more(self) -> None:
        """Show what was kept since, also by another program, such as one that collects."""
        known, self._kept_state = self._kept_state, None  # no second look meanwhile
        state = await self.reader.kept_state()
        if state != known:
            shown = [code.moments for code in self.codes]
            for code in self.codes:
                await self.reader.recall(code)
            if [code.moments for code in self.codes] != shown:  # else it was what this screen has read
                self.paint()
        self._kept_state = state

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

    async def do_watch(self) -> None:
        """Watch the code; of several ask which."""
        codes = [code.code for code in self.codes]
        if len(codes) > 1:
            choices = _watchable(codes)
            chosen = await self.app.push_screen_wait(PickerScreen("Watch", choices))
            if chosen is None:
                return
            at = next(at for at, choice in enumerate(choices) if choice is chosen)  # names may be alike
            codes = [codes[at - 1]] if at else codes
        from linkdash.screens.statistics.watch import watch_codes  # which opens statistics, too

        await watch_codes(self.services, codes)

    def missing_numbers(self) -> str | None:
        """The reason why there is nothing to be shown as a table."""
        return None

    def do_numbers(self) -> None:
        self.app.push_screen(NumbersWindow(f"{self.subject} in numbers", partial(text, self.report)))

    def do_export(self) -> Flow:
        return offer_export(self, self.codes, self.report, self.panels.current)

    async def do_copy(self) -> None:
        """Offer the links of the codes, and the commands that read the same."""
        codes = [code.code for code in self.codes]
        links = [link for code in codes if (link := as_sent(code).link)]
        choices = [PickerChoice("Link" if len(codes) == 1 else "Links", "\n".join(links))] if links else []
        base_url = self.session.settings.base_url
        choices += await statistics_commands(base_url, [code.id for code in codes], self.period.days)
        await copy_one(self, f"Copy from {self.place.rpartition(' · ')[2]}", choices)

    # ---- panels ----

    def do_zoom(self) -> None:
        self.toggle_class("-zoomed")
        self.call_after_refresh(self.panels.current.scroll_visible, animate=False)

    def do_back(self) -> None:
        """Go back one step: from one panel to all of them, then out of the screen."""
        if self.has_class("-zoomed"):
            self.do_zoom()
        else:
            super().do_back()

    @property
    def scrolled(self) -> Widget:
        """Return what keys scroll: the current panel where it is longer than its room, else all of them."""
        current = self.panels.current.content
        return current if current.max_scroll_y else self.query_one(VerticalScroll)

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
        firsts = [code.readings[0].at for code in self.codes if code.readings]
        kept_since = max(firsts, default=None)  # from then on all of them are told
        self.app.push_screen(DaysScreen(self.own_days, self.reader.now, kept_since), self._look_back)

    def _look_back(self, days: int | None) -> None:
        if days is not None:
            self.period_name, self.own_days = "own", days
            self.paint()

    def do_in_all(self) -> None:
        self.shows_totals = not self.shows_totals
        self.paint()


class NumbersWindow(ViewerScreen):
    """The numbers as tables, which the key that has opened them closes, too; they can be exported."""

    BINDINGS = [
        Binding("v", "dismiss", show=False, id="numbers"),
        Binding("x", "export", "Export", id="export"),
    ]

    def action_export(self) -> None:
        """Close the window, and export from the screen that has opened it."""
        below = self.app.screen_stack[-2]
        self.dismiss()
        if isinstance(below, ChartsScreen):
            self.app.call_later(below.action_do, "export")


def muted(text: str) -> PanelText:
    """Return what a panel says of its counts, its age, its keys; nothing where there is no text."""
    return [Piece(text, Tone.MUTED)] if text else []


def _watchable(codes: Sequence[QrCode]) -> list[PickerChoice]:
    """All of some codes, and each of them, with what a look at them costs."""
    each = [PickerChoice(code.shown_name, "1 request each time") for code in codes]
    whole = PickerChoice(f"All {len(codes)} codes", f"{len(codes)} requests each time")
    return with_keys([whole, *each], others=MOVING)


def _group(code: CodeStatistics) -> str:
    return f"read-{code.code.id}"
