"""Two jobs that can be asked for by name. They say which tools to use, in which order and at what cost."""

from collections.abc import Mapping
from dataclasses import dataclass

import mcp_types as types
from pydantic import Field, ValidationError

from linkdash.api.errors import InvalidBody
from linkdash.commands.mcp.fencing import ABOUT_TEXTS
from linkdash.commands.mcp.tool import Days, ToolArguments


class FallsArguments(ToolArguments):
    """The arguments of `what_fell`."""

    days: Days = Field(default=7, description="Compare the last days with as many before (7)")


class ExpiriesArguments(ToolArguments):
    """The arguments of `who_expires`."""

    days: Days = Field(default=30, description="Users who expire within this many days (30)")


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


@dataclass(frozen=True)
class Prompt:
    """A job that a client can ask for by name."""

    name: str
    title: str
    description: str
    arguments: type[FallsArguments | ExpiriesArguments]
    text: str

    @property
    def declared(self) -> types.Prompt:
        """The declaration for a client."""
        return types.Prompt(
            name=self.name,
            title=self.title,
            description=self.description,
            arguments=[
                types.PromptArgument(name=name, description=field.description, required=field.is_required())
                for name, field in self.arguments.model_fields.items()
            ],
        )

    def filled_in(self, given: Mapping[str, str]) -> types.GetPromptResult:
        """Return the text with its arguments. Raises InvalidBody for arguments that are wrong."""
        try:
            chosen = self.arguments.model_validate(given)
        except ValidationError:
            names = ", ".join(self.arguments.model_fields)
            raise InvalidBody(f"The arguments cannot be used: {names}, a whole number of days.") from None
        words = f"{self.text.format(days=chosen.days)}{ABOUT_TEXTS}"
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=words))
        return types.GetPromptResult(description=self.description, messages=[message])


PROMPTS = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "what_fell",
            "What fell, and why",
            "Finds the QR codes whose scans fell, and what explains it.",
            FallsArguments,
            _FALLS,
        ),
        Prompt(
            "who_expires",
            "Who expires, and what to do",
            "Finds users whose subscription ends soon, and proposes what to do.",
            ExpiriesArguments,
            _EXPIRIES,
        ),
    )
}
"""By name."""
