"""The screen of the users."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from linkdash.api.fields import Kind, fields_of
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.users import USER_CLASSES, User, UserClass
from linkdash.model.humanize import LATER, SOON, Badge
from linkdash.model.insight.allowances import allowances, limit_words
from linkdash.model.insight.expiry import expiring, left_shown, plan_names, time_left
from linkdash.model.lists.columns import Column, Computed, drawn_value
from linkdash.model.lists.computed_columns import PLAN_TITLE, plan_beside, plan_column
from linkdash.model.lists.export import Beside
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.resources.users import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.actions import WRITING, Action, Flow, bindings
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.lists.list_actions import SUBSCRIBING_ACTIONS, UNDO
from linkdash.screens.lists.list_needs import ASSIGNMENT, PANE, ROW
from linkdash.screens.lists.record_actions import show_in_full
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.resources.plans import price_line
from linkdash.screens.writes.undoing import deleted_last, last_undone
from linkdash.screens.writes.undoing_subscription import choose_term
from linkdash.widgets.details import DetailLine
from linkdash.widgets.styled_text import Piece, Tone

_SHOWN_IN_TURN: tuple[UserClass | None, ...] = (None, *USER_CLASSES)

UNDO_SUBSCRIPTION: Action["UsersScreen"] = Action(
    UNDO.id,
    UNDO.keys,
    UNDO.label,
    "Undo a subscription, or a whole bulk job, after a preview: subscribe to the previous plan again",
    UNDO.group,
    "1 request each",
    needs=(WRITING, ASSIGNMENT, PANE, ROW),
    do=lambda screen: screen.undo(screen.targets),
    asks=True,
)
USER_ACTIONS: tuple[Action["UsersScreen"], ...] = (
    Action(
        "class",
        "c",
        "Class",
        "All users, or only admins, free or pro ones",
        cost="1 request",
        shown=True,
        do=lambda screen: screen.do_class(),
    ),
    Action(
        "plan",
        "m",
        "Plans",
        "All plans side by side, with what is known of the user",
        needs=(ROW,),
        do=lambda screen: screen.do_plan(),
    ),
    *(UNDO_SUBSCRIPTION if action is UNDO else action for action in SUBSCRIBING_ACTIONS),
)


_TITLES = {field.name: field.title for field in fields_of(User)}
_PLAN_TITLE = _TITLES["planid"]
_EMAIL_CELLS = 30
"""Cells without which a longer address is left out of the list."""
_END_COLUMN = "until"
_COLUMN_TITLES = {"planid": PLAN_TITLE, "expires": "Left", _END_COLUMN: "Until"}


def _with_plan(lines: Sequence[DetailLine], plan: Plan) -> list[DetailLine]:
    """Lines of details with the plan by its name, then what it allows."""
    named = DetailLine("Plan", (Piece(plan.name, Tone.HERO), Piece(f" ({plan.id})", Tone.MUTED)))
    told = [named if line.title == _PLAN_TITLE else line for line in lines]
    return [
        *told,
        DetailLine(""),
        DetailLine(f"{plan.name} ({plan.id}) allows"),
        price_line(plan),
        *allowed(plan),
    ]


def allowed(plan: Plan) -> list[DetailLine]:
    """Return what a plan allows of everything that is counted, as the service sent it."""
    return [
        DetailLine(one.name, (Piece(f"{one.limit:,}" if one.limit else limit_words(0)),))
        for one in allowances(plan, {})
    ]


_RANKS: Mapping[str, Literal["low", "usual", "high"]] = {"free": "low", "pro": "usual", "admin": "high"}


def badge_of(status: str) -> object:
    """The class of a user as it is shown; a word that is none of them as it was sent."""
    return Badge(status, _RANKS[status]) if status in _RANKS else status


def _status_badge(user: User) -> object:
    return drawn_value(user, "status") if "status" in user.estimated else badge_of(user.status)


def _last_day(user: User) -> object:
    return drawn_value(user, "expires")


def with_plans(
    columns: Sequence[Column[User]], names: Callable[[], Mapping[int, str]], now: Callable[[], datetime]
) -> tuple[Column[User], ...]:
    """The columns of the list: the class as a badge, the plan by its name, how long that still lasts.

    `names` are those of the known plans, by id; `now` is without a zone.
    """

    def left(user: User) -> object:
        return left_shown(user, now())

    named = {column.name: column for column in columns}
    width, titles = named["expires"].width, _COLUMN_TITLES
    return (
        named["username"],
        Computed("status", named["status"].title, Kind.CHOICE, 7, draw=_status_badge),
        plan_column(names),
        Computed("expires", titles["expires"], Kind.MOMENT, 11, align="right", essential=True, draw=left),
        replace(named["email"], essential=False, width=_EMAIL_CELLS),
        Computed(_END_COLUMN, titles[_END_COLUMN], Kind.MOMENT, width, draw=_last_day, by_field="expires"),
        named["id"],
    )


class UsersScreen(ResourceScreen[User]):
    """All users in one list, which has no pages."""

    TITLE = RESOURCE.title
    COLUMN_TITLES = _COLUMN_TITLES
    ACTIONS = USER_ACTIONS
    BINDINGS = bindings(USER_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._plans: Mapping[int, Plan] = {}
        self._plan_names: Mapping[int, str] = {}
        self._ending: Sequence[str] = ()
        self._counted: object = None
        """The rows that were counted last."""
        columns = with_plans(self.records.columns, lambda: self._plan_names, session.local_time)
        self.records.columns = columns
        self.collection.arrangement.use(columns, ())

    def on_mount(self) -> None:
        self._unwatch.append(self.session.collections.of(PLANS).watch(self.show_known))

    async def read_known(self) -> None:
        known = await self.session.collections.of(PLANS).known_records()
        plans = {plan.id: plan for plan in known}
        if plans != self._plans:
            self._plans, self._plan_names = plans, plan_names(known)
            self.show_columns_anew()

    def lines(self, record: User, width: int) -> Sequence[DetailLine]:
        """Return what the service says of the user, with the plan by its name, then what that plan allows."""
        plan, lines = self._plans.get(record.planid or 0), super().lines(record, width)
        return lines if plan is None else _with_plan(lines, plan)

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

    def facts(self) -> Sequence[str]:
        """The numbers of those who have expired, and who soon will."""
        return self._ending

    def _collection_changed(self) -> None:
        super()._collection_changed()
        rows = self.collection.listing.loaded_rows()
        if self.is_mounted and rows is not self._counted:
            self._counted = rows
            self.run_worker(self._count(), group="count", exclusive=True, exit_on_error=False)

    async def _count(self) -> None:
        users, now = await self.collection.known_records(), self.session.local_time()
        over = await asyncio.to_thread(lambda: sum(time_left(user, now).is_over for user in users))
        week, month = [len(await asyncio.to_thread(expiring, users, now, time)) for time in (SOON, LATER)]
        self._ending = (f"{over:,} expired", f"{week:,} in 7 days", f"{month:,} in 30 days") if users else ()
        self._paint_status()

    @property
    def beside(self) -> Beside[User] | None:
        return plan_beside(self._plan_names)

    def missing_more(self) -> None:
        """Every user can be read alone, as it is now."""

    def do_open(self) -> Flow | None:
        return self._read_one(self.row.id) if self.row is not None else None

    async def _read_one(self, id: int) -> None:
        """Ask for this one user, and show what came in full. Raises ServiceError."""
        user = await self.session.client.users.get(id)
        self.collection.put(user)
        await self.wait_for_known()
        self.note_opened(RESOURCE.id, user.id, user.username)  # not all of it is in sight
        show_in_full(self, RESOURCE.title_of(user), self.lines(user, 0))

    def do_class(self) -> None:
        """Show the next class; one that was asked for before costs nothing."""
        following = _SHOWN_IN_TURN.index(self.user_class) + 1
        shown = _SHOWN_IN_TURN[following % len(_SHOWN_IN_TURN)]
        self.show_part(*([shown] if shown else []))

    async def undo(self, targets: Sequence[User]) -> None:
        """Take back the last change of users; of one whose term before is not known, in a form."""
        one = await last_undone(self.records, targets[0]) if len(targets) == 1 else None
        before = None if one is None or one.intent is not None else one.plan_before
        if before is None or await deleted_last(self.records):
            await self.editing.undo(targets)
            return
        self.say(" ".join(before.end_words or ["Saving subscribes anew."]), "Choose the term")
        await choose_term(self.records, self.pane, targets[0], before)

    def do_plan(self) -> None:
        self.app.push_screen(PlanMatrixScreen(self.session, self.row))
