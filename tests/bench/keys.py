"""The time from a key until the screen stands, beside a bare Textual app in the same run.

    python -m tests.bench.keys [--rounds 5]

Each program runs in a pty of 140x40. A screen stands with the last piece of 150 bytes or more that comes
before a pause of 0.3 s: what is smaller is a clock. Medians are told as shares of what the bare app's form
takes to open, by the clock and of what the processor worked until the pause; the bare app has a table of 100
rows, and a form of five fields and a choice.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from linkdash.demo import DemoSettings
from linkdash.demo.server import serve_in_thread
from tests.bench.startup import at_home
from tests.terminal.terminal import INSTALLED, Terminal

_COLUMNS, _LINES = 140, 40
_PAUSE, _CLOCK, _DEADLINE = 0.3, 150, 5.0  # seconds; bytes; seconds
_FORM = "bare: form"
_MORE_WORK = 1.3  # how much more of the processor than of the time a bar allows
BARE = """
from textual.app import App
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import DataTable, Footer, Input, Label, Select, Static


class Form(ModalScreen):
    BINDINGS = [("escape", "dismiss", "Close")]

    def compose(self):
        with Vertical():
            for number in range(5):
                yield Label(f"Field {number}")
                yield Input()
            yield Select([("one", 1), ("two", 2)])
        yield Footer()


class Help(ModalScreen):
    BINDINGS = [("escape", "dismiss", "Close")]

    def compose(self):
        yield Static("\\n".join(f"key {number}  does something" for number in range(30)))


class Bare(App):
    BINDINGS = [("e", "form", "Form"), ("h", "keys", "Help")]

    def compose(self):
        yield DataTable(cursor_type="row")
        yield Footer()

    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("Name", "Scans", "Link")
        for number in range(100):
            table.add_row(f"record {number}", str(number * 7), f"https://a.example/{number}")

    def action_form(self):
        self.push_screen(Form())

    def action_keys(self):
        self.push_screen(Help())


Bare().run()
"""


class Step(NamedTuple):
    """A key, and the most that its answer may take beside the bare app's form."""

    title: str
    key: str
    bar: float | None = None


BARE_STEPS = (Step(_FORM, "e"), Step("bare: close", "\x1b"), Step("bare: help", "h"), Step("", "\x1b"))
STEPS = (
    Step("", "8"),
    Step("cursor", "j", 0.12),
    Step("form of a QR code", "e", 0.6),
    Step("close it", "\x1b", 0.4),
    Step("", "\r"),
    Step("", "\x1b"),
    Step("statistics, kept", "\r", 0.8),
    Step("back", "\x1b", 0.35),
    Step("", "2"),
    Step("form of a domain", "e", 0.6),
    Step("close it (domain)", "\x1b", 0.4),
    Step("another place", "7", 0.3),
    Step("help", "?", 0.4),
    Step("", "\x1b"),
    Step("palette", ":", 0.3),
    Step("", "\x1b"),
)


class Answer(NamedTuple):
    """The seconds until a screen stood, and those that the processor worked for it."""

    seconds: float
    work: float


def stands(terminal: Terminal, process: psutil.Process, key: str) -> Answer:
    """Press a key, and wait until the screen stands."""
    before, begun = _worked(process), time.perf_counter()
    terminal.press(key)
    last, deadline = begun, begun + _DEADLINE
    while True:
        large = [moment for moment, data in terminal.written_in(_PAUSE) if len(data) >= _CLOCK]
        if not large and (last > begun or time.perf_counter() > deadline):
            return Answer(last - begun, _worked(process) - before)
        last = large[-1] if large else last


def _worked(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def rounds(terminal: Terminal, steps: Sequence[Step], number: int, found: Mapping[str, list[Answer]]) -> None:
    process = psutil.Process(terminal.pid)
    process = next(iter(process.children()), process)  # behind the shell that gives it its terminal
    for turn in range(number + 1):
        for step in steps:
            answer = stands(terminal, process, step.key)
            if step.title and turn:  # the first round imports
                found[step.title].append(answer)


def table(found: Mapping[str, Sequence[Answer]]) -> str:
    def median(title: str, of: Callable[[Answer], float]) -> float:
        return statistics.median(of(answer) for answer in found[title])

    whole = Answer(median(_FORM, lambda one: one.seconds), median(_FORM, lambda one: one.work))
    lines = [f"{'':<20}{'time':>9}{'share':>7}{'bar':>6}{'work':>9}{'share':>7}{'bar':>6}"]
    for step in (*BARE_STEPS, *STEPS):
        if not step.title:
            continue
        seconds, work = median(step.title, lambda one: one.seconds), median(step.title, lambda one: one.work)
        bars = ("", "") if step.bar is None else (f"{step.bar:.2f}", f"{step.bar * _MORE_WORK:.2f}")
        lines.append(
            f"{step.title:<20}{seconds * 1000:6.0f} ms{seconds / whole.seconds:7.2f}{bars[0]:>6}"
            f"{work * 1000:6.0f} ms{work / whole.work:7.2f}{bars[1]:>6}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    found: dict[str, list[Answer]] = {step.title: [] for step in (*BARE_STEPS, *STEPS)}
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_in_thread(DemoSettings(rate=100_000)) as service,
    ):
        script = Path(folder) / "bare.py"
        script.write_text(BARE)
        with Terminal(program=(sys.executable, str(script)), columns=_COLUMNS, lines=_LINES) as bare:
            bare.wait_for("record 30")
            rounds(bare, BARE_STEPS, given.rounds, found)
        environment = at_home(Path(folder), service.base_url, service.api_key)
        with Terminal(
            program=INSTALLED, environment=environment, cwd=folder, columns=_COLUMNS, lines=_LINES
        ) as terminal:
            terminal.wait_for("all saved")
            terminal.collect(2.0)
            rounds(terminal, STEPS, given.rounds, found)
    sys.stdout.write(table(found) + "\n")


if __name__ == "__main__":
    main()
