"""`linkdash --demo` in a real terminal, from the first paint to the last byte."""

import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.terminal.terminal import ALTERNATE_SCREEN, CURSOR, INSTALLED, MOUSE, Terminal

DEMO_KEY = re.compile(rb"demo-(admin|user|key)-[0-9a-f]{24}")
WALK = {
    "2": ("Domains", "get.riv"),
    "3": ("Overlays", "Loyalty programme: Green Market"),
    "4": ("Splash pages", "Nordlys Outdoor: summer festival"),
    "5": ("Campaigns", "Product lau"),
    "6": ("Channels", "Wayfinding Velo"),
    "7": ("Pixels", "Kita Sonnenbl"),
    "8": ("QR codes", "Velo Station"),
    "9": ("Plans › matrix", "Enterprise"),
    "0": ("Users › all classes", "nadia.dvorak"),
    "1": ("Account", "dmitri.gruber@example"),
}
_RED_GREEN_BLUE = re.compile(rb"[34]8;2;(\d+);(\d+);(\d+)")


@pytest.mark.nightly
def test_ten_screens_by_digits_for_ten_requests() -> None:
    with Terminal("--demo", program=INSTALLED) as terminal:
        terminal.wait_for("29 of 30 left")
        for key, (title, text) in WALK.items():
            terminal.press(key)
            terminal.wait_for(f" {title}  ")
            terminal.wait_for(text)
        terminal.wait_for("20 of 30 left · ")
        seen = seconds_to_reset(terminal)
        terminal.wait_until(lambda: seconds_to_reset(terminal) < seen)
        assert "20 of 30" in terminal.text, "counting down costs nothing"
        assert (terminal.is_on(ALTERNATE_SCREEN), terminal.is_on(MOUSE)) == (True, True)
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored
        assert not DEMO_KEY.search(terminal.output)


def seconds_to_reset(terminal: Terminal) -> int:
    found = re.search(r"full in (\d+) s", terminal.text)
    return int(found[1]) if found else 999


@pytest.mark.parametrize(
    "name", ["SIGHUP", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("SIGTERM", "SIGQUIT"))]
)
def test_a_signal_leaves_the_terminal_as_it_was(name: str) -> None:
    number = signal.Signals[name]
    with Terminal("--demo") as terminal:
        terminal.wait_for("of 30 left")
        assert not terminal.is_on(CURSOR)
        terminal.send_signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert terminal.is_restored


TINY_AND_HUGE = ((1, 1), (500, 200), (2, 40), (300, 3))


@pytest.mark.nightly
def test_from_large_to_too_small_and_back_without_color() -> None:
    with Terminal("--demo", environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("of 30 left")
        terminal.press("7")
        terminal.wait_for("Kita Sonnenbl")
        terminal.resize(60, 15)
        terminal.wait_until(lambda: "of 30 left" in terminal.lines[13])
        terminal.wait_until(
            lambda: all(name in terminal.text for name in ("Twitter", "Facebook", "LinkedIn"))
        )
        for columns, lines in ((59, 15), (60, 14)):
            terminal.resize(columns, lines)
            terminal.wait_for(f"This terminal is {columns} by {lines}.")
            terminal.wait_for("linkdash needs 60 by 15.")
            assert "Pixels" not in terminal.text
        terminal.resize(80, 24)
        terminal.wait_for("TW-621316885")
        terminal.press("j")
        terminal.wait_for("─Atlas Books gift cards─")
        terminal.resize(140, 40)
        terminal.wait_for("─ Recent ─")
        terminal.wait_for("@ nadia.dvorak")
        colors = set(_RED_GREEN_BLUE.findall(terminal.output))
        assert all(red == green == blue for red, green, blue in colors)
        for columns, lines in TINY_AND_HUGE * 5:
            terminal.resize(columns, lines)
            terminal.collect(0.02)
        for columns, lines in TINY_AND_HUGE * 5:  # what is written for these nobody reads
            terminal.resize(columns, lines)
            time.sleep(0.1)
        terminal.resize(80, 24)
        terminal.wait_for("─Atlas Books gift cards─")
        terminal.wait_until(lambda: terminal.work_in(0.5) < 0.25)
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored


CRASHING = """
import sys
from linkdash.cli import main
from linkdash.screens.resource_screen import ResourceScreen

def crash(screen):
    key = screen.session.settings.api_key.get_secret_value()
    raise RuntimeError(f"a fault of the program, with {len(key)} characters in its hands")

ResourceScreen.do_copy = crash
sys.exit(main(["--demo"]))
"""


def test_a_crash_restores_the_terminal_and_tells_no_key() -> None:
    with Terminal(script=CRASHING) as terminal:
        terminal.wait_for("of 30 left")
        terminal.press("1")
        terminal.wait_for("dmitri.gruber@example")
        terminal.press("y")
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored
        assert "Crashed (RuntimeError)" in terminal.text
        assert not DEMO_KEY.search(terminal.output)


@pytest.mark.parametrize("name", ["SIGTERM", pytest.param("SIGQUIT", marks=pytest.mark.nightly)])
def test_a_signal_at_the_very_start_does_so_too(name: str) -> None:
    number = signal.Signals[name]
    with Terminal("--demo", program=INSTALLED) as terminal:
        terminal.wait_until(lambda: terminal.is_on(ALTERNATE_SCREEN))
        terminal.send_signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert terminal.is_restored
        assert b"Traceback" not in terminal.output


BEFORE_ITS_LOOP_LISTENS = """
import signal, sys
from linkdash.app import LinkdashApp
from linkdash.cli import main

mount = LinkdashApp.on_mount

def signalled(app):
    signal.raise_signal(signal.{name})
    mount(app)

LinkdashApp.on_mount = signalled
sys.exit(main(["--demo"]))
"""


@pytest.mark.parametrize("name", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.nightly)])
def test_a_signal_before_the_loop_listens_does_so_too(name: str) -> None:
    with Terminal(script=BEFORE_ITS_LOOP_LISTENS.format(name=name)) as terminal:
        assert terminal.wait_for_end() == 128 + signal.Signals[name]
        assert terminal.is_restored


