"""Review of the users for admins: who expires, who is on which plan. Looking costs nothing."""

import asyncio
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Container

from linkdash.api.fields import Kind
from linkdash.api.plans import Plan
from linkdash.api.users import User
from linkdash.model.columns import Column
from linkdash.model.export import Export, records_csv, records_json
from linkdash.model.humanize import ago, counted, shortened
from linkdash.model.listing import State
from linkdash.model.pictures import Bar, TimeLeft
from linkdash.model.resources.users import RESOURCE
from linkdash.model.review import Finding, plan_name, review
from linkdash.model.rows import Mapped
from linkdash.model.session import Session
from linkdash.screens import export
from linkdash.screens.actions import BACK, Action, Flow, bindings
from linkdash.screens.host import HostScreen
from linkdash.screens.journal import ShowsRecords
from linkdash.widgets.panel import BOXED, Panel
from linkdash.widgets.pieces import Piece, Tone
from linkdash.widgets.states import StatePanel
from linkdash.widgets.table import RecordTable

REVIEW_ACTIONS = (
    Action(
        "open",
        "enter",
        "Open",
        "Go to the users of the finding, and from there to a user in the list",
        shown=True,
        needs=("users",),
    ),
    Action(
        "select-users",
        "*",
        "Select in Users",
        "Select all users of the finding in the list, to subscribe or delete them there",
        "Change",
        shown=True,
        needs=("users",),
    ),
    Action(
        "export",
        "x",
        "Export",
        "Export the users of the finding as CSV or JSON, to a file or the clipboard",
        shown=True,
        needs=("users",),
    ),
    BACK,
)

_TITLE_CELLS = 40


@dataclass(frozen=True)
class FindingRow:
    """A finding as the table shows it."""

    finding: Finding
    title: str
    users: Bar | int
    """A bar where there is room for one."""


@dataclass(frozen=True)
class UserRow:
    """A user as the table of a finding shows it."""

    user: User
    username: str
    plan: str
    left: TimeLeft
    status: str | None
    until: datetime | None


