"""A monkey at the dashboard: keys, clicks, drags, sizes, pastes, palette commands, on a demo with faults.

    python -m tests.bench.monkey [--sequences 20000] [--seed 1]
    python -m tests.bench.monkey --replay FILE

A sequence is a few steps in one go and a pause; 200 of them make a script, from one seed, for one run of the
app, in a process of its own. Where a script ends in a fault of the program, or stands still, the shortest
replay of it that still does is printed, a step a line, and the exit status is 1. A replay takes the same
steps; answers come when they come.
"""

import argparse
import asyncio
import faulthandler
import gc
import json
import os
import random
import sys
import time
import traceback
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pydantic import SecretStr
from textual import events
from textual.errors import NoWidget
from textual.pilot import OutOfBounds, Pilot

from linkdash.app import LinkdashApp
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.model.stacks import task_stacks
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.store.store import Store
from tests.api.odd_answers import ROWS, fault_of
from tests.waiting import Idleness, wait_until

SEQUENCES = 200
"""Those of one script."""
KEYS = (
    *"1234567890",
    *"abcdefghijklmnoprstuvwxyzABCFGLMSTVW-",
    *("enter", "escape", "tab", "shift+tab", "space", "up", "down", "left", "right", "pageup", "pagedown"),
    *("home", "end", "slash", "colon", "asterisk", "question_mark", "left_square_bracket", "ctrl+s"),
    *("right_square_bracket", "backspace", "delete", "ctrl+c", "ctrl+p", "f1"),
)
"""All but those that quit or suspend."""
SIZES = ("80 24", "140 40", "60 15", "40 10", "20 5", "200 50", "1 1", "80 24")
_SIZE = (80, 24)
PASTES = (
    "https://example.org/a",
    "",
    "name\ttwo\nlines",
    "[/b]\x1b[2J",
    "長" * 300,
    "=1+1",
    "\ud800",
    "x" * 20_000,
)
WORDS = (
    "domains",
    "pixels",
    "users",
    "columns",
    "export",
    "journal",
    "budget",
    "review",
    "theme",
    "filter",
    "w",
)
FAULTS = (
    Fault(handled=False, status=500, content=b"{}"),
    Fault(content=b"<!doctype html><title>Just a moment</title>", content_type="text/html"),
    Fault(handled=False, drop=True),
    Fault(drop=True),
    Fault(delay=0.3),
    Fault(content=b""),
    Fault(content=json.dumps({"error": 1, "message": "[/b]\x1b[2J"}).encode()),
    Fault(content=json.dumps({"error": 0, "data": {"result": 10**9, "maxpage": -3}}).encode()),
    Fault(handled=False, status=401, content=b'{"error": 1}'),
    Fault(handled=False, status=429, content=b"", headers={"Retry-After": "0"}),
)
ODD_ANSWERS = tuple(fault_of(row) for row in ROWS if row.name != "nothing remaining")
"""All but the one after which everything rightly waits for a minute."""
_FAULTS = (*FAULTS, *ODD_ANSWERS)
_RUNS = (1, 1, 5, 30)  # requests in a row that fail
_PATIENCE = 60  # seconds of the loop without a step, each of which takes a hundredth of one
_STDERR = 2  # its descriptor: an app that runs takes `sys.stderr`
_HELD = 120.0  # seconds after which a loop that is held is given up
_ATTEMPTS = 150  # runs of the app for one replay
_WAYS_OUT = 20  # attempts to quit, each of which may meet a question

Script = Sequence[str]
"""Steps: `press KEY`, `click X Y TIMES`, `drag X Y X Y`, `resize W H`, `paste N`, `fault N TIMES`, `wait`."""


# ---- scripts ----


def script(seed: int, sequences: int = SEQUENCES) -> Script:
    """The steps of a seed."""
    chance = random.Random(seed)
    return [step for _ in range(sequences) for step in (*_sequence(chance), "wait")]


def _sequence(chance: random.Random) -> Iterator[str]:
    drawn = chance.random()
    if drawn < 0.70:
        for key in chance.choices(KEYS, k=chance.randint(1, 3)):
            yield f"press {key}"
    elif drawn < 0.80:
        yield f"click {_spot(chance)} {chance.choice((1, 1, 2))}"
    elif drawn < 0.83:
        yield f"drag {_spot(chance)} {_spot(chance)}"
    elif drawn < 0.86:
        yield f"resize {chance.choice(SIZES)}"
    elif drawn < 0.89:
        yield f"paste {chance.randrange(len(PASTES))}"
    elif drawn < 0.94:
        yield "press colon"
        for letter in chance.choice(WORDS):
            yield f"press {letter}"
        yield "press enter"
    else:
        yield f"fault {_fault(chance)} {chance.choice(_RUNS)}"


def _fault(chance: random.Random) -> int:
    """A fault that ends the connection or is no answer as often as one that is an odd answer."""
    return chance.choice((chance.randrange(len(FAULTS)), chance.randrange(len(_FAULTS))))


def _spot(chance: random.Random) -> str:
    return f"{chance.randrange(_SIZE[0])} {chance.randrange(_SIZE[1])}"


# ---- a run ----


class UnquittableApp(LinkdashApp):
    """The dashboard, which ends only when the script is over."""

    may_end = False

    async def leave(self, status: int) -> None:
        if self.may_end:
            await super().leave(status)


async def take(pilot: Pilot[int], running: Running, step: str) -> None:
    """Take one step."""
    kind, *words = step.split(" ")
    match kind, [int(word) for word in words if word.isdecimal()]:
        case "press", _:
            character = words[0] if len(words[0]) == 1 else None
            pilot.app.post_message(events.Key("minus" if character == "-" else words[0], character))
        case "click", [x, y, times]:
            await pilot.click(offset=(x, y), times=times)
        case "drag", [x, y, to_x, to_y]:
            await pilot.mouse_down(offset=(x, y))
            await pilot.hover(offset=(to_x, to_y))
            await pilot.mouse_up(offset=(to_x, to_y))
        case "resize", [width, height]:
            await pilot.resize_terminal(width, height)
        case "paste", [number]:
            pilot.app.post_message(events.Paste(PASTES[number]))
        case "fault", [number, times]:
            running.service.faults.next("*", "*", _FAULTS[number], times)
        case _:
            await pilot.pause()


async def failure(steps: Script) -> str:
    """Return what a run of the app that takes these steps ends in; "" where nothing is wrong.

    A run that stands still is left as it is: its tasks may still be there.
    """
    progress = Progress()
    run = asyncio.create_task(_ends_in(steps, progress), name="the run")
    if still := await progress.stands_still(run):
        run.cancel()
        await asyncio.wait([run], timeout=1)
        return still
    return await run


class Progress:
    """The progress of a run."""

    def __init__(self) -> None:
        self._at: tuple[int, str] = (0, "the start")

    def take(self, step: str) -> None:
        """Note what comes next."""
        self._at = (self._at[0] + 1, step)

    async def stands_still(self, run: asyncio.Task[str]) -> str:
        """Return where all tasks stand, as soon as nothing has come next for long; "" where the run ends.

        What counts are seconds in which the loop was there, so that a busy machine is no standstill.
        """
        at, beats = self._at, 0
        while not run.done():
            await asyncio.wait([run], timeout=1)
            at, beats = self._at, beats + 1 if self._at == at else 0
            if beats >= _PATIENCE and not run.done():
                tasks = task_stacks(asyncio.get_running_loop())
                return "\n".join([f"it stood still: at {at[1]}, step {at[0]}", *tasks])
        return ""


async def _ends_in(steps: Script, progress: Progress) -> str:
    with serve_in_thread(DemoSettings(rate=1_000_000)) as running, _own_folder() as folder:
        settings = Settings("monkey", running.base_url, SecretStr(running.api_key))
        app = UnquittableApp(settings, lambda: Session(settings, Store(folder, folder, "monkey"), retries=0))
        unhandled: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(_named(context)))
        try:
            async with app.run_test(size=_SIZE) as pilot:
                await wait_until(lambda: app.is_open)
                wrong = await _went_wrong(pilot, running, steps, folder, progress)
                progress.take("the end")
        except Exception as error:  # noqa: BLE001  whatever ends the app is what is looked for
            wrong = "\n".join([f"{type(error).__name__}: {error}", *traceback.format_tb(error.__traceback__)])
        gc.collect()  # what a task ended in and nobody asked for is told when it is gone
        return "\n".join([wrong, *unhandled, *_reports(folder)]).strip()


def _reports(folder: Path) -> list[str]:
    return [path.read_text() for path in sorted(folder.glob("fault-*"))]


def _named(context: dict[str, object]) -> str:
    return f"{context.get('message')}: {context.get('exception')!r}"


async def _went_wrong(
    pilot: Pilot[int], running: Running, steps: Script, folder: Path, progress: Progress
) -> str:
    app = pilot.app
    assert isinstance(app, UnquittableApp)
    for step in steps:
        progress.take(step)
        with suppress(OutOfBounds, NoWidget):  # the pilot's own, of a spot where nothing is yet
            await take(pilot, running, step)
        if _reports(folder):
            return "a report was written"
        if not app.is_running:
            return "the app ended"
    progress.take("what waits")
    await wait_until(lambda: not app.is_running or (not app.message_queue_size and app.type_ahead.is_idle))
    app.may_end = True
    for attempt in range(_WAYS_OUT):
        for key in _ways_out(app, attempt):
            progress.take(f"press {key} to quit")
            for typed in (key, "r", "j"):  # some go on typing
                app.post_message(events.Key(typed, typed if len(typed) == 1 else None))
            await pilot.pause()
            if not app.is_running or app.return_code is not None:
                return ""
    return "it did not quit"


def _ways_out(app: LinkdashApp, attempt: int) -> Sequence[str]:
    """Keys that quit; a question is agreed to, unless it is one that asks for more than that."""
    if not isinstance(app.screen, ConfirmScreen):
        return ("ctrl+q", "escape")
    return ("escape",) if attempt % 2 else ("y",)


@contextmanager
def _own_folder() -> Iterator[Path]:
    """A folder for all that is written, which is nobody's."""
    before = {name: os.environ.get(name) for name in ("XDG_DOWNLOAD_DIR", "XDG_CONFIG_HOME")}
    with TemporaryDirectory() as folder:
        os.environ.update(dict.fromkeys(before, folder))
        try:
            yield Path(folder)
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


# ---- the shortest replay ----


async def shortest(
    steps: Script, fails: Callable[[Script], Awaitable[bool]], attempts: int = _ATTEMPTS
) -> Script:
    """The fewest steps of a script found that still fail; no single one of them can be left out.

    `fails` is asked `attempts` times at most: with fewer, what is found may not be the shortest.
    """
    left = attempts

    async def still(kept: Script) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and await fails(kept)

    steps = await _shortest_end(steps, still)
    size = max(1, len(steps) // 2)
    while left > 0:
        shorter = await _without_parts(steps, size, still)
        if size == 1 and len(shorter) == len(steps):
            break
        steps, size = shorter, max(1, size // 2)
    return steps


async def _shortest_end(steps: Script, fails: Callable[[Script], Awaitable[bool]]) -> Script:
    """The last steps, twice as many each time, until they fail."""
    count = 1
    while count < len(steps):
        if await fails(steps[-count:]):
            return steps[-count:]
        count *= 2
    return steps


async def _without_parts(steps: Script, size: int, fails: Callable[[Script], Awaitable[bool]]) -> Script:
    """The steps without every part of a size that can be left out."""
    begin = 0
    while begin < len(steps):
        shorter = [*steps[:begin], *steps[begin + size :]]
        if shorter and await fails(shorter):
            steps = shorter
        else:
            begin += size
    return steps


async def replay_of(
    steps: Script, found: str, run_of: Callable[[Script], Awaitable[str]] = failure
) -> Script:
    """The shortest replay of a failure, by the kind of error it begins with."""
    kind = found.split(":")[0]

    async def fails(kept: Script) -> bool:
        return (await run_of(kept)).startswith(kind)

    return await shortest(steps, fails)


# ---- the command ----


def told(name: str, found: str, replay: Script) -> str:
    """Return what is printed of a failure."""
    return "\n".join([f"{name}: {found}", f"The shortest replay, {len(replay)} steps:", *replay])


async def elsewhere(steps: Script) -> str:
    """Return what `failure` says of these steps in a process of their own, or where that was held."""
    command = (sys.executable, "-m", "tests.bench.monkey", "--replay", "-")
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=STDOUT)
    said, _ = await process.communicate("\n".join(steps).encode())
    return said.decode("utf-8", "replace").strip() if process.returncode else ""


async def _replayed(steps: Script) -> int:
    """End the process, with status 1 where the steps end in a failure: what stands still may not end."""
    Idleness(pytest.MonkeyPatch())
    guard = asyncio.create_task(_give_up_a_held_loop(), name="the guard")
    found = await failure(steps)
    guard.cancel()
    sys.stdout.write(f"{found or 'nothing went wrong'}\n")
    sys.stdout.flush()
    os._exit(1 if found else 0)


async def _give_up_a_held_loop() -> None:
    """End the process, with the calls of every thread, when the loop no longer comes by."""
    while True:
        faulthandler.dump_traceback_later(_HELD, exit=True, file=_STDERR)
        await asyncio.sleep(1)


async def run(seeds: Sequence[int]) -> int:
    """Return how many seeds ended in a failure; the replays, which take long, are looked for at the end."""
    failures: dict[int, str] = {}
    cores = asyncio.Semaphore(os.cpu_count() or 1)

    async def run_one(seed: int) -> None:
        async with cores:
            begun = time.monotonic()
            if found := await elsewhere(script(seed)):
                failures[seed] = found
            _say(f"seed {seed}: {found or 'nothing went wrong'} in {time.monotonic() - begun:.0f} s")

    await asyncio.gather(*map(run_one, seeds))
    for seed, found in failures.items():
        replay = await replay_of(script(seed), found, elsewhere)
        _say(told(f"seed {seed}", found.split("\n")[0], replay))
    return len(failures)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Run the monkey; 1 for a fault."""
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--sequences", type=int, default=20_000)
    flags.add_argument("--seed", type=int, default=1, help="the first one")
    flags.add_argument("--replay", type=argparse.FileType(), help="a file with a step a line; - reads them")
    given = flags.parse_args()
    if given.replay:
        asyncio.run(_replayed(given.replay.read().splitlines()))
    count = -(-given.sequences // SEQUENCES)
    failed = asyncio.run(run(range(given.seed, given.seed + count)))
    _say(f"{count * SEQUENCES} sequences, {failed} of {count} seeds ended in a fault")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
