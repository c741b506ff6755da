"""Runs of linkdash as a script makes them: in a process of its own, or in this one for its words."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from linkdash import cli
from linkdash.commands import standard_streams
from linkdash.demo.server import Running
from tests import prestarted
from tests.strict_service import StrictService

PROGRAM = str(Path(sys.executable).parent / "linkdash")
"""The entry point as it is installed: where it is killed, or what a start loads matters."""


@dataclass(frozen=True)
class Ran:
    """The end of a run."""

    status: int
    out: str
    told: str

    @property
    def lines(self) -> list[dict[str, object]]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


def environment(running: Running | StrictService, **more: str) -> dict[str, str]:
    """Return what a shell that knows the service has set."""
    return {
        **os.environ,
        "LINKDASH_BASE_URL": running.base_url,
        "LINKDASH_API_KEY": running.api_key,
        **more,
    }


def start(
    running: Running, *arguments: str, program: str = "", stdin: int = subprocess.DEVNULL, **more: str
) -> subprocess.Popen[str]:
    """linkdash in a process of its own."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [program or prestarted.program(), *arguments],
        env=environment(running, **more),
        stdin=stdin,
        stdout=pipe,
        stderr=pipe,
        text=True,
    )


def run(running: Running, *arguments: str, typed: str = "", program: str = "", **more: str) -> Ran:
    """linkdash in a process of its own, to its end; `typed` is on its standard input."""
    own = environment(running, **more)
    command = [program or prestarted.program(), *arguments]
    ran = subprocess.run(
        command, env=own, input=typed, capture_output=True, text=True, timeout=60, check=False
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


class Here:
    """linkdash in this process: quick, and the coverage of a debugger reaches it."""

    def __init__(self, running: Running, capsys: pytest.CaptureFixture[str]) -> None:
        self._running = running
        self._capsys = capsys

    def __call__(
        self,
        *arguments: str,
        typed: str = "",
        person: "Person | None" = None,
        set: Mapping[str, str] | None = None,
    ) -> Ran:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**environment(self._running), **(set or {})}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", person or _Typed(typed))
            patch.setattr(standard_streams, "_SECRETS", [])
            patch.setattr(standard_streams, "_MISPLACED", [])
            try:
                status = cli.main([*arguments])
            except SystemExit as ended:
                status = int(ended.code or 0)
        out, told = self._capsys.readouterr()
        return Ran(status, out, told)


_ALWAYS_READABLE = os.open(os.devnull, os.O_RDONLY)


class Person:
    """Somebody at a terminal, who takes so long for each answer that something happens before it."""

    def __init__(self, *answers: tuple[Callable[[], object], str]) -> None:
        self._answers = iter(answers)
        self.asked = 0
        """Questions so far."""

    def readline(self) -> str:
        self.asked += 1
        happens, answer = next(self._answers)
        happens()
        return f"{answer}\n"

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return _ALWAYS_READABLE


class _Typed:
    """A standard input that is no terminal."""

    def __init__(self, text: str) -> None:
        self._lines = iter(text.splitlines(keepends=True))

    def readline(self) -> str:
        return next(self._lines, "")

    def isatty(self) -> bool:
        return False
