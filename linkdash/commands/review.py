"""`linkdash review`: users whose plan ends or who are near its allowances."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from linkdash.api.records import Unreadable
from linkdash.api.slices import at_once
from linkdash.commands.exit_status import NotFound
from linkdash.commands.output import (
    cell_text,
    put_groups,
    put_lines,
    write_rows,
)
from linkdash.commands.standard_streams import tell
from linkdash.model.humanize import ago
from linkdash.model.lists.columns import Odd
from linkdash.model.lists.export import all_members
from linkdash.model.lists.field_values import RowsOf, Values
from linkdash.model.session import Session

if TYPE_CHECKING:  # no list waits for them
    from linkdash.api.resources.plans import Plan
    from linkdash.api.resources.users import User
    from linkdash.model.insight.review import Finding

from linkdash.commands.load_records import load, tell_part

_FINDING_TITLES = {"finding": "Finding", "count": "Users", "who": "The first to expire"}
_USERS_NAMED = 3
_NOTHING: Mapping[str, object] = MappingProxyType({})


async def review(session: Session, flags: argparse.Namespace) -> int:
    """Write a row a finding; json and jsonl have its users. Costs 2 requests, or none with --cached."""
    from linkdash.model.insight.review import review as reviewed

    users, plans = session.collection("users"), session.collection("plans")
    for collection in (users, plans):
        await load(session, collection, every=not flags.cached, cached=flags.cached)
    rows: RowsOf[User] = users.listing.loaded_rows()
    known = _facts(rows)
    offered: list[Plan] = list(plans.records)
    if not known:
        raise NotFound("There are no users to review.", "Nothing is stored." if flags.cached else "")
    if flags.cached and (age := users.listing.age(session.now())) is not None:
        tell(f"Stored {ago(age)}.")
    findings = reviewed(known, offered, session.local_time())
    if flags.format in ("json", "jsonl"):
        members = [*all_members(rows)]  # a user is in several findings
        groups = ((_members_of(finding), "users", _users_of(finding, members)) for finding in findings)
        if flags.format == "json":
            put_groups(groups)
        else:  # each line can be long
            put_lines(({**about, name: [*users]} for about, name, users in groups), 1)
    else:
        write_rows(_FINDING_TITLES, [_finding_row(finding, rows) for finding in findings], flags.format)
    return tell_part(users, "Reviewed", cached=flags.cached)


class UserFacts(NamedTuple):
    """The facts of a user that a review asks for, and their row: 100,000 need not be read for it."""

    place: int
    id: int
    status: str
    expires: datetime | None
    planid: int | None
    odd: Mapping[str, object]
    estimated: frozenset[str] = frozenset()


def _facts(rows: "RowsOf[User]") -> list[UserFacts]:
    values = Values(rows)
    columns = [at_once(values.of(name)) for name in ("id", "status", "expires", "planid")]
    unreadable = at_once(values.unreadable())
    found = []
    for place, (id, status, expires, planid) in enumerate(zip(*columns, strict=True)):
        if isinstance(id, int) and place not in unreadable:
            odd = {"expires": expires} if isinstance(expires, Odd) else _NOTHING
            found.append(
                UserFacts(
                    place,
                    id,
                    status if isinstance(status, str) else "",
                    expires if isinstance(expires, datetime) else None,
                    planid if isinstance(planid, int) else None,
                    odd,
                )
            )
    return found


def _places(finding: "Finding[UserFacts]") -> list[int]:
    return [user.place for user in finding.users]


def _members_of(finding: "Finding[UserFacts]") -> dict[str, object]:
    return {
        "finding": finding.title,
        "count": len(finding.users),
        "needs_action": finding.needs_action,
    }


def _users_of(finding: "Finding[UserFacts]", members: Sequence[object]) -> Iterator[object]:
    return map(members.__getitem__, _places(finding))


def _finding_row(finding: "Finding[UserFacts]", rows: "RowsOf[User]") -> dict[str, object]:
    first = [
        f"{user.username} ({cell_text(user.expires) or 'never'})"
        for user in (rows[place] for place in _places(finding)[:_USERS_NAMED])
        if not isinstance(user, Unreadable)
    ]
    more = len(finding.users) - len(first)
    who = ", ".join(first) + (f" and {more:,} more" if more else "")
    return {"finding": finding.title, "count": len(finding.users), "who": who}
