"""`linkdash budget`: what is left, when the window resets, and who spent it; no request is sent."""

import argparse

from linkdash.commands.exit_status import FINE
from linkdash.commands.output import json_line, write_members, write_rows
from linkdash.commands.standard_streams import tell, write
from linkdash.model.humanize import ago
from linkdash.model.session import Session
from linkdash.store.spending import HEARD_EVERY, KEPT, RunSpending

_SILENT_AFTER = 2 * HEARD_EVERY  # seconds, after which a run that told no end is gone
_TITLES = {"program": "Program", "requests": "Requests", "ended": "Ended"}


async def budget(session: Session, flags: argparse.Namespace) -> int:
    """Write the budget, and below it the runs of the last hour. Raises OSError."""
    session.gate.refresh()
    state, now = session.gate.state, session.now()
    spent = session.spending.since(now - KEPT)
    members: dict[str, object] = {
        "limit": state.limit,
        "left": state.remaining,
        "window_seconds": state.window,
        "resets_in_seconds": None if state.reset_in is None else round(state.reset_in, 1),
        "estimated": state.estimated,
        "in_flight": state.in_flight,
        "paused_for_seconds": state.paused_for,
        "sharing": session.gate.sharing or "every linkdash with this key",
    }
    rows = [_row(one, now) for one in spent]
    if flags.format in ("json", "jsonl"):
        indent = 2 if flags.format == "json" else None
        write(json_line({**members, "spent_last_hour": rows}, indent=indent))
        return FINE
    if flags.format == "csv":
        write_rows(_TITLES, rows, "csv")
        return FINE
    if state.remaining is None:
        tell("Nothing is known of the budget before the first answer of the service.")
    write_members({name.replace("_", " "): value for name, value in members.items() if value is not None})
    if rows:
        write("")
        write_rows(_TITLES, rows, "table")
    return FINE


def _row(spent: RunSpending, now: float) -> dict[str, object]:
    age = max(0.0, now - spent.at)
    ended = "running" if not spent.is_over and age < _SILENT_AFTER else ago(age)
    return {"program": spent.program, "requests": spent.requests, "ended": ended}
