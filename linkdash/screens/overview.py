"""The overview, where the app opens: what changed, what is nearly used up, what there is.

It asks for the account alone. Everything else is from the history, the journal and what is kept of the lists.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, partial
from textwrap import wrap
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from linkdash.api.budget.ledger import HOUR, spending
from linkdash.api.errors import LinkdashError
from linkdash.model.humanize import ATTENTION, LATER, SOON, TimeLeft, ago, counted
from linkdash.model.insight.allowances import NOT_REPORTED, PlanAllowance, allowances, limits_in_words
from linkdash.model.insight.review import WITHIN_A_WEEK, due, expiring, expiry, plan_name, plan_names
from linkdash.model.resources import OVERVIEW, PLACES, Place
from linkdash.model.session import Session
from linkdash.screens.actions import BACK, Action, Need, bindings
from linkdash.screens.allowance_signs import allowance_sign
from linkdash.screens.change_lines import change_pieces, outcome_words
from linkdash.screens.frame_entries import freshness
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.left_over_time import left_over_time
from linkdash.store.alerts import Alert
from linkdash.store.journal import JournalEntry
from linkdash.widgets.charts.budget_history import LeftOverTime, budget_rows
from linkdash.widgets.charts.cell_pictures import (
    TREND_CELLS,
    gauge,
    time_left_pieces,
    trend_pieces,
)
from linkdash.widgets.menu import LineMenu, MenuLine, menu_line
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import LINEAR, Piece, Tone
from linkdash.widgets.themes import style_paths

if TYPE_CHECKING:  # the first picture says what is kept of the account, and is not held up by all else
    from linkdash.api.resources.account import Account
    from linkdash.api.resources.plans import Plan
    from linkdash.api.resources.qr import QrCode
    from linkdash.api.resources.users import User
    from linkdash.model.statistics.code_statistics import StatisticsReader
    from linkdash.model.statistics.period_comparison import Comparison
    from linkdash.model.statistics.scan_activity import Activity, Pulse
    from linkdash.screens.top import TopOrder

SHORT, LONG = 8, 16
"""Lines of a list of codes or changes, where panels stand below one another and where they fill a grid."""
_READ_EVERY = 10.0  # seconds
_ALERTS_EVERY = 60.0  # seconds
DUE, OVER = 20, 3
"""Users who expire that are listed, and how many at most whose time is over; the review has all."""
_PLAN, _LEFT = 12, 11  # cells of a plan and of the time that is left
_NAME = 8  # cells of an allowance's name
_GAUGE = 30  # cells at most
_TWO_COLUMNS = 72  # cells from which on a narrow terminal has two columns
_BUDGET_SECONDS, _BUDGET_ROWS = 1800.0, 5  # of the picture of what was left

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
        do=lambda screen: screen.do_next_panel(),
    ),
    Action(
        "previous-panel",
        "shift+tab,left",
        "Previous panel",
        "Go to the previous panel",
        "Move",
        do=lambda screen: screen.do_previous_panel(),
    ),
    Action(
        "review",
        "V",
        "Review users",
        "Review users: who expires, who is on which plan",
        shown=True,
        do=lambda screen: screen.do_review(),
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
        do=lambda screen: screen.do_export(),
        opens=True,
    ),
    replace(BACK, shown=False),
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
        self.collection = session.collection("account")
        self._pulse: Pulse | None = None
        self._changes: Sequence[JournalEntry] | None = None
        self._plan_id: int | None = None
        self._reading = False
        self._has_read = asyncio.Event()
        """Set when what is kept was read for the first time, or could not be."""
        self._alerts: Sequence[Alert] = ()
        self._unmatched: Sequence[str] = ()
        """Rules of alerts that are about no code, in sentences."""
        self._alerts_at = -_ALERTS_EVERY
        self._due: Sequence[User] | None = None
        """Whose time is over or nearly so; None before it was looked for."""
        self._users_changed = True

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        self.set_class(self._is_paired, "-paired", update=False)  # what is in it is styled with it at once
        with VerticalScroll(id="overview", classes="-without-users", can_focus=False):
            yield Panel(LineMenu(), title="Since yesterday", id="since")
            yield Panel(LineMenu(), title="Requests", id="budget")
            yield Panel(LineMenu(), title="Account and allowances", id="account")
            yield Panel(LineMenu(), title="Totals", id="totals")
            yield Panel(title="Scans a day", id="days")
            yield Panel(LineMenu(), title="Top codes", id="top")
            yield Panel(LineMenu(), title="Changed most", id="moved")
            yield Panel(LineMenu(), title="Expiring users", id="expiring")
            yield Panel(LineMenu(), title="Recent changes", id="changes")

    def on_mount(self) -> None:
        self.query(LineMenu).first().focus(scroll_visible=False)
        self._unwatch.append(self.collection.watch(self._account_changed))
        self.call_after_refresh(self._watch_users)
        self.watch(self.query_one("#overview"), "virtual_size", self._laid_out, init=False)
        self.set_interval(2.0, self.paint)
        self.set_interval(_READ_EVERY, self._read_again)

    def on_screen_resume(self) -> None:
        self.paint()
        self.call_after_refresh(self._ask_and_read)

    def _ask_and_read(self) -> None:
        """Ask and read when what is known has been painted."""
        if self.is_active:
            self.begin(self._ask(), "account")
            self._read_again()

    def on_screen_suspend(self) -> None:
        """The account is not asked for any more in the background, if it was not yet."""
        if not self.is_current and self.collection.listing.loading and self.collection.is_waiting:
            self.workers.cancel_group(self, "flow")

    def _account_changed(self) -> None:
        if self.is_mounted:
            self.paint()
            if self._plan_id is None and self._account is not None and not self._reading:
                self.begin(self._look_for_plan(), "plan")

    def _watch_users(self) -> None:
        """Once the first picture stands, which needs nothing of what is declared of users."""
        self._unwatch.append(self.session.collection("users").watch(self._note_users))

    def _note_users(self) -> None:
        self._users_changed = True

    async def _look_for_plan(self) -> None:
        await self._find_plan()
        self.paint()

    async def _find_plan(self) -> None:
        user = await self.session.own_user()
        self._plan_id = user.planid if user is not None else None

    async def _ask(self) -> None:
        """Ask for the account, when what is kept stands there."""
        await self._has_read.wait()
        try:
            await self.collection.open()
        except LinkdashError as error:
            if self.collection.listing.page is not None:
                self.tell(error)

    # ---- reading what is kept ----

    def _read_again(self) -> None:
        if self.is_active and not self._reading:
            self._reading = True
            self.run_worker(self._read(), group="kept", exit_on_error=False)

    async def _read(self) -> None:
        try:
            await self._read_kept()
        finally:
            self._reading = False
            self._has_read.set()

    @cached_property
    def _reader(self) -> "StatisticsReader":
        from linkdash.model.statistics.code_statistics import StatisticsReader

        return StatisticsReader(self.session)

    async def _read_kept(self) -> None:
        from linkdash.model.statistics.scan_activity import pulse

        session = self.session
        await session.recents.recall()
        for place in PLACES:
            await session.collection(place.id).recall()
        self._changes = await session.kept(session.store.journal.recent(LONG), [])
        self.paint()
        self._pulse = pulse((await self._reader.activities()).values(), most=LONG)
        self.paint()
        await self._shown()
        self._has_read.set()
        await self._read_users_and_alerts()  # of very many users that takes a while
        await self._find_plan()
        self.paint()

    async def _shown(self) -> None:
        """Return when what was painted last stands in the terminal."""
        shown = asyncio.Event()
        if self.call_after_refresh(shown.set):
            await shown.wait()

    async def _read_users_and_alerts(self) -> None:
        """Read who expires soon, where users changed, and now and then which alerts stand."""
        from linkdash.model.insight.alerts import standing_alerts, unmatched

        session, now = self.session, time.monotonic()
        if not self._users_changed and now < self._alerts_at + _ALERTS_EVERY:
            return
        self._users_changed, self._alerts_at = False, now
        users: list[User] = await session.collection("users").known_records()
        self._due = await asyncio.to_thread(due, users, session.local_time())
        self._alerts = await session.kept(standing_alerts(session, users or None), [])
        self._unmatched = await session.kept(unmatched(session), [])

    @property
    def _account(self) -> "Account | None":
        return next(iter(self.collection.records), None)

    @property
    def _plan(self) -> "Plan | None":
        plans = self.session.collections.known("plans")
        return plans.listing.record(self._plan_id) if plans is not None else None

    # ---- painting ----

    def paint(self) -> None:
        """Show what is known by now."""
        if not self.is_active:
            return
        shown = {
            "since": self._since(),
            "budget": self._budget(),
            "account": self._account_lines(),
            "totals": self._totals(),
            "top": self._top(),
            "moved": self._moved(),
            "expiring": self._expiring(),
            "changes": self._change_lines(),
        }
        moved = [self._panel(id).query_one(LineMenu).show(lines) for id, lines in shown.items()]
        if any(moved):
            self._laid_out()
        known = self._pulse
        self._panel("since").say(below=[Piece("from saved data · no request spent", Tone.MUTED)])
        short = self._is_paired
        against = "7 days, 7 before" if short else "last 7 days against the 7 before"
        self._panel("moved").say(above=[Piece(against, Tone.MUTED)])
        by = "by scans" if short else "by scans, with the last 7 days"
        self._panel("top").say(above=[Piece(by, Tone.MUTED)])
        if known is not None and known.codes:
            reach = f"{known.compared:,} of {counted(known.codes, 'code')} can be compared"
            self._panel("moved").say(below=[Piece(reach, Tone.MUTED)])
            self._panel("top").say(below=[Piece(f"{known.codes:,} have a history", Tone.MUTED)])
            if self._is_grid:
                self._show_days(known)
        self._panel("expiring").say(below=self._expiring_counts())
        self.query_one("#overview").set_class(not self._knows_users, "-without-users")
        self.set_class(self._is_paired, "-paired")
        left = f"left, last {_BUDGET_SECONDS / 60:.0f} min"
        self._panel("budget").say(above=[Piece(left, Tone.MUTED)] if self._draws_budget else ())
        self._panel("budget").say(keys=self._hint("budget", "who spent what"))
        self._panel("changes").say(keys=self._hint("journal", "all changes"))

    @property
    def _is_grid(self) -> bool:
        """Return whether panels stand side by side, each with a room of its own."""
        return self.has_class("-roomy") or self.has_class("-wide")

    @property
    def _is_paired(self) -> bool:
        """Return whether panels stand in two columns of a narrow terminal."""
        is_wide_enough = self.app.size.width >= _TWO_COLUMNS and not self.app.has_class(LINEAR)
        return is_wide_enough and self.has_class("-narrow")

    @property
    def _most(self) -> int:
        return LONG if self._is_grid else SHORT

    @property
    def _draws_budget(self) -> bool:
        return self._is_grid and not self.app.has_class(LINEAR)

    def _show_days(self, known: "Pulse") -> None:
        """Draw the days of all codes, where the sidebar tells the totals and there is room."""
        from linkdash.model.statistics.charts import pulse_chart
        from linkdash.widgets.charts.chart import Chart

        has_days = any(day is not None for day in known.days)
        self.query_one("#overview").set_class(has_days, "-with-days")
        if has_days:
            panel = self._panel("days")
            if not panel.children:
                panel.mount(Chart())
            panel.query_one(Chart).show(pulse_chart(known, self._reader.now))
            untold = f"{counted(known.untold, 'code')} not read every day" if known.untold else ""
            below = [Piece(untold, Tone.MUTED)] if untold else ()
            above = [Piece("of all codes, 7 days before and 7 last", Tone.MUTED)]
            panel.say(above=above, below=below)

    def _hint(self, id: str, what: str) -> list[Piece]:
        return [Piece(self.key_of(id), Tone.KEY), Piece(f" {what}", Tone.MUTED)]

    def _panel(self, id: str) -> Panel:
        return self.query_one(f"#{id}", Panel)

    # ---- scans ----

    def _since(self) -> list[MenuLine]:
        known = self._pulse
        if known is None:
            return [self._note("Reading saved data…", self._go("qr"))]
        if not known.codes:
            return [*self._needed(), *self._no_history(), self._audit()]
        lines = [
            self._whole("yesterday", "the day before", known.day),
            self._whole("in the last 7 days", "the 7 days before", known.week),
            *(self._sharp("▼", "fell", known.fell) if known.fell else []),
            *(self._sharp("▲", "rose", known.rose) if known.rose else []),
            *(self._mover(one, one.day, len(one.day.words), " in a day") for one in known.headlines),
        ]
        if not (known.headlines or known.fell or known.rose):
            lines.append(self._note("No code rose or fell by more than usual.", self._go("qr")))
        return [*self._needed(), *lines, self._audit()]

    def _sharp(self, sign: str, verb: str, found: "Sequence[Activity]") -> list[MenuLine]:
        """Return how many codes rose or fell in a week, and which of them most."""
        first, tone = found[0], change_tone(found[0].week)
        left = [
            Piece(f"{sign} ", tone),
            Piece(f"{counted(len(found), 'code')} {verb} sharply", Tone.HERO),
            Piece(f"  {self._called(first.code_id)} ", Tone.MUTED),
            Piece(first.week.words, tone),
        ]
        return [menu_line(left, (), partial(self._open_codes, f"{verb} sharply", found))]

    def _audit(self) -> MenuLine:
        left = [
            Piece(f"{self.key_of('audit')} ", Tone.KEY),
            Piece("audit: what is forgotten or broken", Tone.MUTED),
        ]
        return menu_line(left, (), self._do("audit"))

    def _needed(self) -> list[MenuLine]:
        """Return what needs the user, the most urgent first."""
        mistaken = [
            menu_line([Piece(f"{ATTENTION} ", Tone.WARNING), Piece(text, Tone.WARNING)], (), self._go("qr"))
            for text in self._unmatched
        ]
        alerts = map(self._alert, self._alerts)
        return [*alerts, *self._unknown_changes(), *mistaken, *self._ending_soon()]

    def _alert(self, alert: Alert) -> MenuLine:
        left = [Piece(f"{ATTENTION} ", Tone.WARNING), Piece(alert.message, Tone.WARNING, bold=True)]
        kind, _, id = alert.subject.partition(":")[0].partition(" ")
        go = self._do("budget")
        if kind == "qr" and id.isdecimal():
            go = self._code(int(id))
        elif kind == "user" and id.isdecimal():
            go = self._record("users", int(id))
        return menu_line(left, [Piece(alert.rule, Tone.MUTED)], go)

    def _ending_soon(self) -> list[MenuLine]:
        soon = self._ending_within(SOON)
        if not soon:
            return []
        verb = "expires" if len(soon) == 1 else "expire"
        left = [
            Piece(f"{ATTENTION} ", Tone.WARNING),
            Piece(f"{counted(len(soon), 'user')} {verb} within 7 days", Tone.HERO),
            Piece(f"  {_some([user.username for user in soon])}", Tone.MUTED),
        ]
        key = [Piece(self.key_of("review"), Tone.KEY), Piece(" reviews users", Tone.MUTED)]
        return [menu_line(left, key, partial(self._review, WITHIN_A_WEEK))]

    def _ending_within(self, time: timedelta) -> "list[User]":
        return expiring(self._due or (), self.session.local_time(), time)

    def _unknown_changes(self) -> list[MenuLine]:
        unknown = sum(entry.is_open for entry in self._changes or ())
        if not unknown:
            return []
        text = f"{counted(unknown, 'change')} of unknown outcome"
        left = [Piece("? ", Tone.WARNING), Piece(text, Tone.WARNING, bold=True)]
        return [menu_line(left, (), self._do("journal"))]

    def _whole(self, when: str, against: str, comparison: "Comparison") -> MenuLine:
        if comparison.now is None:
            left = [Piece("– ", Tone.FAINT), Piece(f"Scans {when} are not known yet", Tone.MUTED)]
            return menu_line(left, (), self._go("qr"))
        sign = "= " if not comparison.difference else "▲ " if comparison.difference > 0 else "▼ "
        tone = change_tone(comparison)
        words = f"  {comparison.words} against {against}" if comparison.words else "  not comparable yet"
        left = [
            Piece(sign if comparison.words else "– ", tone),
            Piece(f"{comparison.now} scans {when}", Tone.HERO),
            Piece(words, tone),
        ]
        return menu_line(left, (), self._go("qr"))

    def _mover(self, one: "Activity", comparison: "Comparison", widest: int, when: str = "") -> MenuLine:
        tone, by = change_tone(comparison), comparison.difference
        left = [Piece(f"{comparison.words:>{widest}}  ", tone), Piece(self._called(one.code_id))]
        return menu_line(left, [Piece(f"{by:+,}{when}", tone)], self._code(one.code_id))

    def _top(self) -> list[MenuLine]:
        known = self._pulse
        if known is None or not known.top:
            return self._no_history() if known is not None else [self._note("…", self._go("qr"))]
        shown = known.top[: self._most]
        scans, change = (max(map(len, texts)) for texts in zip(*map(_scans_and_change, shown), strict=True))
        return [self._top_line(rank, one, (scans, change)) for rank, one in enumerate(shown, 1)]

    def _top_line(self, rank: int, one: "Activity", widths: tuple[int, int]) -> MenuLine:
        tone, (scans, change) = change_tone(one.week), widths
        trend = () if one.trend is None or self._is_paired else trend_pieces(one.trend, TREND_CELLS)
        right = [
            Piece(f"{one.scans:>{scans},}", Tone.HERO),
            Piece(f" {one.week.words:>{change}}", tone),
            *([Piece(" "), *trend] if trend else []),
        ]
        place = "" if self._is_paired else f"{rank:>{len(str(self._most))}} "
        left = [Piece(place, Tone.FAINT), Piece(self._called(one.code_id))]
        return menu_line(left, right, self._code(one.code_id))

    def _moved(self) -> list[MenuLine]:
        known = self._pulse
        if known is None or not known.codes:
            return self._no_history() if known is not None else [self._note("…", self._go("qr"))]
        if not known.compared:
            text = "Two weeks of history are needed to say what rose and fell."
            return [self._note(text, self._go("qr"))]
        if not known.changed:
            return [self._note("No code was scanned more or less than the week before.", self._go("qr"))]
        shown = known.changed[: self._most]
        widest = max(len(one.week.words) for one in shown)
        return [self._mover(one, one.week, widest) for one in shown]

    def _no_history(self) -> list[MenuLine]:
        key = self.key_of("go-qr")
        texts = ("No scans are known yet.", f"Press {key} to load QR codes: every list is kept as history.")
        return [self._note(text, self._go("qr")) for text in texts]

    def _called(self, code_id: int) -> str:
        code = self._code_record(code_id)
        return code.name if code is not None and code.name else f"QR code {code_id}"

    def _code_record(self, code_id: int) -> "QrCode | None":
        codes = self.session.collections.known("qr")
        return codes.listing.record(code_id) if codes is not None else None

    # ---- users ----

    @property
    def _knows_users(self) -> bool:
        users = self.session.collections.known("users")
        return users is not None and users.listing.page is not None

    def _expiring(self) -> list[MenuLine]:
        if not self._due:
            words = "…" if self._due is None else "No user expires within 30 days."
            return [self._note(words, self.do_review)]
        plans = self.session.collections.known("plans")
        names = plan_names(plans.records) if plans is not None else {}
        over = len(self._due) - len(self._ending_within(LATER))
        shown = [*self._due[:over][:OVER], *self._due[over:]]
        return [self._expiring_line(user, names) for user in shown[:DUE]]

    def _expiring_line(self, user: "User", names: Mapping[int, str]) -> MenuLine:
        left = TimeLeft(None if user.expires is None else user.expires - self.session.local_time())
        right = [
            Piece(f"{plan_name(user.planid, names)[:_PLAN]:<{_PLAN}} ", Tone.MUTED),
            *time_left_pieces(left, _LEFT),
        ]
        return menu_line([Piece(user.username)], right, self._record("users", user.id))

    def _expiring_counts(self) -> list[Piece]:
        if self._due is None:
            return []
        week, month = len(self._ending_within(SOON)), len(self._ending_within(LATER))
        between = Piece(" · ", Tone.FAINT)
        return [
            *(Piece(f"{len(self._due) - month:,} expired", Tone.BAD), between),
            *(Piece(f"{week:,} in 7 days", Tone.WARNING), between),
            Piece(f"{month:,} in 30", Tone.MUTED),
        ]

    # ---- account, totals, changes, budget ----

    def _account_lines(self) -> list[MenuLine]:
        account, listing = self._account, self.collection.listing
        if account is None:
            said: tuple[str, ...] = ("Asking for the account…",)
            if listing.error is not None:
                again = f"{self.key_of('refresh')} tries again."
                width = max(20, self.query_one("#account").size.width - 2)
                told = (listing.error.what, again, listing.error.advice)
                said = tuple(line for sentence in told for line in wrap(sentence, width))
            return [self._note(text, self._go("account")) for text in said]
        ends = expiry(account.expires, self.session.local_time())
        tone = Tone.BAD if ends.is_over else Tone.WARNING if ends.is_soon else Tone.MUTED
        plan = self._plan
        left = [Piece(account.username, Tone.HERO), Piece(f"  {account.status}", Tone.ICON)]
        if plan is not None:  # the header says whose it is
            left = [Piece(plan.name, Tone.BRAND)]
        first = menu_line(left, [Piece(f"{ends.sign}{ends.words}", tone)], self._go("account"))
        if plan is None:
            users, plans = self.key_of("go-users"), self.key_of("go-plans")
            return [
                first,
                self._note("The plan is not known: only the list of users shows it.", self._go("users")),
                self._note(f"With an admin's key, press {plans} and {users} to load it.", self._go("plans")),
            ]
        counts = {place.id: self._total(place.id) for place in PLACES}
        found = allowances(plan, counts)
        widest = max((len(_use(one)) for one in found if one.share is not None), default=0)
        gauges = [self._allowance(one, widest) for one in found if one.resource]
        return [first, *gauges, *self._not_reported([one for one in found if not one.resource])]

    def _not_reported(self, found: Sequence[PlanAllowance]) -> list[MenuLine]:
        """The allowances of what the service does not count, in one line."""
        if not found:
            return []
        left = [Piece(limits_in_words(found), Tone.MUTED), Piece(f"  {NOT_REPORTED}", Tone.FAINT)]
        return [menu_line(left, (), self._go("plans"))]

    def _allowance(self, one: PlanAllowance, widest: int) -> MenuLine:
        go = self._go(one.resource or "plans")
        name = Piece(f"{one.name:<{_NAME}} ", Tone.MUTED)
        if one.share is None:
            missing = self._how_to_know(one)
            right = [Piece(_use(one))]
            return menu_line([name, Piece(missing, Tone.FAINT)], right, go)
        sign, tone = allowance_sign(one)
        share = f"{one.share * 100:,.0f} %"
        right = [Piece(f"{_use(one):>{widest}}"), Piece(f"{sign:>2}{share:>5}", tone)]
        used, limit = one.used or 0, one.limit

        def left(width: int) -> list[Piece]:
            heavy, light = gauge(used, limit, max(0, min(_GAUGE, width - _NAME - 2)))
            return [name, Piece(heavy, tone), Piece(light, Tone.FAINT)]

        return MenuLine(left, right, go)

    def _how_to_know(self, one: PlanAllowance) -> str:
        if one.used is not None:
            return f"{one.used:,} used"
        return f"{self.key_of(f'go-{one.resource}')} loads what is used"

    def _totals(self) -> list[MenuLine]:
        return [self._total_line(place) for place in PLACES if place.id != "account"]

    def _total(self, id: str) -> int | None:
        known = self.session.collections.known(id)
        return None if known is None or known.listing.page is None else known.listing.total

    def _total_line(self, place: Place) -> MenuLine:
        known = self.session.collections.known(place.id)
        sign = freshness(known)
        left = [Piece(f"{sign.sign} ", sign.tone), Piece(place.title)]
        age = known.listing.age(self.session.now()) if known is not None else None
        if known is None or age is None:
            how = f"press {self.key_of(f'go-{place.id}')} to load"
            return menu_line(left, [Piece(how, Tone.FAINT)], self._go(place.id))
        total = known.listing.total
        count = f"{len(known.listing.loaded_rows()):,} loaded" if total is None else f"{total:,}"
        right = [Piece(f"{count:>9}", Tone.HERO), Piece(f"{ago(age):>12}", Tone.MUTED)]
        return menu_line(left, right, self._go(place.id))

    def _change_lines(self) -> list[MenuLine]:
        if not self._changes:
            text = "Nothing was changed from here yet." if self._changes is not None else "…"
            return [self._note(text, self._do("journal"))]
        widest = max(len(outcome_words(entry)) for entry in self._changes)
        return [self._change(entry, widest) for entry in self._changes[: self._most]]

    def _change(self, entry: JournalEntry, widest: int) -> MenuLine:
        outcome = widest + 4 if self.has_class("-wide") else 0
        left = change_pieces(entry, self.session.local_time().date(), outcome)
        return menu_line(left, (), self._do("journal"))

    def _budget(self) -> list[MenuLine]:
        gate, clock, go = self.session.gate, time.monotonic(), self._do("budget")
        total = spending(gate.ledger.entries(clock, HOUR))
        spent = f"{counted(total.cost, 'request')} by this run in 1 h"
        refused = [Piece(f", {total.refused} refused", Tone.WARNING)] if total.refused else []
        kept = left_over_time(gate, clock, _BUDGET_SECONDS) if self._draws_budget else None
        return [
            menu_line([Piece(spent, Tone.MUTED), *refused], (), go),
            *(MenuLine(partial(_budget_row, kept, row), (), go) for row in range(_BUDGET_ROWS) if kept),
        ]

    # ---- ways in ----

    def _note(self, text: str, open: Callable[[], object]) -> MenuLine:
        return menu_line([Piece(text, Tone.MUTED)], (), open)

    def _go(self, place: str) -> Callable[[], object]:
        return lambda: self.app.call_later(self.services.action_go, place)

    def _do(self, id: str) -> Callable[[], object]:
        return lambda: self.services.action_do(id)

    def _record(self, resource: str, id: int) -> Callable[[], object]:
        return lambda: self.services.go_to_record(resource, id)

    def _review(self, wanted: str) -> None:
        from linkdash.screens.review import ReviewScreen

        self.app.push_screen(ReviewScreen(self.session, wanted))

    def _code(self, code_id: int) -> Callable[[], object]:
        return partial(self._open_code, code_id)

    def _open_code(self, code_id: int) -> None:
        from linkdash.screens.statistics import StatisticsScreen

        self.app.push_screen(StatisticsScreen(self.session, self._code_or_its_id(code_id)))

    def _code_or_its_id(self, code_id: int) -> "QrCode":
        """Return a code as far as it is loaded; what asks for it learns the rest."""
        from linkdash.api.resources.qr import QrCode

        return self._code_record(code_id) or QrCode(id=code_id)

    def _open_codes(self, found: str, activities: "Sequence[Activity]") -> None:
        """List the codes that rose or fell, those first that did so most."""
        from linkdash.screens.top import TopScreen

        if len(activities) == 1:
            self._open_code(activities[0].code_id)
            return
        codes = [self._code_or_its_id(one.code_id) for one in activities]
        order: TopOrder = "growth" if activities[0].week.difference > 0 else "fall"
        self.app.push_screen(TopScreen(self.session, codes, None, found=found, order=order))

    # ---- actions ----

    @property
    def _menu(self) -> LineMenu | None:
        return self.focused if isinstance(self.focused, LineMenu) else None

    def missing_line(self) -> str | None:
        if self._menu is not None and self._menu.line is not None:
            return None
        return f"No line is chosen; {self.key_of('next-panel')} goes to the next panel."

    def do_open(self) -> None:
        if self._menu is not None and self._menu.line is not None:
            self._menu.line.open()

    def do_next_panel(self) -> None:
        self._step(1)

    def do_previous_panel(self) -> None:
        self._step(-1)

    def _step(self, by: int, *, into: int = 1) -> None:
        menus = [
            menu for menu in self.query(LineMenu) if all(one.display for one in menu.ancestors_with_self)
        ]
        here = menus.index(self._menu) if self._menu is not None else -by
        menus[(here + by) % len(menus)].enter(into)

    def do_review(self) -> None:
        self._review("")

    def do_refresh(self) -> None:
        if self.collection.listing.loading:
            self.say("The account is already loading.")
        else:
            self.begin(self.collection.read(self.collection.listing.wanted), "account")
        self._read_again()

    async def do_export(self) -> None:
        """Offer a report of every code that anything is kept of; without any, it says what to do."""
        from linkdash.model.statistics.period_comparison import period
        from linkdash.model.statistics.report.from_history import kept_report
        from linkdash.screens import export
        from linkdash.screens.charts_screen import report_exports

        ids = sorted(await self._reader.activities())
        if not ids:
            self.say(f"No statistics are kept yet; {self.key_of('go-qr')} opens the codes.")
            return
        codes = [self._code_or_its_id(id) for id in ids]
        made = await kept_report(self.session, codes, period("week", self._reader.now))
        await export.offer(self, f"qr-{made.at:%Y-%m-%d}", report_exports(made), panel=self._panel_here)

    @property
    def _panel_here(self) -> Panel | None:
        """The panel that the user is at."""
        here = self._menu.ancestors if self._menu is not None else ()
        return next((one for one in here if isinstance(one, Panel)), None)

    def do_back(self) -> None:
        self.say_it_is_the_first()

    @on(LineMenu.Opened)
    def _clicked(self) -> None:
        self.action_do("open")

    @on(LineMenu.Left)
    def _over_the_end(self, message: LineMenu.Left) -> None:
        self._step(message.by, into=message.by)

    def on_resize(self) -> None:
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        """Another size has room for more, or for less."""
        if self.is_active:
            self.paint()
            self._bring_into_sight()

    def _laid_out(self) -> None:
        """Panels are higher or lower, so that the line under the cursor stands elsewhere."""
        self.call_after_refresh(self._bring_into_sight)

    @on(LineMenu.Moved)
    def _bring_into_sight(self) -> None:
        if self._menu is not None:
            self._menu.bring_into_sight(self.query_one("#overview"))


def _scans_and_change(one: "Activity") -> tuple[str, str]:
    return f"{one.scans:,}", one.week.words


def _use(one: PlanAllowance) -> str:
    return f"{one.limit:,} in the plan" if one.share is None else f"{one.used:,} of {one.limit:,}"


def _some(names: Sequence[str]) -> str:
    """`hugo.obrien, soren.keller and 26 more`"""
    rest = len(names) - 2
    return ", ".join(names[:2]) + (f" and {rest:,} more" if rest > 0 else "")


def _budget_row(kept: LeftOverTime, row: int, width: int) -> list[Piece]:
    """A row of the picture of what was left."""
    return budget_rows(kept, width, _BUDGET_ROWS)[row]


def change_tone(comparison: "Comparison") -> Tone:
    """The color of a change: muted unless it is more than noise."""
    if not comparison.is_telling:
        return Tone.MUTED
    return Tone.GOOD if comparison.difference > 0 else Tone.BAD
