"""`linkdash collect`: statistics read into the history, with a summary however the run ends."""

import argparse
import asyncio
from functools import partial

from linkdash.commands.alerts import check
from linkdash.commands.exit_status import FAILED, FINE, of_error
from linkdash.commands.streams import tell
from linkdash.model.session import Session
from linkdash.model.statistics.collecting import Collector


async def collect(session: Session, flags: argparse.Namespace) -> int:
    """Says a line a code on standard output, the summary on standard error. Raises StoreUnavailable."""
    collector = Collector(session, partial(print, flush=True), flags.budget)
    try:
        result = await collector.run(flags.qr)
    except asyncio.CancelledError:
        tell(f"{collector.result}. Stopped; what was read is kept.")
        raise
    tell(str(result))
    if session.settings.alerts:
        await check(session)
    if result.ended_by is not None:
        return of_error(result.ended_by)
    return FAILED if result.failed else FINE
