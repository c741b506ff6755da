"""`budget`, --quiet and --verbose: what is left, who spent it, what is said while a verb waits."""

import json
import os
import time
from pathlib import Path

import pytest

from linkdash.api.http.address import profile_key, state_folder
from linkdash.commands import progress_notes
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.store.spending import RunSpending, SpendingLog
from tests.commands.shell import Here, start
from tests.waiting import DEADLINE


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def test_what_is_left_and_who_spent_it_cost_nothing(here: Here, service: Running) -> None:
    here("list", "qr", "--all")
    here("get", "account")
    before = len(service.service.log)
    found = json.loads(here("budget", "--format", "json").out)
    assert (found["limit"], found["window_seconds"]) == (100_000, 60.0)
    assert 0 < found["left"] < 100_000
    assert 0 < found["resets_in_seconds"] < 65
    spent = [(row["program"], row["requests"]) for row in found["spent_last_hour"]]
    assert spent == [("get", 1), ("list", 4)]
    table = here("budget")
    assert "limit" in table.out
    assert "list" in table.out
    assert len(here("budget", "--format", "csv").out.splitlines()) == 3
    assert len(service.service.log) == before


def test_before_the_first_answer_nothing_is_known(here: Here, service: Running) -> None:
    before = len(service.service.log)
    assert "Nothing is known of the budget" in here("budget").told
    assert len(service.service.log) == before


def test_spending_is_kept_for_an_hour_and_stays_small(tmp_path: Path) -> None:
    spending = SpendingLog(tmp_path, "profile")
    for second in range(5_000):
        spending.note(RunSpending(float(second), "list", 1))
    path = next(tmp_path.iterdir())
    assert path.stat().st_size < 100_000
    assert os.name != "posix" or path.stat().st_mode & 0o777 == 0o600
    found = spending.since(4_990.0)
    assert [one.at for one in found] == [float(second) for second in range(4_999, 4_989, -1)]
    with path.open("a") as file:
        file.write('[1.0, "cut o')
    assert spending.since(4_999.0) == [RunSpending(4_999.0, "list", 1)]


def test_a_run_tells_what_it_spends_as_long_as_it_lasts(tmp_path: Path) -> None:
    spending = SpendingLog(tmp_path, "profile")
    for second in range(3_000):
        spending.note(RunSpending(float(second), "dashboard", second, "a", is_over=False))
        spending.note(RunSpending(float(second), "mcp", 7, "b", is_over=second > 2_000))
    assert [path.stat().st_size < 100_000 for path in tmp_path.iterdir()] == [True]
    assert spending.since(0.0) == [
        RunSpending(2_999.0, "mcp", 7, "b", is_over=True),
        RunSpending(2_999.0, "dashboard", 2_999, "a", is_over=False),
    ]


ODD_LINES = (
    "[" * 100_000,
    '[1e999, "x", 1, "r", true]',
    '[1e18, "x", 1, "r", true]',
    '[1, "x", 1e999, "r", true]',
    f'[{"9" * 400}, "x", 1, "r", true]',
    '[NaN, "x", 1, "r", true]',
    '[1, "x", -5, "r", true]',
)


def test_lines_that_no_run_has_written_are_passed_over(tmp_path: Path) -> None:
    spending = SpendingLog(tmp_path, "profile")
    spending.note(known := RunSpending(1.0, "list", 1, "a"))
    with next(tmp_path.iterdir()).open("a") as file:
        file.write("".join(f"{line}\n" for line in ODD_LINES))
    assert spending.since(0.0) == [known]
    spending.note(known)


def test_of_a_file_that_is_too_large_the_end_is_read(tmp_path: Path) -> None:
    spending = SpendingLog(tmp_path, "profile")
    spending.note(RunSpending(1.0, "list", 1, "a"))
    with next(tmp_path.iterdir()).open("a") as file:
        file.write('[2.0, "list", 1, "b", true]\n' * 100_000)
    assert spending.since(0.0) == [RunSpending(2.0, "list", 1, "b")]


@pytest.mark.skipif(os.name != "posix", reason="no pipes with a name")
def test_what_may_never_end_is_not_read(tmp_path: Path) -> None:
    spending = SpendingLog(tmp_path, "profile")
    path = tmp_path / "spending-profile.jsonl"
    path.symlink_to("/dev/zero")
    with pytest.raises(OSError, match="not a regular file"):
        spending.since(0.0)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        spending.since(0.0)


def running(here: Here) -> dict[str, bool]:
    rows = json.loads(here("budget", "--format", "json").out)["spent_last_hour"]
    return {row["program"]: row["running"] for row in rows}


def test_a_run_that_told_no_end_runs_until_it_is_silent(here: Here, service: Running) -> None:
    here("get", "account")
    log = SpendingLog(state_folder(), profile_key(service.base_url, service.api_key))
    now = time.time()
    log.note(RunSpending(now - 10, "dashboard", 7, "a", is_over=False))
    log.note(RunSpending(now - 300, "mcp", 7, "b", is_over=False))
    assert running(here) == {"get": False, "dashboard": True, "mcp": False}
    here("get", "account")
    table = [line.split(maxsplit=3) for line in here("budget").out.splitlines()]
    assert ["dashboard", "1", "7", "running"] in table
    assert ["mcp", "1", "7", "5 min ago"] in table
    assert [row[:3] for row in table if row[:1] == ["get"]] == [["get", "2", "2"]]


@pytest.mark.nightly
def test_who_spends_now_is_told_beside_those_who_did(here: Here, service: Running) -> None:
    here("get", "account")
    service.service.faults.next("GET", "/api/qr/3", Fault(delay=3600))
    stats = start(service, "stats", "2", "3")
    try:
        deadline = time.monotonic() + DEADLINE
        while not running(here).get("stats"):
            assert time.monotonic() < deadline
    finally:
        stats.terminate()
        stats.communicate()
    assert running(here)["stats"] is False
    assert not any(running(here).values())


def test_quiet_says_only_what_went_wrong(here: Here) -> None:
    assert here("list", "qr").told != ""
    ran = here("list", "qr", "--quiet")
    assert (ran.status, ran.told) == (0, "")
    assert "--quiet" not in here("--quiet", "list", "qr").told
    assert here("get", "qr", "99999", "--quiet").told == "linkdash: QR code 99999 was not found.\n"


def test_verbose_says_every_request(here: Here, service: Running) -> None:
    lines = here("list", "qr", "--limit", "150", "--verbose").told.splitlines()
    sent = [line for line in lines if line.startswith("linkdash: > ")]
    assert sent == [f"linkdash: > GET /api/qr?limit=100&page={page}" for page in (1, 2)]
    answers = [line for line in lines if line.startswith("linkdash: < 200 after ")]
    assert len(answers) == 2
    assert all(" of 100000 left, resets in " in line for line in answers)
    assert service.api_key not in "".join(lines)


def test_a_wait_is_said_off_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_notes, "_PATIENCE", 0.5)
    with serve_in_thread(DemoSettings(rate=3, window=1.5)) as slow:
        ran = Here(slow, capsys)("stats", "1", "2", "3", "4")
        assert ran.status == 0
        (said,) = [line for line in ran.told.splitlines() if ": next in " in line]
        assert " waits: next in " in said or " wait: next in " in said
