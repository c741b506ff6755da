"""A terminal that changes its size while keys go from place to place: the dashboard comes to rest."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice

import pytest

from linkdash.demo.server import Running
from tests.bench.quiet import WALKS
from tests.terminal.terminal import Terminal
from tests.terminal.test_bad_days_in_a_terminal import pointing_at

SMALLEST, LARGEST = (20, 5), (300, 80)
_FRAME = 2_000
"""Bytes that the clocks of a screen at rest write in a second, and far more than these."""
_F1 = "\x1bOP"
_BUSY = 0.5  # of the processor's time: garbage is looked for once
_PATIENCE = 20  # seconds


def changes(chance: random.Random, walks: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Keys that go somewhere, and a size, again and again."""
    while True:
        columns, lines = (chance.randint(*side) for side in zip(SMALLEST, LARGEST, strict=True))
        yield chance.choice(walks), columns, lines


def is_at_rest(terminal: Terminal) -> bool:
    """Return whether hardly anything is written or done within a second."""
    before = len(terminal.output)
    return terminal.work_in(1.0) < _BUSY and len(terminal.output) - before < _FRAME


def disturb(
    terminal: Terminal, rounds: int, seconds: float, chance: random.Random, walks: Sequence[str]
) -> None:
    """Change the size in the midst of keys, so many times; in the end it is an ordinary one."""
    for keys, columns, lines in islice(changes(chance, walks), rounds):
        terminal.press(keys)
        terminal.resize(columns, lines)
        terminal.collect(seconds)
        if not keys.isdigit():  # from a form, a question or a window no key goes elsewhere
            terminal.press("\x1b")
            terminal.collect(seconds)
            terminal.press("\x1b")
    terminal.resize(100, 30)


@pytest.mark.parametrize(("seed", "seconds"), [(3, 0.02), pytest.param(1, 0.05, marks=pytest.mark.nightly)])
def test_sizes_that_change_while_keys_switch_places_leave_it_at_rest(
    demo: Running, seed: int, seconds: float
) -> None:
    chance = random.Random(seed)
    with Terminal(environment=pointing_at(demo.base_url, demo.api_key), columns=100, lines=30) as terminal:
        terminal.wait_for("all saved")
        disturb(terminal, 60, seconds, chance, ["28", *"1234567890", "h"])
        assert any(is_at_rest(terminal) for _ in range(_PATIENCE)), terminal.text
        terminal.press("?")
        terminal.wait_for("Keys on")


def test_what_a_terminal_lost_between_two_sizes_is_painted_anew(demo: Running) -> None:
    with Terminal(environment=pointing_at(demo.base_url, demo.api_key), columns=100, lines=30) as terminal:
        terminal.press("5")
        terminal.wait_for("Product launch")
        assert any(is_at_rest(terminal) for _ in range(_PATIENCE))
        whole = terminal.lines[1:20]  # below the clock, and above what tells ages
        terminal.resize(40, 10)  # and back before the program has a look
        terminal.resize(100, 30)
        terminal.wait_until(lambda: terminal.lines[1:20] == whole)


TWO_SIZES = """
import termios
from textual import events
from textual.widgets import Static
from linkdash.widgets.textual_fixes.fixed_app import FixedApp
from linkdash.widgets.textual_fixes.linux_driver import FixedLinuxDriver

class Driver(FixedLinuxDriver):
    def _get_terminal_size(self):
        size = super()._get_terminal_size()
        if size == (40, 10):  # it is another by the time that this one is told
            termios.tcsetwinsize(self.fileno, (12, 50))
        return size

class Told(FixedApp):
    def compose(self):
        yield Static()

    def get_driver_class(self):
        return Driver

    def on_idle(self):
        self.query_one(Static).update("{0.width} by {0.height}".format(self.size))

Told().run_in_terminal()
"""


def test_the_last_of_two_sizes_that_come_at_once_is_the_one_that_counts() -> None:
    with Terminal(script=TWO_SIZES) as terminal:
        terminal.wait_for("80 by 24")
        terminal.resize(40, 10)
        terminal.wait_for("50 by 12")


@pytest.mark.nightly
def test_no_screen_is_kept_busy_by_sizes_that_change(demo: Running) -> None:
    chance = random.Random(1)
    with Terminal(environment=pointing_at(demo.base_url, demo.api_key), columns=100, lines=30) as terminal:
        terminal.wait_for("all saved")
        for _ in range(10):
            disturb(terminal, 20, chance.choice((0.02, 0.05, 0.1)), chance, [*WALKS.values(), "28"])
            assert any(is_at_rest(terminal) for _ in range(_PATIENCE)), terminal.text
        terminal.press(_F1)
        terminal.wait_for("Keys on")
