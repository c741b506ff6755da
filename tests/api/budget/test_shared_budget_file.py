"""The budget shared through a file: by real processes, beside a taken lock, a torn file, a full disk."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.scheduler import Budget
from linkdash.api.budget.shared_budget_file import FileSharedBudget
from tests.api.budget.three_programs import are_never_refused

ADDRESS, KEY = "https://short.example/api", "s3cret-key"


def shared(folder: Path, **options: Callable[[], float]) -> FileSharedBudget:
    return FileSharedBudget(folder, ADDRESS, KEY, **options)


async def test_three_programs_together_are_never_refused(tmp_path: Path) -> None:
    opening = f"""
from pathlib import Path
from linkdash.api.budget.shared_budget_file import FileSharedBudget
shared = FileSharedBudget(Path({str(tmp_path)!r}), {ADDRESS!r}, {KEY!r})
"""
    await are_never_refused(opening, seconds=20)


def test_a_process_that_was_killed_leaves_no_lock_behind(tmp_path: Path) -> None:
    budget = shared(tmp_path)
    hold = f"""
import sys, time
from pathlib import Path
from linkdash.api.budget.shared_budget_file import FileSharedBudget
def hold(known):
    print("held", flush=True)
    time.sleep(60)
FileSharedBudget(Path({str(tmp_path)!r}), {ADDRESS!r}, {KEY!r}).rewrite(hold)
"""
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert not budget.rewrite(lambda known: "never")
        assert budget.sharing is None
        holder.kill()
    assert budget.rewrite(lambda known: "mine")
    assert budget.path.read_text() == "mine"


def test_a_program_that_stands_still_with_the_lock_ends_the_sharing(tmp_path: Path) -> None:
    now = 0.0
    budget, other = shared(tmp_path, clock=lambda: now), shared(tmp_path)
    seen = []

    def meanwhile(known: str | None) -> str:
        nonlocal now
        seen.append((budget.rewrite(lambda known: "never"), budget.sharing))
        now = 3.0
        seen.append((budget.rewrite(lambda known: "never"), budget.sharing))
        return "done"

    assert other.rewrite(meanwhile)
    assert seen == [
        (False, None),
        (False, "another program has locked the shared budget and does not respond"),
    ]
    assert not budget.rewrite(lambda known: "never")


async def test_sharing_goes_on_when_the_lock_is_free_again(tmp_path: Path) -> None:
    now = 0.0
    budget, other = shared(tmp_path, clock=lambda: now), shared(tmp_path)
    gate = Gate(shared=budget)

    def stands_still(known: str | None) -> str:
        nonlocal now
        budget.rewrite(lambda known: "never")
        now = 3.0
        budget.rewrite(lambda known: "never")
        return ""

    assert other.rewrite(stands_still)
    headers = {"X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "9"}
    gate.answered(await gate.admit(Lane.READ, "by the headers alone"), 200, headers)
    reasons = [gate.sharing]
    now = 20.0
    await gate.admit(Lane.READ, "shared")
    reasons.append(gate.sharing)
    assert reasons == ["another program has locked the shared budget and does not respond", None]
    assert json.loads(budget.path.read_text())


def test_what_one_writes_the_next_reads(tmp_path: Path) -> None:
    seen: list[str | None] = []

    def change(known: str | None) -> str:
        seen.append(known)
        return ("a longer text", "short", "x")[len(seen) - 1]

    for _ in range(3):
        assert shared(tmp_path).rewrite(change)
    assert seen == [None, "a longer text", "short"]


def test_neither_file_nor_name_tells_the_key(tmp_path: Path) -> None:
    budget = shared(tmp_path / "state")
    budget.rewrite(lambda known: Budget().snapshot(0.0, 0.0))
    assert KEY not in budget.path.name
    assert KEY not in budget.path.read_text()
    assert "example" not in budget.path.name + budget.path.read_text()
    assert budget.path.stat().st_mode & 0o777 == 0o600
    assert budget.path.parent.stat().st_mode & 0o777 == 0o700


def test_every_address_and_key_has_a_file_of_its_own(tmp_path: Path) -> None:
    pairs = [(ADDRESS, KEY), (ADDRESS, "other"), ("https://other.example", KEY), (ADDRESS + KEY, "")]
    assert len({FileSharedBudget(tmp_path, address, key).path for address, key in pairs}) == 4


def test_a_folder_that_cannot_be_made_ends_the_sharing_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    budget = shared(tmp_path / "state")
    assert not budget.rewrite(lambda known: "never")
    assert budget.sharing is not None
    assert "opened" in budget.sharing


async def test_a_gate_goes_on_without_the_file(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    gate = Gate(shared=shared(tmp_path / "state"))
    gate.answered(
        await gate.admit(Lane.READ, "x"), 200, {"X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "9"}
    )
    await gate.admit(Lane.READ, "y")
    assert gate.state.remaining == 8
    assert gate.sharing is not None


@pytest.mark.parametrize("torn", [b"", b"{", b"\xff\xfe\x00", b"[1, 2", b'{"version": 99}'])
async def test_a_torn_file_is_written_anew(tmp_path: Path, torn: bytes) -> None:
    budget = shared(tmp_path)
    budget.path.write_bytes(torn)
    gate = Gate(shared=budget)
    gate.answered(
        await gate.admit(Lane.READ, "x"), 200, {"X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "9"}
    )
    assert gate.sharing is None
    assert json.loads(budget.path.read_text())["account"]["base"] == 9


@pytest.mark.parametrize("broken", ["write", "read", "ftruncate"])
def test_a_disk_that_fails_ends_the_sharing(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = shared(tmp_path)
    budget.rewrite(lambda known: "before")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, fail)
    calls: list[str | None] = []

    def change(known: str | None) -> str:
        calls.append(known)
        return "after"

    assert budget.rewrite(change) is bool(calls)
    assert budget.sharing is not None
    assert "No space left" in budget.sharing
    assert not budget.rewrite(change)


class OtherClock(FileSharedBudget):
    """The same budget on a machine whose clock was set."""

    set_by = 0.0

    def wall(self) -> float:
        return super().wall() + self.set_by


@pytest.mark.parametrize("hours", [-1, 1])
async def test_a_clock_that_is_set_while_programs_share_stops_none(tmp_path: Path, hours: int) -> None:
    """The next program waits for no more than the window; the one that runs goes on as before."""
    headers = {"X-RateLimit-Limit": "1", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"}
    first = OtherClock(tmp_path, ADDRESS, KEY)
    running = Gate(shared=first, wall=first.wall)
    running.answered(await running.admit(Lane.READ, "x"), 200, headers)
    waits_before = running.quote(1, Lane.READ).seconds or 0.0
    assert waits_before > 50
    first.set_by = 3600.0 * hours
    await running.learn()
    assert running.quote(1, Lane.READ).seconds == pytest.approx(waits_before, abs=5)
    second = OtherClock(tmp_path, ADDRESS, KEY)
    second.set_by = first.set_by
    beside = Gate(shared=second, wall=second.wall)
    await beside.learn()
    assert (beside.quote(1, Lane.READ).seconds or 0.0) <= waits_before + 5
    running.close()
    beside.close()
