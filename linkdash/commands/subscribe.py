"""`linkdash subscribe`: a user to a plan."""

import argparse
from collections.abc import Mapping, Set
from dataclasses import replace

from linkdash.api.endpoints import body_of
from linkdash.api.errors import UnreadableAnswer
from linkdash.api.resources.plans import Plan, Subscription
from linkdash.api.resources.users import User
from linkdash.commands.send_writes import PlannedWrites, planned_one
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.resources.plans import Difference, difference, subscription
from linkdash.model.session import Session
from linkdash.store.journal_entry import WriteIntent


async def subscribe(session: Session, flags: argparse.Namespace) -> PlannedWrites:
    """`linkdash subscribe USER PLAN --term TERM`: subscribes a user to a plan.

    Reads the user before, so that a lost answer can be told from what was so already; asks before the
    user loses something by it, unless --yes says that there is no need.
    """
    intent, found = await subscription_of(
        session, flags.user, flags.plan, flags.term, flags.expiration, reads_user=not flags.dry_run
    )
    losses = found.lines if found is not None and found.losses else ()
    return planned_one(intent, losses, goes_on=True)


async def subscription_of(
    session: Session, user: int, plan: int, term: str, expiration: str | None, *, reads_user: bool = True
) -> tuple[WriteIntent, Difference | None]:
    """A user, of whom the id is known, is subscribed to a plan; and what that makes of the user.

    1 request with `reads_user`, without which the difference is not known, and 1 for plans that are not kept.
    Without an `expiration` the term decides. Raises InvalidBody, ServiceError.
    """
    given = {"type": term, "expiration": expiration} if expiration else {"type": term}
    body = body_of(Subscription, given)
    read_at = session.moment()
    before = await _user_before(session, user) if reads_user else None
    if before is None:
        return subscription(user, plan, body, ("", "")), None
    plans = await known_plans(session, {plan, before.planid or plan})
    names = (before.username, plans[plan].name if plan in plans else "")
    intent = replace(subscription(user, plan, body, names, before), read_at=read_at)
    return intent, difference(intent, before, plans, session.local_time())


async def _user_before(session: Session, id: int) -> User | None:
    """A user as it is; None for one that cannot be read. Raises ServiceError."""
    try:
        return await session.client.users.get(id)
    except UnreadableAnswer:
        return None


async def known_plans(session: Session, compared: Set[int]) -> Mapping[int, Plan]:
    """The plans, by id; read where two are compared and one of these is not kept. Raises ServiceError."""
    collection = session.collections.of(PLANS)
    plans = {plan.id: plan for plan in await collection.known_records()}
    if len(compared) > 1 and not compared <= plans.keys():
        await collection.read(1)
        plans = {plan.id: plan for plan in await collection.known_records()}
    return plans
