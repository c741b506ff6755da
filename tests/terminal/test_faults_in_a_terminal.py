"""A fault of the program itself in a real terminal: the terminal is given back, and a report is left."""

import re
import signal
from pathlib import Path

import pytest

from linkdash import cli
from linkdash.api.http.address import state_folder
from linkdash.startup import run_context as work_place
from tests.terminal.terminal import Terminal

FAILING = """
import sys
from linkdash import cli
from linkdash.startup import run_context
{patch}

secret, hide = "", run_context.hide

def learn(found):
    global secret
    secret = found.get_secret_value()
    hide(found)

run_context.hide = learn

def fail(*_, **__):
    key = "demo-admin-0123456789abcdef01234567"
    raise {error}(f"a fault of its own \\x1b]0;x\\x07 {{secret}}")

{where} = fail
sys.exit(cli.main({arguments}))
"""
IN_A_SCREEN = ("from linkdash.screens.windows.help import HelpScreen", "HelpScreen.compose", ["--demo"])
IN_THE_READER = (
    "from linkdash.widgets.textual_fixes.linux_driver import FixedLinuxDriver",
    "FixedLinuxDriver.process_message",
    ["--demo"],
)
WHILE_OPENING = ("from linkdash.model.session import Session", "Session.__init__", ["--demo"])


@pytest.mark.parametrize(
    ("patch", "where", "arguments", "error"),
    [
        (*IN_A_SCREEN, "ZeroDivisionError"),
        (*IN_A_SCREEN, "MemoryError"),
        (*IN_THE_READER, "MemoryError"),
        (*WHILE_OPENING, "ZeroDivisionError"),
    ],
    ids=["in a screen", "memory in a screen", "in the reader of the keyboard", "while opening"],
)
def test_a_fault_leaves_one_line_and_a_report(
    patch: str, where: str, arguments: list[str], error: str, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    script = FAILING.format(patch=patch, where=where, arguments=arguments, error=error)
    with Terminal(script=script, columns=300, environment=keeping(tmp_path)) as terminal:
        if where != "Session.__init__":
            terminal.wait_for("29 of 30 left")
            terminal.press("?")
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored
        said = terminal.output.rpartition(b"\x1b[?1049l")[2]
        told = re.search(rb"Crashed \(%s\).* The report is in (\S+\.txt)\." % error.encode(), said)
        assert b"Traceback" not in terminal.output
    assert told is not None, terminal.output[-2000:]
    path = Path(told[1].decode())
    assert path.is_relative_to(state), "that of a fault in the demo outlives the demo"
    assert path.stat().st_mode & 0o777 == 0o600
    report = path.read_text()
    assert f"{error}: a fault of its own" in report
    assert not re.search("demo-(admin|user|key)-[0-9a-f]{8}|\x1b", report)
    if where == "HelpScreen.compose":
        assert report.rstrip().endswith(" help")


ENDING_BY_ITSELF = """
import sys
from textual.messages import CloseMessages
from linkdash import cli
from linkdash.app import LinkdashApp

LinkdashApp.action_do = lambda app, id: app.post_message(CloseMessages())
sys.exit(cli.main(["--demo"]))
"""


def test_an_end_that_nobody_asked_for_leaves_one_line_and_a_report(tmp_path: Path) -> None:
    with Terminal(script=ENDING_BY_ITSELF, columns=300, environment=keeping(tmp_path)) as terminal:
        terminal.wait_for("29 of 30 left")
        terminal.press("?")
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored
        assert b"linkdash ended by itself. Start it again. The report is in " in terminal.output
    (report,) = tmp_path.rglob("fault-*")
    assert " ended by itself at " in report.read_text()
    assert "A task:" in report.read_text()


HELD = """
import sqlite3, sys, tempfile
from linkdash import cli
from linkdash.model import watchdog
from linkdash.screens.resource_screen import ResourceScreen

def wait_for_a_lock(screen):
    key = screen.session.settings.api_key.get_secret_value()
    file = tempfile.mkstemp()[1]
    holder = sqlite3.connect(file)
    holder.execute("begin exclusive")
    sqlite3.connect(file, timeout=600).execute("begin exclusive")

watchdog.PATIENCE = 2
ResourceScreen.do_copy = wait_for_a_lock
sys.exit(cli.main(["--demo"]))
"""


@pytest.mark.nightly
def test_a_standstill_leaves_a_report_of_where_everything_is(tmp_path: Path) -> None:
    with Terminal(script=HELD, environment=keeping(tmp_path)) as terminal:
        terminal.wait_for("29 of 30 left")
        terminal.press("7")
        terminal.wait_for("Kita Sonnenbl")
        terminal.press("y")
        terminal.wait_until(lambda: any(tmp_path.rglob("fault-*")))
    (path,) = tmp_path.rglob("fault-*")
    assert path.stat().st_mode & 0o777 == 0o600
    report = path.read_text()
    assert " stood still at " in report
    assert " in wait_for_a_lock" in report
    assert "A task:" in report
    assert not re.search("demo-(admin|user|key)-[0-9a-f]{8}|Kita", report)


@pytest.mark.nightly
def test_sigquit_leaves_a_report_of_where_everything_is(tmp_path: Path) -> None:
    with Terminal("--demo", environment=keeping(tmp_path)) as terminal:
        terminal.wait_for("29 of 30 left")
        terminal.send_signal(signal.SIGQUIT)
        assert terminal.wait_for_end() == 128 + signal.SIGQUIT
        assert terminal.is_restored
    (report,) = tmp_path.rglob("fault-*")
    assert " was quit by SIGQUIT at " in report.read_text()
    assert "Thread MainThread:" in report.read_text()


def keeping(folder: Path) -> dict[str, str]:
    """The environment of a run that leaves its reports in a folder."""
    return {"XDG_STATE_HOME": str(folder / "state")}


def test_a_fault_in_a_verb_leaves_one_line_and_a_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(work_place, "open_session", fail)
    assert cli.main(["list", "pixels", "--demo"]) == 1
    out, told = capsys.readouterr()
    (path,) = state_folder().glob("fault-*")
    assert out == ""
    assert told == (
        "linkdash: Crashed (ZeroDivisionError). Look at linkdash journal before you "
        f"repeat a change. The report is in {path}.\n"
    )
    assert path.read_text().rstrip().endswith("linkdash list")
