"""Keys that a terminal sends in one write: for a macro, over a slow line, or when all else is busy."""

import re
from functools import partial

import pytest

from tests.bench import bursts
from tests.terminal.terminal import Terminal

SAVE, HOME, LEFT, DOWN = "\x13", "\x1b[H", "\x1b[D", "\x1b[B"
BURSTS = {
    "https://abc\x7fdef": "https://abdef",
    "abc\x7f\x7f\x7fxyz": "xyz",
    f"abd{LEFT}c": "abcd",
    f"bc{HOME}a": "abc",
    "abc\x7fd\tqrs\x7ft\x1b[Zf": "abdf",
}
"""What is typed after `n`, and the name that this makes."""


def test_a_form_holds_what_was_typed_in_its_order() -> None:
    with Terminal("--demo", columns=100, lines=30) as terminal:
        terminal.wait_for("of 30 left")
        terminal.press("5")
        for typed, name in BURSTS.items():
            terminal.press(f"n{typed}")
            terminal.wait_until(partial(_shows_field, terminal, name))
            terminal.press("\x1b")
            terminal.wait_for("Discard changes?")
            terminal.press("\t\r")
            terminal.wait_until(lambda: "Discard changes?" not in terminal.text)
        terminal.press("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("typed", ["\x1b7/type:bing\r", "\x1b/type:bing\r"])
def test_a_key_right_after_escape_is_a_key_of_its_own(typed: str) -> None:
    """Terminals send alt with a key as escape and that key."""
    with Terminal("--demo", columns=100, lines=30) as terminal:
        terminal.wait_for("of 30 left")
        terminal.press("7")
        terminal.wait_for("Pixels")
        terminal.press("?")
        terminal.wait_for("Keys on")
        terminal.press(typed)
        terminal.wait_for('filter "type:bing"')
        terminal.press("q")
        assert terminal.wait_for_end() == 0


def _shows_field(terminal: Terminal, text: str) -> bool:
    return any(re.search(rf"[│┃ ]{re.escape(text)} +[│┃]", line) for line in terminal.lines)


def test_enter_counts_also_before_the_terminal_is_read() -> None:
    """It comes as a line feed then, as the terminal still reads lines."""
    with Terminal("--demo", columns=100, lines=30) as terminal:
        terminal.press("7/type:bing\r")
        terminal.wait_for('filter "type:bing"')
        terminal.press("q")
        assert terminal.wait_for_end() == 0


def test_what_is_typed_while_it_starts_is_done_when_it_stands() -> None:
    with Terminal("--demo", columns=100, lines=30) as terminal:
        terminal.wait_for("Overview")
        terminal.press("7/type:bing\r")
        terminal.wait_for('filter "type:bing"')
        terminal.press("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.nightly
def test_every_key_goes_where_it_was_meant_while_the_machine_is_busy() -> None:
    assert bursts.main(20) == 0
