"""The server: what it offers, who does it, and how a failure is told."""

import asyncio
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from linkdash import __version__
from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import InvalidBody, LinkdashError, ServiceError
from linkdash.commands.failures import failure_members
from linkdash.commands.mcp.answers import ToolAnswer
from linkdash.commands.mcp.call import PersonAsked, ServerContext, ToolCall
from linkdash.commands.mcp.fencing import ABOUT_TEXTS, fenced
from linkdash.commands.mcp.prompts import PROMPTS
from linkdash.commands.mcp.reading import GetRecord, ListRecords, ReadingTools
from linkdash.commands.mcp.tool import LARGEST_ID, AnyTool
from linkdash.commands.mcp.writing import WritingTools
from linkdash.commands.standard_streams import tell
from linkdash.commands.suggestions import did_you_mean
from linkdash.model.declaration import declaration
from linkdash.model.resources import PLACES
from linkdash.model.session import Session

LARGEST_TEXT = 120_000
"""Bytes of an answer; one that is longer is refused with what to ask for instead."""

LONGEST_MESSAGE = 4_000_000
"""Bytes of a line of standard input; a longer one is left out, and said on standard error."""
MOST_CALLS = 100
"""Calls under way at once; what comes beyond them is refused."""

_AT_ONCE = 65_536  # bytes of standard input
_SCHEME = "linkdash://"
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


class RecordsServer:
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
        self._tools: dict[str, AnyTool] = {tool.name: tool for tool in tools}
        self._server = Server(
            "linkdash",
            title="linkdash",
            version=__version__,
            instructions=_INSTRUCTIONS + (_WRITES if writes else _READS_ONLY),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )

    async def run(self) -> None:
        """Serve until standard input ends, or this is cancelled."""
        with _input_that_ends() as end:
            serving = asyncio.create_task(self._serve())
            try:
                await asyncio.shield(serving)
            finally:
                end()
                await asyncio.wait({serving})

    async def _serve(self) -> None:
        async with stdio_server() as (read, write):
            await self._server.run(read, write, self._server.create_initialization_options())

    # ---- tools ----

    async def _list_tools(
        self, context: ServerContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.declared for tool in self._tools.values()])

    async def _call_tool(
        self, context: ServerContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        call = ToolCall(context, params)
        try:
            tool = self._tools.get(params.name)
            if tool is None:
                hint = did_you_mean(params.name, self._tools)
                raise InvalidBody(f"There is no tool {params.name!r}{hint}.")
            async with self._under_way(), call.waits_told(self._session.gate):
                answer = await tool.answered(params.arguments or {}, call)
            return self._result(answer)
        except PersonAsked as asked:
            return asked.result
        except LinkdashError as error:
            return _failed(error)
        except Exception as error:  # noqa: BLE001  the SDK would hand its text on
            return _failed(self._session.failure(error))

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

    def _result(self, answer: ToolAnswer) -> types.CallToolResult:
        """An answer as text and as structure. Raises InvalidBody for one that is too long."""
        told = answer.model_copy(update={"requests_left": self._session.gate.state.remaining})
        structure = told.model_dump(mode="json")
        content = types.TextContent(type="text", text=_text({**structure, "about_texts": None}))
        return types.CallToolResult(content=[content], structured_content=structure)

    # ---- records as resources ----

    async def _list_resources(
        self, context: ServerContext, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    name=place.id,
                    title=place.title,
                    uri=f"{_SCHEME}{place.id}",
                    description=f"The first records of {place.title.lower()}; one request.",
                    mime_type="text/plain",
                )
                for place in PLACES
            ]
        )

    async def _list_templates(
        self, context: ServerContext, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    name="list",
                    title="Records",
                    uri_template=f"{_SCHEME}{{resource}}",
                    description="The first records of a resource; one request.",
                    mime_type="text/plain",
                ),
                types.ResourceTemplate(
                    name="record",
                    title="Record",
                    uri_template=f"{_SCHEME}{{resource}}/{{id}}",
                    description="One record; what get_record costs.",
                    mime_type="text/plain",
                ),
            ]
        )

    async def _read_resource(
        self, context: ServerContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            async with self._under_way():
                found = await self._at(str(params.uri))
            text = _text(found.model_dump(mode="json", exclude={"about_texts"}))
        except LinkdashError as error:
            words = error.what if isinstance(error, InvalidBody) else _words(error)
            raise MCPError(code=INVALID_PARAMS, message=words, data={"uri": str(params.uri)}) from None
        contents = types.TextResourceContents(uri=params.uri, text=text, mime_type="text/plain")
        return types.ReadResourceResult(contents=[contents])

    async def _at(self, address: str) -> ToolAnswer:
        """Return the answer for an address. Raises InvalidBody, LinkdashError."""
        name, slash, id = address.removeprefix(_SCHEME).partition("/")
        known = {place.id for place in PLACES}
        if not address.startswith(_SCHEME) or name not in known or (slash and not _is_id(id)):
            raise InvalidBody(f"There is nothing at this address{did_you_mean(name, known)}.")
        if slash or name == "account":
            wanted = GetRecord.model_validate({"resource": name, "id": id or None})
            return await self._reading.get_record(wanted, ToolCall())
        return await self._reading.list_records(ListRecords(resource=name), ToolCall())

    async def _complete(
        self, context: ServerContext, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Names of resources, and ids of what is kept; no request."""
        found, begun = list[str](), params.argument.value
        if params.argument.name == "resource":
            found = [place.id for place in PLACES]
        elif params.argument.name == "id":
            found = await self._known_ids(params.context)
        found = [value for value in found if value.startswith(begun)]
        shown = found[:_MOST_COMPLETIONS]
        completion = types.Completion(values=shown, total=len(found), has_more=len(found) > len(shown))
        return types.CompleteResult(completion=completion)

    async def _known_ids(self, context: types.CompletionContext | None) -> list[str]:
        name = ((context.arguments if context is not None else None) or {}).get("resource", "")
        if name not in {place.id for place in PLACES}:
            return []
        collection = self._session.collection_of(declaration(name))
        return [str(id) for id, _ in await collection.names()]

    # ---- prompts ----

    async def _list_prompts(
        self, context: ServerContext, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[prompt.declared for prompt in PROMPTS.values()])

    async def _get_prompt(
        self, context: ServerContext, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            if params.name not in PROMPTS:
                raise InvalidBody(f"There is no prompt {params.name!r}{did_you_mean(params.name, PROMPTS)}.")
            return PROMPTS[params.name].filled_in(params.arguments or {})
        except InvalidBody as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from None


# ---- texts ----


def _text(data: dict[str, object]) -> str:
    """The text of an answer. Raises InvalidBody for one that is too long."""
    text = fenced({name: value for name, value in data.items() if value is not None})
    if len(text) > LARGEST_TEXT:
        raise InvalidBody(
            f"The answer has {len(text):,} bytes, more than {LARGEST_TEXT:,}.",
            "Ask for less: limit, a filter, or members of get_record.",
        )
    return text


def _failed(error: LinkdashError) -> types.CallToolResult:
    """A failure: words for a model, and for its program what can be done; the service's words are fenced."""
    content = types.TextContent(type="text", text=_words(error))
    members = failure_members(error)
    told = {name: members[name] for name in ("code", "advice", "retriable")}
    return types.CallToolResult(content=[content], structured_content={"error": told}, is_error=True)


def _words(error: LinkdashError) -> str:
    """A failure for a model; what the service said is fenced, for it may repeat what it was given."""
    if not isinstance(error, ServiceError):
        return str(error)
    return f"{type(error).__name__}: {error.advice}\n{fenced({'said': error.what})}"


def _is_id(text: str) -> bool:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_ID))
    return is_number and 0 < int(text) <= LARGEST_ID


