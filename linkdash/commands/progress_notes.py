"""Notes while a verb runs: its waits for the budget, and with --verbose every request."""

import asyncio
from typing import TYPE_CHECKING

from linkdash.api.http.request import Hooks, Observed
from linkdash.commands.standard_streams import tell, tell_in_place

if TYPE_CHECKING:
    from linkdash.api.budget.gate import Gate
    from linkdash.model.session import Session

_PATIENCE = 3.0
"""Seconds that a request waits before that is said."""
_TOLD_EVERY = 60.0
"""Seconds until it is said again."""
_LOOKS_EVERY = 0.5


async def tell_waits(gate: "Gate") -> None:
    """Say why nothing happens while requests wait for their turn; never ends."""
    loop, waits_since, told_at = asyncio.get_running_loop(), None, 0.0
    while True:
        await asyncio.sleep(_LOOKS_EVERY)
        queue, now = gate.state.queue, loop.time()
        if not queue:
            waits_since = None
            continue
        waits_since = now if waits_since is None else waits_since
        if now - waits_since >= _PATIENCE and now - told_at >= _TOLD_EVERY:
            told_at = now
            tell_in_place("")
            tell(f"{queue}.")


def tell_requests(session: "Session") -> None:
    """Say every request as it leaves, how it was answered, and what is left."""

    def left(request: str, body: object) -> None:
        tell(f"> {request}")

    def answered(observed: Observed) -> None:
        status = "no answer" if observed.status is None else str(observed.status)
        error = f", {observed.error}" if observed.error else ""
        tell(f"< {status}{error} after {observed.seconds:.2f} s; {_left(session.gate)}")

    session.client.connection.hooks = Hooks(left, answered)


def _left(gate: "Gate") -> str:
    state = gate.state
    if state.remaining is None:
        return "what is left is not known"
    of = f" of {state.limit}" if state.limit is not None else ""
    resets = f", resets in {state.reset_in:.0f} s" if state.reset_in is not None else ""
    return f"{state.remaining}{of} left{resets}"
