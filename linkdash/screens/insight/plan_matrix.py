"""The matrix of plans, side by side."""

from collections.abc import Sequence
from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Container

from linkdash.api.resources.users import User
from linkdash.model.document.html import page
from linkdash.model.humanize import counted
from linkdash.model.insight.allowances import COUNTED_BY
from linkdash.model.insight.expiry import plan_name, plan_names, time_left
from linkdash.model.insight.plan_fit import PlanFit, fit, smallest
from linkdash.model.insight.plan_matrix import (
    AS_SENT,
    CellLook,
    MatrixRowOfPlans,
    matrix,
    matrix_blocks,
    matrix_csv,
    matrix_markdown,
)
from linkdash.model.lists.export import Export
from linkdash.model.local_time import local_moment
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.session import Session
from linkdash.screens import export
from linkdash.screens.actions import BACK, WRITING, Action, Flow, Need, bindings
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists import record_actions
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.frame.state_panel import StatePanel
from linkdash.widgets.matrix import Matrix, MatrixRow
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone

SHOWN: Need["PlanMatrixScreen"] = Need(lambda screen: screen.missing_plans())
MATRIX_ACTIONS: tuple[Action["PlanMatrixScreen"], ...] = (
    Action(
        "open",
        "enter",
        "Details",
        "Show what of your use fits the chosen plan, and how it differs from the one before it",
        shown=True,
        needs=(SHOWN,),
        do=lambda screen: screen.do_open(),
    ),
    Action(
        "subscribe",
        "a",
        "Subscribe",
        "Subscribe a user to the chosen plan, or give the user another plan or term",
        "Change",
        "1 request",
        shown=True,
        needs=(WRITING, SHOWN),
        do=lambda screen: screen.do_subscribe(),
    ),
    Action(
        "export",
        "x",
        "Export",
        "Export the matrix as HTML, CSV or Markdown, to a file or the clipboard",
        shown=True,
        needs=(SHOWN,),
        do=lambda screen: screen.do_export(),
        opens=True,
    ),
    Action(
        "differences",
        "D",
        "All rows",
        "Show all rows, or only those in which the plans differ",
        shown=True,
        do=lambda screen: screen.do_differences(),
    ),
    Action(
        "previous-plan",
        "left",
        "Previous plan",
        "Choose the plan to the left",
        "Move",
        shown=True,
        do=lambda screen: screen.do_previous_plan(),
    ),
    Action(
        "next-plan",
        "right",
        "Next plan",
        "Choose the plan to the right",
        "Move",
        shown=True,
        do=lambda screen: screen.do_next_plan(),
    ),
    replace(BACK, keys="escape,m", help="Go back: to the list of plans, or to the user"),
)

_TONES = {
    CellLook.VALUE: Tone.PLAIN,
    CellLook.YES: Tone.GOOD,
    CellLook.NO: Tone.FAINT,
    CellLook.UNKNOWN: Tone.ODD,
    CellLook.OVER: Tone.BAD,
}


