"""The longest wait for the echo of a key in the filter of 100,000 users, in a real terminal.

    python -m tests.bench.key_echo [--users 100000] [--rounds 5]

Keys come one after the other, each as soon as the one before stands in the line, and as fast as a key that is
held repeats; while the users are there, and while they arrive again. The bar: 60 ms for each.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.large_list import KEY
from tests.bench.startup import at_home
from tests.terminal.terminal import INSTALLED, Terminal

BAR = 0.06  # seconds
TYPED = "@EXAMPLE.ORG"
"""A text that all users match, and that stands nowhere else in this spelling."""
_BETWEEN = 0.033  # seconds between two keys of one that is held
_THINKING = 0.3  # seconds between two that are typed
_AGAIN = 2.0  # seconds until the users have arrived again


class Echo(NamedTuple):
    """A key in the midst of what, and seconds until it stood on the screen."""

    during: str
    seconds: float


def typed(terminal: Terminal, text: str, pause: float) -> Iterator[float]:
    """Type a text into the empty filter; the seconds that each of its letters waited."""
    for end in range(1, len(text) + 1):
        begun = time.perf_counter()
        terminal.press(text[end - 1])
        terminal.wait_for(text[:end])
        yield time.perf_counter() - begun
        terminal.collect(pause)


def held(terminal: Terminal, text: str) -> Iterator[float]:
    """Type a text into the empty filter however long each letter waits."""
    pressed: list[float] = []
    shown = 0
    while shown < len(text):
        now = time.perf_counter()
        if len(pressed) < len(text) and (not pressed or now >= pressed[-1] + _BETWEEN):
            terminal.press(text[len(pressed)])
            pressed.append(now)
        terminal.collect(0.002)
        while shown < len(text) and text[: shown + 1] in terminal.text:
            yield time.perf_counter() - pressed[shown]
            shown += 1


def measured(terminal: Terminal, rounds: int) -> Iterator[Echo]:
    """The echo of each key, of all that is done."""
    for _ in range(rounds):
        terminal.press("/")
        terminal.collect(_THINKING)
        yield from (Echo("typed", seconds) for seconds in typed(terminal, TYPED, _THINKING))
        _clear(terminal)
        terminal.press("/")
        terminal.collect(_THINKING)
        yield from (Echo("held", seconds) for seconds in held(terminal, TYPED))
        _clear(terminal)
        terminal.press("r/")
        deadline = time.monotonic() + _AGAIN
        while time.monotonic() < deadline:
            yield from (Echo("while users arrive", seconds) for seconds in typed(terminal, TYPED, 0.05))
            terminal.press("\x7f" * len(TYPED))
            terminal.wait_until(lambda: TYPED[0] not in _filter_line(terminal))
        _clear(terminal)


def _filter_line(terminal: Terminal) -> str:
    return next((line for line in terminal.lines if TYPED[:1] in line and "example" not in line), "")


def _clear(terminal: Terminal) -> None:
    """Leave the filter, and show all rows again."""
    terminal.press("\x1b")
    terminal.collect(1.0)
    terminal.press("\x1b")
    terminal.collect(2.0)


def told(echoes: Sequence[Echo]) -> str:
    lines = []
    for during in dict.fromkeys(echo.during for echo in echoes):
        waits = sorted(echo.seconds for echo in echoes if echo.during == during)
        lines.append(
            f"{during:<20}{len(waits):5} keys   median {statistics.median(waits) * 1000:4.0f} ms"
            f"   95 % {waits[len(waits) * 95 // 100] * 1000:4.0f} ms   longest {waits[-1] * 1000:4.0f} ms"
        )
    longest = max(echo.seconds for echo in echoes)
    return "\n".join([*lines, f"at most {BAR * 1000:.0f} ms: {'yes' if longest <= BAR else 'no'}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    command = (sys.executable, "-m", "tests.bench.verbs", "--serve", "--users", str(given.users))
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving,
    ):
        try:
            address = serving.stdout.readline().strip() if serving.stdout else ""
            environment = at_home(Path(folder), address, KEY)
            with Terminal(program=INSTALLED, environment=environment, cwd=os.getcwd()) as terminal:
                terminal.wait_for("all saved")
                terminal.collect(_AGAIN)
                terminal.press("0")
                terminal.wait_for(f"{given.users:,}")
                terminal.collect(2 * _AGAIN)
                sys.stdout.write(told([*measured(terminal, given.rounds)]) + "\n")
        finally:
            serving.kill()


if __name__ == "__main__":
    main()
