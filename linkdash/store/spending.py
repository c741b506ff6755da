"""The requests spent by each run of the last hour: a line a run, in a small file of this machine.

The budget itself is shared elsewhere; this is only for people to read, so a line that is lost costs nothing.
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

from linkdash.store.files import private_file, write_atomically

KEPT = 3600.0
"""Seconds."""
_LARGEST = 65_536  # bytes, beyond which what is old is left out
_LONGEST_NAME = 40


class RunSpending(NamedTuple):
    """The requests of one run."""

    at: float
    """When it ended, in seconds since 1970."""
    program: str
    """The name of the verb, or `dashboard`."""
    requests: int


class SpendingLog:
    """The spending of one profile on this machine. Methods raise OSError."""

    def __init__(self, folder: Path, profile: str) -> None:
        self._path = folder / f"spending-{profile}.jsonl"

    def note(self, spent: RunSpending) -> None:
        """Add what a run has spent."""
        line = json.dumps([round(spent.at, 3), spent.program[:_LONGEST_NAME], spent.requests]) + "\n"
        file = os.open(private_file(self._path), os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, line.encode("ascii"))
            is_large = os.fstat(file).st_size > _LARGEST
        finally:
            os.close(file)
        if is_large:
            self._leave_out_old(spent.at - KEPT)

    def _leave_out_old(self, moment: float) -> None:
        """Keep the latest since a moment, in half of the room: to write them all again has to be seldom."""
        lines, room = list[str](), _LARGEST // 2
        for one in self.since(moment):
            line = json.dumps(list(one)) + "\n"
            room -= len(line)
            if room < 0:
                break
            lines.append(line)
        write_atomically(self._path, "".join(reversed(lines)).encode("ascii"))

    def since(self, moment: float) -> list[RunSpending]:
        """Return the runs since a moment, in seconds since 1970, the latest first."""
        if not self._path.exists():
            return []
        lines = self._path.read_text("ascii", "replace").splitlines()
        found = [spent for line in lines if (spent := _read(line)) is not None and spent.at >= moment]
        return sorted(found, reverse=True)


def _read(line: str) -> RunSpending | None:
    """Return the run of a line; None for a line that is cut off."""
    try:
        at, program, requests = json.loads(line)
        return RunSpending(float(at), str(program), int(requests))
    except (ValueError, TypeError):
        return None
