"""Plans, and the subscriptions of users to them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from linkdash.api.fields import Kind, Reference, write_moment
from linkdash.api.plans import Plan, Subscription, Term
from linkdash.api.users import User
from linkdash.model.columns import ESTIMATED, Column, column
from linkdash.model.humanize import months_later, numbered
from linkdash.model.resource import NameOf, Resource, assignment
from linkdash.store.journal import WriteIntent

_MONTHS: Mapping[Term, int] = {"monthly": 1, "yearly": 12}
"""How long a term lasts; how long a lifetime is, the service does not say (reference: plans)."""


class UserForPlan(Subscription):
    """The user that is subscribed to a plan, and how."""

    user_id: Annotated[int, Reference("users")] = Field(title="User", gt=0)


def subscription(
    user_id: int, plan_id: int, body: Subscription, words: str, user: User | None = None
) -> WriteIntent:
    """The write that subscribes a user to a plan; `user` is the user as known before, if it is."""
    params = {name: value for name, value in body.given().items() if name in Subscription.model_fields}
    before = None
    if user is not None:
        expires = write_moment(user.expires) if user.expires else None
        before = {"planid": user.planid, "expires": expires}
    return WriteIntent("users", "subscribe", (user_id, plan_id), params, words, before)


def _subscribe_user(plan: Plan, body: UserForPlan, name_of: NameOf) -> Sequence[WriteIntent]:
    words = f"subscribe user {name_of('users', body.user_id)} to plan {numbered(plan.id, plan.name)}"
    return [subscription(body.user_id, plan.id, body, f"{words}, {body.type}")]


RESOURCE = Resource(
    "plans",
    singular="plan",
    record=Plan,
    columns=(
        column(Plan, "name", grow=True, essential=True),
        Column("monthly", "Monthly", Kind.TEXT, width=9, align="right"),
        Column("yearly", "Yearly", Kind.TEXT, width=9, align="right"),
        Column("lifetime", "Lifetime", Kind.TEXT, width=9, align="right"),
        Column("links", "Links", Kind.COUNT, width=9, align="right"),
        Column("clicks", "Clicks", Kind.COUNT, width=10, align="right"),
        column(Plan, "id"),
    ),
    assignment=assignment(UserForPlan, "Subscribe a user to", _subscribe_user, "Subscribe"),
    for_admins=True,
    one_at_a_time=True,
)

# ---- when a subscription ends ----


def ends(term: str, now: datetime) -> datetime | None:
    """About when a term that begins now ends; None where that cannot be known."""
    months = next((months for known, months in _MONTHS.items() if known == term), None)
    return None if months is None else months_later(now, months)


def expiry_words(term: str, own: datetime | None, now: datetime) -> str:
    """When a subscription of this term that begins now will end, in words; `own` is an expiration given.

    Nothing is said of a term that there is not.
    """
    if own is not None:
        return f"on {write_moment(own)}, as given"
    if term == "lifetime":
        return "the service sets it; how long a lifetime is, it does not say"
    end = ends(term, now)
    return "" if end is None else f"the service sets it, about {end:%Y-%m-%d}"


def expected(intent: WriteIntent, now: datetime) -> Mapping[str, object]:
    """What a subscription makes of its user; an expiry that only the service knows is a guess."""
    end = ends(str(intent.params.get("type")), now)
    guess = f"{ESTIMATED} lifetime" if end is None else f"{ESTIMATED} {end:%Y-%m-%d}"
    return {"planid": intent.record_ids[1], "expires": intent.params.get("expiration", guess)}