HELD = """
import sqlite3, sys, tempfile, time
from linkdash.cli import main
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.terminal import signals

def sleep():
    while True:
        time.sleep(600)

def wait_for_a_lock():  # in SQLite's own code, where no handler of Python's is called
    file = tempfile.mkstemp()[1]
    holder = sqlite3.connect(file)
    holder.execute("begin exclusive")
    sqlite3.connect(file, timeout=600).execute("begin exclusive")

def hold(screen):
    sys.__stdout__.write("held")
    sys.__stdout__.flush()
    {hold}()

signals._END_WITHIN = 0.2
ResourceScreen.do_copy = hold
sys.exit(main(["--demo"]))
"""


@pytest.mark.parametrize(
    ("name", "hold"),
    [
        ("SIGTERM", "wait_for_a_lock"),
        pytest.param("SIGTERM", "sleep", marks=pytest.mark.nightly),
        pytest.param("SIGHUP", "wait_for_a_lock", marks=pytest.mark.nightly),
    ],
)
def test_the_terminal_is_given_back_also_by_a_program_that_is_held(name: str, hold: str) -> None:
    number = signal.Signals[name]
    with Terminal(script=HELD.format(hold=hold)) as terminal:
        terminal.wait_for("of 30 left")
        terminal.press("2")
        terminal.wait_for("get.riv")
        terminal.press("y")
        terminal.wait_until(lambda: b"held" in terminal.output)  # what is painted meanwhile can cover it
        terminal.send_signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert terminal.is_restored


FLOODING = """
import os, sys, time
from linkdash.cli import main
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.terminal import signals
from linkdash.widgets.textual_fixes import linux_driver

def flood(screen):
    os.write(1, b"held" + b"." * 1_000_000)
    time.sleep(600)

signals._END_WITHIN = 0.2
linux_driver._PATIENCE = 30.0
ResourceScreen.do_copy = flood
sys.exit(main(["--demo"]))
"""


@pytest.mark.nightly
def test_the_terminal_is_given_back_also_where_it_is_read_slowly() -> None:
    with Terminal(script=FLOODING) as terminal:
        terminal.wait_for("of 30 left")
        terminal.press("2")
        terminal.wait_for("get.riv")
        terminal.press("y")
        terminal.wait_until(lambda: b"held" in terminal.output)
        terminal.send_signal(signal.SIGTERM)
        time.sleep(1.0)  # while nothing is read, what gives it back finds no room
        assert terminal.wait_for_end() == 128 + signal.SIGTERM
        assert terminal.is_restored


def test_it_starts_and_ends_in_any_folder(tmp_path: Path) -> None:
    with Terminal("--demo", "--read-only", cwd=str(tmp_path)) as terminal:
        terminal.wait_for("read-only")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, sys, time

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "textual.app":
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
            except KeyboardInterrupt:
                pass

sys.meta_path.insert(0, Finder())
from linkdash.__main__ import main
sys.exit(main())
"""


def test_ctrl_c_ends_it_also_where_a_library_passes_over_that() -> None:
    with Terminal(program=[sys.executable, "-c", INTERRUPTED]) as terminal:
        assert terminal.wait_for_end() in (130, -signal.SIGINT)
        assert terminal.is_restored
