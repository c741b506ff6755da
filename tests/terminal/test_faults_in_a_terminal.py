"""A fault of the program itself in a real terminal: the terminal is given back, and a report is left."""

import re
import sys
from pathlib import Path

from tests.terminal.terminal import Terminal

FAILING = """
import sys
from linkdash import cli
from linkdash.screens.windows import ViewerScreen

def fail(screen):
    raise ZeroDivisionError("a fault of its own")

ViewerScreen.compose = fail
sys.exit(cli.main(["--demo"]))
"""


def test_the_report_of_a_fault_in_the_demo_outlives_the_demo(tmp_path: Path) -> None:
    state = tmp_path / "state"
    program = [sys.executable, "-c", FAILING]
    own = {"XDG_STATE_HOME": str(state)}
    with Terminal(program=program, columns=200, environment=own) as terminal:
        terminal.wait_for("29 of 30 left")
        terminal.press("?")
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored
        told = re.search(rb"The report is in (\S+\.txt)", terminal.output)
    assert told is not None, terminal.output[-2000:]
    path = Path(told[1].decode())
    assert path.is_relative_to(state)
    assert path.stat().st_mode & 0o777 == 0o600
    report = path.read_text()
    assert "ZeroDivisionError: a fault of its own" in report
    assert report.rstrip().endswith(" help")
    assert not re.search("demo-(admin|user|key)-[0-9a-f]{8}", report)
