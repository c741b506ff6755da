"""Alert hooks: the user's own commands that are told of an alert."""

import json
from collections.abc import Sequence

from linkdash.model.run_process import run
from linkdash.store.alerts import Alert

HOOK_SECONDS = 10.0
"""For how long a hook may run."""


def alert_members(alert: Alert) -> dict[str, str]:
    """An alert as JSON takes it."""
    return {
        "rule": alert.rule,
        "subject": alert.subject,
        "message": alert.message,
        "since": alert.since.isoformat(timespec="seconds"),
    }


async def run_hook(command: Sequence[str], alert: Alert, seconds: float = HOOK_SECONDS) -> str | None:
    """Run a command with the alert on its standard input; why it failed, or None."""
    data = f"{json.dumps(alert_members(alert))}\n".encode()
    return (await run(command, data, seconds)).failure or None
