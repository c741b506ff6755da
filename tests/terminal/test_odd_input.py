"""Odd input of a terminal, beside keys."""

import shutil
import signal
import sys

import pytest

from tests.terminal.terminal import ALTERNATE_SCREEN, MOUSE, Terminal

ODD = (b"\xff", b"\xc3", b"\x1b[200~\xe9t\xe9\x1b[201~", b"\xf0\x9f")
HELP = "Keys on"


@pytest.mark.nightly
def test_what_comes_beside_keys_is_lived_through() -> None:
    """Bytes that are no text are left out; after a stop, everything is painted again."""
    with Terminal("--demo") as terminal:
        terminal.wait_for("of 30 left")
        for odd in ODD:
            terminal.send(odd)
            terminal.press("?")
            terminal.press("?")  # the first one may have been taken for the rest of a character
            terminal.wait_for(HELP)
            terminal.press("\x1b")
            terminal.wait_until(lambda: HELP not in terminal.text)
        for stop in (signal.SIGSTOP, signal.SIGTSTP):
            terminal.stop(stop)
            terminal.spoil()
            terminal.send_signal(signal.SIGCONT)
            terminal.wait_for("Account")
            terminal.wait_for("of 30 left")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell with jobs")
def test_ctrl_z_gives_the_shell_its_terminal_and_fg_paints_all_of_it_again() -> None:
    with Terminal("--norc", "--noprofile", "-i", program=["bash"], columns=100) as terminal:
        terminal.press(f"PS1='ready> '; {sys.executable} -m linkdash --demo\n")
        terminal.wait_for("of 30 left")
        terminal.press("\x1a")
        terminal.wait_for("Stopped")
        terminal.wait_for("ready> ")
        assert not terminal.is_on(ALTERNATE_SCREEN)
        assert not terminal.is_on(MOUSE)
        terminal.press("echo $((6 * 7)) tries\n")
        terminal.wait_for("42 tries")
        terminal.spoil()
        terminal.press("fg\n")
        terminal.wait_for("Account and allowances")
        terminal.wait_for("of 30 left")
        terminal.press("7")
        terminal.wait_for("Kita Sonnenbl")
        terminal.press("q")
        terminal.wait_for("ready> ")
        terminal.press("exit\n")
        terminal.wait_for_end()
