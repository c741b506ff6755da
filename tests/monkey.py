"""A monkey at the dashboard: random keys, clicks and sizes over the demo with faults, from a seed.

`python -m tests.monkey --seed 1 --seconds 60` ends with status 1 at the first fault of the program, and
prints the report and the last steps. The same seed takes the same steps; answers come when they come.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import SecretStr
from textual.pilot import OutOfBounds, Pilot

from linkdash.app import LinkdashApp
from linkdash.config import Settings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.demo.settings import Settings as DemoSettings
from linkdash.model.session import Session
from linkdash.store.store import Store

KEYS = (
    *"1234567890",
    *"abcdefghjklmnoprstuvwxyzABGLMST",
    *("enter", "escape", "tab", "shift+tab", "space", "up", "down", "left", "right", "pageup", "pagedown"),
    *("home", "end", "slash", "colon", "asterisk", "question_mark", "left_square_bracket", "ctrl+s"),
    *("right_square_bracket", "backspace", "delete", "ctrl+c", "ctrl+p", "f1"),
)
"""All but those that quit or suspend."""
SIZES = ((80, 24), (140, 40), (60, 15), (40, 10), (20, 5), (200, 50), (1, 1))
FAULTS = (
    Fault(handled=False, status=500, content=b"{}"),
    Fault(content=b"<!doctype html><title>Just a moment</title>", content_type="text/html"),
    Fault(handled=False, drop=True),
    Fault(drop=True),
    Fault(delay=0.3),
    Fault(content=b""),
    Fault(content=json.dumps({"error": 1, "message": "[/b]\x1b[2J"}).encode()),
    Fault(content=json.dumps({"error": 0, "data": {"result": 10**9, "maxpage": -3}}).encode()),
)
_REMEMBERED = 30


class Monkey:
    """Takes random steps, and remembers the last of them."""

    def __init__(self, pilot: Pilot[int], running: Running, seed: int) -> None:
        self._pilot = pilot
        self._running = running
        self._random = random.Random(seed)
        self.steps: list[str] = []

    async def step(self) -> None:
        """One thing that somebody could do, or that could happen to them."""
        chance = self._random.random()
        if chance < 0.8:
            keys = self._random.choices(KEYS, k=self._random.randint(1, 3))
            self.steps.append(f"press {' '.join(keys)}")
            await self._pilot.press(*keys)
        elif chance < 0.9:
            await self._click()
        elif chance < 0.93:
            size = self._random.choice(SIZES)
            self.steps.append(f"resize {size}")
            await self._pilot.resize_terminal(*size)
        else:
            fault = self._random.choice(FAULTS)
            self.steps.append(f"fault {fault}")
            self._running.service.faults.next("*", "*", fault)

    async def _click(self) -> None:
        width, height = self._pilot.app.size
        at = self._random.randrange(max(1, width)), self._random.randrange(max(1, height))
        self.steps.append(f"click {at}")
        try:
            await self._pilot.click(offset=at, times=self._random.choice((1, 1, 2)))
        except OutOfBounds:
            self.steps[-1] += " beside the screen"


async def run(seed: int, seconds: float, steps: int = sys.maxsize) -> str:
    """What went wrong within so many seconds or steps; "" for nothing."""
    with serve_in_thread(DemoSettings(rate=1_000_000)) as running, TemporaryDirectory() as folder:
        state = Path(folder)
        os.environ["XDG_DOWNLOAD_DIR"] = folder  # what it exports is nobody's
        settings = Settings("monkey", running.base_url, SecretStr(running.api_key))
        app = LinkdashApp(settings, lambda: Session(settings, Store(state, state, "monkey"), retries=0))
        monkey: Monkey | None = None
        try:
            async with app.run_test(size=(120, 30)) as pilot:
                monkey = Monkey(pilot, running, seed)
                ends = time.monotonic() + seconds
                while time.monotonic() < ends and len(monkey.steps) < steps and app.is_running:
                    await monkey.step()
                    if _reports(state):
                        break
                if not app.is_running:
                    return _told(seed, monkey, "the app ended", state)
        except Exception as error:  # noqa: BLE001  whatever ends the app is what is looked for
            return _told(seed, monkey, f"{type(error).__name__}: {error}", state)
        return _told(seed, monkey, "", state) if _reports(state) else ""


def _reports(state: Path) -> list[str]:
    return [path.read_text() for path in sorted(state.glob("fault-*"))]


def _told(seed: int, monkey: Monkey | None, error: str, state: Path) -> str:
    last = monkey.steps[-_REMEMBERED:] if monkey is not None else []
    taken = len(monkey.steps) if monkey is not None else 0
    return "\n".join([f"seed {seed}, step {taken}: {error}", *_reports(state), "The last steps:", *last])


def main() -> int:
    """Runs the monkey; 1 for a fault."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=1)
    flags.add_argument("--seconds", type=float, default=60)
    given = flags.parse_args()
    wrong = asyncio.run(run(given.seed, given.seconds))
    sys.stdout.write(f"{wrong or 'nothing went wrong'}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
