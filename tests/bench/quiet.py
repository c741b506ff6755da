"""The bytes that the dashboard writes while nothing is done, its work meanwhile, and its first picture.

    python -m tests.bench.quiet [--seconds 10] [--size 140x40] [NAME ...]

The demo runs in a pty. Each row walks there by its keys, waits until the screen is calm, and counts what is
written and worked from then on, the demo's service with it. The bars: 8 kB a minute and 1 % of a core on
every screen, 40 kB for the first picture at 140x40.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.terminal.terminal import Terminal

IDLE_BAR, FIRST_BAR, WORK_BAR = 8_000, 40_000, 1.0
_CALM, _PATIENCE = 1.5, 30.0  # seconds: the clock of the status bar is the only thing that ticks by then
_CALM_BYTES = 1_500  # in that time
_TRIES = 3

WALKS = {
    "overview": "h",
    "account": "1",
    "domains": "2",
    "overlays": "3",
    "splash pages": "4",
    "campaigns": "5",
    "channels": "6",
    "pixels": "7",
    "QR codes": "8",
    "plans": "9\x1b",
    "users": "0",
    "a channel's items": "6\r",
    "a record in full": "2\r",
    "statistics of a code": "8\r",
    "codes compared": "8  c",
    "findings of codes": "8F",
    "plans side by side": "9",
    "filter that is typed": "8/",
    "help": "8?",
    "raw answer": "8v",
    "palette": "8:",
    "messages": "8M",
    "budget": "8b",
    "journal": "8w",
    "form": "8n",
    "form of a user": "0n",
    "delete question": "8d",
    "delete question of a user": "0d",
    "help over statistics": "8\r?",
}


def first_picture(terminal: Terminal) -> int:
    """Bytes until records stand on the screen and nothing more comes."""
    terminal.wait_for("requests left" if "requests left" in terminal.text else " of 30 ")
    calm(terminal)
    return len(terminal.output)


def calm(terminal: Terminal) -> None:
    """Wait until the screen has been at rest twice running, or for so long that it never will."""
    waited, rests = 0.0, 0
    while rests < 2 and waited < _PATIENCE:
        rests = rests + 1 if len(terminal.collect(_CALM)) <= _CALM_BYTES else 0
        waited += _CALM


class Idle(NamedTuple):
    """Bytes that are written in a minute, and the percent of a core that is worked."""

    bytes: int
    work: float


def measured(walk: str, seconds: float, size: tuple[int, int], folder: Path) -> tuple[int, Idle]:
    """Bytes of the first picture, and what is written and worked where a walk leads to."""
    columns, lines = size
    home = {f"XDG_{name}_HOME": str(folder / name) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    with Terminal("--demo", columns=columns, lines=lines, environment=home) as terminal:
        first = first_picture(terminal)
        for key in walk:
            terminal.press(key)
            calm(terminal)
        return first, min(idle_minutes(terminal, seconds))


def idle_minutes(terminal: Terminal, seconds: float) -> Iterator[Idle]:
    """Measure, and again where that is too much, as a busy machine brings answers late."""
    for _ in range(_TRIES):
        before = worked(terminal.pid)
        minute = round(len(terminal.collect(seconds)) * 60 / seconds)
        idle = Idle(minute, (worked(terminal.pid) - before) / seconds * 100)
        yield idle
        if idle.bytes <= IDLE_BAR and idle.work <= WORK_BAR:
            return


def worked(process: int) -> float:
    """Seconds of the processor's work that a process has done."""
    return sum(psutil.Process(process).cpu_times()[:2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these rows")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--size", default="140x40")
    given = parser.parse_args()
    columns, lines = map(int, given.size.split("x"))
    worst = Idle(0, 0.0)
    for name, walk in WALKS.items():
        if given.names and name not in given.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            first, idle = measured(walk, given.seconds, (columns, lines), Path(folder))
        worst = Idle(max(worst.bytes, idle.bytes), max(worst.work, idle.work))
        rest = f"{idle.bytes / 1000:9.1f} kB an idle minute   {idle.work:5.2f} % of a core"
        sys.stdout.write(f"{name:<30}{rest}   {first / 1000:6.1f} kB first\n")
        sys.stdout.flush()
    quiet, rests, small = worst.bytes <= IDLE_BAR, worst.work <= WORK_BAR, first <= FIRST_BAR
    sys.stdout.write(f"at most {IDLE_BAR / 1000:.0f} kB a minute everywhere: {'yes' if quiet else 'no'}\n")
    sys.stdout.write(f"at most {WORK_BAR:.0f} % of a core everywhere: {'yes' if rests else 'no'}\n")
    sys.stdout.write(f"first picture at most {FIRST_BAR / 1000:.0f} kB: {'yes' if small else 'no'}\n")


if __name__ == "__main__":
    main()
