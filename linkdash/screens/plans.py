"""Plans with what they cost and allow, one by one and side by side; when a subscription to one will end."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import cast

from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from linkdash.api.fields import fields_of, read_moment
from linkdash.api.model import Body
from linkdash.api.plans import FEATURES, Feature, Limits, Plan, Prices
from linkdash.api.text import inert
from linkdash.api.users import User
from linkdash.model.export import Export
from linkdash.model.forms import Draft
from linkdash.model.humanize import counted
from linkdash.model.plan_matrix import Fit, Look, Row, fit, matrix, matrix_csv, matrix_markdown, smallest
from linkdash.model.resources.plans import RESOURCE, expiry_words
from linkdash.model.review import COUNTED_BY, expiry, plan_name
from linkdash.model.session import Session
from linkdash.screens import files, record_actions
from linkdash.screens.actions import BACK, SUBSCRIBING_ACTIONS, Action, Flow, bindings
from linkdash.screens.host import HostScreen
from linkdash.screens.journal import ShowsRecords
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.form import Preview
from linkdash.widgets.frame import StatePanel
from linkdash.widgets.matrix import DIFFERENT, Matrix, MatrixRow
from linkdash.widgets.panel import Panel
from linkdash.widgets.pieces import Piece, Tone
from linkdash.widgets.values import Details, Line

PLAN_ACTIONS = (
    Action("matrix", "m", "Matrix", "All plans side by side, and where they differ", shown=True),
    *SUBSCRIBING_ACTIONS,
)

_WIDEST_NAME = max(map(len, FEATURES))
_COUNT_CELLS = 9  # a mark, a count and the spaces around them
_BESIDE_TITLES = 14


class PlansScreen(ResourceScreen[Plan]):
    """What each plan costs and allows."""

    TITLE = RESOURCE.title
    ACTIONS = PLAN_ACTIONS
    BINDINGS = bindings(PLAN_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def preview(self, model: type[Body]) -> Preview:
        return ExpiryPreview(self.session.local_time)

    def lines(self, record: Plan, width: int) -> Sequence[Line]:
        return plan_lines(record, width)

    def do_matrix(self) -> None:
        self.app.push_screen(PlanMatrixScreen(self.session))


def plan_lines(plan: Plan, width: int) -> list[Line]:
    """A plan in one glance, for `width` cells: prices, allowances, and every feature with its count."""
    heading = Line(plan.name, (Piece(f"plan {plan.id}", Tone.MUTED),))
    if plan.limits is None:
        return [heading, _price_line(plan), Line("Limits", (Piece("unknown", Tone.MUTED),))]
    return [heading, _price_line(plan), _allowance_line(plan.limits), *_feature_lines(plan.limits, width)]


def _price_line(plan: Plan) -> Line:
    if plan.prices is None:
        return Line("Price", (Piece("free", Tone.GOOD) if plan.free else Piece("unknown", Tone.MUTED),))
    prices = [(field.title.lower(), getattr(plan.prices, field.name)) for field in fields_of(Prices)]
    offered = [f"{price:,.2f} {term}" for term, price in prices if price is not None]
    return Line("Price", (Piece(" · ".join(offered) or "not offered"),))


def _allowance_line(limits: Limits) -> Line:
    counts = [(field.title.lower(), getattr(limits, field.name)) for field in fields_of(Limits)]
    told = [f"{count:,} {name}" for name, count in counts if isinstance(count, int)]
    return Line("Allowances", (Piece(" · ".join(told) or "unknown"),))


def _feature_lines(limits: Limits, width: int) -> list[Line]:
    names = [name for name in FEATURES if name in limits.features]
    names += sorted(limits.features.keys() - set(FEATURES))
    abreast = max(1, (width - _BESIDE_TITLES) // (_WIDEST_NAME + _COUNT_CELLS))
    rows = [names[first : first + abreast] for first in range(0, len(names), abreast)]
    return [
        Line(
            "" if number else "Features",
            tuple(piece for name in row for piece in _feature_pieces(name, limits.features[name])),
        )
        for number, row in enumerate(rows)
    ]


def _feature_pieces(name: str, feature: Feature) -> list[Piece]:
    count = "" if feature.count is None else f"{feature.count:,}"
    label = f"{name:<{_WIDEST_NAME}} {count:<6}"
    if feature.enabled is None:
        return [Piece("? ", Tone.ODD), Piece(label)]
    if feature.enabled:
        return [Piece("✓ ", Tone.GOOD), Piece(label)]
    return [Piece("– ", Tone.MUTED), Piece(label, Tone.MUTED)]


# ---- subscriptions ----


class ExpiryPreview(Preview):
    """Says when a subscription will end, as far as that can be known before it is sent."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        yield Static(id="expiry", markup=False)

    def show(self, draft: Draft) -> None:
        words = expiry_words(draft.text("type"), _moment_in(draft.text("expiration")), self._now())
        self.query_one("#expiry", Static).update(f"Ends: {words}" if words else "")


