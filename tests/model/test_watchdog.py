"""A loop that stands still is written down while it does, once, and told of when it is back."""

import asyncio
import threading
from pathlib import Path

import pytest

from linkdash.model import watchdog
from linkdash.model.stacks import stacks
from linkdash.model.watchdog import Watchdog
from tests.waiting import DEADLINE, wait_until


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "_BETWEEN", 0.01)
    monkeypatch.setattr(watchdog, "PATIENCE", 3)


async def test_a_standstill_is_written_with_what_holds_the_loop_and_what_waits() -> None:
    loop, written = asyncio.get_running_loop(), threading.Event()
    found: list[str] = []
    told: list[Path] = []

    def write() -> Path:
        found.extend(stacks(loop))
        written.set()
        return Path("report")

    async def waits_for_nothing() -> None:
        await asyncio.Event().wait()

    def holds_the_loop() -> None:
        assert written.wait(DEADLINE)

    waiting = asyncio.create_task(waits_for_nothing(), name="a text of a record")
    dog = Watchdog(write, told.append, lambda: False)
    await asyncio.sleep(0)
    holds_the_loop()
    await wait_until(lambda: told == [Path("report")])
    dog.close()
    waiting.cancel()
    text = "\n".join(found)
    assert "holds_the_loop" in text
    assert "waits_for_nothing" in text
    assert "a text of a record" not in text


async def test_a_loop_that_is_held_for_a_good_reason_does_not_stand_still() -> None:
    looked = threading.Event()
    looks: list[None] = []
    written: list[Path] = []

    def write() -> Path:
        written.append(Path("report"))
        return written[-1]

    def is_excused() -> bool:
        looks.append(None)
        if len(looks) == watchdog.PATIENCE + 1:
            looked.set()
        return True

    dog = Watchdog(write, written.append, is_excused)
    await asyncio.sleep(0)
    assert looked.wait(DEADLINE)
    dog.close()
    assert written == []
