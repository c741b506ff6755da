"""Half an hour of use, and what it leaves behind: file descriptors, tasks, threads, memory.

    python -m tests.bench.soak [--seconds 1800]

The dashboard walks all its screens on a service of 20 requests in 4 seconds, which fails now and then and
runs in a process of its own: it watches codes, edits and deletes several records, begins forms and discards
them, exports, reads again, changes its size. After each round everything is counted. From the third minute
on, descriptors and threads may not grow, tasks by a few, and memory by less than a megabyte a minute; else
the exit status is 1. Beside memory stand Python's own blocks: where they are as many as before, nothing was
kept, and what memory grew by is the heap that spreads, in steps, for some ten minutes. A form that is still
open has some forty tasks: the least of three rounds counts. On a machine that is busy it takes longer until
every screen was seen four times: `--seconds` is to be more, too.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from pydantic import SecretStr
from textual import events
from textual.pilot import Pilot

from linkdash.app import LinkdashApp
from linkdash.demo import DemoSettings
from linkdash.demo.server import serve_in_thread
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.store.store import Store
from tests.bench.monkey import FAULTS
from tests.bench.quiet import WALKS
from tests.waiting import Idleness, wait_until

RATE, WINDOW = 20, 4.0
WARM_UP, _WARM_ROUNDS = 180.0, 4  # seconds, and rounds where each takes long
_FAULT_EVERY = 2.0  # seconds
_CALM = 0.4  # seconds after the keys of a walk
_SPREAD = 3  # rounds at the beginning and at the end that are compared
_MOST_GROWTH = 1.0  # megabytes a minute after the warm-up
_MORE = {"files": 0, "tasks": 5, "threads": 0}
"""So many more are no growth: a list has its scroll bars, each with a task, once they were needed."""

SIZES = ((200, 50), (60, 15), (1, 1), (500, 200), (140, 40))
CHANGES = (
    "7   dy",  # three pixels are deleted
    "7  eRound {round}\x13\x13",  # two are edited
    "8    W",  # four codes are watched
    "8Lx\r",  # all are loaded and exported
    "6nChannel {round}\x13\x13",
    "5n{round}\x1b\t\r",  # begun and discarded
    "6e{round}\x1b\t\r",
    "0n{round}\x1b\t\r",
    "2rr",
    "3v",
    "0F\r",
    ":theme\r",
    "7\x1b\t\r",  # what a fault has left open is discarded
)


class Count(NamedTuple):
    """The holdings of a process at one moment."""

    minute: float
    files: int
    tasks: int
    threads: int
    megabytes: float
    blocks: int
    """What Python has allocated."""

    @classmethod
    def now(cls, begun: float) -> "Count":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(
            (time.monotonic() - begun) / 60,
            len(os.listdir("/proc/self/fd")),
            len(asyncio.all_tasks()),
            threading.active_count(),
            pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
            sys.getallocatedblocks(),
        )


async def walk(pilot: Pilot[int], keys: str) -> None:
    """Press keys as they are typed, wait a moment, and go back to where it began."""
    names = {"\r": "enter", "\x13": "ctrl+s", " ": "space", "\x1b": "escape", "\t": "tab"}
    for key in keys:
        pilot.app.post_message(events.Key(names.get(key, key), key if key.isprintable() else None))
        await pilot.pause()
    await pilot.pause(_CALM)
    for _ in range(4):
        pilot.app.post_message(events.Key("escape", None))
        await pilot.pause()


async def soak(seconds: float, address: str, key: str, folder: Path) -> list[Count]:
    """The counts after each round."""
    Idleness(pytest.MonkeyPatch())
    settings = Settings("soak", address, SecretStr(key))
    app = LinkdashApp(settings, lambda: Session(settings, Store(folder, folder, "soak")))
    counts: list[Count] = []
    async with app.run_test(size=SIZES[-1]) as pilot:
        await wait_until(lambda: app.is_open)
        begun = time.monotonic()
        while time.monotonic() < begun + seconds:
            for keys in (*WALKS.values(), *CHANGES):
                await walk(pilot, keys.format(round=len(counts)))
            for size in SIZES:
                await pilot.resize_terminal(*size)
            await walk(pilot, "h")
            await _come_to_rest(app)
            counts.append(Count.now(begun))
            sys.stdout.write(_line(counts[-1]))
            sys.stdout.flush()
    return counts


async def _come_to_rest(app: LinkdashApp) -> None:
    """Wait, for a while, until nothing is on its way."""
    deadline = time.monotonic() + 4 * WINDOW
    while time.monotonic() < deadline:
        state = app.session.gate.state
        if app.session.jobs.is_over and not state.in_flight and not state.queued:
            return
        await asyncio.sleep(0.2)


def _line(count: Count) -> str:
    return (
        f"{count.minute:5.1f} min  {count.files:3} files  {count.tasks:3} tasks  {count.threads:3} threads"
        f"  {count.megabytes:6.1f} MB  {count.blocks:,} blocks\n"
    )


def grown(counts: Sequence[Count]) -> list[str]:
    """Return what has grown since the warm-up: the first rounds are compared with the last."""
    warm = [count for count in counts[_WARM_ROUNDS:] if count.minute * 60 >= WARM_UP] or counts
    first, last = warm[:_SPREAD], warm[-_SPREAD:]
    found = [name for name, more in _MORE.items() if _least(last, name) > _least(first, name) + more]
    before, after = _median(first, "megabytes"), _median(last, "megabytes")
    minutes = _median(last, "minute") - _median(first, "minute")
    a_minute = (after - before) / minutes if minutes else 0.0
    sys.stdout.write(f"memory {before:.1f} MB, then {after:.1f} MB: {a_minute:+.2f} MB a minute\n")
    return [*found, *(["memory"] if a_minute >= _MOST_GROWTH else [])]


def _least(counts: Sequence[Count], name: str) -> int:
    found: int = min(getattr(count, name) for count in counts)
    return found


def _median(counts: Sequence[Count], name: str) -> float:
    found: float = statistics.median(getattr(count, name) for count in counts)
    return found


def serve() -> None:
    """Serve the demo with faults until it is ended; its address and key go to standard output."""
    chance = random.Random(1)
    with serve_in_thread(DemoSettings(rate=RATE, window=WINDOW)) as running:
        sys.stdout.write(json.dumps([running.base_url, running.api_key]) + "\n")
        sys.stdout.flush()
        while True:
            time.sleep(_FAULT_EVERY)
            running.service.faults.next("*", "*", chance.choice(FAULTS))


def main() -> int:
    """Run the soak; 1 for what grows."""
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--seconds", type=float, default=1800)
    flags.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = flags.parse_args()
    if given.serve:
        serve()
    command = [sys.executable, "-m", "tests.bench.soak", "--serve"]
    with TemporaryDirectory() as folder, subprocess.Popen(command, stdout=subprocess.PIPE) as service:
        os.environ.update(XDG_CONFIG_HOME=folder, XDG_DOWNLOAD_DIR=folder)
        try:
            assert service.stdout is not None
            address, key = json.loads(service.stdout.readline())
            found = grown(asyncio.run(soak(given.seconds, address, key, Path(folder))))
            found += [report.read_text() for report in Path(folder).glob("fault-*")]
        finally:
            service.kill()
    sys.stdout.write("\n".join(["What grew, or failed:", *found] if found else ["nothing grew"]) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
