"""A tool call under way: its progress, and the question to the person before something is changed.

A client of 2025 is asked while its call waits; one of 2026 gets the question as the answer to its call, and
calls again with what the person said.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from linkdash.api.budget.gate import Gate

ServerContext: TypeAlias = ServerRequestContext[Any, Any]
"""The SDK's context of a request; its own two types mean nothing here."""

_QUESTION = "agree"
_FORM: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {"send": {"type": "boolean", "title": "Send it", "description": "Make this change now"}},
    "required": ["send"],
}
_TOLD_EVERY = 1.0
"""Seconds between two notes to a client whose call waits for the budget."""


class PersonAsked(Exception):
    """The person is asked by way of the answer to this call; the client calls again."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__()
        self.result = result


class ToolCall:
    """A call. Without a context, as for a resource that is read, there is no client to tell or to ask."""

    def __init__(
        self, context: ServerContext | None = None, params: types.CallToolRequestParams | None = None
    ) -> None:
        self._context = context
        self._params = params
        self._told = 0.0

    # ---- how far it is ----

    async def progress(self, done: float, total: float | None, words: str) -> None:
        """Tell the client how far the call is, where it wants to know."""
        if self._context is not None and done > self._told:  # the protocol wants it to grow
            self._told = done
            await self._context.session.report_progress(done, total, words)

    @asynccontextmanager
    async def waits_told(self, gate: Gate) -> AsyncIterator[None]:
        """Tell the client, as long as the block runs, why a request waits for its turn."""
        telling = asyncio.create_task(self._tell_waits(gate))
        try:
            yield
        finally:
            telling.cancel()
            with suppress(asyncio.CancelledError):
                await telling

    async def _tell_waits(self, gate: Gate) -> None:
        while True:
            await asyncio.sleep(_TOLD_EVERY)
            if queue := gate.state.queue:
                await self.progress(self._told + _TELLING_STEP, None, queue)

    # ---- asking the person ----

    @property
    def can_ask(self) -> bool:
        """Return whether the client can show the user a question."""
        capabilities = self._context.session.client_capabilities if self._context is not None else None
        asking = capabilities.elicitation if capabilities is not None else None
        return asking is not None and (asking.form is not None or asking.url is None)

    @property
    def token(self) -> str | None:
        """The token of the proposal that this call goes on with, once the person was asked."""
        return self._params.request_state if self._params is not None else None

    @property
    def is_agreed(self) -> bool:
        """Return whether the person said yes, where this call was made again."""
        answers = (self._params.input_responses if self._params is not None else None) or {}
        said = answers.get(_QUESTION)
        return isinstance(said, types.ElicitResult) and _is_yes(said)

    async def agreed(self, question: str, keep: Callable[[], str]) -> bool:
        """Ask the person; `keep` keeps what is asked about and gives its token.

        Raises PersonAsked where the client calls again with the answer.
        """
        assert self._context is not None
        if self._context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            params = types.ElicitRequestFormParams(message=question, requested_schema=_FORM)
            asked = types.ElicitRequest(params=params)
            raise PersonAsked(
                types.InputRequiredResult(input_requests={_QUESTION: asked}, request_state=keep())
            )
        try:
            said = await self._context.session.elicit_form(question, _FORM, self._context.request_id)
        except MCPError:  # the client said that it could, and cannot
            return False
        return _is_yes(said)


_TELLING_STEP = 0.001
"""By how much the progress grows with each note: it is no measure of anything."""


def _is_yes(said: types.ElicitResult) -> bool:
    return said.action == "accept" and (said.content or {}).get("send") is True
