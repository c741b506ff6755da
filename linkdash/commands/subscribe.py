"""`linkdash subscribe`: a user to a plan."""

import argparse

from linkdash.api.endpoints import body_of
from linkdash.api.errors import UnreadableAnswer
from linkdash.api.resources.plans import Subscription
from linkdash.api.resources.users import User
from linkdash.commands.send_writes import send_all
from linkdash.model.resources.plans import subscription
from linkdash.model.session import Session


async def subscribe(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash subscribe USER PLAN --term TERM`: subscribes a user to a plan.

    Reads the user before, so that a lost answer can be told from what was so already.
    """
    members: dict[str, object] = {"type": flags.term}
    if flags.expiration:
        members["expiration"] = flags.expiration
    body = body_of(Subscription, members)
    summary = f"subscribe user {flags.user} to plan {flags.plan}, {flags.term}"
    user = None if flags.dry_run else await user_before(session, flags.user)
    intent = subscription(flags.user, flags.plan, body, summary, user)
    return await send_all(session, [intent], summary, flags)


async def user_before(session: Session, id: int) -> User | None:
    """A user as it is; None for one that cannot be read. Raises ServiceError."""
    try:
        return await session.client.users.get(id)
    except UnreadableAnswer:
        return None
