"""The programs that use a store: each leaves its name with what it begins."""

import os
import sys
from pathlib import Path

from linkdash.store.journal_entry import Author

_ENDED = ("Z", "X")  # and only remembered for who has started them


def this_program(author: Author) -> str:
    """Return the name of this process: who runs it where, its id, and when it was started."""
    return f"{author} {os.getpid()} {_started(os.getpid())}"


def is_running(program: str, author: Author) -> bool | None:
    """Return whether a program still runs; None where that cannot be known from here.

    That is so for one of another user or machine, and on Windows. An id that another process has been given
    since is known by when that one was started, where the system tells it.
    """
    who, pid, started = program.rsplit(" ", 2) if program.count(" ") > 1 else ("", "", "")
    if who != str(author) or not pid.isdecimal() or sys.platform == "win32":
        return None
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return _started(int(pid)) == started


def _started(pid: int) -> str:
    """Return when a process was started, in ticks since the machine was; `-` where that is not told."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return "-"
    state, *rest = told.rpartition(")")[2].split()  # its name, in brackets, may hold anything
    return "ended" if state in _ENDED else rest[18]
