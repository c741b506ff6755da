"""What a terminal may send and do to the program, beside keys."""

import signal

import pytest

from tests.terminal.terminal import Terminal


@pytest.mark.parametrize("odd", [b"\xff", b"\xc3", b"\x1b[200~\xe9t\xe9\x1b[201~", b"\xf0\x9f"])
def test_bytes_that_are_no_text_are_left_out(odd: bytes) -> None:
    with Terminal("--demo") as terminal:
        terminal.wait_for("of 30 left")
        terminal.send(odd)
        terminal.press("?")
        terminal.press("?")
        terminal.wait_for("Keys on")


@pytest.mark.parametrize("stop", [signal.SIGSTOP, signal.SIGTSTP])
def test_all_is_painted_again_after_a_stop(stop: signal.Signals) -> None:
    with Terminal("--demo") as terminal:
        terminal.wait_for("of 30 left")
        terminal.send_signal(stop)
        terminal.collect(0.2)
        terminal.spoil()
        terminal.send_signal(signal.SIGCONT)
        terminal.wait_for("Account")
        terminal.wait_for("of 30 left")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored
