"""Looks what the rules find now, keeps what is raised, and runs the hooks of what is new."""

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from datetime import timedelta

from linkdash.api.qr import QrCode
from linkdash.api.users import User
from linkdash.model.alerts import NEW_FOR, Known, concerns, find
from linkdash.model.processes import run
from linkdash.model.session import Session
from linkdash.model.timezone import local_moment
from linkdash.store.alerts import Alert
from linkdash.store.history import Reading

HOOK_SECONDS = 10.0
"""For how long a hook may run."""

_MARGIN = NEW_FOR + timedelta(days=30)  # a reading before the times of the rules lies in it


async def new_alerts(session: Session, users: Sequence[User] | None = None) -> list[Alert]:
    """The alerts that were not raised before; from now on they are. Sends no request.

    Without `users` nothing is said about them. Raises StoreUnavailable.
    """
    known = await _known(session, users)
    session.at_hand.alerts_at = -math.inf
    return await session.store.alerts.settle(find(session.settings.alerts, known).settled)


async def look(session: Session, say: Callable[[str], None], users: Sequence[User] | None = None) -> None:
    """Says what is raised now and was not before, and runs its hooks. Sends no request.

    Raises StoreUnavailable.
    """
    for alert in await new_alerts(session, users):
        say(f"Alert {alert.rule}: {alert.message}")
        hook = session.settings.alerts[alert.rule].hook
        if hook and (failure := await run_hook(hook, alert)) is not None:
            say(f"The hook of {alert.rule} failed: {failure}.")


def of_code(alert: Alert) -> int | None:
    """The id of the QR code that an alert is about; None for anything else."""
    kind, _, number = alert.subject.partition(":")[0].partition(" ")
    return int(number) if kind == "qr" and number.isdecimal() else None


async def standing_alerts(
    session: Session, users: Sequence[User] | None = None, *, within: float = 0.0
) -> Sequence[Alert]:
    """The alerts that stand now, new ones among them. Nothing is kept, no hook runs, no request is sent.

    Without `users`, those about users stand as they were; without rules here, all do. What was found `within`
    so many seconds is not looked for again. Raises StoreUnavailable.
    """
    if not session.settings.alerts:
        return await session.store.alerts.raised()
    at_hand, now = session.at_hand, session.now()
    if not 0 <= now - at_hand.alerts_at < within:
        at_hand.alerts_at, at_hand.alerts = now, await _standing(session, users)
    return at_hand.alerts


async def _standing(session: Session, users: Sequence[User] | None) -> list[Alert]:
    raised = await session.store.alerts.raised()
    known = await _known(session, users)
    holding, ceased = (await asyncio.to_thread(find, session.settings.alerts, known)).settled(raised)
    gone = {alert.key for alert in ceased}
    standing = {alert.key: alert for alert in (*raised, *holding) if alert.key not in gone}
    return sorted(standing.values(), key=lambda alert: (-alert.since.timestamp(), alert.key))


async def _known(session: Session, users: Sequence[User] | None) -> Known:
    session.gate.refresh()
    return Known(local_moment(session.now()), await _codes(session), users, session.gate.state.remaining)


async def _codes(session: Session) -> list[tuple[QrCode, list[Reading]]]:
    """The codes that rules are told to, with as much of their history as the rules look at."""
    settings = [setting for setting in session.settings.alerts.values() if setting.rule.is_about_codes]
    if not settings:
        return []
    history = session.store.history
    kept = {**await history.latest_listed(), **await history.latest()}
    collection = session.collection("qr")
    await collection.recall()
    listed = {record.id: record for record in collection.records}
    codes = [listed.get(id) or QrCode(id=id) for id in sorted(kept)]
    longest = timedelta(days=2 * max(setting.rule.days for setting in settings))
    since = session.moment() - longest - _MARGIN
    return [
        (code, await history.readings(code.id, since))
        for code in codes
        if any(concerns(setting, code) for setting in settings)
    ]


# ---- hooks ----


def alert_members(alert: Alert) -> dict[str, str]:
    """An alert as JSON takes it."""
    return {
        "rule": alert.rule,
        "subject": alert.subject,
        "message": alert.message,
        "since": alert.since.isoformat(timespec="seconds"),
    }


async def run_hook(command: Sequence[str], alert: Alert, seconds: float = HOOK_SECONDS) -> str | None:
    """Runs a command with the alert on its standard input; why it failed, or None."""
    data = f"{json.dumps(alert_members(alert))}\n".encode()
    return (await run(command, data, seconds)).failure or None
