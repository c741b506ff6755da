"""The requests spent by each run of the last hour, in a small file of this machine.

A run adds a line now and then while it lasts, and one at its end; the last of them counts. The budget itself
is shared elsewhere; this is only for people to read, so a line that is lost costs nothing.
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

from linkdash.store.files import close_to_others, private_file, write_atomically

KEPT = 3600.0
"""Seconds."""
NOTED_AFTER = 5.0
"""Seconds after which a run tells what it has spent since."""
HEARD_EVERY = 30.0
"""Seconds after which a run tells that it lasts, if it has spent nothing."""
_LARGEST = 65_536  # bytes, beyond which what is old is left out
_MOST_READ = 4 * _LARGEST  # bytes, the last: no run of ours leaves more
_LATEST = 1e11  # seconds since 1970; no calendar has what is much later
_LONGEST_NAME = 40


class RunSpending(NamedTuple):
    """The requests of one run."""

    at: float
    """When it ended or was last heard of, in seconds since 1970."""
    program: str
    """The name of the verb, or `dashboard`."""
    requests: int
    run: str = ""
    """A name that no other run has; empty in lines of earlier versions, which only told the end."""
    is_over: bool = True


class SpendingLog:
    """The spending of one profile on this machine. Methods raise OSError."""

    def __init__(self, folder: Path, profile: str) -> None:
        self._path = folder / f"spending-{profile}.jsonl"

    def note(self, spent: RunSpending) -> None:
        """Add what a run has spent so far."""
        line = _line(spent._replace(at=round(spent.at, 3), program=spent.program[:_LONGEST_NAME]))
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
            line = _line(one)
            room -= len(line)
            if room < 0:
                break
            lines.append(line)
        write_atomically(self._path, "".join(reversed(lines)).encode("ascii"))

    def since(self, moment: float) -> list[RunSpending]:
        """Return the runs since a moment, in seconds since 1970, the latest first, each as it told last."""
        try:
            close_to_others(self._path)
        except FileNotFoundError:
            return []
        with self._path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _MOST_READ))
            lines = file.read(_MOST_READ).decode("ascii", "replace").splitlines()
        told = [spent for line in lines if (spent := _read(line)) is not None and spent.at >= moment]
        last = {spent.run or f"line {number}": spent for number, spent in enumerate(told)}
        return sorted(last.values(), reverse=True)


def _line(spent: RunSpending) -> str:
    return json.dumps(list(spent)) + "\n"


def _read(line: str) -> RunSpending | None:
    """Return the run of a line; None for a line that is cut off, or that no run has written."""
    try:
        at, program, requests, *more = json.loads(line)
        run, is_over = more or ("", True)
        read = RunSpending(float(at), str(program)[:_LONGEST_NAME], int(requests), str(run), bool(is_over))
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
    return read if 0 <= read.at <= _LATEST and read.requests >= 0 else None
