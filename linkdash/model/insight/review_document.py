"""The review of users as a document. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from linkdash.api.resources.users import User
from linkdash.model.document.blocks import Block, DrawnTable, Heading, Outside, Sentence, Table, Toned, Words
from linkdash.model.humanize import counted
from linkdash.model.insight.review import Expiry, Finding, Kind, plan_name, time_left
from linkdash.model.statistics.chart_data import Bars

MOST_USERS = 50
"""Users of a finding that are listed; the rest is counted, and the export of a finding has all."""
_TITLES: Mapping[Kind, str] = {"week": "Expiring by week", "status": "By status", "plan": "By plan"}


def review_blocks(
    findings: Sequence[Finding[User]], users: int, plans: Mapping[int, str], now: datetime
) -> Iterator[Block]:
    """Return the findings among so many users; `now` is without a zone, as the service's moments are."""
    found = [finding for finding in findings if finding.kind == "finding" and finding.users]
    yield Heading(1, f"Review of {counted(users, 'user')}")
    needed = [finding for finding in found if finding.needs_action]
    if needed:
        told = "; ".join(f"{finding.title} ({len(finding.users):,})" for finding in needed)
        yield Sentence(f"Needs an admin now: {told}.", is_strong=True)
    else:
        yield Sentence("No user needs an admin now.", is_strong=True)
    for finding in found:
        yield Heading(2, f"{finding.title[:1].upper()}{finding.title[1:]}: {len(finding.users):,}")
        yield _users(finding.users[:MOST_USERS], plans, now)
        if (left := len(finding.users) - MOST_USERS) > 0:
            yield Sentence(f"And {left:,} more; CSV and JSON of the finding hold all.")
    for kind, title in _TITLES.items():
        if lines := [finding for finding in findings if finding.kind == kind]:
            yield Heading(2, title)
            yield _counts(lines)


def _users(users: Sequence[User], plans: Mapping[int, str], now: datetime) -> Table:
    rows: list[Sequence[Words]] = []
    for user in users:
        end = Expiry(time_left(user, now))
        left = Toned(end.words, "bad" if end.is_over else "strong" if end.is_soon else "plain")
        until = f"{end.left.end:%Y-%m-%d}" if end.left.end else ""
        plan = Outside(plan_name(user.planid, plans))
        rows.append((Outside(user.username), str(user.id), plan, Outside(user.status or ""), until, left))
    return Table(("User", "Id", "Plan", "Class", "Until", "Left"), rows, "lrllll")


def _counts(findings: Sequence[Finding[User]]) -> DrawnTable:
    counts = [(finding.label or finding.title, len(finding.users)) for finding in findings]
    rows = [(Outside(label), f"{count:,}") for label, count in counts]
    return DrawnTable(Bars("", tuple(counts)), Table(("", "Users"), rows, "lr"))
