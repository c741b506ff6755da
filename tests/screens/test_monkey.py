"""The monkey of the bench, for a moment: it finds nothing, and what is planted for it, it finds."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.app import LinkdashApp
from tests.bench import monkey
from tests.bench.monkey import Script, failure, replay_of, script, shortest, told

pytestmark = pytest.mark.nightly

REPLAYS = {
    "a screen that is left while it still comes": ("wait", "press h", "press A"),
}
"""What has ended the program once."""


async def test_two_hundred_sequences_end_in_no_fault() -> None:
    assert await failure(script(3)) == ""


@pytest.mark.parametrize("replay", REPLAYS.values(), ids=REPLAYS)
async def test_what_has_ended_it_once_does_so_no_more(replay: Script) -> None:
    assert await failure(replay) == ""


async def test_a_planted_fault_is_found_and_its_shortest_replay_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    do = LinkdashApp.action_do

    def fail(app: LinkdashApp, id: str) -> None:
        if id == "before":
            raise ZeroDivisionError
        do(app, id)

    monkeypatch.setattr(LinkdashApp, "action_do", fail)
    steps = ["press j", "press -", "press k"]
    found = await failure(steps)
    assert found.startswith("ZeroDivisionError")
    replay = await replay_of(steps, found)
    assert told("seed 1", found, replay).endswith("The shortest replay, 1 steps:\npress -")


async def test_a_planted_standstill_is_found_and_told_with_where_every_task_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def wait_for_nothing(app: LinkdashApp) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(monkey, "_PATIENCE", 3)
    monkeypatch.setattr(LinkdashApp, "on_unmount", wait_for_nothing, raising=False)
    found = await failure(["press j"])
    assert found.startswith("it stood still: at the end, step 4\n")
    assert "wait_for_nothing" in found


@given(st.integers(1, 60), st.sets(st.integers(0, 59), min_size=1, max_size=5))
async def test_a_replay_has_all_that_is_needed_and_nothing_else(count: int, numbers: set[int]) -> None:
    needed = [str(number) for number in sorted(numbers) if number < count] or ["0"]

    async def fails(steps: Script) -> bool:
        return set(needed) <= set(steps)

    assert list(await shortest([str(number) for number in range(count)], fails, attempts=1_000)) == needed


def test_a_seed_always_takes_the_same_steps() -> None:
    assert script(5, 40) == script(5, 40) != script(6, 40)