class ReviewScreen(HostScreen):
    """Findings on the left, the users of the one under the cursor on the right."""

    TITLE = "Users · review"
    place_id = "users"
    ACTIONS = REVIEW_ACTIONS
    BINDINGS = bindings(REVIEW_ACTIONS)
    finding_columns = (
        Column[FindingRow]("title", "Finding", Kind.TEXT, 14, grow=True, essential=True),
        Column[FindingRow]("users", "Users", Kind.COUNT, 5, align="right", essential=True),
    )
    user_columns = (
        Column[UserRow]("username", "Username", Kind.TEXT, 12, grow=True, essential=True),
        Column[UserRow]("left", "Left", Kind.TEXT, 11, align="right", essential=True),
        Column[UserRow]("plan", "Plan", Kind.TEXT, 10),
        Column[UserRow]("status", "Class", Kind.TEXT, 6),
        Column[UserRow]("until", "Until", Kind.MOMENT, 10),
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._users = session.collection("users")
        self._plans = session.collection("plans")
        self._known: Sequence[User] = ()
        self._offered: Sequence[Plan] = ()
        self._findings: Sequence[Finding] = ()

    @property
    def place(self) -> str:
        return "Users · review"

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        with Container(id="review"):
            findings = RecordTable(self.finding_columns, key=_finding_key, id="findings")
            yield Panel(findings, title="Findings", id="found")
            users = RecordTable(self.user_columns, key=_user_key, id="records")
            yield Panel(users, StatePanel(), title="Users", id="list")

    def on_mount(self) -> None:
        self._unwatch += [self._users.watch(self._read_again), self._plans.watch(self._read_again)]
        self.query_one(StatePanel).display = False
        self.findings.focus()

    @property
    def findings(self) -> RecordTable[FindingRow]:
        """The table of what was found."""
        return self.query_one("#findings", RecordTable)

    @property
    def table(self) -> RecordTable[UserRow]:
        """The table of the users of a finding."""
        return self.query_one("#records", RecordTable)

    @property
    def finding(self) -> Finding | None:
        """The finding under the cursor."""
        row = self.findings.cursor_row
        return row.finding if isinstance(row, FindingRow) else None

    @property
    def age(self) -> float | None:
        return self._users.listing.age(self.session.now())

    # ---- reading ----

    def on_screen_resume(self) -> None:
        self._read_again()

    def _read_again(self) -> None:
        if self.is_active:
            self.run_worker(self._read(), group="read", exclusive=True, exit_on_error=False)

    async def _read(self) -> None:
        """Looks through what is loaded, or was kept of an earlier run."""
        self._known = await self._users.known_records()
        self._offered = await self._plans.known_records()
        now = self.session.local_time()
        self._findings = await asyncio.to_thread(review, self._known, self._offered, now)
        self._paint()

    # ---- painting ----

    def _paint(self) -> None:
        panel, known = self.query_one(StatePanel), bool(self._known)
        panel.display, self.table.display = not known, known
        self.query_one("#found").display = known
        if not known:
            refusal = self.session.admin_refusal
            words = f"{self.keys.of('go-users')} opens Users and asks for them."
            panel.show("No users are loaded.", str(refusal) if refusal else words)
        rows = self._finding_rows()
        self.findings.notes = {finding.title: "act" for finding in self._findings if finding.needs_action}
        self.findings.show(rows)
        self._paint_users()

    def _finding_rows(self) -> list[FindingRow]:
        counts = [len(finding.users) for finding in self._findings]
        most, draws = max(counts, default=0), self.app.size.width >= BOXED
        shown = [Bar(count, most) if draws else count for count in counts]
        return [
            FindingRow(finding, finding.title, users)
            for finding, users in zip(self._findings, shown, strict=True)
        ]

    def on_resize(self) -> None:
        self.findings.show(self._finding_rows())

    @on(RecordTable.CursorMoved, "#findings")
    def _paint_users(self) -> None:
        """Shows the users of the finding under the cursor."""
        finding, listed = self.finding, self.query_one("#list", Panel)
        now, names = self.session.local_time(), {plan.id: plan.name for plan in self._offered}

        def row_of(user: User) -> UserRow:
            left = TimeLeft(None if user.expires is None else user.expires - now)
            plan = plan_name(user.planid, names)
            return UserRow(user, user.username, plan, left, user.status, user.expires)

        self.table.show([] if finding is None else Mapped(row_of, finding.users))
        stale = self._users.state is State.STALE
        below = [Piece(self._seen_words(), Tone.WARNING if stale else Tone.MUTED)] if self._known else []
        title = shortened(finding.title, _TITLE_CELLS) if finding else "users"
        listed.say(title[:1].upper() + title[1:], below=below)

    def _seen_words(self) -> str:
        """How many users the review has seen, how old that is, and how there could be more."""
        listing = self._users.listing
        total, seen, age = listing.total, len(self._known), listing.age(self.session.now())
        lacks = total is not None and total > seen
        parts = [f"{seen:,} of {total:,} users" if lacks else counted(seen, "user")]
        parts += [ago(age)] if age is not None else []
        parts += [f"{self.key_of('load-all')} in Users loads the rest"] if lacks else []
        parts += [] if self._offered else [f"plans not loaded, {self.keys.of('go-plans')} opens them"]
        return " · ".join(parts)

    # ---- doing ----

    def missing(self, need: str) -> str | None:
        if need == "users":
            return None if self.finding is not None else "No users are loaded."
        return super().missing(need)

    @on(RecordTable.Opened)
    def _opened(self) -> None:
        self.action_do("open")

    def do_open(self) -> None:
        user = self.table.cursor_row
        if not self.table.has_focus:
            self.table.focus()
        elif isinstance(user, UserRow):
            cast(ShowsRecords, self.app).go_to_record("users", user.user.id)

    def do_select_users(self) -> None:
        """Makes the users of the finding the selection of the list, and goes there."""
        if self.finding is None:
            return
        users = self.finding.users
        self._users.select(users)
        self.say(f"{counted(len(users), 'user')} selected: {self.finding.title}")
        cast(ShowsRecords, self.app).go_to_record("users", users[0].id)

    def do_export(self) -> Flow | None:
        finding, age = self.finding, self._users.listing.age(self.session.now())
        if finding is None:
            return None
        as_of = datetime.fromtimestamp(self.session.now(), UTC) - timedelta(seconds=age or 0)
        title, part = counted(len(finding.users), "user"), f"{as_of.astimezone():%Y-%m-%d}"
        exports = [
            Export(f"{title}, CSV", part, "csv", lambda: records_csv(User, RESOURCE.columns, finding.users)),
            Export(f"{title}, JSON", part, "json", lambda: records_json(finding.users, as_of)),
        ]
        return export.offer(self, f"users-{_file_words(finding.title)}", exports)

    def do_back(self) -> None:
        if self.table.has_focus:
            self.findings.focus()
        else:
            self.dismiss()


def _finding_key(row: FindingRow) -> Hashable:
    return row.finding.title


def _user_key(row: UserRow) -> Hashable:
    return row.user.id


def _file_words(title: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in title).split())
