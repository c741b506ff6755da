"""What a terminal may send and do to the program, beside keys."""

import signal

from tests.terminal.terminal import Terminal

ODD = (b"\xff", b"\xc3", b"\x1b[200~\xe9t\xe9\x1b[201~", b"\xf0\x9f")
HELP = "Keys on"


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
            terminal.send_signal(stop)
            terminal.collect(0.2)
            terminal.spoil()
            terminal.send_signal(signal.SIGCONT)
            terminal.wait_for("Account")
            terminal.wait_for("of 30 left")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored
