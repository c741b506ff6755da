"""The cost of a list of 100,000 users: time, the longest hold of the event loop, memory, the echo of keys.

Beside it stands what holds the loop in a list of 100, and what a DataTable of as many rows takes. Keys are
typed into the filter in a real terminal, as one types and as fast as a key that is held repeats; while the
users are there, and while they arrive again.

    python -m tests.bench.large_list [--users 100000]

The service runs in this process, the app and the bare app with a DataTable of the same users in one of their
own each, so that memory is theirs alone. A hold is the time between two beats of a task that only sleeps; of
that, what the process itself has worked is told beside it, as a busy machine stretches the other.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.bench.startup import at_home, compiled
from tests.terminal.terminal import INSTALLED, Terminal

if TYPE_CHECKING:
    from textual.app import App

KEY = "a-key-of-an-admin"
SIZE = (120, 40)
BARS = {"open": 4.0, "sort": 1.0, "one filter key": 0.5}  # seconds
LONGEST_HOLD, LONGEST_ECHO, MOST_MEMORY = 0.2, 0.06, 450  # seconds, megabytes
_DEADLINE = 30.0
_BEAT = 0.001
_BETWEEN = 3.0  # seconds
_A_FEW = 100
"""Users of another run of the same: what a screen of any list holds the loop for."""


@dataclass
class Measured:
    """The cost of one program for what the user did."""

    seconds: dict[str, float] = field(default_factory=dict)
    work: dict[str, float] = field(default_factory=dict)
    """Seconds that the process itself has worked for it, in all its threads."""
    holds: dict[str, float] = field(default_factory=dict)
    worked: dict[str, float] = field(default_factory=dict)
    """The most that it worked between two beats."""
    moments: dict[str, float] = field(default_factory=dict)
    """When something had happened, by the clock that all processes share."""
    peaks: dict[str, float] = field(default_factory=dict)
    """The most memory that it has had until then, in megabytes."""
    megabytes: float = 0.0


# ---- the service ----


def users(count: int) -> list[dict[str, object]]:
    """Users as the reference describes them; the list carries every user's key."""
    chance = random.Random(1)
    return [
        {
            "id": id,
            "username": f"{chance.choice(('ada', 'boris', 'chloé', 'dmitri'))}{id}",
            "email": f"user{id}@example.org",
            "avatar": f"https://example.org/avatar/{id}.png",
            "status": chance.choice(("free", "pro")),
            "planid": chance.randrange(4),
            "registered": f"2025-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02} 12:30:00",
            "expires": f"2027-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02} 00:00:00",
            "apikey": f"{chance.getrandbits(64):016x}",
        }
        for id in range(1, count + 1)
    ]


class Service(ThreadingHTTPServer):
    """A service that answers every list with the users, and remembers when the last answer had left."""

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.body = body
        self.sent = [0.0]
        Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        body = self.server.body if self.path.startswith("/api/users") else b'{"error":0,"data":[]}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if body is self.server.body:
            self.server.sent.append(time.monotonic())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def serving(count: int) -> Iterator[str]:
    """The address of a service with so many users, in a process of its own until the block ends.

    What is started from a process with all of them counts the memory of that one as its own.
    """
    command = (sys.executable, "-m", "tests.bench.large_list", "--serve", "--users", str(count))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip()
        finally:
            running.kill()


def body(count: int) -> bytes:
    return json.dumps({"error": 0, "data": users(count)}, separators=(",", ":")).encode()


# ---- measuring ----


class Heart:
    """A beat in the event loop that knows its longest pause."""

    def __init__(self) -> None:
        self.longest = self.worked = 0.0

    async def beat(self) -> None:
        while True:
            clock, work = time.perf_counter(), time.process_time()
            await asyncio.sleep(_BEAT)
            self.longest = max(self.longest, time.perf_counter() - clock - _BEAT)
            self.worked = max(self.worked, time.process_time() - work)


