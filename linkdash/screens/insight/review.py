"""The review of users, for admins: who expires, who is on which plan. Looking costs nothing."""

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll

from linkdash.api import fields
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.users import User
from linkdash.model.document.html import page
from linkdash.model.humanize import ATTENTION, counted, file_words, shortened
from linkdash.model.insight.review import (
    AFTER_WEEKS,
    Finding,
    Kind,
    later,
    left_shown,
    plan_name,
    plan_names,
    review,
)
from linkdash.model.insight.review_document import review_blocks
from linkdash.model.lists.columns import Column, alike, drawn_value, told_once
from linkdash.model.lists.computed_columns import plan_beside
from linkdash.model.lists.export import Export, records_csv, records_json
from linkdash.model.lists.loaded_pages import AT_ONCE, State
from linkdash.model.lists.rows import MappedSequence
from linkdash.model.local_time import local_moment
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.resources.users import RESOURCE
from linkdash.model.session import Session
from linkdash.screens import export
from linkdash.screens.actions import BACK, WRITING, Action, Flow, Need, bindings
from linkdash.screens.host_screen import HostScreen
from linkdash.widgets.charts.ranked_bars import BAR, bar_length
from linkdash.widgets.frame.state_panel import StatePanel
from linkdash.widgets.menu import LineMenu, MenuLine, menu_line
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone, fit_text
from linkdash.widgets.table.record_table import RecordTable

USERS: Need["ReviewScreen"] = Need(lambda screen: screen.missing_users())
KNOWN: Need["ReviewScreen"] = Need(lambda screen: screen.missing_user())
REVIEW_ACTIONS: tuple[Action["ReviewScreen"], ...] = (
    Action(
        "open",
        "enter",
        "Open",
        "Go to the users of the finding, and from there to a user in the list",
        shown=True,
        needs=(USERS,),
        do=lambda screen: screen.do_open(),
    ),
    Action(
        "assign",
        "a",
        "Subscribe",
        "Subscribe the user under the cursor to a plan, and come back",
        "Change",
        "1 request",
        shown=True,
        needs=(WRITING, USERS),
        do=lambda screen: screen.do_assign(),
        opens=True,
        words="upgrade downgrade change plan",
    ),
    Action(
        "undo",
        "u",
        "Undo",
        "Undo the last subscription of the user under the cursor, after a preview, and come back",
        "Change",
        "1 request",
        needs=(WRITING, KNOWN),
        do=lambda screen: screen.do_undo(),
        opens=True,
    ),
    Action(
        "refresh",
        "r",
        "Refresh",
        "Ask the service for the users again",
        cost="1 request",
        do=lambda screen: screen.do_refresh(),
    ),
    Action(
        "select-users",
        "*",
        "Select",
        "Select all users of the finding in the list, to subscribe or delete them there",
        "Change",
        shown=True,
        needs=(USERS,),
        do=lambda screen: screen.do_select_users(),
    ),
    Action(
        "other-side",
        "tab,shift+tab",
        "Next",
        "Go from the groups to their users, and back",
        "Move",
        shown=True,
        do=lambda screen: screen.do_other_side(),
    ),
    Action(
        "export",
        "x",
        "Export",
        "Export the review as HTML, or the users of the finding as CSV or JSON",
        shown=True,
        needs=(USERS,),
        do=lambda screen: screen.do_export(),
        opens=True,
    ),
    Action(
        "follow",
        "f",
        "Plan",
        "Go to the plan of the user under the cursor",
        "Move",
        shown=True,
        needs=(USERS,),
        do=lambda screen: screen.do_follow(),
        opens=True,
    ),
    Action(
        "one-plan",
        "p",
        "One plan",
        "Show only the users of one plan, then of the next, then all again",
        do=lambda screen: screen.do_one_plan(),
    ),
    BACK,
)

_TITLE_CELLS = 40


_PANELS: Mapping[Kind, str] = {
    "finding": "Findings",
    "week": "Expiring by week",
    "status": "By status",
    "plan": "By plan",
}
"""The kinds with a panel of their own, and its title."""
_LABEL = 11  # cells
_FEWEST_WEEKS, _MOST_WEEKS = 4, 26  # as many as there is room for, between these
_SOON = 5  # weeks whose users stand out: those that a month reaches into


