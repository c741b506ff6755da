"""Plans, and the subscriptions of users to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Annotated, NamedTuple

from pydantic import Field

from linkdash.api.endpoints import body_of
from linkdash.api.fields import Kind, Reference, read_moment, write_moment
from linkdash.api.resources.plans import Plan, Subscription, Term
from linkdash.api.resources.users import User
from linkdash.model.declaration import (
    Assignment,
    Expected,
    KnownCollections,
    NameOf,
    Resource,
    Taken,
    declaration,
)
from linkdash.model.humanize import ESTIMATED, TimeLeft, counted, months_later
from linkdash.model.lists.columns import Column, Computed, column
from linkdash.model.lists.views import Finding
from linkdash.store.journal_entry import WriteIntent

_MONTHS: Mapping[Term, int] = {"monthly": 1, "yearly": 12}
"""The length of a term; the service does not tell that of a lifetime (reference: plans)."""


class UserForPlan(Subscription):
    """The user that is subscribed to a plan, and how."""

    user_id: Annotated[int, Reference("users")] = Field(title="User", gt=0)


def subscription(
    user_id: int, plan_id: int, body: Subscription, names: tuple[str, str], user: User | None = None
) -> WriteIntent:
    """The write that subscribes a user to a plan, by their names; `user` is as known before, if it is."""
    params = {name: value for name, value in body.given().items() if name in Subscription.model_fields}
    before = None if user is None else subscription_before(user)
    return WriteIntent("users", "subscribe", (user_id, plan_id), params, names, before)


def subscription_before(user: User) -> Mapping[str, object]:
    """The subscription that a user has, as far as the service has told it: an estimate is no evidence."""
    members = {"planid": user.planid, "expires": write_moment(user.expires) if user.expires else None}
    return {name: value for name, value in members.items() if user.tells(name)}


def _subscribe_user(plan: Plan, body: UserForPlan, name_of: NameOf) -> Sequence[WriteIntent]:
    return [subscription(body.user_id, plan.id, body, (name_of("users", body.user_id), plan.name))]


# ---- what a subscription takes away, and what it costs ----


async def taken(intents: Sequence[WriteIntent], known: KnownCollections, now: datetime) -> Sequence[Taken]:
    """Plan, end and price of users, old → new, and what subscriptions take away.

    Nothing where one takes nothing away and costs nothing, and of a user or a plan that is not known.
    """
    listed: list[User] = await known.of(declaration("users")).known_records()
    plans: dict[int, Plan] = {plan.id: plan for plan in await known.of(RESOURCE).known_records()}
    wanted = {intent.record_ids[0] for intent in intents}
    users = {user.id: user for user in listed if user.id in wanted}
    return [
        Taken(intent)
        if (user := users.get(intent.record_ids[0])) is None
        else _taken_of(intent, user, plans, now)
        for intent in intents
    ]


def _taken_of(intent: WriteIntent, user: User, plans: Mapping[int, Plan], now: datetime) -> Taken:
    known = intent if intent.before is not None else replace(intent, before=subscription_before(user))
    found = difference(intent, user, plans, now)
    plan = plans.get(intent.record_ids[1])
    is_asked = bool(found.losses) or found.is_priced_anew or (plan is not None and not plan.free)
    return Taken(known, found.lines if is_asked else (), found.losses)


class Difference(NamedTuple):
    """The plan, price and end of a user before a subscription → after it, in lines."""

    lines: Sequence[str]
    losses: Sequence[str]
    """Those of the lines that tell of a loss; another price is none."""
    is_priced_anew: bool


def difference(
    intent: WriteIntent, user: User, plans: Mapping[int, Plan], now: datetime, term_before: str = ""
) -> Difference:
    """Return what a subscription makes of a user, as far as users and plans are known.

    `term_before` is the term that the user has, which the service does not tell; empty where it is not known.
    """
    plan_id, term = intent.record_ids[1], str(intent.params["type"])
    before, after = plans.get(user.planid or 0), plans.get(plan_id)
    lowered = [] if before is None or after is None else _lowered(before, after)
    same = user.planid == plan_id
    price = [] if after is None or same else _price_change(before, after, term, term_before or term)
    costs = [f"Price: {price_words(after, term)}"] if after is not None and not after.free else []
    own = read_moment(str(intent.params.get("expiration") or ""))
    is_free = own is None and after is not None and bool(after.free)
    until = None if is_free else own or ends(term, now)
    lost = _days_lost(user, until, now)
    was, wanted = (plan.name if plan is not None else "not known" for plan in (before, after))
    estimated = "" if "expiration" in intent.params else "about "
    open_end = "no end" if is_free else "set by the service"
    then = open_end if until is None else f"{estimated}{until:%Y-%m-%d}"
    is_same = until is not None and user.expires is not None and until.date() == user.expires.date()
    end = f"Until: {_end_words(user)} → {then}{lost or (', no day more' if is_same else '')}"
    lines = [
        f"Plan: {was}, as before" if same else f"Plan: {was if user.planid else 'none'} → {wanted}",
        *(price or costs),
        end,
        *lowered,
    ]
    return Difference(lines, [*([end] if lost else []), *lowered], bool(price))


def _end_words(user: User) -> str:
    """The end of what a user has, in words; as it was sent where that is no moment."""
    told = user.odd.get("expires") or ("no end" if user.expires is None else f"{user.expires:%Y-%m-%d}")
    return f"{ESTIMATED} {told}" if "expires" in user.estimated else told


def _lowered(before: Plan, after: Plan) -> list[str]:
    """Lines about what a plan has less than another."""
    from linkdash.model.insight.plan_matrix import matrix  # the start does not wait for it

    lines = matrix([before, after], None).lost(0, 1)
    return [f"{line[0].upper()}{line[1:]}" for line in lines]


def _price_change(before: Plan | None, after: Plan, term: str, term_before: str) -> list[str]:
    """A line about the price, old → new, each with its term where those differ; none where it stays."""
    was, now = None if before is None else price_of(before, term_before), price_of(after, term)
    if was == now and (term == term_before or not now):
        return []
    old, new = ("not known" if price is None else f"{price:,.2f}" for price in (was, now))
    old = f"{old} {_per(term_before)}" if was and term != term_before else old
    return [f"Price: {old} → {new} {_per(term)}".rstrip()]


_PER: Mapping[Term, str] = {"monthly": "a month", "yearly": "a year", "lifetime": "for life"}


def price_of(plan: Plan, term: str) -> Decimal | None:
    """The price of a term; None where it is not offered, or not known."""
    return Decimal(0) if plan.free else getattr(plan, term)


def _per(term: str) -> str:
    """A term in words, `a month`; nothing of a term that there is not."""
    return next((words for known, words in _PER.items() if known == term), "")


def price_words(plan: Plan, term: str) -> str:
    """The price of a term of a plan in words; nothing of a term that there is not."""
    per = _per(term)
    if not per:
        return ""
    if plan.free:
        return "free"
    price = price_of(plan, term)
    return f"{plan.name}, {term}: the price is not known" if price is None else f"{price:,.2f} {per}"


def all_prices_words(plan: Plan) -> str:
    """The prices of all terms of a plan in words, `9.00 a month, 90.00 a year`."""
    if plan.free:
        return "free"
    offered = ((price_of(plan, term), per) for term, per in _PER.items())
    return ", ".join(f"{price:,.2f} {per}" for price, per in offered if price is not None)


def _days_lost(user: User, until: datetime | None, now: datetime) -> str:
    """The time by which a term ends sooner than that of a user, in words; empty where it does not."""
    if until is None or "expires" in user.odd:
        return ""
    if user.expires is None:
        return ", it has an end now" if user.status == "pro" else ""
    days = (max(user.expires, now).date() - until.date()).days
    return f", {counted(days, 'day')} less" if days > 0 else ""


def _allowance(title: str, width: int, count: Callable[[Plan], int | None]) -> Computed[Plan]:
    """A column of a number that stands within the limits of a plan."""
    return Computed(title.lower(), title, Kind.COUNT, width, align="right", draw=count, rank=count)


RESOURCE = Resource(
    "plans",
    singular="plan",
    record=Plan,
    columns=(
        column(Plan, "name", grow=True, essential=True),
        Column("monthly", "Monthly", Kind.TEXT, width=9, align="right"),
        Column("yearly", "Yearly", Kind.TEXT, width=9, align="right"),
        Column("lifetime", "Lifetime", Kind.TEXT, width=9, align="right"),
        _allowance("Links", 9, lambda plan: plan.links),
        _allowance("Clicks", 10, lambda plan: plan.clicks),
        column(Plan, "id"),
    ),
    assignment=Assignment(UserForPlan, "Subscribe a user to", _subscribe_user, "Subscribe", takes=taken),
    for_admins=True,
    one_at_a_time=True,
    findings=(
        Finding(
            name="without users",
            filter="users:0",
            why="No known user is on them.",
            advice="This is known once users are loaded.",
        ),
    ),
)

# ---- the plan before again ----


def resubscription(
    user: User, plan: Plan, term: str, end: datetime | None, now: datetime
) -> WriteIntent | None:
    """The write that gives a user the plan before again; None where nothing tells for which term.

    `term` is empty, and `end` None, where it is not known. Without a term, the shortest is taken that reaches
    the end.
    """
    term = "monthly" if plan.free else term or (shortest_term(end, now) if end is not None else "")
    if not term:
        return None
    ending = {"expiration": end} if end is not None and not plan.free else {}
    body = body_of(Subscription, {"type": term, **ending})
    return subscription(user.id, plan.id, body, (user.username, plan.name), user)


def shortest_term(end: datetime, now: datetime) -> Term:
    """The shortest term beginning now that does not end before a moment."""
    for term, months in _MONTHS.items():
        if end <= months_later(now, months):
            return term
    return "lifetime"


# ---- when a subscription ends ----


def ends(term: str, now: datetime) -> datetime | None:
    """About when a term that begins now ends; None where that cannot be known."""
    months = next((months for known, months in _MONTHS.items() if known == term), None)
    return None if months is None else months_later(now, months)


def expiry_words(term: str, own: datetime | None, now: datetime) -> str:
    """The end of a subscription of this term that begins now, in words; `own` is an expiration given.

    Nothing is said of a term that there is not.
    """
    if own is not None:
        return f"{own:%Y-%m-%d}, {_when(own, now)}"
    if term == "lifetime":
        return "set by the service, which does not say how long a lifetime is"
    end = ends(term, now)
    return "" if end is None else f"about {end:%Y-%m-%d}, set by the service"


def _when(end: datetime, now: datetime) -> str:
    """An end as seen from now: `in 12 days`, `in 11 h`, `3 days ago`."""
    left = TimeLeft(end, now)
    return f"{left.length} ago" if left.is_over else f"in {left.length}"


def expected(intent: WriteIntent, now: datetime) -> Expected:
    """Return what a subscription makes of its user; what only the service knows is an estimate.

    Who has a subscription that ends is not free (reference: account and user).
    """
    end = ends(str(intent.params.get("type")), now)
    plan, own = {"planid": intent.record_ids[1]}, intent.params.get("expiration")
    if own is not None:
        return Expected({**plan, "expires": own}, {"status": "pro"}, frozenset({"status"}))
    guess = "lifetime" if end is None else f"{end:%Y-%m-%d}"
    return Expected(plan, {"expires": guess, "status": "pro"}, frozenset({"expires", "status"}))
