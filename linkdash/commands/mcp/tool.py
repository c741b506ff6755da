"""A tool: its arguments, its hints, and the words for arguments that are wrong."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import BaseModel, BeforeValidator, Field, GetCoreSchemaHandler, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError, core_schema

from linkdash.api.errors import InvalidBody
from linkdash.api.validation_messages import problem_words
from linkdash.commands.argument_types import LONGEST_DAYS
from linkdash.commands.suggestions import did_you_mean


def _no_flag(value: object) -> object:
    """Refuse true, which Python takes for 1."""
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "must be a whole number")
    return value


LARGEST_ID = 2**63 - 1
RecordId: TypeAlias = Annotated[int, BeforeValidator(_no_flag), Field(ge=1, le=LARGEST_ID)]
Members: TypeAlias = dict[str, Any]
"""Members of a record by name; the request model says what is right."""
Days: TypeAlias = Annotated[int, Field(ge=1, le=LONGEST_DAYS)]


@dataclass(frozen=True)
class OneOf:
    """The names that an argument can be; they are an enum in its schema."""

    names: tuple[str, ...]

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """The schema of one of the names."""
        return core_schema.literal_schema([*self.names])


READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
"""The hints about a tool that reads from the service."""


def tool(
    run: Callable[..., Awaitable[BaseModel]],
    title: str,
    description: str,
    hints: ToolAnnotations = READS,
) -> Tool:
    """A tool under the name of its function, whose parameters are its arguments. Other names are refused."""
    hints = hints.model_copy(update={"title": title})
    made = Tool.from_function(run, title=title, description=description, annotations=hints)
    arguments = made.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"  # the SDK leaves out what it does not know
    arguments.model_rebuild(force=True)
    made.parameters = arguments.model_json_schema()
    return made


# ---- what is wrong with arguments ----


def wrong_arguments(error: ValidationError, names: Iterable[str]) -> InvalidBody:
    """The error of a call whose arguments are not right; `names` are those there are."""
    problems = error.errors(include_input=False, include_url=False)
    return InvalidBody(" ".join(_words(problem, [*names]) for problem in problems), "Nothing was done.")


def _words(problem: ErrorDetails, names: list[str]) -> str:
    where = ".".join(str(part) for part in problem["loc"]) or "arguments"
    words = problem_words(problem)
    if problem["type"] == "extra_forbidden":
        words = f"unknown{did_you_mean(where, names)}; arguments: {', '.join(names) or 'none'}"
    return f"{where}: {words}."
