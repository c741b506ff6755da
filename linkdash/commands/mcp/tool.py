"""A tool: its arguments, its answer, its hints, and the words for arguments that are wrong."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypeAlias, TypeVar

import mcp_types as types
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetCoreSchemaHandler, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError, core_schema

from linkdash.api.errors import InvalidBody
from linkdash.api.validation_messages import problem_words
from linkdash.commands.argument_types import LONGEST_DAYS
from linkdash.commands.mcp.answers import ToolAnswer
from linkdash.commands.mcp.call import ToolCall
from linkdash.commands.suggestions import did_you_mean


class ToolArguments(BaseModel):
    """The arguments of a tool. Unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def _from_json(value: object) -> object:
    """Some clients send a list or an object as the text of its JSON."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            parsed: object = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return parsed
    return value


def _no_flag(value: object) -> object:
    """Refuse true, which Python takes for 1."""
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "must be a whole number")
    return value


LARGEST_ID = 2**63 - 1
RecordId: TypeAlias = Annotated[int, BeforeValidator(_no_flag), Field(ge=1, le=LARGEST_ID)]
RecordIds: TypeAlias = Annotated[list[RecordId], BeforeValidator(_from_json)]
Texts: TypeAlias = Annotated[list[str], BeforeValidator(_from_json)]
Members: TypeAlias = Annotated[dict[str, Any], BeforeValidator(_from_json)]
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


class Hints(NamedTuple):
    """The hints about a tool, for a client to show."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = True
    """True where it asks the service; false for what is known here."""

    def annotations(self, title: str) -> types.ToolAnnotations:
        """The same in the protocol's words."""
        return types.ToolAnnotations(
            title=title,
            read_only_hint=self.read_only,
            destructive_hint=self.destructive,
            idempotent_hint=self.idempotent,
            open_world_hint=self.open_world,
        )


READS = Hints()
"""Those of a tool that reads from the service."""

A = TypeVar("A", bound=ToolArguments)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool."""

    name: str
    title: str
    description: str
    arguments: type[A]
    answer: type[ToolAnswer]
    run: Callable[[A, ToolCall], Awaitable[ToolAnswer]]
    hints: Hints = READS

    @property
    def declared(self) -> types.Tool:
        """The declaration for a client."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.arguments.model_json_schema(),
            output_schema=self.answer.model_json_schema(mode="serialization"),
            annotations=self.hints.annotations(self.title),
        )

    async def answered(self, given: Mapping[str, object], call: ToolCall) -> ToolAnswer:
        """The answer to a call. Raises InvalidBody for arguments that are wrong, and LinkdashError."""
        try:
            arguments = self.arguments.model_validate(given)
        except ValidationError as error:
            problems = error.errors(include_input=False, include_url=False)
            raise InvalidBody(
                " ".join(_problem(problem, self.arguments) for problem in problems), "Nothing was done."
            ) from None
        return await self.run(arguments, call)


AnyTool: TypeAlias = Tool[Any]
"""Any of the tools."""


# ---- what is wrong with arguments ----


def _problem(problem: ErrorDetails, arguments: type[ToolArguments]) -> str:
    where = ".".join(str(part) for part in problem["loc"]) or "arguments"
    words = problem_words(problem)
    if problem["type"] == "extra_forbidden":
        names = ", ".join(arguments.model_fields) or "none"
        words = f"unknown{did_you_mean(where, arguments.model_fields)}; arguments: {names}"
    return f"{where}: {words}."
