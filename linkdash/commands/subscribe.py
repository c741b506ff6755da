"""`linkdash subscribe`: a user to a plan."""

import argparse

from linkdash.api.endpoints import body_of
from linkdash.api.errors import UnreadableAnswer
from linkdash.api.resources.plans import Subscription
from linkdash.api.resources.users import User
from linkdash.commands.send_writes import send_all
from linkdash.model.resources.plans import subscription
from linkdash.model.session import Session
from linkdash.store.journal_entry import WriteIntent


async def subscribe(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash subscribe USER PLAN --term TERM`: subscribes a user to a plan.

    Reads the user before, so that a lost answer can be told from what was so already.
    """
    intent = await subscription_of(
        session, flags.user, flags.plan, flags.term, flags.expiration, reads_user=not flags.dry_run
    )
    return await send_all(session, [intent], intent.summary, flags)


async def subscription_of(
    session: Session, user: int, plan: int, term: str, expiration: str | None, *, reads_user: bool = True
) -> WriteIntent:
    """A user, of whom the id is known, is subscribed to a plan; 1 request with `reads_user`.

    Without an `expiration` the term decides. Raises InvalidBody, ServiceError.
    """
    given = {"type": term, "expiration": expiration} if expiration else {"type": term}
    body = body_of(Subscription, given)
    summary = f"subscribe user {user} to plan {plan}, {term}"
    before = await _user_before(session, user) if reads_user else None
    return subscription(user, plan, body, summary, before)


async def _user_before(session: Session, id: int) -> User | None:
    """A user as it is; None for one that cannot be read. Raises ServiceError."""
    try:
        return await session.client.users.get(id)
    except UnreadableAnswer:
        return None
