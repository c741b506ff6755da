"""Signals in the first second: what they leave of the terminal, and what does not end.

    python -m tests.bench.start_signals [--starts 2000] [--within 1.0] [--seed 1] [--workers 4]

linkdash is started in a real terminal, as often for each signal, and is sent it at a moment drawn from the
first second; every other start is that of the demo. Prints each start after which the terminal was not as
before, that did not end, or that ended with a trace or another status, and how many there were; the exit
status is 1 for any. On a machine that is busy a start takes longer: `--within` is to be longer, too.
"""

import argparse
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.terminal.terminal import ALTERNATE_SCREEN, INSTALLED, Terminal, heed_signals

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_FAULTHANDLER = {"PYTHONFAULTHANDLER": "1"}
_NOBODY = {"LINKDASH_BASE_URL": "http://127.0.0.1:9", "LINKDASH_API_KEY": "no-key"}


class Start(NamedTuple):
    """A start, and when it is sent which signal."""

    number: int
    signal: signal.Signals
    moment: float
    """Seconds after it."""
    is_demo: bool

    def __str__(self) -> str:
        demo = " of the demo" if self.is_demo else ""
        return f"start {self.number}{demo}, {self.signal.name} after {self.moment:.3f} s"


class Outcome(NamedTuple):
    """The stage of a start at its end, and what is wrong after it."""

    start: Start
    had_begun: bool
    """True if the terminal had been taken."""
    wrong: list[str]


def drawn(starts: int, within: float, seed: int) -> Iterator[Start]:
    """Return as many starts for each signal."""
    chance = random.Random(seed)
    for number in range(starts * len(SIGNALS)):
        moment = chance.uniform(0.0, within)
        yield Start(number, SIGNALS[number % len(SIGNALS)], moment, is_demo=number // len(SIGNALS) % 2 == 0)


def outcome(start: Start) -> Outcome:
    """Return what comes of a start."""
    with tempfile.TemporaryDirectory() as folder:
        home = {f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        arguments, environment = (["--demo"], home) if start.is_demo else ([], {**home, **_NOBODY})
        return _outcome(start, arguments, environment, Path(folder))


def _outcome(start: Start, arguments: list[str], environment: Mapping[str, str], folder: Path) -> Outcome:
    begun = time.monotonic()
    with Terminal(*arguments, program=INSTALLED, environment={**environment, **_FAULTHANDLER}) as terminal:
        terminal.collect(begun + start.moment - time.monotonic())
        terminal.send_signal(start.signal)
        try:
            status: int | None = terminal.wait_for_end()
        except AssertionError:
            status = None
            terminal.send_signal(signal.SIGABRT)  # writes the calls of all threads
            terminal.collect(1.0)
        wrong = [
            *_wrong_status(start, status, terminal.text),
            *(
                []
                if terminal.is_restored
                else [f"the terminal was not given back: {terminal.output[-500:]!r}"]
            ),
            *([f"a trace was written: {terminal.text}"] if b"Traceback" in terminal.output else []),
            *(path.read_text() for path in folder.rglob("fault-*") if start.signal != signal.SIGQUIT),
        ]
        if _is_of_python(terminal.output):
            wrong = []
        return Outcome(start, terminal.is_on(ALTERNATE_SCREEN) or b"?1049h" in terminal.output, wrong)


def _is_of_python(output: bytes) -> bool:
    """Return whether a signal met Python before it had come to the first line of linkdash."""
    return b"Traceback" in output and b"linkdash" not in output.partition(b"Traceback")[2]


def _wrong_status(start: Start, status: int | None, text: str) -> list[str]:
    """Before Python has a handler the signal itself ends the program."""
    if status is None:
        return [f"it did not end: {text}"]
    fine = (128 + start.signal, -start.signal)
    return [] if status in fine else [f"it ended with status {status}"]


def main() -> int:
    """Return 1 if a start or a signal goes wrong."""
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--starts", type=int, default=2000, help="for each signal")
    flags.add_argument("--within", type=float, default=1.0, help="seconds")
    flags.add_argument("--seed", type=int, default=1)
    flags.add_argument("--workers", type=int, default=4, help="starts at the same time")
    given = flags.parse_args()
    heed_signals()
    wrong: Counter[str] = Counter()
    begun: Counter[str] = Counter()
    with ThreadPoolExecutor(given.workers) as pool:
        for found in pool.map(outcome, drawn(given.starts, given.within, given.seed)):
            begun[found.start.signal.name] += found.had_begun
            wrong[found.start.signal.name] += bool(found.wrong)
            if found.wrong:
                sys.stdout.write(f"{found.start}: {'; '.join(found.wrong)}\n")
                sys.stdout.flush()
    for number in SIGNALS:
        sys.stdout.write(
            f"{number.name}: {given.starts} starts, {begun[number.name]} had taken the terminal, "
            f"{wrong[number.name]} went wrong\n"
        )
    return 1 if any(wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
