"""kill -9 at any moment: what was typed, sent and left to do is all there in the next run."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.store.store import Store
from tests.conftest import RunApp, StartDemo
from tests.screens.hand import Hand
from tests.service.writes import writes
from tests.waiting import DEADLINE, wait_until

pytestmark = pytest.mark.nightly
NEVER = Fault(delay=3600)
"""The service does what it is asked to, and its answer does not come while the test runs."""


@contextmanager
def victim(demo: Running, folder: Path, steps: Sequence[str]) -> Iterator[None]:
    """A run that has done these steps or is about to, killed at the end of the block."""
    command = [
        sys.executable,
        "-m",
        "tests.screens.victim",
        demo.base_url,
        demo.api_key,
        str(folder),
        *steps,
    ]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.PIPE)
    try:
        yield
        assert process.poll() is None, "it has ended by itself"
    finally:
        process.kill()
        _, complaints = process.communicate()
        assert not complaints, complaints.decode()


async def test_a_draft_and_a_write_under_way_outlive_the_process(
    start_demo: StartDemo, tmp_path: Path, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    demo.service.faults.next("POST", "/api/channel/add", NEVER)
    with victim(demo, tmp_path, ["6", "n", "paste:News of the day", "ctrl+s"]):
        await wait_until(lambda: writes(demo) == ["POST /api/channel/add"])
    store = Store(tmp_path / "state", tmp_path / "cache", "tests")
    draft = await store.drafts.load("channels/create")
    assert draft is not None
    assert draft.values["name"] == "News of the day"
    await store.close()
    async with run_app(demo) as driver:
        hand = Hand(driver)
        await hand.see("1 change of unknown outcome")
        assert "w shows what was sent" in driver.toasts[-1]
        await driver.go("channels")
        await hand.open("n")
        await wait_until(lambda: "It may have been sent already" in driver.toasts[-1])
        assert hand.typed("name") == "News of the day"
        driver.table.focus()
        await hand.press("w")
        await hand.see("create channel")
        await hand.press("f")
        await hand.see("confirmed")
        session = driver.app.session
        assert await session.draft("channels/create") is None, "it is not offered again"
    assert writes(demo) == ["POST /api/channel/add"], "it was not sent again"


async def test_steady_typing_loses_at_most_its_last_second(start_demo: StartDemo, tmp_path: Path) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    typed = "abcdefghij" * 30
    with victim(demo, tmp_path, ["6", "n", f"type:{typed}"]):
        kept = await until_kept(tmp_path)
        begun = time.monotonic()
        while len(await kept_name(tmp_path)) <= len(kept):  # it goes on while keys still come
            assert time.monotonic() < begun + DEADLINE, "only what was typed before the first pause is kept"
            await asyncio.sleep(0.05)
    assert typed.startswith(await kept_name(tmp_path))


async def until_kept(folder: Path) -> str:
    begun = time.monotonic()
    while not (name := await kept_name(folder)):
        assert time.monotonic() < begun + DEADLINE
        await asyncio.sleep(0.05)
    return name


async def kept_name(folder: Path) -> str:
    """Return what is kept of the name that is being typed."""
    store = Store(folder / "state", folder / "cache", "tests")
    draft = await store.drafts.load("channels/create")
    await store.close()
    return draft.values.get("name", "") if draft else ""


async def test_leaving_right_after_a_key_loses_nothing(
    demo: Running, tmp_path: Path, run_app: RunApp
) -> None:
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await driver.pilot.press(*"last", "ctrl+q")
        await wait_until(lambda: not driver.app.is_running)
    assert driver.app.return_code == 0
    assert await kept_name(tmp_path) == "last"


async def test_what_an_import_has_changed_is_undone_as_one_job(
    start_demo: StartDemo, tmp_path: Path, run_app: RunApp
) -> None:
    demo, path = start_demo(DemoSettings(rate=1000)), tmp_path / "pixels.csv"
    path.write_text("\n".join(["id,tag", *(f"{id},T-{id}" for id in range(130, 126, -1))]) + "\n")
    demo.service.faults.next("PUT", "/api/pixel/128/update", NEVER)
    with victim(demo, tmp_path, ["7", "I", f"paste:{path}", "enter", "y"]):
        await wait_until(lambda: len(writes(demo)) == 3)
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("B")
        await hand.see("Import pixels.csv into Pixels")
        await hand.see("2 done")
        await hand.press("u")
        await hand.see("T-130 → TW-621316885")


async def test_a_bulk_job_is_resumed_and_no_item_is_done_twice(
    start_demo: StartDemo, tmp_path: Path, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    demo.service.faults.next("DELETE", "/api/pixel/128/delete", NEVER)
    with victim(demo, tmp_path, ["7", *["space"] * 5, "d", "5", "enter"]):
        await wait_until(lambda: len(writes(demo)) == 3)
    async with run_app(demo) as driver:
        hand = Hand(driver)
        await hand.see("Interrupted: Delete 5 pixels, 2 left")
        assert len(writes(demo)) == 3, "nothing goes on by itself"
        await hand.press("h")
        await hand.see("Interrupted, 2 left: Delete 5 pixels")
        await hand.press("B")
        await hand.see("p resumes it")
        assert driver.status_line == "Stopped, p resumes it · 2 done, 1 unknown, 2 left", (
            "and no time that it takes"
        )
        await hand.press("p")
        await hand.see("Finished · 4 done, 1 unknown")
        await hand.press("f")
        await hand.see("Finished · 5 done")
        assert await driver.app.session.store.journal.unknown() == [], "the journal knows it too"
        assert await driver.app.session.store.jobs.unfinished() == []
    assert writes(demo) == [f"DELETE /api/pixel/{id}/delete" for id in range(130, 125, -1)]
