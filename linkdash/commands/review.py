"""`linkdash review`: users whose plan ends or who are near its allowances."""

import argparse
from functools import cache
from typing import TYPE_CHECKING

from linkdash.commands.exit_status import NotFound
from linkdash.commands.output import (
    cell_text,
    put_groups,
    put_lines,
    write_rows,
)
from linkdash.commands.standard_streams import tell
from linkdash.model.humanize import ago
from linkdash.model.lists.export import record_members
from linkdash.model.session import Session

if TYPE_CHECKING:  # no list waits for them
    from linkdash.api.resources.plans import Plan
    from linkdash.api.resources.users import User
    from linkdash.model.insight.review import Finding

from linkdash.commands.load_records import load, tell_part

_FINDING_TITLES = {"finding": "Finding", "count": "Users", "who": "The first to expire"}
_USERS_NAMED = 3


async def review(session: Session, flags: argparse.Namespace) -> int:
    """Write a row a finding; json and jsonl have its users. Costs 2 requests, or none with --cached."""
    from linkdash.model.insight.review import review as reviewed

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
    if flags.format in ("json", "jsonl"):
        members = cache(record_members)  # a user is in several findings
        groups = ((_members_of(finding), "users", map(members, finding.users)) for finding in findings)
        if flags.format == "json":
            put_groups(groups)
        else:  # each line can be long
            put_lines(({**about, name: [*users]} for about, name, users in groups), 1)
    else:
        write_rows(_FINDING_TITLES, [_finding_row(finding) for finding in findings], flags.format)
    return tell_part(users, "Reviewed", cached=flags.cached)


def _members_of(finding: "Finding[User]") -> dict[str, object]:
    return {
        "finding": finding.title,
        "count": len(finding.users),
        "needs_action": finding.needs_action,
    }


def _finding_row(finding: "Finding[User]") -> dict[str, object]:
    first = [
        f"{user.username} ({cell_text(user.expires) or 'never'})" for user in finding.users[:_USERS_NAMED]
    ]
    more = len(finding.users) - len(first)
    who = ", ".join(first) + (f" and {more:,} more" if more else "")
    return {"finding": finding.title, "count": len(finding.users), "who": who}
