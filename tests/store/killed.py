"""A program that is killed in the midst of its work."""

import signal
import subprocess
import sys

import pytest

from tests import prestarted

can_kill = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")


def lines_until_killed(script: str, *arguments: str, after: int) -> list[str]:
    """The lines that a program in Python prints, which is killed after so many: these, and perhaps more."""
    command = [prestarted.program(script), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        lines = [program.stdout.readline() for _ in range(after)]
        program.send_signal(signal.SIGKILL)
        rest = program.stdout.readlines()
        return lines + [line for line in rest if line.endswith("\n")]  # the kill can cut the last one
