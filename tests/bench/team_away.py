"""The time the dashboard takes to start and to end while the database of its team is away.

    python -m tests.bench.team_away [--runs 5]

Each run is a program in a terminal, on a real PostgreSQL server that is killed, or stands still, before the
start or while the program runs. Told are medians, and what they are more than without a store: one second at
the most.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from tests.bench.startup import at_home
from tests.postgres import PostgresServer
from tests.terminal.terminal import Terminal

BAR = 1.0
"""Seconds more than without a store, at the most."""
_SHOWN = "dmitri.gruber"  # the account, which the service has told


@dataclass
class Case:
    """An event of the server, before the start or while the program runs."""

    title: str
    before: str = ""
    during: str = ""
    has_store: bool = True
    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)


CASES = (
    Case("without a store", has_store=False),
    Case("the database is there"),
    Case("killed before the start", before="kill"),
    Case("silent before the start", before="pause"),
    Case("killed while it runs", during="kill"),
    Case("silent while it runs", during="pause"),
)


def happens(server: PostgresServer, what: str) -> AbstractContextManager[None]:
    """The server is gone or stands still until the block ends."""
    match what:
        case "kill":
            return _killed(server)
        case "pause":
            return server.paused()
    return nullcontext()


@contextmanager
def _killed(server: PostgresServer) -> Iterator[None]:
    server.kill()
    try:
        yield
    finally:
        server.start()


def run(case: Case, running: Running, server: PostgresServer, store: str) -> tuple[float, float]:
    """Seconds from the start to the account on the screen, and from `q` to the end."""
    with tempfile.TemporaryDirectory() as name, happens(server, case.before):
        own = at_home(Path(name), running.base_url, running.api_key)
        file = Path(name) / "config" / "linkdash" / "config.toml"
        file.parent.mkdir(parents=True)
        lines = ["[profiles.default]", f'base_url = "{running.base_url}"']
        file.write_text("\n".join([*lines, *([f'store = "{store}"'] if case.has_store else [])]))
        begun = time.perf_counter()
        with Terminal(environment={**os.environ, **own}, columns=120, lines=40) as terminal:
            terminal.wait_for(_SHOWN)
            started = time.perf_counter() - begun
            terminal.collect(0.5)  # what the start has begun is done
            with happens(server, case.during):
                begun = time.perf_counter()
                terminal.press("q")
                status = terminal.wait_for_end()
                ended = time.perf_counter() - begun
        assert status == 0, terminal.text
        return started, ended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    server = PostgresServer()
    try:
        store = server.url(server.new_database())
        with serve_in_thread(DemoSettings(rate=100_000)) as running:
            for _ in range(runs):
                for case in CASES:
                    started, ended = run(case, running, server, store)
                    case.starts.append(started)
                    case.ends.append(ended)
    finally:
        server.remove()
    start, end = (statistics.median(times) for times in (CASES[0].starts, CASES[0].ends))
    sys.stdout.write(f"| the database | start | more | end | more |\n| --- |{' ---: |' * 4}\n")
    for case in CASES:
        at_start, at_end = statistics.median(case.starts), statistics.median(case.ends)
        told = f"{at_start:.2f} s | {at_start - start:+.2f} s | {at_end:.2f} s | {at_end - end:+.2f} s"
        late = " **late**" if max(at_start - start, at_end - end) > BAR else ""
        sys.stdout.write(f"| {case.title}{late} | {told} |\n")


if __name__ == "__main__":
    main()
