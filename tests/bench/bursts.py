"""Bursts of keys while other programs keep the machine busy: every key goes where it was meant.

`python -m tests.bench.bursts [COUNT]` types a new user COUNT times (500): name, e-mail address and password
in one write with the key that opens the form, beside three busy processes. It ends with 1 at the first field
that holds anything else.
"""

import multiprocessing
import sys
import time

from tests.terminal.terminal import Terminal

BUSY = 3
_WITHIN = 60.0  # seconds


def _burn() -> None:
    while True:
        pass


def _field(terminal: Terminal, title: str) -> str:
    """The text in the field with a title in its frame."""
    lines = terminal.lines
    at = next((at for at, line in enumerate(lines) if f"─ {title}" in line), None)
    if at is None:
        return ""
    start = lines[at].index(f"─ {title}")
    return lines[at + 1][start:].strip("│┃ ").split("│")[0].split("┃")[0].removesuffix("show").strip()


def burst(terminal: Terminal, number: int) -> str:
    """Type a new user; return what went wrong, "" for nothing."""
    name, address, password = f"user{number}", f"u{number}@example.org", f"Gh0st-{number}-pass"
    terminal.press(f"n{name}\t{address}\t{password}\t")
    end, wanted = time.monotonic() + _WITHIN, (name, address, "•" * len(password))
    while True:
        terminal.collect(0.05)
        found = tuple(_field(terminal, title) for title in ("Username", "E-mail", "Password"))
        if "Gh0st" in terminal.text:
            return f"a password can be read:\n{terminal.text}"
        if found == wanted:
            break
        if time.monotonic() > end:
            return f"{found} instead of {wanted}:\n{terminal.text}"
    terminal.press("\x1b")
    terminal.wait_for("Discard changes?")
    terminal.press("\t\r")
    terminal.wait_until(lambda: "Discard changes?" not in terminal.text)
    return ""


def main(count: int) -> int:
    """Type so many; the exit status."""
    busy = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(BUSY)]
    for process in busy:
        process.start()
    begun = time.monotonic()
    try:
        with Terminal("--demo", columns=140, lines=40) as terminal:
            terminal.wait_for("of 30 left")
            terminal.press("0")
            terminal.wait_for("Users: all classes")
            for number in range(count):
                if wrong := burst(terminal, number):
                    sys.stdout.write(f"burst {number}: {wrong}\n")
                    return 1
    finally:
        for process in busy:
            process.kill()
    sys.stdout.write(f"{count} bursts in {time.monotonic() - begun:.0f} s, every key in its place\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
