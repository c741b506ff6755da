"""`linkdash alerts`: what the rules of the configuration find; new ones are told and run their hooks."""

import argparse
from collections.abc import Sequence

from linkdash.api.errors import Misconfigured, ServiceError
from linkdash.api.users import User
from linkdash.commands.exit_status import ALERT, FINE, of_error
from linkdash.commands.output import write_rows
from linkdash.commands.records import load
from linkdash.commands.streams import tell
from linkdash.model.alerts import alert_members, look
from linkdash.model.session import Session

_TITLES = {"rule": "Rule", "subject": "About", "since": "Since", "message": "What"}


async def alerts(session: Session, flags: argparse.Namespace) -> int:
    """Lists what is raised. --check looks first: 1 request where a rule is about users, else none."""
    status = await _checked(session) if flags.check else FINE
    raised = await session.store.alerts.raised()
    write_rows(_TITLES, [alert_members(alert) for alert in raised], flags.format)
    return ALERT if raised else status


async def _checked(session: Session) -> int:
    settings = session.settings.alerts
    if not settings:
        raise Misconfigured(
            "There is no rule to check.", 'Write one into the configuration: alerts.quiet.when = "silent 7d"'
        )
    users, status = None, FINE
    if any(setting.rule.kind == "expires" for setting in settings.values()):
        try:
            users = await _users(session)
        except ServiceError as error:
            tell(f"The users could not be read: {error}")
            status = of_error(error)
    await look(session, tell, users)
    return status


async def _users(session: Session) -> Sequence[User]:
    collection = session.collection("users")
    await load(session, collection, every=True, cached=False)
    found: list[User] = list(collection.records)
    return found