@dataclass(frozen=True)
class UserRow:
    """A user as the table of a finding shows it."""

    user: User
    username: str
    plan: str
    left: object
    status: str | None
    until: object
    email: str


class ReviewScreen(HostScreen):
    """Findings on the left, and charts of when and where; the users of the line under the cursor beside."""

    TITLE = "Users · review"
    place_id = "users"
    ACTIONS = REVIEW_ACTIONS
    BINDINGS = bindings(REVIEW_ACTIONS)
    user_columns = (
        Column[UserRow]("username", "Username", fields.Kind.TEXT, 12, grow=True, essential=True),
        Column[UserRow]("left", "Left", fields.Kind.TEXT, 11, align="right", essential=True),
        Column[UserRow]("plan", "Plan", fields.Kind.TEXT, 10),
        Column[UserRow]("status", "Class", fields.Kind.TEXT, 6),
        Column[UserRow]("until", "Until", fields.Kind.MOMENT, 10),
        Column[UserRow]("email", "E-mail", fields.Kind.EMAIL, 18, grow=True),
    )

    def __init__(
        self, session: Session, wanted: str = "", user_id: int | None = None, *, in_users: bool = False
    ) -> None:
        """The cursor begins on the finding with the title `wanted`, or the first; and there on this user.

        With `in_users` it begins among the users of the finding.
        """
        super().__init__(session)
        self._begins_in_users = in_users
        self._wanted, self._wanted_user = wanted, user_id
        self._changed_last = user_id
        """The user whose change has led back here, who may be in the finding no more."""
        self._users = session.collection_of(RESOURCE)
        self._plans = session.collection_of(PLANS)
        self._kind: Kind = "finding"
        """Which lines are gone through."""
        self._known: Sequence[User] = ()
        self._offered: Sequence[Plan] = ()
        self._plan = ""
        """The name of the plan whose users alone are shown, if any."""
        self._found: Sequence[Finding[User]] = ()
        self._later: Finding[User] = Finding(AFTER_WEEKS, ())
        self._findings: dict[Kind, Sequence[Finding[User]]] = dict.fromkeys(_PANELS, ())
        self._listed = ""
        """The title of the users that the table has the widths of."""

    @property
    def place(self) -> str:
        return "Users · review"

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        with Container(id="review"):
            with VerticalScroll(id="found", can_focus=False):
                for kind, title in _PANELS.items():
                    yield Panel(LineMenu(id=f"{kind}-lines"), title=title, id=kind)
            users = RecordTable(self.user_columns, key=_user_key, id="records")
            yield Panel(users, StatePanel(), title="Users", id="list")

    def on_mount(self) -> None:
        self._unwatch += [self._users.watch(self._read_again), self._plans.watch(self._read_again)]
        self.query_one(StatePanel).display = False
        self.menu.focus()
        self.screen_layout_refresh_signal.subscribe(self, lambda _: self._laid_out())

    @property
    def menu(self) -> LineMenu:
        """The lines that were gone through last."""
        return self.query_one(f"#{self._kind}-lines", LineMenu)

    @property
    def table(self) -> RecordTable[UserRow]:
        """The table of the users of a finding."""
        return self.query_one("#records", RecordTable)

    @property
    def finding(self) -> Finding[User] | None:
        """The finding under the cursor."""
        found = self._findings[self._kind]
        return found[self.menu.cursor] if self.menu.cursor < len(found) else None

    @property
    def users(self) -> Sequence[User]:
        """The users of the finding, of one plan where that is wanted."""
        found = self.finding.users if self.finding is not None else ()
        return [user for user in found if self._plan_of(user) == self._plan] if self._plan else found

    def _plan_of(self, user: User) -> str:
        return plan_name(user.planid, plan_names(self._offered))

    @property
    def _title(self) -> str:
        title = shortened(self.finding.title, _TITLE_CELLS) if self.finding is not None else "users"
        return f"{title} · {self._plan}" if self._plan else title

    @property
    def age(self) -> float | None:
        return self._users.listing.age(self.session.now())

    # ---- reading ----

    def on_screen_resume(self) -> None:
        self._read_again()

    def _laid_out(self) -> None:
        """Show as many weeks as there is room for now."""
        if self._found and self._weeks() != self._findings["week"]:
            self._paint()

    def _read_again(self) -> None:
        if self.is_active:
            self.run_worker(self._read(), group="read", exclusive=True, exit_on_error=False)

    async def _read(self) -> None:
        """Look through what is loaded, or was kept of an earlier run."""
        self._known = await self._users.known_records()
        self._offered = await self._plans.known_records()
        now = self.session.local_time()
        self._found = await asyncio.to_thread(review, self._known, self._offered, now, _MOST_WEEKS)
        self._later = await asyncio.to_thread(later, self._known, now, _MOST_WEEKS)
        self._paint()

    # ---- painting ----

    def _paint(self) -> None:
        panel, known = self.query_one(StatePanel), bool(self._known)
        panel.display, self.table.display = not known, known
        self._findings = {kind: [one for one in self._found if one.kind == kind] for kind in _PANELS}
        self._findings["week"] = self._weeks()
        self.query_one("#found").display = known
        untold = f"{self._untold():,} later" if self._untold() else ""
        self.query_one("#week", Panel).say(below=[Piece(untold, Tone.MUTED)] if untold else ())
        if not known:
            refusal = self.session.admin_refusal
            words = f"{self.keys.of('go-users')} opens Users and asks for them."
            panel.show("No users are loaded.", str(refusal) if refusal else words)
        for kind, found in self._findings.items():
            self.query_one(f"#{kind}").display = bool(found)
            self.query_one(f"#{kind}-lines", LineMenu).show(self._lines(kind, found))
        self._go_to_wanted()
        self._paint_users()
        if self._wanted_user is not None and self.table.move_to_key(self._wanted_user):
            self.table.focus()
        self._wanted_user = None
        if self._begins_in_users and self.users:
            self.table.focus()
            self._begins_in_users = False

    def _weeks(self) -> list[Finding[User]]:
        """As many weeks as the other findings leave room for, with a row for those who expire after them."""
        kinds = [kind for kind, found in self._findings.items() if found]
        others = sum(self.query_one(f"#{kind}", Panel).gutter.height for kind in kinds)
        others += sum(one.kind != "week" for one in self._found)
        room = self.query_one("#review").size.height - others
        weeks = [one for one in self._found if one.kind == "week"]
        if not weeks or room <= _FEWEST_WEEKS:
            return weeks[:_FEWEST_WEEKS]
        if not self._after(weeks[room:]).users:
            return weeks[:room]
        return [*weeks[: room - 1], self._after(weeks[room - 1 :])]

    def _untold(self) -> int:
        """The users who expire after the weeks that are shown, where no row tells of them."""
        shown = self._findings["week"]
        if not shown or shown[-1].label == AFTER_WEEKS:
            return 0
        weeks = [one for one in self._found if one.kind == "week"]
        return len(self._after(weeks[len(shown) :]).users)

    def _after(self, cut: Sequence[Finding[User]]) -> Finding[User]:
        """The users of weeks that are cut, and those who expire after all weeks."""
        return self._later._replace(
            users=[*(user for week in cut for user in week.users), *self._later.users]
        )

    def _go_to_wanted(self) -> None:
        """Put the cursor on the finding that was asked for, once it is there."""
        for kind, found in self._findings.items():
            titles = [one.title for one in found]
            if self._wanted in titles:
                self._kind = kind
                self.menu.move_to(titles.index(self._wanted))
                self.menu.focus()
                self._wanted = ""
                return

    def _lines(self, kind: Kind, found: Sequence[Finding[User]]) -> list[MenuLine]:
        if kind == "finding":
            return [self._finding_line(one) for one in found]
        most = max((len(one.users) for one in found if one.label != AFTER_WEEKS), default=0)
        return [self._bar_line(one, most, is_soon=number < _SOON) for number, one in enumerate(found)]

    def _finding_line(self, finding: Finding[User]) -> MenuLine:
        """A line that says how many it concerns; what was looked for and not found is said quietly."""
        if not finding.users:
            title = [Piece("✓ ", Tone.GOOD), Piece(finding.title, Tone.MUTED)]
            return menu_line(title, [Piece("0", Tone.FAINT)])
        sign = Piece(f"{ATTENTION} ", Tone.WARNING) if finding.needs_action else Piece("  ")
        count = Piece(f"{len(finding.users):,}", Tone.HERO)
        return menu_line([sign, Piece(finding.title)], [count])

    def _bar_line(self, finding: Finding[User], most: int, *, is_soon: bool) -> MenuLine:
        """A line of a chart: how many of all users it is, and which part of them, unless it is of a week.

        Those after all weeks have no bar: it would be of another time than the others.
        """
        count = len(finding.users)
        is_week = finding.kind == "week"
        if finding.label == AFTER_WEEKS:
            return menu_line([Piece(finding.label, Tone.MUTED)], [Piece(f"{count:,}", Tone.HERO)])
        tone = Tone.WARNING if is_week and is_soon else Tone.TREND
        share = "" if is_week else f"{count / max(1, len(self._known)) * 100:>4.0f} %"

        def left(width: int) -> list[Piece]:
            bar = BAR * bar_length(count, most, width - _LABEL - 1)
            return [Piece(f"{fit_text(finding.label, _LABEL)} "), Piece(bar, tone)]

        right = [Piece(f"{count:,}", Tone.HERO if count else Tone.FAINT), Piece(share, Tone.MUTED)]
        return MenuLine(left, right)

    @on(LineMenu.Moved)
    def _moved(self, message: LineMenu.Moved) -> None:
        self._go_through(message.menu)
        message.menu.bring_into_sight(self.query_one("#found"))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if isinstance(event.widget, LineMenu):
            self._go_through(event.widget)

    def _go_through(self, menu: LineMenu) -> None:
        """These lines are gone through now; users are those of the line under their cursor."""
        self._kind = next(kind for kind in _PANELS if menu.id == f"{kind}-lines")
        self._paint_users()

    @on(LineMenu.Left)
    def _over_the_end(self, message: LineMenu.Left) -> None:
        shown = [kind for kind, found in self._findings.items() if found]
        if self._kind in shown:  # its lines may have gone since the key was pressed
            kind = shown[(shown.index(self._kind) + message.by) % len(shown)]
            self.query_one(f"#{kind}-lines", LineMenu).enter(message.by)

    def _paint_users(self) -> None:
        """Show the users of the finding under the cursor."""
        users, listed = self.users, self.query_one("#list", Panel)
        now, names = self.session.local_time(), plan_names(self._offered)

        def row_of(user: User) -> UserRow:
            left, until = left_shown(user, now), drawn_value(user, "expires")
            plan = plan_name(user.planid, names)
            return UserRow(user, user.username, plan, left, user.status, until, user.email)

        rows = MappedSequence(row_of, users)
        if self._title != self._listed:
            self._listed = self._title
            self.table.forget_widths()
        same = alike(self.user_columns, rows) if len(rows) <= AT_ONCE else []
        self.table.show_rows(rows, [column for column in self.user_columns if column not in same])
        stale = self._users.state is State.STALE
        title = self._title
        told = [column for column in same if (column.shown(rows[0]) or title) not in title.split()]
        said = [*(told_once(column, rows[0]) for column in told), self._seen_words(len(rows))]
        below = [Piece(" · ".join(said), Tone.WARNING if stale else Tone.MUTED)] if self._known else []
        listed.say(title[:1].upper() + title[1:], below=below)

    def _seen_words(self, count: int) -> str:
        """Return how many of the users it is, how many the review has seen, and how there could be more."""
        listing = self._users.listing
        total, seen = listing.total, len(self._known)
        lacks = total is not None and total > seen
        parts = [f"{count:,} of {counted(seen, 'user')}", *([f"{total:,} in all"] if lacks else [])]
        parts += [f"{self.key_of('load-all')} in Users loads the rest"] if lacks else []
        parts += [] if self._offered else [f"plans not loaded, {self.keys.of('go-plans')} opens them"]
        return " · ".join(parts)

    # ---- doing ----

    def anew(self) -> "ReviewScreen":
        row = self.table.cursor_row
        user_id = row.user.id if isinstance(row, UserRow) and self.table.has_focus else None
        return ReviewScreen(self.session, self.finding.title if self.finding else "", user_id)

    @property
    def _undoable(self) -> int | None:
        """The id of the user under the cursor; of the one changed last, until the cursor is in the table."""
        row = self.table.cursor_row
        if self._changed_last is not None and not self.table.has_focus:
            return self._changed_last
        return row.user.id if isinstance(row, UserRow) else None

    def missing_users(self) -> str | None:
        if self.finding is None:
            return "No users are loaded."
        return None if self.users else f"No users: {self._title}."

    def missing_user(self) -> str | None:
        return self.missing_users() if self._undoable is None else None

    async def do_refresh(self) -> None:
        """Ask for all users again. Raises ServiceError."""
        if self._users.listing.loading:
            self.say("The users are already loading.")
        else:
            await self._users.read(1)

    def do_open(self) -> None:
        user = self.table.cursor_row
        if not self.table.has_focus:
            self.table.focus()
        elif isinstance(user, UserRow):
            self.services.navigation.go_to_record("users", user.user.id)

    def do_one_plan(self) -> None:
        """Show the users of the next plan that the finding has, and after the last one all again."""
        found = self.finding.users if self.finding is not None else ()
        plans = ["", *sorted({self._plan_of(user) for user in found})]
        self._plan = plans[(plans.index(self._plan) + 1) % len(plans)] if self._plan in plans else ""
        self._paint_users()

    def do_other_side(self) -> None:
        (self.menu if self.table.has_focus else self.table).focus()

    def do_follow(self) -> None:
        row = self.table.cursor_row
        if not isinstance(row, UserRow):
            return
        if row.user.planid:
            self.services.navigation.go_to_record("plans", row.user.planid)
        else:
            self.say(f"{row.username} has no plan.")

    def do_assign(self) -> None:
        """Open the form that subscribes this user in the list, whatever is selected there."""
        row = self.table.cursor_row
        if isinstance(row, UserRow):
            self.services.navigation.go_to_record("users", row.user.id, "assign")

    def do_undo(self) -> None:
        """Undo the last subscription of a user in the list, whatever is selected there."""
        self.services.navigation.go_to_record("users", self._undoable, "undo")

    def do_select_users(self) -> None:
        """Make the users of the finding the selection of the list, and go there."""
        if self.finding is None:
            return
        users = self.users
        self._users.select(users)
        self.say(f"{counted(len(users), 'user')} selected: {self._title}")
        self.services.navigation.go_to_record("users", users[0].id)

    def do_export(self) -> Flow | None:
        finding, age = self.finding, self._users.listing.age(self.session.now())
        if finding is None:
            return None
        as_of, now = local_moment(self.session.now() - (age or 0)), self.session.local_time()
        about = f"{counted(len(self.users), 'user')}: {self._title}"
        part, profile = f"{as_of:%Y-%m-%d}", self.session.settings.profile
        plans = plan_names(self._offered)
        found = [one for of_kind in self._findings.values() for one in of_kind]
        exports = [
            Export(
                "Review",
                "HTML",
                f"review-{part}",
                "html",
                lambda: page(review_blocks(found, len(self._known), plans, now), as_of, profile),
            ),
            Export(
                "Users",
                "CSV",
                f"{file_words(self._title)}-{part}",
                "csv",
                lambda: records_csv(User, RESOURCE.columns, self.users, beside=plan_beside(plans)),
                about,
            ),
            Export(
                "Users",
                "JSON",
                f"{file_words(self._title)}-{part}",
                "json",
                lambda: records_json(self.users, as_of.astimezone(UTC)),
                about,
            ),
        ]
        return export.offer(self, "users", exports)

    def do_back(self) -> None:
        if self.table.has_focus:
            self.menu.focus()
        else:
            self.dismiss()


def _user_key(row: UserRow) -> Hashable:
    return row.user.id
