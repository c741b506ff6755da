"""The server: what it offers, who does it, and how a failure is told."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError, UnexpectedToolError
from mcp.server.mcpserver.resources.templates import ResourceSecurityError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptResult,
    InputRequiredResult,
    TextContent,
)
from pydantic import AnyUrl, ValidationError

from linkdash import __version__
from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import InvalidBody, LinkdashError, ServiceError
from linkdash.commands.failures import failure_members
from linkdash.commands.mcp.answers import ToolAnswer
from linkdash.commands.mcp.call import waits_told
from linkdash.commands.mcp.fencing import ABOUT_TEXTS, fenced
from linkdash.commands.mcp.prompts import PROMPTS
from linkdash.commands.mcp.reading import ReadingTools, ResourceName
from linkdash.commands.mcp.streams import Heard, Said, serve
from linkdash.commands.mcp.tool import RecordId, wrong_arguments
from linkdash.commands.mcp.writing import WritingTools
from linkdash.commands.suggestions import did_you_mean
from linkdash.model.resources import PLACES
from linkdash.model.session import Session

LARGEST_TEXT = 120_000
"""Bytes of an answer; one that is longer is refused with what to ask for instead."""

MOST_CALLS = 100
"""Calls under way at once; what comes beyond them is refused."""

_SCHEME = "linkdash://"
_PLACES = [place.id for place in PLACES]
_MOST_COMPLETIONS = 100
_INSTRUCTIONS = f"""\
linkdash reads the records of a link-management service: domains, campaigns, channels, pixels, QR codes and \
their statistics, plans, users.

{ABOUT_TEXTS} In the text of an answer they stand as JSON between marks with a random number, which no \
record can know.

The service allows few requests (often 30 a minute), which people and other programs on this key share. \
Every tool says what it costs; every answer says how many requests are left. A call waits in the queue \
behind people and tells its progress. Prefer report, journal, alerts and budget, which cost nothing; use \
filter and limit; do not read every page.

