"""`linkdash budget`: what is left, when the window resets, and who spent it; no request is sent."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime

from linkdash.commands.exit_status import FINE
from linkdash.commands.output import write_members, write_rows
from linkdash.commands.standard_streams import say, tell
from linkdash.model.humanize import ago
from linkdash.model.session import Session
from linkdash.store.spending import HEARD_EVERY, KEPT, RunSpending

_SILENT_AFTER = 2 * HEARD_EVERY  # seconds, after which a run that told no end is gone
_NAMES: dict[str, str] = dict.fromkeys(("program", "requests", "running", "heard_of"), "")
_TITLES = {"program": "Program", "runs": "Runs", "requests": "Requests", "ended": "Ended"}


async def budget(session: Session, flags: argparse.Namespace) -> int:
    """Write the budget, and below it the runs of the last hour. Raises OSError."""
    await session.gate.learn()
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
    if flags.format in ("json", "jsonl"):
        members["spent_last_hour"] = [_members(one, now) for one in spent]
        write_members(members, flags.format)
        return FINE
    if flags.format == "csv":
        write_rows(_NAMES, [_members(one, now) for one in spent], "csv")
        return FINE
    if state.remaining is None:
        tell("Nothing is known of the budget before the first answer of the service.")
    write_members(
        {name.replace("_", " "): value for name, value in members.items() if value is not None}, "table"
    )
    if spent:
        say("")
        write_rows(_TITLES, _by_program(spent, now), "table")
    return FINE


def _members(spent: RunSpending, now: float) -> dict[str, object]:
    """A run, for a program to read."""
    return {
        "program": spent.program,
        "requests": spent.requests,
        "running": _is_running(spent, now),
        "heard_of": datetime.fromtimestamp(spent.at, UTC).isoformat(timespec="seconds"),
    }


def _by_program(spent: Sequence[RunSpending], now: float) -> list[dict[str, object]]:
    """A row for each run that lasts, and one for all of a program that have ended, by the latest."""
    rows: dict[str, list[RunSpending]] = {}
    for one in spent:
        rows.setdefault(one.run if _is_running(one, now) else f"ended {one.program}", []).append(one)
    return [
        {
            "program": runs[0].program,
            "runs": len(runs),
            "requests": sum(one.requests for one in runs),
            "ended": "running" if _is_running(runs[0], now) else ago(max(0.0, now - runs[0].at)),
        }
        for runs in rows.values()
    ]


def _is_running(spent: RunSpending, now: float) -> bool:
    return not spent.is_over and now - spent.at < _SILENT_AFTER
