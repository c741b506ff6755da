"""The time from linkdash's start to its first paint, beside a bare Textual app in the same run.

    python -m tests.bench.startup [--runs 15]

Each program runs in a pty until a marker stands in its output, and one of them until a key that was pressed
then is answered. The runs are interleaved, so that a busy moment of the machine meets all of them; medians
are compared, by the clock and of what the program's processor worked. All run from compiled files, as
installed programs do.
"""

import argparse
import os
import pty
import select
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from linkdash.demo.server import serve_in_thread

FIRST_PAINT, RECORDS, KEYS, DEMO = 1.5, 2.6, 2.0, 5.2
_FRAME, _ACCOUNT, _FELL, _THERE = b"Opening", b"dmitri.gruber", b"fell sharply", b"the-marker"
_DEADLINE = 60.0
_BARE = """
from textual.app import App
from textual.widgets import DataTable

class Bare(App):
    def compose(self):
        yield DataTable()
    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("Username", "E-mail")
        table.add_row("the-marker", "marker@example.org")

Bare().run()
"""
_IMPORTS = "import httpx, pydantic; print('the-marker')"


@dataclass
class Program:
    """A program to start, and the text on the screen when it is there."""

    title: str
    arguments: tuple[str, ...]
    marker: bytes
    environment: Mapping[str, str]
    bar: float | None = None
    """At most so many times what it is measured beside."""
    beside: "Program | None" = None
    """The program that it is measured beside; None for the bare app."""
    key: bytes = b""
    """What is pressed at the marker, if anything."""
    answer: bytes = b""
    """What stands on the screen when the key is answered."""
    seconds: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    """Seconds that its processor has worked until then: what other programs do changes little of it."""

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def worked(self) -> float:
        return statistics.median(self.work)

    def run(self) -> tuple[float, float]:
        """Seconds from the start to the marker, by the clock and of work."""
        begun = time.perf_counter()
        process, terminal = pty.fork()
        if process == 0:
            os.environ.update(self.environment, TERM="xterm-256color", COLUMNS="80", LINES="24")
            os.execv(sys.executable, (sys.executable, *self.arguments))
        try:
            self._wait_for(self.marker, terminal, begun)
            if self.key:
                os.write(terminal, self.key)
                self._wait_for(self.answer, terminal, begun)
            return time.perf_counter() - begun, _worked(process)
        finally:
            os.kill(process, signal.SIGTERM)
            _drain(terminal)
            os.waitpid(process, 0)
            os.close(terminal)

    def _wait_for(self, marker: bytes, terminal: int, begun: float) -> None:
        seen = b""
        while marker not in seen:
            left = begun + _DEADLINE - time.perf_counter()
            if left <= 0 or not select.select([terminal], [], [], left)[0]:
                raise SystemExit(f"{self.title}: the marker did not come\n{seen.decode(errors='replace')}")
            seen += os.read(terminal, 65_536)


def _worked(process: int) -> float:
    """Seconds that a process has worked, in all its threads."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def _drain(terminal: int) -> None:
    """Read until the program has closed its end, so that it can write what restores a terminal."""
    try:
        while os.read(terminal, 65_536):
            pass
    except OSError:
        return


def at_home(folder: Path, address: str, key: str) -> dict[str, str]:
    """The environment of the user whose files lie in `folder`, and whose key is in a variable."""
    return {**_homes(folder), "LINKDASH_BASE_URL": address, "LINKDASH_API_KEY": key}


def _homes(folder: Path) -> dict[str, str]:
    names = ("CONFIG", "STATE", "CACHE", "DATA")
    homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in names}
    return {**homes, **compiled(folder)}


def set_up(folder: Path, address: str, key: str) -> dict[str, str]:
    """The environment of the user whose files lie in `folder`, the configuration with the key among them."""
    file = folder / "config" / "linkdash" / "config.toml"
    file.parent.mkdir(parents=True, mode=0o700)
    file.touch(mode=0o600)
    file.write_text(f'[profiles.default]\nbase_url = "{address}"\napi_key = "{key}"\n')
    return _homes(folder)


def compiled(folder: Path) -> dict[str, str]:
    """Return what makes Python keep what it has compiled, beside the homes of all runs."""
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder.parent / "compiled")}


def programs(folder: Path) -> list[Program]:
    """The bare app, and linkdash with an empty and a filled store; its service is away by then."""
    linkdash = ("-m", "linkdash")
    with serve_in_thread() as running:
        address, key = running.base_url, running.api_key
        full = set_up(folder / "filled", address, key)
        Program("to fill the store", linkdash, _ACCOUNT, full).run()
    bare = Program("bare Textual app, one DataTable", ("-c", _BARE), _THERE, compiled(folder / "bare"))
    imports = Program("import httpx, pydantic", ("-c", _IMPORTS), _THERE, compiled(folder / "bare"))
    empty, given = set_up(folder / "none", address, key), at_home(folder / "key", address, key)
    return [
        bare,
        Program("empty store, first paint", linkdash, _FRAME, empty, FIRST_PAINT),
        Program("filled store, first paint", linkdash, _FRAME, full, FIRST_PAINT),
        Program("filled store, its records", linkdash, _ACCOUNT, full, RECORDS),
        Program("key in a variable, first paint", linkdash, _FRAME, given, FIRST_PAINT),
        Program("filled store, a key is answered", linkdash, _ACCOUNT, full, KEYS, None, b"?", b"Keys on"),
        imports,
        Program("demo, what fell", (*linkdash, "--demo"), _FELL, _homes(folder / "demo"), DEMO, imports),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        found = programs(Path(folder))
        for number in range(runs + 1):
            for program in found:
                seconds, work = program.run()
                if number:  # the first run writes what Python has compiled
                    program.seconds.append(seconds)
                    program.work.append(work)
    for program in found:
        beside = program.beside or found[0]
        ratio, worked = program.median / beside.median, program.worked / beside.worked
        sys.stdout.write(
            f"{program.title:<34}{program.median * 1000:6.0f} ms {ratio:5.2f}"
            f"   of work {program.worked * 1000:6.0f} ms {worked:5.2f}"
            f"{f'   at most {program.bar}' if program.bar else ''}\n"
        )


if __name__ == "__main__":
    main()
