"""The overview, where the app opens: what changed, what is nearly used up, what there is."""

import asyncio
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.geometry import Region
from textual.screen import Screen

from linkdash.api.errors import LinkdashError
from linkdash.model.declaration import declaration
from linkdash.model.humanize import counted
from linkdash.model.insight.overview import Overview
from linkdash.model.resources import OVERVIEW
from linkdash.model.session import Session
from linkdash.screens.actions import BACK, Action, Need, bindings
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.insight.overview_lines import (
    OverviewLines,
    ToAction,
    ToCode,
    ToFinding,
    ToPlace,
    ToRecord,
)
from linkdash.widgets.frame.sizes import WIDE
from linkdash.widgets.menu import LineMenu
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.themes import style_paths

if TYPE_CHECKING:  # the first picture says what is kept of the account, and is not held up by all else
    from linkdash.model.statistics.scan_activity import Pulse

_READ_EVERY, _TICK = 10.0, 2.0  # seconds

LINE: Need["OverviewScreen"] = Need(lambda screen: screen.missing_line(), is_record=True)
OVERVIEW_ACTIONS: tuple[Action["OverviewScreen"], ...] = (
    Action(
        "open",
        "enter",
        "Open",
        "Open what the line is about",
        shown=True,
        needs=(LINE,),
        do=lambda screen: screen.do_open(),
    ),
    Action(
        "next-panel",
        "tab,right",
        "Next panel",
        "Go to the next panel",
        "Move",
        shown=True,
        do=lambda screen: screen.step(1),
    ),
    Action(
        "previous-panel",
        "shift+tab,left",
        "Previous panel",
        "Go to the previous panel",
        "Move",
        do=lambda screen: screen.step(-1),
    ),
    Action(
        "refresh",
        "r",
        "Refresh",
        "Reload the account",
        cost="1 request",
        shown=True,
        do=lambda screen: screen.do_refresh(),
    ),
    Action(
        "export",
        "x",
        "Export",
        "A report of all codes over the last 7 days, to a file or the clipboard",
        shown=True,
        do=lambda screen: screen.do_export(),
        opens=True,
        words="download save html",
    ),
    BACK,
)


