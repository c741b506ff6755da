"""Users of the service, of all classes or of one; they are subscribed to plans."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from linkdash.api.client import Client, Endpoints
from linkdash.api.endpoints import Done, body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.fields import Reference, write_moment
from linkdash.api.resources.plans import Subscription
from linkdash.api.resources.users import User, UserCreate
from linkdash.model.declaration import Assigning, Deletion, NameOf, Resource, Verdict, assignment
from linkdash.model.humanize import ESTIMATED, numbered
from linkdash.model.lists.columns import column
from linkdash.model.resources import plans
from linkdash.model.writes.settling import compared
from linkdash.store.journal_entry import WriteIntent


class PlanForUsers(Subscription):
    """The plan that users are subscribed to, and how; without one each goes on with their own."""

    plan_id: Annotated[int | None, Reference("plans")] = Field(
        default=None, title="Plan", description="Empty: the same plan as now", gt=0
    )


def _subscribe(user: User, body: PlanForUsers, name_of: NameOf) -> Sequence[WriteIntent]:
    plan_id = body.plan_id or user.planid
    if not plan_id:
        raise InvalidBody(
            f"User {numbered(user.id, user.username)} has no plan to keep.", "Choose one for all."
        )
    words = f"subscribe user {numbered(user.id, user.username)} to plan {name_of('plans', plan_id)}"
    return [plans.subscription(user.id, plan_id, body, f"{words}, {body.type}", user)]


def _plan_of(users: Sequence[User]) -> Mapping[str, object]:
    """The plan that all of them pay for, most often prolonged by a month; nothing where they differ."""
    plans_paid = {user.planid if user.expires is not None else None for user in users}
    (plan, *others) = plans_paid or {None}
    return {} if plan is None or others else {"plan_id": plan, "type": "monthly"}


async def _assign(client: Endpoints, intent: WriteIntent) -> Done:
    user_id, plan_id = intent.record_ids
    body = intent.body if isinstance(intent.body, Subscription) else body_of(Subscription, intent.params)
    return await client.plans.subscribe(plan_id, user_id, body)


async def _check(client: Client, intent: WriteIntent) -> Verdict:
    user = await client.users.get(intent.record_ids[0])
    sent: dict[str, object] = {"planid": intent.record_ids[1]}
    if "expiration" in intent.params:
        sent["expires"] = intent.params["expiration"]
    is_told = "expiration" in intent.params or user.planid != intent.record_ids[1]
    if intent.before is None and not is_told:
        return Verdict(None, "Cannot tell: the user may have been on this plan before.")
    before = intent.before or {}
    is_renewal = before.get("planid") == intent.record_ids[1] and "expiration" not in intent.params
    return _renewed(intent, user, before) if is_renewal else compared(user, sent, before)


def _renewed(intent: WriteIntent, user: User, before: Mapping[str, object]) -> Verdict:
    """Return what the end of a subscription says about another term of the same plan."""
    if user.planid != before["planid"] or intent.params.get("type") == "lifetime":
        return Verdict(None, "Cannot tell: what a user has does not show whether it was renewed.")
    expires = write_moment(user.expires) if user.expires else None
    if expires != before.get("expires"):
        return Verdict(True, "Done: the subscription ends at another time than before.")
    return Verdict(False, "Not done: the subscription ends when it did before.")


def _expected(intent: WriteIntent, now: datetime, made: User | None) -> Mapping[str, object]:
    if intent.action == "subscribe":
        return plans.expected(intent, now)
    expires = intent.params.get("expiration")
    return {**intent.params, "expires": expires} if expires else intent.params


def _as_created(user: User) -> Mapping[str, object]:
    """The end by its name in a request, and the plan, which a request takes where it is a premium one."""
    return {"expiration": user.expires, "planid": None if user.status == "free" else user.planid}


RESOURCE = Resource(
    "users",
    singular="user",
    record=User,
    columns=(
        column(User, "username", width=16, grow=True, essential=True),
        column(User, "email", grow=True, essential=True),
        column(User, "status", width=6),
        column(User, "expires", width=len(f"{ESTIMATED} 2026-12-31")),
        column(User, "planid"),
        column(User, "id"),
    ),
    create=UserCreate,
    delete=Deletion(
        lambda user: f"{user.email} can no longer log in; everything they have is deleted.",
        "{} users can no longer log in; everything they have is deleted.",
        typed=True,
    ),
    assignment=assignment(
        PlanForUsers, "Subscribe", _subscribe, "Subscribe", start=_plan_of, takes=plans.taken
    ),
    assigning=Assigning(_assign, _check),
    expected=_expected,
    as_created=_as_created,
    follows=lambda user: ("plans", user.planid) if user.planid else None,
    for_admins=True,
    part_source="of_class",
)