def _moment_in(text: str) -> datetime | None:
    try:
        return read_moment(text)
    except ValueError:
        return None


# ---- all plans side by side; looking costs nothing ----

MATRIX_ACTIONS = (
    Action("previous-plan", "left", "Previous plan", "Choose the plan to the left", "Move", shown=True),
    Action("next-plan", "right", "Next plan", "Choose the plan to the right", "Move", shown=True),
    Action(
        "open",
        "enter",
        "Details",
        "Show what of your use fits the chosen plan, and how it differs from the one before it",
        shown=True,
        needs=("plans",),
    ),
    Action(
        "subscribe",
        "a",
        "Subscribe",
        "Subscribe a user to the chosen plan, or give the user another plan or term",
        "Change",
        "1 request",
        shown=True,
        needs=("writing", "plans"),
    ),
    Action(
        "differences",
        "d",
        "Only differences",
        "Show only rows in which the plans differ, or all rows",
        shown=True,
    ),
    Action(
        "export",
        "x",
        "Export",
        "Export the matrix as CSV or Markdown, to a file or the clipboard",
        shown=True,
        needs=("plans",),
    ),
    BACK,
)

_AS_SENT = "as the service sent them; it does not say what 0 means, nor the unit of retention"

_TONES = {
    Look.VALUE: Tone.PLAIN,
    Look.YES: Tone.GOOD,
    Look.NO: Tone.FAINT,
    Look.UNKNOWN: Tone.ODD,
    Look.OVER: Tone.BAD,
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
        self.fits: Sequence[Fit] = ()
        """How each plan takes what the account uses."""
        self._plans = session.collection("plans")
        self._users = session.collection("users")
        self._own: User | None = None
        self._has_chosen = False
        self._only_differences = False
        self._known = 0
        self.compared = matrix([], None)
        """What is shown."""

    @property
    def place(self) -> str:
        return "Plans · matrix"

    @property
    def age(self) -> float | None:
        return self._plans.listing.age(self.session.now())

    def compose_middle(self) -> ComposeResult:
        with Container(id="work"):
            yield Panel(Matrix(id="matrix"), StatePanel(), title="Matrix", id="list")
            yield Panel(Details(id="details"), title="Details", id="pane")

    def on_mount(self) -> None:
        self._unwatch += [self._plans.watch(self._read_again), self._users.watch(self._read_again)]
        self.query_one(StatePanel).display = False
        self.query_one(Matrix).focus()
        self._read_again()

    def _read_again(self) -> None:
        self.run_worker(self._read(), group="read", exclusive=True, exit_on_error=False)

    async def _read(self) -> None:
        """Puts together what is loaded, or was kept of an earlier run."""
        plans: list[Plan] = await self._plans.known_records()
        users: list[User] = await self._users.known_records()
        used = await self._used()
        self.fits = [fit(plan, used) for plan in plans] if any(used.values()) else []
        self.compared = matrix(plans, users or None, self.fits)
        self._known = len(users)
        self.paint()
        await self._choose_own_plan()

    async def _used(self) -> dict[str, int | None]:
        """How many records the account has of what plans count, where that is known."""
        found = {}
        for resource in COUNTED_BY.values():
            collection = self.session.collection(resource)
            await collection.recall()
            found[resource] = collection.listing.total
        return found

    async def _choose_own_plan(self) -> None:
        """Begins with the plan of the user, else of the account."""
        if self._has_chosen or not self.compared.plans:
            return
        await self.session.collection("account").recall()
        self._own = await self.session.own_user()
        whose = self.user or self._own
        ids = [plan.id for plan in self.compared.plans]
        if whose is not None and whose.planid in ids:
            self.query_one(Matrix).choose(ids.index(whose.planid))
            self._has_chosen = True
        self._show_details()

    def paint(self) -> None:
        """Shows the matrix, or what there is to do where no plan is known."""
        compared, panel, shown = self.compared, self.query_one(StatePanel), self.query_one(Matrix)
        panel.display, shown.display = not compared.plans, bool(compared.plans)
        if not compared.plans:
            panel.show(
                "No plans are loaded.", f"{self.keys.of('go-plans')} opens Plans, which asks for them."
            )
        rows = compared.differing if self._only_differences else compared.rows
        shown.show(compared.names, [_matrix_row(row) for row in rows])
        below = [counted(len(compared.plans), "plan"), self._users_words(), "values as sent"]
        if self._only_differences:
            below.insert(0, "only differences")
        self.query_one("#list", Panel).say(below=[Piece(" · ".join(below), Tone.MUTED)])
        self._show_details()

    def _users_words(self) -> str:
        if not self._known:
            return f"no users loaded, {self.keys.of('go-users')} opens them"
        total = self._users.listing.total
        seen = f"{self._known:,} of {total:,}" if total and total > self._known else f"{self._known:,}"
        return f"{seen} users known"

    def _show_details(self) -> None:
        chosen, names = self.query_one(Matrix).chosen, self.compared.names
        lines: list[Line] = [] if self.user is None else self._user_lines(self.user)
        if names:
            lines.append(Line(names[chosen], (Piece(f"plan {self.compared.plans[chosen].id}", Tone.MUTED),)))
            lines += self._fit_lines(chosen)
        if len(names) > 1:
            other = chosen - 1 if chosen else 1
            found = self.compared.between(other, chosen)
            lines.append(Line("Instead of", (Piece(inert(names[other]), Tone.HERO),)))
            lines += [
                Line(f"{DIFFERENT} {title}", (Piece(f"{before} → ", Tone.MUTED), Piece(now)))
                for title, before, now in found
            ]
        lines.append(Line("Values", (Piece(_AS_SENT, Tone.MUTED),)))
        self.query_one(Details).show(None, lines=lines)

    def _user_lines(self, user: User) -> list[Line]:
        """What is known of the user: the service tells nobody what another account uses."""
        ends = expiry(user.expires, self.session.local_time())
        names = {plan.id: plan.name for plan in self.compared.plans}
        has = f"{plan_name(user.planid, names) or 'no plan'} · {ends.words}"
        lines = [Line(user.username, (Piece(f"{user.status}  ", Tone.ICON), Piece(has)))]
        if self._own is None or user.id != self._own.id:
            lines.append(Line("Uses", (Piece("not told: the service counts only your own", Tone.MUTED),)))
        return lines

    def _fit_lines(self, chosen: int) -> list[Line]:
        """Whether what the account uses fits the chosen plan, and which is the smallest that it fits."""
        if not self.fits:
            how = f"load Domains, Overlays, Splash pages or Pixels: {self.keys.of('go-domains')} and on"
            return [Line("Your use", (Piece(f"nothing is counted yet; {how}", Tone.MUTED),))]
        found, least = self.fits[chosen], smallest(self.fits)
        said = Piece("✓ fits, as far as known", Tone.GOOD)
        if not found.fits:
            said = Piece("✗ does not fit", Tone.BAD) if found.over else Piece("? not known", Tone.MUTED)
        lines = [Line("Your use", (said,)), *(Line("Over", (Piece(one, Tone.BAD),)) for one in found.over)]
        known = inert(least.plan.name) if least is not None else "none"
        lines.append(Line("Smallest fit", (Piece(known, Tone.HERO),)))
        return [*lines, *(Line("", (Piece(one, Tone.FAINT),)) for one in found.unjudged)]

    def missing(self, need: str) -> str | None:
        if need == "plans":
            return None if self.compared.plans else "No plans are loaded."
        return super().missing(need)

    # ---- doing ----

    def do_previous_plan(self) -> None:
        self._choose(-1)

    def do_next_plan(self) -> None:
        self._choose(1)

    def do_open(self) -> None:
        """Shows the details as a page: where the terminal is narrow there is no room beside the matrix."""
        name = inert(self.compared.names[self.query_one(Matrix).chosen])
        record_actions.show_in_full(self, name, self.query_one(Details).lines)

    def _choose(self, by: int) -> None:
        shown = self.query_one(Matrix)
        shown.choose(shown.chosen + by)
        self._has_chosen = True
        self._show_details()

    def do_subscribe(self) -> None:
        """Opens the form where the subscription is shown: at the user, or at the plan."""
        plan = self.compared.plans[self.query_one(Matrix).chosen]
        app = cast("ShowsRecords", self.app)
        if self.user is None:
            app.go_to_record("plans", plan.id, "assign")
        else:
            app.go_to_record("users", self.user.id, "assign", {"plan_id": plan.id})

    def do_differences(self) -> None:
        self._only_differences = not self._only_differences
        self.paint()

    def do_export(self) -> Flow:
        compared, part = self.compared, f"{self.session.local_time():%Y-%m-%d}"
        exports: Sequence[Export] = [
            Export("The matrix, CSV", part, "csv", lambda: matrix_csv(compared)),
            Export("The matrix, Markdown", part, "md", lambda: matrix_markdown(compared)),
        ]
        return files.offer(self, "plan-matrix", exports)


def _matrix_row(row: Row) -> MatrixRow:
    cells = tuple(Piece(entry.text, _TONES[entry.look]) for entry in row.entries)
    return MatrixRow(row.group, row.title, cells, row.differs)
