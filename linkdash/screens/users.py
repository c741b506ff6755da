"""The account behind the key, whose details are its screen; and users, of all classes or of one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from linkdash.api.fields import Kind, fields_of
from linkdash.api.model import Body
from linkdash.api.plans import Plan, Subscription
from linkdash.api.users import USER_CLASSES, Account, User, UserClass
from linkdash.model.columns import Column, Computed, Odd, value_of
from linkdash.model.humanize import Badge, TimeLeft
from linkdash.model.resources.account import RESOURCE as ACCOUNT
from linkdash.model.resources.users import RESOURCE
from linkdash.model.review import COUNTED_BY, Allowance, allowances, expiry, plan_name
from linkdash.model.session import Session
from linkdash.screens.actions import (
    FIND_ACTIONS,
    PAGE_ACTIONS,
    RECORD_ACTIONS,
    SUBSCRIBING_ACTIONS,
    WRITE_ACTIONS,
    Action,
    Flow,
    bindings,
)
from linkdash.screens.plans import ExpiryPreview, PlanMatrixScreen
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.review import ReviewScreen
from linkdash.widgets.form import Preview
from linkdash.widgets.pieces import Piece, Tone
from linkdash.widgets.values import Line

# ---- the account: with what its plan leaves of it ----

_ONE_RECORD = (  # there is nothing to find
    replace(action, shown=action.id == "refresh") for action in (*FIND_ACTIONS, *PAGE_ACTIONS)
)
ACCOUNT_ACTIONS = (*WRITE_ACTIONS, *_ONE_RECORD, *RECORD_ACTIONS)


class AccountScreen(ResourceScreen[Account]):
    """The account that the key belongs to."""

    TITLE = ACCOUNT.title
    ACTIONS = ACCOUNT_ACTIONS
    BINDINGS = bindings(ACCOUNT_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, ACCOUNT)
        self._plan: Plan | None = None
        self._allowed: Sequence[Allowance] = ()
        """What is nearest to its end first."""

    def on_screen_resume(self) -> None:
        """Tells which plan it has and what is used of that, as far as users were looked at before."""
        if self.is_active and self.session.collections.known("users") is not None:
            self.begin(self._read_plan(), "plan")

    async def _read_plan(self) -> None:
        user = await self.session.own_user()
        plans: list[Plan] = await self.session.collection("plans").known_records()
        self._plan = next((plan for plan in plans if user is not None and plan.id == user.planid), None)
        known = {resource: self.session.collections.known(resource) for resource in COUNTED_BY.values()}
        used = {resource: one.listing.total for resource, one in known.items() if one is not None}
        allowed = allowances(self._plan, used) if self._plan is not None else []
        self._allowed = sorted(allowed, key=lambda one: -1 if one.share is None else one.share, reverse=True)
        self.show_details()

    def lines(self, record: Account, width: int) -> Sequence[Line]:
        """What the service says of the account, how long it lasts, and what is used of its plan."""
        ends = expiry(record.expires, self.session.local_time())
        tone = Tone.BAD if ends.is_over else Tone.WARNING if ends.is_soon else Tone.GOOD
        lasts = Line("Lasts", (Piece(f"{ends.sign}{ends.words}", tone),))
        lines = [*super().lines(record, width), Line(""), lasts]
        if self._plan is None:
            users, plans = self.key_of("go-users"), self.key_of("go-plans")
            how = f"not known; with an admin's key, {plans} and {users} load it"
            return [*lines, Line("Plan", (Piece(how, Tone.MUTED),))]
        named = (Piece(self._plan.name, Tone.HERO), Piece(f"  plan {self._plan.id}", Tone.MUTED))
        return [*lines, Line("Plan", named), *map(_allowance_line, self._allowed)]


def _allowance_line(one: Allowance) -> Line:
    if one.share is None:
        known = "use not loaded" if one.used is None else f"{one.used:,} used"
        use = known if one.resource else "use not reported"
        return Line(one.name, (Piece(f"{one.limit:,} in the plan"), Piece(f"  {use}", Tone.FAINT)))
    tone = Tone.BAD if one.is_used_up else Tone.WARNING if one.is_nearly_used else Tone.GOOD
    sign = "✗ " if one.is_used_up else "△ " if one.is_nearly_used else ""
    told = Piece(f"  {sign}{one.share * 100:,.0f} %", tone)
    return Line(one.name, (Piece(f"{one.used:,} of {one.limit:,}"), told))


# ---- users ----

_SHOWN_IN_TURN: tuple[UserClass | None, ...] = (None, *USER_CLASSES)

REVIEW = Action("review", "V", "Review", "Review users: who expires, who is on which plan", shown=True)
USER_ACTIONS = (
    Action(
        "class", "c", "Class", "All users, or only admins, free or pro ones", cost="1 request", shown=True
    ),
    REVIEW,
    Action("plan", "m", "Plans", "All plans side by side, with what is known of the user", needs=("row",)),
    *SUBSCRIBING_ACTIONS,
)


_PLAN_TITLE = next(field.title for field in fields_of(User) if field.name == "planid")


def names_of(plans: Mapping[int, Plan]) -> Mapping[int, str]:
    """What plans are called, by id."""
    return {id: plan.name for id, plan in plans.items()}


def allowed(plan: Plan) -> list[Line]:
    """What of everything that is counted a plan allows, as the service sent it."""
    return [Line(one.name, (Piece(f"{one.limit:,}"),)) for one in allowances(plan, {})]


_RANKS: Mapping[str, Literal["low", "usual", "high"]] = {"free": "low", "pro": "usual", "admin": "high"}


def badge_of(status: str) -> object:
    """The class of a user as it is shown; a word that is none of them as it was sent."""
    return Badge(status, _RANKS[status]) if status in _RANKS else status


def with_plans(
    columns: Sequence[Column[User]], plans: Callable[[], Mapping[int, Plan]], now: Callable[[], datetime]
) -> tuple[Column[User], ...]:
    """The columns of the list: the class as a badge, the plan by its name, how long that still lasts.

    `plans` are those that are known; `now` is without a zone.
    """

    def plan(user: User) -> object:
        value = value_of(user, "planid")
        return value if isinstance(value, Odd) else plan_name(user.planid, names_of(plans()))

    def left(user: User) -> object:
        value = value_of(user, "expires")
        return "" if isinstance(value, Odd) else TimeLeft(user.expires - now() if user.expires else None)

    def until(user: User) -> int | None:
        return None if user.expires is None else user.expires.toordinal()

    named = {column.name: column for column in columns}
    return (
        named["username"],
        Computed("status", "Class", Kind.CHOICE, 7, draw=lambda user: badge_of(user.status)),
        Computed("planid", "Plan", Kind.COUNT, 10, draw=plan),
        Computed("expires", "Left", Kind.MOMENT, 11, align="right", essential=True, draw=left),
        Computed(
            "until",
            "Until",
            Kind.MOMENT,
            named["expires"].width,
            draw=lambda user: value_of(user, "expires"),
            rank=until,
        ),
        replace(named["email"], essential=False),
        named["id"],
    )


class UsersScreen(ResourceScreen[User]):
    """All users in one list, which has no pages."""

    TITLE = RESOURCE.title
    ACTIONS = USER_ACTIONS
    BINDINGS = bindings(USER_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._plans: Mapping[int, Plan] = {}
        self.columns = with_plans(self.columns, lambda: self._plans, session.local_time)
        self.collection.arrangement.use(self.columns, ())

    def on_mount(self) -> None:
        self._unwatch.append(self.session.collection("plans").watch(self.on_screen_resume))

    def on_screen_resume(self) -> None:
        """Reads which plans there are, as far as that is known."""
        if self.is_active:
            self.begin(self._read_plans(), "plans")

    async def _read_plans(self) -> None:
        known = await self.session.collection("plans").known_records()
        plans = {plan.id: plan for plan in known}
        if plans != self._plans:
            self._plans = plans
            self.paint()
            self.show_details()

    def lines(self, record: User, width: int) -> Sequence[Line]:
        """What the service says of the user, with the plan by its name, then what that plan allows."""
        plan = self._plans.get(record.planid or 0)
        lines = super().lines(record, width)
        if plan is None:
            return lines
        named = Line("Plan", (Piece(plan.name, Tone.HERO), Piece(f"  plan {plan.id}", Tone.MUTED)))
        told = [named if line.title == _PLAN_TITLE else line for line in lines]
        return [*told, Line(""), Line("Allows", (Piece(f"by {plan.name}", Tone.MUTED),)), *allowed(plan)]

    @property
    def user_class(self) -> UserClass | None:
        """The class that is shown; None for all of them."""
        return next((known for known in USER_CLASSES if (known,) == self.collection.part), None)

    @property
    def place(self) -> str:
        return f"{RESOURCE.title} · {self.user_class or 'all classes'}"

    @property
    def _list_title(self) -> str:
        return f"{RESOURCE.title}: {self.user_class or 'all classes'}"

    def preview(self, model: type[Body]) -> Preview | None:
        return ExpiryPreview(self.session.local_time) if issubclass(model, Subscription) else None

    def do_open(self) -> Flow | None:
        return self._read_one(self.row.id) if self.row is not None else None

    async def _read_one(self, id: int) -> None:
        """Asks for this one user, and shows what came in full. Raises ServiceError."""
        self.collection.put(await self.session.client.users.get(id))
        super().do_open()

    def do_class(self) -> None:
        """Shows the next class; one that was asked for before costs nothing."""
        following = _SHOWN_IN_TURN.index(self.user_class) + 1
        shown = _SHOWN_IN_TURN[following % len(_SHOWN_IN_TURN)]
        self.show_part(*([shown] if shown else []))

    def do_plan(self) -> None:
        self.app.push_screen(PlanMatrixScreen(self.session, self.row))

    def do_review(self) -> None:
        self.app.push_screen(ReviewScreen(self.session))