@asynccontextmanager
async def measuring(found: Measured, what: str) -> AsyncIterator[None]:
    """Measure what happens in the block, and for a moment after it."""
    heart = Heart()
    beating = asyncio.create_task(heart.beat())
    begun, work = time.perf_counter(), time.process_time()
    try:
        yield
    finally:
        found.seconds[what] = time.perf_counter() - begun
        found.work[what] = time.process_time() - work
        found.moments[what] = time.monotonic()
        found.peaks[what] = peak()
        await asyncio.sleep(0.3)
        found.holds[what], found.worked[what] = heart.longest, heart.worked
        beating.cancel()


async def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + _DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        await asyncio.sleep(0.002)


async def painted(app: "App[Any]") -> None:
    """Return when what has changed on the screen was painted."""
    done = asyncio.Event()
    app.screen.call_after_refresh(done.set)
    await done.wait()


def peak() -> float:
    """The most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# ---- the programs ----


async def drive_linkdash(address: str, count: int, folder: Path) -> Measured:  # noqa: PLR0915  one walk, step by step
    """The app, from the first look at the users on."""
    from pydantic import SecretStr
    from textual.events import Key
    from textual.widgets import Input

    from linkdash import cli
    from linkdash.app import LinkdashApp
    from linkdash.model.settings import Settings
    from linkdash.startup.run_context import RunContext
    from linkdash.widgets.table.record_table import RecordTable

    settings = Settings("bench", address, SecretStr(KEY))
    app = LinkdashApp(settings, lambda: cli._first_session(RunContext(settings, folder, folder)))
    found = Measured()

    def table() -> RecordTable[object]:
        return app.screen.query_one(RecordTable)

    def rows() -> Sequence[object]:
        return table().rows if app.screen.query(RecordTable) else ()

    def press(key: str, character: str | None = None) -> None:
        app.post_message(Key(key, character or (key if len(key) == 1 else None)))

    async with app.run_test(size=SIZE):
        await until(lambda: app.is_open)
        await asyncio.sleep(_BETWEEN)  # how long the start takes is another question
        screen = app.screen
        async with measuring(found, "open"):
            press("0")
            await until(
                lambda: (
                    app.screen is not screen and app.screen.query(RecordTable) and len(table().rows) == count
                )
            )
            await painted(app)
        await asyncio.sleep(_BETWEEN)  # meanwhile the answer is packed for the next run
        async with measuring(found, "to the end"):
            press("G")
            await until(lambda: table().cursor == count - 1)
        press("g")
        async with measuring(found, "sort"):
            shown = id(table().rows)
            press("s")  # by name: that is the first column
            await until(lambda: id(table().rows) != shown and _names_in_order(table().rows))
        press("S")
        press("slash", "/")
        await until(lambda: isinstance(app.focused, Input))
        await asyncio.sleep(1)
        async with measuring(found, "one filter key"):
            press("b")
            await until(lambda: len(table().rows) < count)
        press("backspace")
        await until(lambda: len(table().rows) == count)
        press("enter")
        await until(lambda: app.focused is table())
        async with measuring(found, "mark all"):
            press("asterisk", "*")
            await until(lambda: len(table().marks) == count)
        screen = app.screen
        async with measuring(found, "the delete question"):
            press("d")
            await until(lambda: app.screen is not screen)
        async with measuring(found, "back from it"):
            press("escape")
            await until(lambda: app.screen is screen)
        async with measuring(found, "refresh"):
            first = table().rows[0]  # a record that is read anew is another
            press("r")
            await until(lambda: table().rows[0] is not first)
        await asyncio.sleep(_BETWEEN)
    found.megabytes = peak()
    return found


def _names_in_order(rows: Sequence[object]) -> bool:
    """Return whether the first rows are those of `ada`, by their numbers."""
    first = [str(getattr(rows[index], "username", "")) for index in range(3)]
    return first == sorted(first, key=lambda name: (len(name), name)) and first[0].startswith("ada")


async def drive_table(rows: Sequence[dict[str, object]]) -> Measured:
    """The same users in a DataTable."""
    from textual.app import App, ComposeResult
    from textual.widgets import DataTable

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield DataTable()

    app, found = Bare(), Measured()
    names = ("id", "username", "email", "status", "planid", "registered", "expires")
    async with app.run_test(size=SIZE) as pilot:
        table = app.query_one(DataTable)
        async with measuring(found, "open"):
            table.add_columns(*names)
            table.add_rows([[row[name] for name in names] for row in rows])
            await pilot.pause(0)
        async with measuring(found, "to the end"):
            table.move_cursor(row=len(rows) - 1)
            await pilot.pause(0)
        async with measuring(found, "sort"):
            table.sort(table.ordered_columns[1].key)
            await pilot.pause(0)
        async with measuring(found, "one filter key"):
            kept = [row for row in rows if any("b" in str(row[name]) for name in names)]
            table.clear()
            table.add_rows([[row[name] for name in names] for row in kept])
            await pilot.pause(0)
    found.megabytes = peak()
    return found


# ---- the echo of keys, in a terminal ----

TYPED = "@EXAMPLE.ORG"
"""A text that all users match, and that stands nowhere else in this spelling."""
_ROUNDS = 5
_EMPTY = "type to filter"
_HELD = 0.033  # seconds between two keys of one that is held
_THINKING = 0.3  # seconds between two that are typed, each of them filtering to its end
_AGAIN = 2.0  # seconds until the users have arrived again


class Echo(NamedTuple):
    """A key in the midst of what, and seconds until it stood on the screen."""

    during: str
    seconds: float


def echoes(count: int) -> Iterator[Echo]:
    """The echo of each key that is typed into the filter of so many users."""
    with tempfile.TemporaryDirectory() as folder, serving(count) as address:
        environment = at_home(Path(folder), address, KEY)
        with Terminal(program=INSTALLED, environment=environment, cwd=os.getcwd()) as terminal:
            terminal.wait_for("all saved")
            terminal.collect(_AGAIN)
            terminal.press("0")
            terminal.wait_for(f"{count:,}")
            terminal.collect(2 * _AGAIN)
            for _ in range(_ROUNDS):
                yield from _typed_and_held(terminal)
                yield from _while_users_arrive(terminal)


def _typed_and_held(terminal: Terminal) -> Iterator[Echo]:
    for during, pause in (("typed", _THINKING), ("held", _HELD)):
        terminal.press("/")
        terminal.collect(_THINKING)
        yield from (Echo(during, seconds) for seconds in _typed(terminal, pause))
        _clear(terminal)


def _while_users_arrive(terminal: Terminal) -> Iterator[Echo]:
    terminal.press("r/")
    deadline = time.monotonic() + _AGAIN
    while time.monotonic() < deadline:
        yield from (Echo("while users arrive", seconds) for seconds in _typed(terminal, 0.05))
        terminal.press("\x7f" * len(TYPED))
        terminal.wait_for(_EMPTY)
    _clear(terminal)


def _typed(terminal: Terminal, pause: float) -> Iterator[float]:
    """Type into the empty filter, however long it takes; the seconds that each letter waited."""
    pressed, written = list[float](), list[tuple[float, bytes]]()
    for letter in TYPED:
        terminal.press(letter)
        pressed.append(time.perf_counter())
        written += terminal.written_in(pause)
    shown = 0
    while shown < len(TYPED):
        for moment, data in written:
            terminal.show(data)
            while shown < len(TYPED) and TYPED[: shown + 1] in terminal.text:
                yield moment - pressed[shown]
                shown += 1
        written = terminal.written_in(_THINKING)


def _clear(terminal: Terminal) -> None:
    """Leave the filter, and show all rows again."""
    terminal.press("\x1b")
    terminal.collect(1.0)
    terminal.press("\x1b")
    terminal.collect(2.0)


def told_echoes(found: Sequence[Echo]) -> str:
    lines = []
    for during in dict.fromkeys(echo.during for echo in found):
        waits = sorted(echo.seconds for echo in found if echo.during == during)
        lines.append(
            f"{during:<20}{len(waits):5} keys   median {statistics.median(waits) * 1000:4.0f} ms"
            f"   95 % {waits[len(waits) * 95 // 100] * 1000:4.0f} ms   longest {waits[-1] * 1000:4.0f} ms"
            f"; at most {LONGEST_ECHO * 1000:.0f} ms"
        )
    return "\n".join(lines)


# ---- all of it, and what is printed ----


def run_alone(program: str, *arguments: str) -> Measured:
    """A program in a process of its own, from compiled files, as installed programs are."""
    command = (sys.executable, "-m", "tests.bench.large_list", "--run", program, *arguments)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **compiled(Path(folder) / "home")}
        for path in ("linkdash", "tests/bench"):
            subprocess.run((sys.executable, "-m", "compileall", "-q", path), env=environment, check=True)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{program} failed\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def told(linkdash: Measured, few: Measured, bare: Measured) -> str:
    """The table that is printed; with it, whether each bar is met."""
    lines = [
        f"{'':<20}{'seconds (of work)':>18}{'hold (of work)':>17}{'hold of a few':>17}{'peak MB':>9}"
        "   DataTable: seconds, hold"
    ]
    for what, seconds in linkdash.seconds.items():
        taken = f"{seconds:.2f} ({linkdash.work[what]:.2f})"
        hold = f"{linkdash.holds[what]:.3f} ({linkdash.worked[what]:.3f})"
        hold_of_few = f"{few.holds[what]:.3f} ({few.worked[what]:.3f})"
        beside = f"{bare.seconds[what]:16.2f}{bare.holds[what]:8.2f}" if what in bare.seconds else ""
        bar = f"   at most {BARS[what]} s" if what in BARS else ""
        lines.append(
            f"{what:<20}{taken:>18}{hold:>17}{hold_of_few:>17}{linkdash.peaks[what]:9.0f}{beside:<24}{bar}"
        )
    longest, worked = max(linkdash.holds.values()), max(linkdash.worked.values())
    return "\n".join(
        [
            *lines,
            f"longest hold {longest:.3f} s, of which it worked {worked:.3f} s; at most {LONGEST_HOLD} s",
            f"peak memory {linkdash.megabytes:.0f} MB beside {bare.megabytes:.0f}; at most {MOST_MEMORY} MB",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        sys.stdout.write(f"{Service(body(given.users)).address}\n")
        sys.stdout.flush()
        Event().wait()
    if given.run:
        sys.stdout.write(
            json.dumps(asdict(asyncio.run(_run(given.run[0], given.run[1], given.users)))) + "\n"
        )
        return
    linkdash, few = run_linkdash(given.users), run_linkdash(_A_FEW)
    bare = run_alone("table", "-", "--users", str(given.users))
    sys.stdout.write(told(linkdash, few, bare) + "\n")
    sys.stdout.write(told_echoes([*echoes(given.users)]) + "\n")


def run_linkdash(count: int) -> Measured:
    """linkdash with so many users, the service being here."""
    service = Service(body(count))
    sys.stdout.write(f"{count:,} users, {len(service.body) / 1e6:.1f} MB\n")
    found = run_alone("linkdash", service.address, "--users", str(count))
    found.seconds["open"] = found.moments["open"] - service.sent[1]  # from the answer on
    service.shutdown()
    return found


async def _run(program: str, address: str, count: int) -> Measured:
    if program == "table":
        return await drive_table(users(count))
    with tempfile.TemporaryDirectory() as folder:
        return await drive_linkdash(address, count, Path(folder))


if __name__ == "__main__":
    main()
