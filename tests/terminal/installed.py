"""Proof that an installed program starts with its styles: `python -m tests.terminal.installed PROGRAM`."""

import re
import sys
from pathlib import Path

from tests.terminal.terminal import Terminal

BESIDE = re.compile("│ +2 Domains .*│[│╰╭]")
"""A place in the list that stands beside the rest only where the style sheets were found."""


def show(program: Path) -> str:
    """The screen of the demo of an installed program, once its frame stands as the style sheets say."""
    with Terminal("--demo", program=[str(program)], cwd=str(program.parent), columns=140) as terminal:
        terminal.wait_for("29 of 30 left")
        terminal.wait_until(lambda: any(BESIDE.match(line) for line in terminal.lines))
        terminal.wait_for("dmitri.gruber")
        screen = terminal.text
        terminal.press("q")
        status = terminal.wait_for_end()
    assert status == 0, f"exit status {status}"
    return screen


if __name__ == "__main__":
    sys.stdout.write(show(Path(sys.argv[1]).absolute()) + "\n")
