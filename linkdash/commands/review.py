"""`linkdash review`: who expires, who is on which plan, and what does not fit, for admins."""

import argparse

from linkdash.api.plans import Plan
from linkdash.api.users import User
from linkdash.commands.exit_status import NotFound
from linkdash.commands.output import cell_text, write_rows
from linkdash.commands.records import load
from linkdash.commands.streams import tell
from linkdash.model.export import record_members
from linkdash.model.humanize import ago
from linkdash.model.review import Finding
from linkdash.model.review import review as reviewed
from linkdash.model.session import Session

_TITLES = {"finding": "Finding", "count": "Users", "who": "The first to expire"}
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
    write_rows(_TITLES, [_row(finding, with_users=with_users) for finding in findings], flags.format)
    return 0


def _row(finding: Finding, *, with_users: bool) -> dict[str, object]:
    row: dict[str, object] = {"finding": finding.title, "count": len(finding.users)}
    if with_users:
        row["needs_action"] = finding.needs_action
        return {**row, "users": [record_members(user) for user in finding.users]}
    first = [f"{user.username} ({cell_text(user.expires) or 'never'})" for user in finding.users[:_SHOWN]]
    more = len(finding.users) - len(first)
    return {**row, "who": ", ".join(first) + (f" and {more:,} more" if more else "")}
