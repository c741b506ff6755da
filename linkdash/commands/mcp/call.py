"""A call under way: its progress, and the question to the person before something is changed.

A client of 2025 is asked while its call waits; one of 2026 gets the question as the answer to its call, and
calls again with what the person said. A resolver of the SDK asks both alike, but before the tool runs: it
cannot ask when others turn out to have changed what is replaced, and takes an answer as often as it comes.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar

from mcp.server.elicitation import AcceptedElicitation, render_elicitation_schema
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, Field, StrictBool, ValidationError

from linkdash.api.budget.gate import Gate

# ---- how far it is ----

_TOLD_EVERY = 1.0
"""Seconds between two notes to a client whose call waits for the budget."""
_TELLING_STEP = 0.001
"""By how much the progress grows with each note: it is no measure of anything."""


class _Progress:
    """The progress of a call."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.told = 0.0

    async def tell(self, done: float, total: float | None, words: str) -> None:
        """Tell the client, where it wants to know."""
        if done > self.told:  # the protocol wants it to grow
            self.told = done
            await self._context.report_progress(done, total, words)


_PROGRESS: ContextVar[_Progress] = ContextVar("progress")
"""That of the call under way."""


async def tell_progress(done: float, total: float | None, words: str) -> None:
    """Tell the client how far its call is; what is read as a resource has no such client."""
    if (progress := _PROGRESS.get(None)) is not None:
        await progress.tell(done, total, words)


@asynccontextmanager
async def waits_told(context: Context, gate: Gate) -> AsyncIterator[None]:
    """Tell the client, as long as the block runs, why a request waits for its turn."""
    progress = _Progress(context)
    _PROGRESS.set(progress)
    telling = asyncio.create_task(_tell_waits(progress, gate))
    try:
        yield
    finally:
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


async def _tell_waits(progress: _Progress, gate: Gate) -> None:
    while True:
        await asyncio.sleep(_TOLD_EVERY)
        if queue := gate.state.queue:
            await progress.tell(progress.told + _TELLING_STEP, None, queue)


# ---- asking the person ----


class Agreement(BaseModel):
    """The answer of the person."""

    send: StrictBool = Field(title="Send it", description="Make this change now")


_QUESTION = "agree"


def can_ask(context: Context) -> bool:
    """Return whether the client can show the user a question."""
    capabilities = context.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


def asks_by_answer(context: Context) -> bool:
    """Return whether the client gets a question as the answer to its call."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


async def is_agreed(context: Context, question: str) -> bool:
    """Ask the person while the call waits."""
    try:
        said = await context.elicit(question, Agreement)
    except (MCPError, ValueError):  # the client said that it could, and cannot; or its answer is none
        return False
    return isinstance(said, AcceptedElicitation) and said.data.send


def as_answer(question: str, token: str) -> InputRequiredResult:
    """A question as the answer to a call, which is made again with the token."""
    params = ElicitRequestFormParams(message=question, requested_schema=render_elicitation_schema(Agreement))
    return InputRequiredResult(input_requests={_QUESTION: ElicitRequest(params=params)}, request_state=token)


def was_agreed(context: Context) -> bool:
    """Return whether the person said yes, where this call was made again."""
    said = (context.input_responses or {}).get(_QUESTION)
    if not isinstance(said, ElicitResult) or said.action != "accept":
        return False
    try:
        return Agreement.model_validate(said.content).send
    except ValidationError:
        return False