# ---- standard input ----


class BoundedLines:
    """Lines that come in pieces, the beginning of each, so that none fills the memory.

    The beginning of a longer one is not JSON, which whoever reads it leaves out.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._length = 0
        """Bytes of the line that has not ended."""

    def kept(self, data: bytes) -> bytes:
        """Of the next bytes those that are within the bound, and every line's end."""
        made = bytearray()
        for number, piece in enumerate(data.split(b"\n")):
            if number:
                made += b"\n"
                self._length = 0
            made += piece[: max(0, self._longest - self._length)]
            if self._length <= self._longest < self._length + len(piece):
                tell(f"A message of more than {self._longest:,} bytes was left out.")
            self._length += len(piece)
        return bytes(made)


@contextmanager
def _input_that_ends() -> Iterator[Callable[[], None]]:
    """Make standard input one that can be ended from here, which a signal needs.

    The SDK waits for a line in a thread that nothing but a line or the end wakes, and it is waited for.
    """
    reader, writer = socket.socketpair()

    def end() -> None:
        with suppress(OSError):  # it has ended
            writer.shutdown(socket.SHUT_WR)

    def hand_on() -> None:
        lines = BoundedLines(LONGEST_MESSAGE)
        with suppress(OSError):
            while data := os.read(source, _AT_ONCE):
                if kept := lines.kept(data):
                    writer.sendall(kept)
        end()

    before, source = sys.stdin, sys.stdin.fileno()
    with reader, writer, reader.makefile(encoding="utf-8") as sys.stdin:
        threading.Thread(target=hand_on, name="standard input", daemon=True).start()
        try:
            yield end
        finally:
            sys.stdin = before