class PlanMatrixScreen(HostScreen):
    """A column a plan, a row each for what it costs and has."""

    TITLE = "Plans · matrix"
    place_id = "plans"
    ACTIONS = MATRIX_ACTIONS
    BINDINGS = bindings(MATRIX_ACTIONS)

    def __init__(self, session: Session, user: User | None = None) -> None:
        """With a `user`, what is known of that user stands beside the plans."""
        super().__init__(session)
        self.user = user
        self.fits: Sequence[PlanFit] = ()
        """The fit of each plan with what the account uses."""
        self._plans = session.collections.of(PLANS)
        self._users = session.collections.of(USERS)
        self._own: User | None = None
        self._has_chosen = False
        self._only_differences = True
        self._known = 0
        self.compared = matrix([], None)
        """The matrix that is shown."""

    @property
    def place(self) -> str:
        return "Plans · matrix"

    @property
    def age(self) -> float | None:
        return self._plans.listing.age(self.session.now())

    def compose_middle(self) -> ComposeResult:
        with Container(id="work"):
            yield Panel(Matrix(id="matrix"), StatePanel(), title="Plans side by side", id="list")
            yield Panel(Details(id="details"), title="Details", id="pane")

    def on_mount(self) -> None:
        self._unwatch += [self._plans.watch(self._read_again), self._users.watch(self._read_again)]
        self.query_one(StatePanel).display = False
        theme_changed = self.app.theme_changed_signal
        theme_changed.subscribe(self, lambda _: self.paint())
        self._unwatch.append(lambda: theme_changed.unsubscribe(self))
        self.query_one(Matrix).focus()
        self._read_again()

    def _read_again(self) -> None:
        self.run_worker(self._read(), group="read", exclusive=True, exit_on_error=False)

    async def _read(self) -> None:
        """Put together what is loaded, or was kept of an earlier run."""
        plans = await self._plans.known_records()
        users = await self._users.known_records()
        used = await self._used()
        await self.session.collection("account").recall()
        self._own = await self.session.own_user()
        self.fits = [fit(plan, used) for plan in plans] if any(used.values()) else []
        own_id = self._own.planid if self._own is not None else None
        self.compared = matrix(plans, users or None, self.fits, used, own_id)
        self._known = len(users)
        self.paint()
        self._choose_own_plan()

    async def _used(self) -> dict[str, int | None]:
        """Return how many records the account has of what plans count, where that is known."""
        found = {}
        for resource in COUNTED_BY.values():
            collection = self.session.collection(resource)
            await collection.recall()
            found[resource] = collection.listing.total
        return found

    def _choose_own_plan(self) -> None:
        """Begin with the plan of the user, else of the account."""
        if self._has_chosen or not self.compared.plans:
            return
        whose = self.user or self._own
        ids = [plan.id for plan in self.compared.plans]
        if whose is not None and whose.planid in ids:
            self.query_one(Matrix).choose(ids.index(whose.planid))
            self._has_chosen = True
        self._show_details()

    def paint(self) -> None:
        """Show the matrix, or what there is to do where no plan is known."""
        compared, panel, shown = self.compared, self.query_one(StatePanel), self.query_one(Matrix)
        panel.display, shown.display = not compared.plans, bool(compared.plans)
        if not compared.plans:
            panel.show(*self._why_empty())
        rows = compared.rows
        if self._only_differences:
            rows = tuple(row for row in rows if row.differs or not row.is_compared)
        shown.show(compared.names, [_matrix_row(row) for row in rows])
        below = [
            self._own_words() or counted(len(compared.plans), "plan"),
            self._users_words(),
            "values as sent",
        ]
        self.query_one("#list", Panel).say(below=[Piece(" · ".join(below), Tone.MUTED)])
        self._show_details()

    def _why_empty(self) -> tuple[str, str]:
        """The text where no plan is known, and what can be done."""
        if self._plans.listing.loading:
            return "Loading plans…", ""
        return "No plans are loaded.", f"{self.key_of('back')} shows their list, which asks for them."

    def _own_words(self) -> str:
        """`yours: Enterprise`, where the plan of the account is known and shown."""
        own = self._own.planid if self._own is not None else None
        names = zip(self.compared.plans, self.compared.names, strict=True)
        return next((f"yours: {name}" for plan, name in names if plan.id == own), "")

    def _users_words(self) -> str:
        if not self._known:
            return f"no users loaded, {self.keys.of('go-users')} opens them"
        total = self._users.listing.total
        seen = f"{self._known:,} of {total:,}" if total and total > self._known else f"{self._known:,}"
        return f"{seen} users known"

    @on(Matrix.ColumnHighlighted)
    def _show_details(self) -> None:
        chosen, names = self.query_one(Matrix).chosen, self.compared.names
        lines: list[DetailLine] = [] if self.user is None else self._user_lines(self.user)
        if names:
            plan = [Piece(f"plan {self.compared.plans[chosen].id}", Tone.MUTED)]
            self.query_one("#pane", Panel).say(names[chosen], above=plan)
            lines += self._fit_lines(chosen)
        if len(names) > 1:
            other = chosen - 1 if chosen else 1
            found = self.compared.between(other, chosen)
            lines.append(DetailLine("Instead of", (Piece(names[other], Tone.HERO),)))
            lines += [
                DetailLine(title, (Piece(f"{before} → ", Tone.MUTED), Piece(now)))
                for title, before, now in found
            ]
        lines.append(DetailLine("Values", (Piece(AS_SENT, Tone.MUTED),)))
        self.query_one(Details).show(None, lines=lines)

    def _user_lines(self, user: User) -> list[DetailLine]:
        """Return what is known of the user: the service does not tell what another account uses."""
        ends = time_left(user, self.session.local_time())
        names = plan_names(self.compared.plans)
        has = f"{plan_name(user.planid, names) or 'no plan'} · {ends.words}"
        lines = [
            DetailLine(
                user.username,
                (Piece(f"class {user.status}  " if user.status else "", Tone.ICON), Piece(has)),
            )
        ]
        if self._own is None or user.id != self._own.id:
            lines.append(
                DetailLine("Uses", (Piece("not reported: the service counts only your own", Tone.MUTED),))
            )
        return lines

    def _fit_lines(self, chosen: int) -> list[DetailLine]:
        """Return lines on whether what the account uses fits the chosen plan, and which is the smallest."""
        if not self.fits:
            how = f"load Domains, Overlays, Splash pages or Pixels: {self.keys.of('go-domains')} and on"
            return [DetailLine("Your use", (Piece(f"nothing is counted yet; {how}", Tone.MUTED),))]
        found, least = self.fits[chosen], smallest(self.fits)
        said = Piece("✓ fits, as far as known", Tone.GOOD)
        if not found.fits:
            said = Piece("✗ does not fit", Tone.BAD) if found.over else Piece("? not known", Tone.MUTED)
        lines = [
            DetailLine("Your use", (said,)),
            *(DetailLine("Over", (Piece(one, Tone.BAD),)) for one in found.over),
        ]
        known = least.plan.name if least is not None else "none"
        lines.append(DetailLine("Smallest fit", (Piece(known, Tone.HERO),)))
        return [*lines, *(DetailLine("", (Piece(one, Tone.FAINT),)) for one in found.unjudged)]

    def missing_plans(self) -> str | None:
        return None if self.compared.plans else "No plans are loaded."

    # ---- doing ----

    def do_previous_plan(self) -> None:
        self._choose(-1)

    def do_next_plan(self) -> None:
        self._choose(1)

    def do_open(self) -> None:
        """Show the details as a page: where the terminal is narrow there is no room beside the matrix."""
        name = self.compared.names[self.query_one(Matrix).chosen]
        record_actions.show_in_full(self, name, self.query_one(Details).lines)

    def _choose(self, by: int) -> None:
        shown = self.query_one(Matrix)
        shown.choose(shown.chosen + by)
        self._has_chosen = True

    def do_subscribe(self) -> None:
        """Open the form where the subscription is shown: at the user, or at the plan."""
        plan = self.compared.plans[self.query_one(Matrix).chosen]
        app = self.services
        if self.user is None:
            app.navigation.go_to_record("plans", plan.id, "assign")
        else:
            app.navigation.go_to_record("users", self.user.id, "assign", {"plan_id": plan.id})

    def do_differences(self) -> None:
        self._only_differences = not self._only_differences
        self.paint()

    def do_export(self) -> Flow:
        compared, part = self.compared, f"{self.session.wall_time():%Y-%m-%d}"
        at, profile = local_moment(self.session.now() - (self.age or 0)), self.session.settings.profile
        exports: Sequence[Export] = [
            Export("Matrix", "HTML", part, "html", lambda: page(matrix_blocks(compared), at, profile)),
            Export("Matrix", "CSV", part, "csv", lambda: matrix_csv(compared)),
            Export("Matrix", "Markdown", part, "md", lambda: matrix_markdown(compared)),
        ]
        return export.offer(self, "plan-matrix", exports)


def _matrix_row(row: MatrixRowOfPlans) -> MatrixRow:
    title = row.title if row.used is None else f"{row.title}: {row.used:,}"
    return MatrixRow(title, [Piece(entry.text, _TONES[entry.look]) for entry in row.entries])