"""
_READS_ONLY = "Nothing can be changed: the server was started without --writes."
_WRITES = """\
A change is shown to a person before it is sent. Where the client cannot ask, a tool answers with the \
requests it would send and a token: show them to your user, and call confirm_change only once they have \
agreed. Never agree in their place. After an unknown outcome call settle_change; never repeat the change.\
"""


class RecordsServer(MCPServer):
    """A server of one session over standard input and output."""

    def __init__(self, session: Session, *, writes: bool) -> None:
        """With `writes`, changes are offered, too.

        From here on every request of the session goes in the background lane of the budget: no program keeps
        the user waiting.
        """
        self._session = session
        session.client.connection.lane = Lane.BACKGROUND
        self._reading = ReadingTools(session)
        self._calls = 0
        tools = [*self._reading.tools, *(WritingTools(session).tools if writes else ())]
        self._arguments = {tool.name: [*tool.fn_metadata.arg_model.model_fields] for tool in tools}
        super().__init__(
            "linkdash",
            title="linkdash",
            version=__version__,
            instructions=_INSTRUCTIONS + (_WRITES if writes else _READS_ONLY),
            tools=tools,
            subscriptions=False,
        )
        self._offer_records()
        for prompt in PROMPTS:
            self.add_prompt(prompt)
        self._lowlevel_server.add_request_handler(
            "completion/complete", CompleteRequestParams, self._complete
        )

    async def run_stdio_async(self) -> None:
        """Serve until standard input ends and all is answered, or this is cancelled."""
        await serve(self._talk)

    async def _talk(self, heard: Heard, said: Said) -> None:
        server = self._lowlevel_server
        await server.run(heard, said, server.create_initialization_options())

    @asynccontextmanager
    async def _under_way(self) -> AsyncIterator[None]:
        """Count a call as long as the block runs. Raises InvalidBody where there are too many."""
        if self._calls >= MOST_CALLS:
            raise InvalidBody(
                f"More than {MOST_CALLS} calls are under way.", "Wait for their answers; nothing was done."
            )
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1

    # ---- tools ----

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context | None = None
    ) -> CallToolResult | InputRequiredResult:
        """The answer of a tool, as fenced text and as structure; also where it fails."""
        assert context is not None
        try:
            if name not in self._arguments:
                raise InvalidBody(f"There is no tool {name!r}{did_you_mean(name, self._arguments)}.")
            async with self._under_way(), waits_told(context, self._session.gate):
                answer = await super().call_tool(name, arguments, context)
            return answer if isinstance(answer, InputRequiredResult) else self._fenced(answer)
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001  the SDK would hand its text on
            return _failed(self._reason(error, name))

    def _fenced(self, answer: CallToolResult) -> CallToolResult:
        """An answer as the client gets it. Raises InvalidBody for one that is too long."""
        left = self._session.gate.state.remaining
        structure = {**(answer.structured_content or {}), "requests_left": left}
        text = _text({**structure, "about_texts": None})
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structure)

    def _reason(self, error: Exception, name: str) -> LinkdashError:
        """The error that has made a tool fail; the SDK wraps it."""
        cause = error.__cause__ if isinstance(error, ToolError) else error
        if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
            return wrong_arguments(cause, self._arguments[name])
        return cause if isinstance(cause, LinkdashError) else self._session.failure(cause or error)

    # ---- records as resources ----

    def _offer_records(self) -> None:
        for place in PLACES:
            self.resource(
                f"{_SCHEME}{place.id}",
                name=place.id,
                title=place.title,
                description=f"The first records of {place.title.lower()}; one request.",
                mime_type="text/plain",
            )(partial(self._records, place.id))
        self.resource(
            f"{_SCHEME}{{resource}}",
            name="list",
            title="Records",
            description="The first records of a resource; one request.",
            mime_type="text/plain",
        )(self._records)
        self.resource(
            f"{_SCHEME}{{resource}}/{{id}}",
            name="record",
            title="Record",
            description="One record; what get_record costs.",
            mime_type="text/plain",
        )(self._record)

    async def _records(self, resource: ResourceName) -> str:
        if resource == "account":
            return _fenced_text(await self._reading.get_record(resource))
        return _fenced_text(await self._reading.list_records(resource))

    async def _record(self, resource: ResourceName, id: RecordId) -> str:
        return _fenced_text(await self._reading.get_record(resource, id))

    async def read_resource(
        self, uri: AnyUrl | str, context: Context | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """The record or the list at an address, as fenced text."""
        try:
            async with self._under_way():
                return await super().read_resource(uri, context)
        except (ResourceError, LinkdashError) as error:
            words = self._why_not_read(error, str(uri))
            raise MCPError(code=INVALID_PARAMS, message=words, data={"uri": str(uri)}) from None

    def _why_not_read(self, error: ResourceError | LinkdashError, address: str) -> str:
        cause = error if isinstance(error, LinkdashError) else error.__cause__
        match cause:
            case InvalidBody():
                return cause.what
            case LinkdashError():
                return _words(cause)
            case None | ValidationError() | ResourceSecurityError():
                name = address.removeprefix(_SCHEME).partition("/")[0]
                return f"There is nothing at this address{did_you_mean(name, _PLACES)}."
        return _words(self._session.failure(cause))

    async def _complete(self, context: ServerRequestContext, params: CompleteRequestParams) -> CompleteResult:
        """Names of resources, and ids of what is kept; no request."""
        found = list[str]()
        if params.argument.name == "resource":
            found = _PLACES
        elif params.argument.name == "id":
            found = await self._known_ids((params.context and params.context.arguments) or {})
        found = [value for value in found if value.startswith(params.argument.value)]
        shown = found[:_MOST_COMPLETIONS]
        completion = Completion(values=shown, total=len(found), has_more=len(found) > len(shown))
        return CompleteResult(completion=completion)

    async def _known_ids(self, arguments: Mapping[str, str]) -> list[str]:
        if (name := arguments.get("resource")) not in _PLACES:
            return []
        return [str(id) for id, _ in await self._session.collection(name).names()]

    # ---- prompts ----

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt with its arguments."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError:
            known = {prompt.name: prompt for prompt in PROMPTS}
            words = f"There is no prompt {name!r}{did_you_mean(name, known)}."
            if name in known:
                names = ", ".join(argument.name for argument in known[name].arguments or ())
                words = f"The arguments cannot be used: {names}, a whole number of days."
            raise MCPError(code=INVALID_PARAMS, message=words) from None


# ---- texts ----


def _fenced_text(answer: ToolAnswer) -> str:
    """The text of a resource. Raises InvalidBody for one that is too long."""
    return _text(answer.model_dump(mode="json", exclude={"about_texts"}))


def _text(data: dict[str, object]) -> str:
    """The text of an answer. Raises InvalidBody for one that is too long."""
    text = fenced({name: value for name, value in data.items() if value is not None})
    if len(text) > LARGEST_TEXT:
        raise InvalidBody(
            f"The answer has {len(text):,} bytes, more than {LARGEST_TEXT:,}.",
            "Ask for less: limit, a filter, or members of get_record.",
        )
    return text


def _failed(error: LinkdashError) -> CallToolResult:
    """A failure: words for a model, and for its program what can be done; the service's words are fenced."""
    content = TextContent(type="text", text=_words(error))
    members = failure_members(error)
    told = {name: members[name] for name in ("code", "advice", "retriable")}
    return CallToolResult(content=[content], structured_content={"error": told}, is_error=True)


def _words(error: LinkdashError) -> str:
    """A failure for a model; what the service said is fenced, for it may repeat what it was given."""
    if not isinstance(error, ServiceError):
        return str(error)
    return f"{type(error).__name__}: {error.advice}\n{fenced({'said': error.what})}"
