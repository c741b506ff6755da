"""What needs a look: `linkdash review` of the users, for admins, and `linkdash alerts` of the rules."""

import argparse
from collections.abc import Sequence

from linkdash.api.errors import Misconfigured, ServiceError
from linkdash.api.plans import Plan
from linkdash.api.users import User
from linkdash.commands.output import cell_text, write_rows
from linkdash.commands.records import load
from linkdash.commands.running import ALERT, FINE, NotFound, of_error
from linkdash.commands.streams import tell
from linkdash.model.alerts import alert_members, look
from linkdash.model.export import record_members
from linkdash.model.humanize import ago
from linkdash.model.review import Finding
from linkdash.model.review import review as reviewed
from linkdash.model.session import Session

# ---- the users ----

_FINDING_TITLES = {"finding": "Finding", "count": "Users", "who": "The first to expire"}
_SHOWN = 3


async def review(session: Session, flags: argparse.Namespace) -> int:
    """Writes a row a finding; json and jsonl have its users. Costs 2 requests, or none with --cached."""
    users, plans = session.collection("users"), session.collection("plans")
    for collection in (users, plans):
        await load(session, collection, every=not flags.cached, cached=flags.cached)
    known: list[User] = list(users.records)
    offered: list[Plan] = list(plans.records)
    if not known:
        raise NotFound("There are no users to review.", "Nothing is stored." if flags.cached else "")
    if flags.cached and (age := users.listing.age(session.now())) is not None:
        tell(f"Stored {ago(age)}.")
    findings = reviewed(known, offered, session.local_time())
    with_users = flags.format in ("json", "jsonl")
    write_rows(_FINDING_TITLES, [_row(finding, with_users=with_users) for finding in findings], flags.format)
    return 0


def _row(finding: Finding, *, with_users: bool) -> dict[str, object]:
    row: dict[str, object] = {"finding": finding.title, "count": len(finding.users)}
    if with_users:
        row["needs_action"] = finding.needs_action
        return {**row, "users": [record_members(user) for user in finding.users]}
    first = [f"{user.username} ({cell_text(user.expires) or 'never'})" for user in finding.users[:_SHOWN]]
    more = len(finding.users) - len(first)
    return {**row, "who": ", ".join(first) + (f" and {more:,} more" if more else "")}


# ---- the rules ----

_ALERT_TITLES = {"rule": "Rule", "subject": "About", "since": "Since", "message": "What"}


async def alerts(session: Session, flags: argparse.Namespace) -> int:
    """Lists what is raised. --check looks first: 1 request where a rule is about users, else none."""
    status = await _checked(session) if flags.check else FINE
    raised = await session.store.alerts.raised()
    write_rows(_ALERT_TITLES, [alert_members(alert) for alert in raised], flags.format)
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
