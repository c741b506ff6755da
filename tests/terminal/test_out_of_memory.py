"""A program that is given no more memory: it ends with one line, and the terminal is given back."""

import json

import psutil
import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.terminal.terminal import ALTERNATE_SCREEN, Terminal
from tests.terminal.test_bad_days_in_a_terminal import pointing_at

pytestmark = pytest.mark.long

PIXELS = [{"id": id, "type": "gtmpixel", "name": f"Pixel {id}", "tag": f"GTM-{id}"} for id in range(20_000)]
PAGE = {"result": len(PIXELS), "perpage": len(PIXELS), "currentpage": 1, "maxpage": 1, "pixels": PIXELS}
LISTED = Fault(content=json.dumps({"error": "0", "data": PAGE}).encode())
_MEGABYTE = 2**20


def leave(terminal: Terminal, megabytes: int) -> None:
    """Let the program have so much more address space than it has, and no more."""
    process = psutil.Process(terminal.pid)
    most = process.memory_info().vms + megabytes * _MEGABYTE
    process.rlimit(psutil.RLIMIT_AS, (most, most))


@pytest.mark.skipif(not psutil.LINUX, reason="no such limit from outside")
@pytest.mark.parametrize("megabytes", [1, 4, 16, 32])
def test_it_ends_with_one_line_and_the_terminal_is_given_back(demo: Running, megabytes: int) -> None:
    demo.service.faults.next("GET", "/api/pixels", LISTED, 9)
    with Terminal(environment=pointing_at(demo.base_url, demo.api_key), columns=200) as terminal:
        terminal.wait_for("dmitri.gruber")
        leave(terminal, megabytes)
        terminal.press("7234568q")
        status = terminal.wait_for_end()
        assert terminal.is_restored, (status, terminal.output[-300:])
        said = terminal.output.rpartition(b"\x1b[?1049l")[2]
        assert (status, b"linkdash: Crashed" in said) in ((1, True), (0, False))
        assert status == 1 or megabytes > 1
        assert b"Traceback" not in terminal.output


@pytest.mark.skipif(not psutil.LINUX, reason="no such limit from outside")
@pytest.mark.parametrize("keys", ["j", ""])
def test_it_ends_in_good_order_while_there_is_some_left(demo: Running, keys: str) -> None:
    """At the end of memory Python itself dies, and then no code of ours can give the terminal back."""
    with Terminal(environment=pointing_at(demo.base_url, demo.api_key), columns=200) as terminal:
        terminal.wait_for("dmitri.gruber")
        leave(terminal, 2)
        terminal.press(keys)
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored
        assert b"linkdash: Crashed (MemoryError)." in terminal.output.rpartition(b"\x1b[?1049l")[2]


UNHEARD = """
from linkdash.widgets.textual_fixes.fixed_app import FixedApp
from linkdash.widgets.textual_fixes.linux_driver import FixedLinuxDriver

def fail(*_):
    raise MemoryError

class Driver(FixedLinuxDriver):
    send_message = fail

class Unheard(FixedApp):
    call_later = fail

    def get_driver_class(self):
        return Driver

Unheard().run_in_terminal()
"""


def test_it_ends_where_the_reader_of_the_keyboard_has_no_memory() -> None:
    with Terminal(script=UNHEARD) as terminal:
        terminal.wait_until(lambda: terminal.is_on(ALTERNATE_SCREEN))
        terminal.press("j")
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored
        assert b"linkdash: Crashed (MemoryError)." in terminal.output
