"""`linkdash collect`: statistics read into the history, with a summary however the run ends."""

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial

from linkdash.model.session import Session
from linkdash.model.statistics.collecting import Collected, Collector

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def collect(open_session: Callable[[], Session], code_ids: Sequence[int] | None, budget: int | None) -> int:
    """Collects, a line a code on standard output and the summary on standard error; the exit status.

    0 is fine, 1 a failure that was told, 128 and its number a signal. Raises StoreUnavailable.
    """
    return asyncio.run(_collect(open_session(), code_ids, budget))


async def _collect(session: Session, code_ids: Sequence[int] | None, budget: int | None) -> int:
    collector = Collector(session, lambda line: print(line, flush=True), budget)
    run = asyncio.ensure_future(collector.run(code_ids))
    caught: list[signal.Signals] = []
    loop = asyncio.get_running_loop()
    for number in _ENDING:
        loop.add_signal_handler(number, partial(_stop, number, run, caught))
    try:
        await asyncio.wait([run])
    finally:
        await session.close()
    if caught:
        print(f"linkdash: {collector.result}. Stopped; what was read is kept.", file=sys.stderr)
        return 128 + caught[0]
    result = run.result()
    print(f"linkdash: {result}", file=sys.stderr)
    return 0 if result.is_good else 1


def _stop(number: signal.Signals, run: asyncio.Task[Collected], caught: list[signal.Signals]) -> None:
    caught.append(number)
    run.cancel()
