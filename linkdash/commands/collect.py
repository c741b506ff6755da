"""`linkdash collect`: reads the statistics of many codes into the history."""

import argparse
import asyncio
from typing import TYPE_CHECKING

from linkdash.api.errors import AdminRequired, KeyRefused
from linkdash.commands.exit_status import FINE, of_error
from linkdash.commands.output import RowOutput
from linkdash.commands.standard_streams import tell, tell_error
from linkdash.model.humanize import counted
from linkdash.model.insight.alerts import look
from linkdash.model.session import Session
from linkdash.model.statistics.collector import SWEEP_LIST_AGE, CodeRead, Collected, Collector, Say
from linkdash.store.database import StoreAway, StoreUnavailable
from linkdash.store.reading import TOTALS

if TYPE_CHECKING:
    from linkdash.store.team import Team

_COLUMNS = ("id", "outcome", "name", *TOTALS, "message")


async def collect(session: Session, flags: argparse.Namespace) -> int:
    """Say a line a code on standard output, the summary on standard error. Raises StoreUnavailable."""
    rows = RowOutput(flags.format, _COLUMNS)

    def say(read: CodeRead) -> None:
        rows.add(read.members, read.line)

    try:
        if flags.every is None:
            return _status(await _round(session, Collector(session, say, flags.budget), flags))
        return await _stay(session, flags, say)
    finally:
        rows.end()


async def _round(session: Session, collector: Collector, flags: argparse.Namespace) -> Collected:
    """Make one sweep, with its summary and the alerts that come of it."""
    try:
        result = await collector.run(flags.qr)
    except asyncio.CancelledError:
        tell(f"{collector.result}. What was read is kept.")
        raise
    say = tell if _status(result) == FINE else tell_error
    say(str(result))
    if session.store.team is not None:
        await _hand_in(session.store.team)
    if session.settings.alerts:
        await _look(session)
    return result


async def _hand_in(team: "Team") -> None:
    """Hand in what was kept here, or say how much waits for the team's store."""
    try:
        await team.hand_in()
    except StoreUnavailable:
        waiting = counted(await team.waiting(), "entry", "entries")
        tell(f"{waiting} kept here, to be handed in when the team's store is back.")


async def _look(session: Session) -> None:
    try:
        await look(session, tell)
    except StoreAway as error:
        tell(f"The alerts wait: {error}")


async def _stay(session: Session, flags: argparse.Namespace, say: Say) -> int:
    """A round again and again, until a signal comes or the key is refused; then the sum of them all."""
    loop, rounds = asyncio.get_running_loop(), list[Collected]()
    list_age = min(SWEEP_LIST_AGE, flags.every / 2)
    try:
        while True:
            next_at = loop.time() + flags.every
            collector = Collector(session, say, flags.budget, list_age=list_age)
            rounds.append(collector.result)
            result = await _round(session, collector, flags)
            if isinstance(result.ended_by, KeyRefused | AdminRequired):
                return _status(result)
            await asyncio.sleep(max(0.0, next_at - loop.time()))
    finally:
        read, requests = sum(one.read for one in rounds), sum(one.requests for one in rounds)
        tell(f"{counted(len(rounds), 'round')}: {counted(read, 'reading')}, {counted(requests, 'request')}.")


def _status(result: Collected) -> int:
    if result.ended_by is not None:
        return of_error(result.ended_by)
    return FINE if result.failed_by is None else of_error(result.failed_by)
