"""Subscribing users to plans: what is asked for, when it will end, how it is found out."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field
from textual.app import ComposeResult
from textual.widgets import Static

from linkdash.api.client import Endpoints
from linkdash.api.fields import Reference, read_moment, write_moment
from linkdash.api.model import Body
from linkdash.api.plans import Plan, Subscription, Term
from linkdash.api.resource import body_of
from linkdash.api.users import User
from linkdash.screens.writing.writes import Given, Giving, Naming, giving
from linkdash.store.settling import Verdict, compared
from linkdash.store.tasks import Task
from linkdash.widgets.columns import ESTIMATED
from linkdash.widgets.form import Draft, Preview, months_later

_MONTHS: Mapping[Term, int] = {"monthly": 1, "yearly": 12}
"""How long a term lasts; how long a lifetime is, the service does not say (reference: plans)."""


class _PlanChoice(Body):
    plan_id: Annotated[int, Reference("plans")] = Field(title="Plan", gt=0)


class _UserChoice(Body):
    user_id: Annotated[int, Reference("users")] = Field(title="User", gt=0)


class PlanForUsers(Subscription, _PlanChoice):
    """The plan that users are subscribed to, and how."""


class UserForPlan(Subscription, _UserChoice):
    """The user that is subscribed to a plan, and how."""


def _task(user_id: int, plan_id: int, body: Subscription, words: str, user: User | None = None) -> Task:
    params = {name: value for name, value in body.given().items() if name in Subscription.model_fields}
    before = None
    if user is not None:
        expires = write_moment(user.expires) if user.expires else None
        before = {"planid": user.planid, "expires": expires}
    return Task("users", "subscribe", (user_id, plan_id), params, words, before)


def _plan_for_user(user: User, body: PlanForUsers, naming: Naming) -> Sequence[Task]:
    words = f"subscribe user {user.id} ({user.username}) to plan {naming('plans', body.plan_id)}"
    return [_task(user.id, body.plan_id, body, f"{words}, {body.type}", user)]


def _user_for_plan(plan: Plan, body: UserForPlan, naming: Naming) -> Sequence[Task]:
    words = f"subscribe user {naming('users', body.user_id)} to plan {plan.id} ({plan.name})"
    return [_task(body.user_id, plan.id, body, f"{words}, {body.type}")]


USER_GIVING: Giving[User] = giving(PlanForUsers, "Subscribe", _plan_for_user)
PLAN_GIVING: Giving[Plan] = giving(UserForPlan, "Subscribe a user to", _user_for_plan)


async def _subscribe(endpoints: Endpoints, task: Task) -> object:
    user_id, plan_id = task.record_ids
    return await endpoints.plans.subscribe(plan_id, user_id, body_of(Subscription, task.params))


async def _look(endpoints: Endpoints, task: Task) -> Verdict:
    """What one read of the user says. Raises ServiceError."""
    user = await endpoints.users.get(task.record_ids[0])
    sent: dict[str, object] = {"planid": task.record_ids[1]}
    if "expiration" in task.params:
        sent["expires"] = task.params["expiration"]
    return compared(user, sent, task.before or {})


USER_GIVEN = Given(_subscribe, _look)

# ---- when it ends ----


def ends(term: str, now: datetime) -> datetime | None:
    """About when a term that begins now ends; None where that cannot be known."""
    months = next((months for known, months in _MONTHS.items() if known == term), None)
    return None if months is None else months_later(now, months)


def expiry(term: str, own: datetime | None, now: datetime) -> str:
    """When a subscription of this term that begins now will end, in words; `own` is an expiration given."""
    if own is not None:
        return f"on {write_moment(own)}, as given"
    end = ends(term, now)
    if end is None:
        return "the service sets it; how long a lifetime is, it does not say" if term else ""
    return f"the service sets it, about {end:%Y-%m-%d}"


def shown_of(task: Task, now: datetime) -> Mapping[str, object]:
    """What a subscription makes of its user; an expiry that only the service knows is a guess."""
    end = ends(str(task.params.get("type")), now)
    guess = f"{ESTIMATED} lifetime" if end is None else f"{ESTIMATED} {end:%Y-%m-%d}"
    return {"planid": task.record_ids[1], "expires": task.params.get("expiration", guess)}


class ExpiryPreview(Preview):
    """Says when a subscription will end, as far as that can be known before it is sent."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        yield Static(id="expiry", markup=False)

    def show(self, draft: Draft) -> None:
        words = expiry(draft.text("type"), _moment_in(draft.text("expiration")), self._now())
        self.query_one("#expiry", Static).update(f"Ends: {words}" if words else "")


def _moment_in(text: str) -> datetime | None:
    try:
        return read_moment(text)
    except ValueError:
        return None
