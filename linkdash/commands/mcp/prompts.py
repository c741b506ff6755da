"""Two jobs that can be asked for by name. They say which tools to use, in which order and at what cost."""

from typing import Annotated

from mcp.server.mcpserver.prompts import Prompt
from pydantic import Field

from linkdash.commands.mcp.fencing import ABOUT_TEXTS
from linkdash.commands.mcp.tool import Days

_FALLS = """\
Which QR codes fell in the last {days} days against the {days} days before, and why?
1. Call report with days={days} and order="fell". It costs no request.
2. If nothing was read lately (read_at), say so, and offer to call statistics for the codes that matter: one \
request each.
3. For each code that fell tell by how much, since when, and which label of which breakdown (country, \
referrer, browser, system) explains most of the fall. Say where it is an estimate.
4. Close with what to look at first. Do not change anything.
"""
_EXPIRIES = """\
Whose subscription ends within {days} days, and what should be done?
1. Call budget. The next step costs two requests.
2. Call review_users.
3. List the users who have expired or expire within {days} days, the soonest first: id, name, when, plan.
4. For each propose one of: renew (subscribe_user with the same plan and its term), change the plan, or \
leave it. Give the reason.
5. Change nothing before a person has agreed to each change.
"""


def what_fell(
    days: Annotated[Days, Field(description="Compare the last days with as many before (7)")] = 7,
) -> str:
    """The job of finding what fell."""
    return f"{_FALLS.format(days=days)}{ABOUT_TEXTS}"


def who_expires(
    days: Annotated[Days, Field(description="Users who expire within this many days (30)")] = 30,
) -> str:
    """The job of finding who expires."""
    return f"{_EXPIRIES.format(days=days)}{ABOUT_TEXTS}"


PROMPTS = (
    Prompt.from_function(
        what_fell,
        title="What fell, and why",
        description="Finds the QR codes whose scans fell, and what explains it.",
    ),
    Prompt.from_function(
        who_expires,
        title="Who expires, and what to do",
        description="Finds users whose subscription ends soon, and proposes what to do.",
    ),
)
