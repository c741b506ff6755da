"""`linkdash collect`: statistics read into the history, with a summary however the run ends."""

import argparse
import asyncio
from functools import partial

from linkdash.api.errors import AdminRequired, KeyRefused
from linkdash.commands.exit_status import FAILED, FINE, of_error
from linkdash.commands.streams import tell
from linkdash.model.alerts import look
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.statistics.collecting import LIST_AGE, Collected, Collector


async def collect(session: Session, flags: argparse.Namespace) -> int:
    """Says a line a code on standard output, the summary on standard error. Raises StoreUnavailable."""
    if flags.every is None:
        return _status(await _round(session, Collector(session, _say, flags.budget), flags))
    return await _stay(session, flags)


_say = partial(print, flush=True)


async def _round(session: Session, collector: Collector, flags: argparse.Namespace) -> Collected:
    """One sweep, its summary, and the alerts that come of it."""
    try:
        result = await collector.run(flags.qr)
    except asyncio.CancelledError:
        tell(f"{collector.result}. What was read is kept.")
        raise
    tell(str(result))
    if session.settings.alerts:
        await look(session, tell)
    return result


async def _stay(session: Session, flags: argparse.Namespace) -> int:
    """A round again and again, until a signal comes or the key is refused; then the sum of them all."""
    loop, rounds = asyncio.get_running_loop(), list[Collected]()
    list_age = min(LIST_AGE, flags.every / 2)
    try:
        while True:
            next_at = loop.time() + flags.every
            collector = Collector(session, _say, flags.budget, list_age=list_age)
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
    return FAILED if result.failed else FINE
