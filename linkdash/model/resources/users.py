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
from linkdash.model.declaration import Assigning, Assignment, Deletion, Expected, NameOf, Resource, Verdict
from linkdash.model.humanize import ESTIMATED, numbered
from linkdash.model.lists.columns import column
from linkdash.model.lists.views import Finding
from linkdash.model.resources import WITHIN_A_MONTH, WITHIN_A_WEEK, plans
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
    return [plans.subscription(user.id, plan_id, body, (user.username, name_of("plans", plan_id)), user)]


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
    before = _known_before(intent)
    if "planid" not in before and user.planid == intent.record_ids[1] and "expiration" not in intent.params:
        return Verdict(None, "Cannot tell: the user may have been on this plan before.")
    is_renewal = before.get("planid") == intent.record_ids[1] and "expiration" not in intent.params
    return _renewed(intent, user, before) if is_renewal else compared(user, sent, before)


def _known_before(intent: WriteIntent) -> Mapping[str, object]:
    """The members that are known of the subscription that another one has replaced.

    An earlier version has kept no end both where there was none and where it was not known.
    """
    before = intent.before or {}
    return {name: was for name, was in before.items() if was is not None or not intent.told}


def _renewed(intent: WriteIntent, user: User, before: Mapping[str, object]) -> Verdict:
    """Return what the end of a subscription says about another term of the same plan."""
    if user.planid != before["planid"] or intent.params.get("type") == "lifetime":
        return Verdict(None, "Cannot tell: what a user has does not show whether it was renewed.")
    if "expires" not in before or not user.tells("expires"):
        return Verdict(None, "Cannot tell: it is not known when the subscription ended before.")
    expires = write_moment(user.expires) if user.expires else None
    if expires != before["expires"]:
        return Verdict(True, "Done: the subscription ends at another time than before.")
    return Verdict(False, "Not done: the subscription ends when it did before.")


def _expected(intent: WriteIntent, now: datetime, made: User | None) -> Expected:
    if intent.action == "subscribe":
        return plans.expected(intent, now)
    expires = intent.params.get("expiration")
    return Expected({**intent.params, "expires": expires} if expires else intent.params)


def _as_created(user: User) -> Mapping[str, object]:
    """The end by its name in a request, and the plan, which a request takes where it is a premium one."""
    is_free = user.status == "free"
    end = user.expires if user.tells("expires") else None
    return {"expiration": end, "planid": None if is_free else user.planid}


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
    assignment=Assignment(
        PlanForUsers, "Subscribe", _subscribe, "Subscribe", start=_plan_of, takes=plans.taken
    ),
    assigning=Assigning(_assign, _check, lambda intent: "plan"),
    expected=_expected,
    as_created=_as_created,
    follows=lambda user: ("plans", user.planid) if user.planid else None,
    for_admins=True,
    part_source="of_class",
    findings=(
        Finding(
            name="expired, still pro",
            filter="class:pro left<0d",
            order=(("expires", False),),
            why="Their time is over, and they still have a paid class.",
            advice="Subscribe them again, or to a free plan.",
        ),
        Finding(
            name=WITHIN_A_WEEK,
            filter="left<7d",
            order=(("expires", False),),
            why="Their time ends within 7 days.",
            advice="Subscribe those who stay.",
        ),
        Finding(
            name=WITHIN_A_MONTH,
            filter="left<30d",
            order=(("expires", False),),
            why="Their time ends within 30 days.",
            advice="Subscribe those who stay.",
        ),
        Finding(
            name="free, on a paid plan",
            filter="class:free paid:1",
            why="Their class is free, and their plan is not.",
            advice="Subscribe them to the plan that they pay for.",
        ),
        Finding(
            name="unknown plan",
            filter="lost>0",
            why="Their plan is not in the list of plans.",
            advice="Subscribe them to one that is.",
        ),
        Finding(
            name="pro, never expires",
            filter='class:pro expires:""',
            why="Nothing ends their paid class.",
            advice="Subscribe those who should pay by term.",
        ),
    ),
)