class OverviewScreen(HostScreen):
    """The overview of what is known, as answers; nothing but the account is asked for."""

    TITLE = OVERVIEW.title
    ACTIONS = OVERVIEW_ACTIONS
    BINDINGS = bindings(OVERVIEW_ACTIONS)
    CSS_PATH = [*style_paths("chart", "key_line", "message_line", "overview", "progress_line", "status_bar")]
    place_id = OVERVIEW.id

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.known = Overview(session)
        self.collection = self.known.collection
        self._reading = False
        self._followed = Region()
        """The region of the line that was scrolled to last, within the panels."""
        self._has_read = asyncio.Event()
        """Set when what is kept was read for the first time, or could not be."""

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        with VerticalScroll(id="overview", can_focus=False), Container(id="panels", classes="-without-users"):
            yield Panel(LineMenu(), title="What changed", id="since")
            yield Panel(LineMenu(), title="Requests", id="budget")
            yield Panel(LineMenu(), title="Account and allowances", id="account")
            yield Panel(title="Scans a day", id="days")
            yield Panel(LineMenu(), title="Top codes", id="top")
            yield Panel(LineMenu(), title="Changed most", id="moved")
            yield Panel(LineMenu(), title="Expiring users", id="expiring")
            yield Panel(LineMenu(), title="Recent changes", id="changes")
            yield Panel(LineMenu(), title="Totals", id="totals")

    def on_mount(self) -> None:
        self.query(LineMenu).first().focus(scroll_visible=False)
        self._unwatch.append(self.collection.watch(self._account_changed))
        self.screen_layout_refresh_signal.subscribe(self, self._follow_cursor)
        self.set_interval(_TICK, self._paint_budget)
        self.set_interval(_READ_EVERY, self._read_again)

    def arrive(self) -> None:
        self.query(LineMenu).first().enter(1)

    def on_screen_resume(self) -> None:
        self.paint()
        self.call_after_refresh(self._ask_and_read)

    def _ask_and_read(self) -> None:
        """Ask and read when what is known has been painted."""
        if self.is_active:
            self.begin(self._ask(), "account")
            self.begin(self._look_for_jobs(), "jobs")
            self._read_again()

    def on_screen_suspend(self) -> None:
        """The account is not asked for any more in the background, if it was not yet."""
        if not self.is_current and self.collection.listing.loading and self.collection.is_waiting:
            self.workers.cancel_group(self, "flow")

    def _account_changed(self) -> None:
        if self.is_mounted:
            self.paint()
            if self.known.plan is None and self.known.account is not None and not self._reading:
                self.begin(self._look_for_plan(), "plan")

    def _note_users(self) -> None:
        self.known.users_changed = True

    async def _look_for_plan(self) -> None:
        await self.known.find_plan()
        self.paint()

    async def _look_for_jobs(self) -> None:
        await self.known.read_jobs()
        self.paint()

    async def _ask(self) -> None:
        """Ask for the account, when what is kept stands there."""
        await self._has_read.wait()
        try:
            await self.collection.open()
        except LinkdashError as error:
            if self.collection.listing.page is not None:
                self.tell(error)

    def _read_again(self) -> None:
        if self.is_active and not self._reading:
            self._reading = True
            self.run_worker(self._read(), group="kept", exit_on_error=False)

    async def _read(self) -> None:
        """Read what is kept, and show it; each part of it as it comes, while there is nothing else to see."""
        is_first = not self._has_read.is_set()
        try:
            await self.known.read_lists(self.services.type_ahead.rest)
            if is_first:
                self._unwatch.append(self.session.collection("users").watch(self._note_users))
                self.paint()
            await self.known.read_scans()
            if is_first:
                self.paint()
                await self._shown()
                self._has_read.set()
            await self.known.read_users_and_alerts()  # of very many users that takes a while
            await self.known.find_plan()
            self.paint()
        finally:
            self._reading = False
            self._has_read.set()

    async def _shown(self) -> None:
        """Return when what was painted last stands in the terminal."""
        shown = asyncio.Event()
        if self.call_after_refresh(shown.set):
            await shown.wait()

    # ---- painting ----

    def paint(self) -> None:
        """Show what is known by now."""
        if not self.is_active:
            return
        lines = self._lines()
        shown = {
            "since": lines.since(),
            "budget": lines.budget(),
            "account": lines.account(),
            "totals": lines.totals(),
            "top": lines.top(),
            "moved": lines.moved(),
            "expiring": lines.expiring(),
            "changes": lines.changes(),
        }
        for id, found in shown.items():
            self._panel(id).query_one(LineMenu).show(found, most=lines.most_of(id))
        self._frame_panels(lines)
        self.query_one("#panels").set_class(not self.known.knows_users, "-without-users")

    def _paint_budget(self) -> None:
        """Show the budget as it is now: all else changes only where it is read again."""
        if self.is_active:
            self._panel("budget").query_one(LineMenu).show(self._lines().budget())

    def _lines(self) -> OverviewLines:
        """Return what makes the lines, for the room that is here now."""
        account_width = self.query_one("#account").size.width
        return OverviewLines(self.known, self.key_of, self.app.size.width >= WIDE, account_width)

    def _frame_panels(self, lines: OverviewLines) -> None:
        """Say in the frames what the panels are of."""
        self._panel("since").say(below=[Piece("from saved data · no request spent", Tone.MUTED)])
        has_none = self.known.first_day is not None
        title, against = "Changed most", "in 7 days"
        if has_none:
            title, against = "Scans since made", ""
        self._panel("moved").say(title, above=[Piece(against, Tone.MUTED)] if against else ())
        of = "last 7 days" if lines.has_weeks else "of all time"
        self._panel("top").say(above=[Piece(of, Tone.MUTED)])
        known = self.known.pulse
        if known is not None and known.codes:
            reach = f"{known.compared:,} of {counted(known.codes, 'code')} can be compared"
            self._panel("moved").say(below=[Piece(reach, Tone.MUTED)])
            self._panel("top").say(below=[Piece(f"{known.codes:,} have a history", Tone.MUTED)])
            if lines.is_wide:
                self._show_days(known)
        self._panel("expiring").say(below=lines.expiring_counts())
        self._panel("budget").say(keys=self.key_hint("budget", "opens it"))
        self._panel("changes").say(keys=self.key_hint("journal", "all changes"))

    def _show_days(self, known: "Pulse") -> None:
        """Draw the days of all codes, where the sidebar tells the totals and there is room."""
        from linkdash.model.statistics.charts import pulse_chart
        from linkdash.widgets.charts.chart import Chart

        has_days = any(day is not None for day in known.days)
        self.query_one("#panels").set_class(has_days, "-with-days")
        if has_days:
            panel = self._panel("days")
            if not panel.children:
                panel.mount(Chart())
            panel.query_one(Chart).show(pulse_chart(known, self.known.statistics.now))
            untold = f"{counted(known.untold, 'code')} not read every day" if known.untold else ""
            below = [Piece(untold, Tone.MUTED)] if untold else ()
            above = [Piece("all codes, 14 days", Tone.MUTED)]
            panel.say(above=above, below=below)

    def _panel(self, id: str) -> Panel:
        return self.query_one(f"#{id}", Panel)

    # ---- actions ----

    @property
    def _menu(self) -> LineMenu | None:
        return self.focused if isinstance(self.focused, LineMenu) else None

    def missing_line(self) -> str | None:
        if self._menu is not None and self._menu.line is not None:
            return None
        return f"No line is chosen; {self.key_of('next-panel')} goes to the next panel."

    def do_open(self) -> None:
        if self._menu is None or self._menu.line is None:
            return
        match self._menu.line.target:
            case ToPlace(id):
                self.app.call_later(self.services.navigation.go_by_key, id)
            case ToAction(id):
                self.services.action_do(id)
            case ToRecord(resource, id):
                self.services.navigation.go_to_record(resource, id)
            case ToCode(id):
                self._open_code(id)
            case ToFinding(resource, name):
                found = next(one for one in declaration(resource).findings if one.name == name)
                self.services.navigation.go_to_view(resource, found)

    def _open_code(self, id: int) -> None:
        from linkdash.screens.statistics.statistics import StatisticsScreen

        self.app.push_screen(StatisticsScreen(self.session, self.known.code(id)))

    def step(self, by: int, *, into: int = 1) -> None:
        """Go to the panel after this one, or before it; onto its first line, or its last."""
        menus = [
            menu for menu in self.query(LineMenu) if all(one.display for one in menu.ancestors_with_self)
        ]
        here = menus.index(self._menu) if self._menu is not None else -by
        menus[(here + by) % len(menus)].enter(into)

    async def do_refresh(self) -> None:
        """Ask for the account, and read again what is kept of everything else."""
        self._read_again()
        if not self._has_read.is_set():
            self.say("Saved data is still being read: try again in a moment.")
        elif self.collection.listing.loading:
            self.say("The account is already loading.")
        else:
            self.say("Loading the account…")
            await self.collection.read(self.collection.listing.wanted)
            self.done("A list is refreshed where it is shown.", "Account refreshed")

    async def do_export(self) -> None:
        """Offer a report of every code that anything is kept of; without any, it says what to do."""
        from linkdash.model.statistics.period import period
        from linkdash.model.statistics.report.from_history import kept_report
        from linkdash.screens import export
        from linkdash.screens.statistics.statistics_exports import report_exports

        ids = sorted(await self.known.statistics.activities())
        if not ids:
            self.say(f"No statistics are kept yet; {self.key_of('go-qr')} opens the codes.")
            return
        codes = [self.known.code(id) for id in ids]
        made = await kept_report(self.session, codes, period("week", self.known.statistics.now))
        await export.offer(
            self,
            made.file_stem,
            report_exports(made, self.session.settings.profile),
            panel=self._panel_here,
        )

    @property
    def _panel_here(self) -> Panel | None:
        """The panel that the user is at."""
        here = self._menu.ancestors if self._menu is not None else ()
        return next((one for one in here if isinstance(one, Panel)), None)

    @property
    def has_way_back(self) -> bool:
        return self.was_led_to

    def do_back(self) -> None:
        self.leave_place()

    @on(LineMenu.Left)
    def _over_the_end(self, message: LineMenu.Left) -> None:
        self.step(message.by, into=message.by)

    def on_resize(self) -> None:
        """Have the panels laid out first: what stands in them is written for the cells they have then."""
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        """Another size has room for more, or for less."""
        if self.is_active:
            self.paint()
            self._bring_into_sight()

    def _follow_cursor(self, _screen: Screen[None]) -> None:
        """Scroll to the line under the cursor where a layout has put it elsewhere, as panels that grow do."""
        if self._menu is not None and self._menu.cursor_region != self._followed:
            self._bring_into_sight()

    @on(LineMenu.Moved)
    def _bring_into_sight(self) -> None:
        if self._menu is not None:
            self._followed = self._menu.cursor_region
            self._menu.bring_into_sight(self.query_one("#overview"))
