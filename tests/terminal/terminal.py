"""A real terminal for the tests: linkdash in a pty, its output on an emulated screen, keys from the test."""

import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import psutil
import pyte

from tests.prestarted import Call, Process

DEADLINE = 60.0
"""Seconds after which what should have happened will not; far more than it takes."""
ALTERNATE_SCREEN, CURSOR, MOUSE, MOUSE_MOVES, PASTE = 1049, 25, 1000, 1003, 2004
INSTALLED = (sys.executable, "-m", "linkdash")
_CHUNK = 65536
_MODES = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<=>?][0-9;]*[a-z$]*[pqu]|\x1b[P_^X].*?\x1b\\", re.DOTALL)
# A login shell's way to make the terminal it runs in the one that ctrl+c and resizing are felt from.
_IN_THE_TERMINAL = 'exec "$@" <"$TTY" >"$TTY" 2>"$TTY"'


def heed_signals() -> None:
    """Heed what a shell lets those ignore that it starts in the background, also in what is started here."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)


class Terminal:
    """A program in a terminal of its own, which ends with the block.

    It is linkdash, started beforehand, or a script in its place, or another `program`: with `INSTALLED`
    linkdash is started as the user starts it.
    """

    def __init__(
        self,
        *arguments: str,
        columns: int = 80,
        lines: int = 24,
        environment: Mapping[str, str] | None = None,
        cwd: str | None = None,
        program: Sequence[str] = (),
        script: str = "",
    ) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self.output = b""
        """Everything the program wrote, as it wrote it."""
        self._master, self._slave = os.openpty()
        self._resize(columns, lines)
        self.attributes = termios.tcgetattr(self._slave)
        """What the terminal was set to before."""
        own = {**os.environ, "TERM": "xterm-256color", "TTY": os.ttyname(self._slave), **(environment or {})}
        for fixed in (
            "COLUMNS",
            "LINES",
        ):  # a size in the environment, as a test runner sets it, beats the terminal's
            own.pop(fixed, None)
        self._process: subprocess.Popen[bytes] | Process
        if program:
            command = ["sh", "-c", _IN_THE_TERMINAL, "sh", *program, *arguments]
            self._process = subprocess.Popen(command, env=own, cwd=cwd, start_new_session=True)
        else:
            call = Call(
                arguments=[*arguments],
                environment=own,
                folder=cwd or os.getcwd(),
                terminal=os.ttyname(self._slave),
                script=script,
            )
            self._process = Process(call)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._slave)
        os.close(self._master)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    # ---- what the user does ----

    def press(self, keys: str) -> None:
        """Type these characters."""
        self.send(keys.encode())

    def send(self, data: bytes) -> None:
        """Send these bytes, which may be no keys."""
        os.write(self._master, data)

    def spoil(self) -> None:
        """Take away what stands on the screen, as another program does that ran meanwhile."""
        self._screen.erase_in_display(2)

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size; the program is told."""
        self._screen.resize(lines, columns)
        self._resize(columns, lines)

    def send_signal(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        self._process.send_signal(number)

    def stop(self, number: signal.Signals) -> None:
        """Stop the program with a signal; return when it stands."""
        self.send_signal(number)
        process = psutil.Process(self.pid)
        self.wait_until(lambda: process.status() == psutil.STATUS_STOPPED)

    def _resize(self, columns: int, lines: int) -> None:
        termios.tcsetwinsize(self._master, (lines, columns))

    # ---- what the user sees ----

    @property
    def lines(self) -> list[str]:
        """The lines of the screen."""
        rows, columns = range(self._screen.lines), range(self._screen.columns)
        # As pyte's own, which fails where a change of size has cut a wide character in two.
        return ["".join(self._screen.buffer[row][column].data for column in columns) for row in rows]

    @property
    def text(self) -> str:
        """The screen."""
        return "\n".join(line.rstrip() for line in self.lines)

    def collect(self, seconds: float) -> bytes:
        """Return what the program writes within so many seconds."""
        before, deadline = len(self.output), time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._read()
        return self.output[before:]

    def written_in(self, seconds: float) -> list[tuple[float, bytes]]:
        """Return what the program writes within so many seconds, and when; `show` puts it on the screen."""
        found, deadline = [], time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            if select.select([self._master], [], [], left)[0]:
                found.append((time.perf_counter(), os.read(self._master, _CHUNK)))
        return found

    def show(self, data: bytes) -> None:
        """Put on the screen what the program wrote."""
        self.output += data
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", data))

    def work_in(self, seconds: float) -> float:
        """Seconds of the processor's work that the program does within so many seconds."""
        before = sum(psutil.Process(self.pid).cpu_times()[:2])
        self.collect(seconds)
        return sum(psutil.Process(self.pid).cpu_times()[:2]) - before

    def wait_for(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        self.wait_until(lambda: text in self.text)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until what is on the screen meets a condition; fail at the deadline with the screen."""
        deadline = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < deadline, f"it did not come:\n{self.text}"
            assert self._read() or self._process.poll() is None, f"it ended instead:\n{self.text}"

    def wait_for_end(self) -> int:
        """Wait until the program ends by itself; return its status."""
        deadline = time.monotonic() + DEADLINE
        has_ended = False
        while self._read() or not has_ended:
            assert time.monotonic() < deadline, f"it did not end:\n{self.text}"
            has_ended = self._process.poll() is not None  # before the read that finds nothing more
        return self._process.wait()

    def _read(self) -> bool:
        """Show what the program wrote meanwhile; False where that was nothing."""
        if not select.select([self._master], [], [], 0.02)[0]:
            return False
        self.show(os.read(self._master, _CHUNK))
        return True

    # ---- how the program leaves the terminal ----

    def is_on(self, mode: int) -> bool:
        """Return whether the program turned a mode of the terminal on and left it on."""
        switched = _MODES.findall(self.output)
        found = [switch == b"h" for modes, switch in switched if str(mode).encode() in modes.split(b";")]
        return bool(found) and found[-1]

    @property
    def is_restored(self) -> bool:
        """Return whether the terminal is as it was: the main screen, a cursor, echo, no mouse, no reports."""
        left_on = [mode for mode in (ALTERNATE_SCREEN, MOUSE, MOUSE_MOVES, PASTE) if self.is_on(mode)]
        hidden = b"\x1b[?25l" in self.output and not self.is_on(CURSOR)
        return not left_on and not hidden and termios.tcgetattr(self._slave) == self.attributes
