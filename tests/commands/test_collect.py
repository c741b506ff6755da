"""`linkdash collect`: it stays in its budget, goes on where it stopped, and shares."""

import asyncio
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.http.address import profile_key
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.session import Session
from linkdash.model.settings import Settings as Configured
from linkdash.model.statistics.collector import (
    MOST_FAILURES,
    SWEEP_FRESH,
    SWEEP_LIST_AGE,
    CodeRead,
    Collector,
)
from linkdash.store.history import History
from linkdash.store.reading import Reading
from linkdash.store.schemas import HISTORY_SCHEMA
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.store import Store
from tests.commands.shell import PROGRAM, Here, Ran, run, start
from tests.service.visitor import Clock, Visitor
from tests.waiting import wait_until

LINE = re.compile(r"(\d+): (.+): (?:clicks ([\d,]+).*, scans ([\d,]+).*|no statistics)")
PAGES = 4
"""Requests that listing the service's 400 codes costs."""


@pytest.fixture
def running() -> Iterator[Running]:
    with serve_in_thread(DemoSettings(rate=1_000, clock=Clock(time.time()))) as running:
        yield running


Collect = Callable[..., Ran]


@pytest.fixture
def collect(running: Running, capsys: pytest.CaptureFixture[str]) -> Collect:
    """A run of the verb, in this process, to its end."""
    here = Here(running, capsys)
    return lambda *arguments, **more: here("collect", *arguments, set=more)


def read_ids(out: str) -> list[int]:
    found = [LINE.fullmatch(line) for line in out.splitlines()]
    assert all(found), out
    return [int(match[1]) for match in found if match]


def session_of(running: Running, folder: Path) -> Session:
    settings = Configured("tests", running.base_url, SecretStr(running.api_key))
    store = Store(folder / "state", folder / "cache", "tests")
    return Session(settings, store, clock=running.service.settings.clock)


def listed(running: Running) -> dict[int, int]:
    """The scans that the list tells of every code."""
    found: dict[int, int] = {}
    with Visitor(running, running.plain_key) as visitor:
        for page in range(1, PAGES + 1):
            rows = visitor.read(f"/api/qr?limit=100&page={page}")["data"]["qrs"]
            found |= {row["id"]: row["scans"] for row in rows}
    return found


def ignore(read: CodeRead) -> None:
    """Say nothing."""


def history(running: Running, code_id: int) -> list[int | None]:
    """The clicks that were kept of a code."""

    async def clicks() -> list[int | None]:
        path = Path(os.environ["XDG_STATE_HOME"]) / "linkdash" / "history.db"
        async with SqliteDatabase.open(path, HISTORY_SCHEMA) as database:
            kept = History(database, profile_key(running.base_url, running.api_key))
            return [one.clicks for one in await kept.readings(code_id) if not one.tells_scans_only]

    return asyncio.run(clicks())


def test_it_stays_in_its_budget_and_goes_on_where_it_stopped(running: Running, collect: Collect) -> None:
    first = collect("--budget", str(PAGES + 2))
    assert (first.status, first.told) == (
        0,
        "linkdash: 2 of 400 codes read, 6 requests; 398 left for the next run\n",
    )
    assert len(running.service.log) == PAGES + 2
    second = collect("--all", "--budget", "3")
    assert (second.status, len(read_ids(second.out))) == (0, 3)
    assert not {*read_ids(first.out)} & {*read_ids(second.out)}
    assert len(running.service.log) == PAGES + 5  # the list was kept
    code_id = read_ids(first.out)[0]
    with Visitor(running, running.plain_key) as visitor:
        clicks = visitor.read(f"/api/qr/{code_id}")["data"]["clicks"]
    assert history(running, code_id) == [clicks]


def test_a_budget_smaller_than_the_list_gets_there_too(collect: Collect) -> None:
    runs = [collect("--budget", "3") for _ in range(2)]
    assert [ran.status for ran in runs] == [0, 0]
    assert [len(ran.out.splitlines()) for ran in runs] == [0, 2]


def test_two_at_once_share_the_codes(running: Running) -> None:
    ids = [str(code_id) for code_id in range(1, 13)]
    processes = [start(running, "collect", "--qr", *ids) for _ in range(2)]
    ends = [process.communicate(timeout=30) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    read = sorted(code_id for out, _ in ends for code_id in read_ids(out))
    assert read == list(range(1, 13))
    assert len(running.service.log) == 12


async def test_a_line_says_the_numbers_of_the_service_and_what_is_new(
    running: Running, tmp_path: Path
) -> None:
    clock = running.service.settings.clock
    assert isinstance(clock, Clock)
    session = session_of(running, tmp_path)
    said: list[CodeRead] = []
    before = await Collector(session, said.append, None).run([10, 7])
    assert str(before) == "2 of 2 codes read, 2 requests"
    clock.step(SWEEP_FRESH - 1)
    again = await Collector(session, said.append, None).run([10])
    assert str(again) == "0 of 1 code read, 1 already read a moment ago, 0 requests"
    clock.step(86_400)
    await Collector(session, said.append, None).run([10])
    await session.close()
    with Visitor(running, running.plain_key) as visitor:
        answer = visitor.read("/api/qr/10")
    never_read, first, second = said[1].line, said[0].line, said[2].line
    clicks = int(first.split("clicks ")[1].split(", unique")[0].replace(",", ""))
    now = answer["data"]["clicks"]
    assert second.startswith(f"10: {answer['details']['name']}: clicks {now:,} (+{now - clicks:,}), ")
    assert never_read.endswith(": no statistics")


def test_a_code_that_is_gone_is_said_and_the_rest_is_read(collect: Collect) -> None:
    ran = collect("--qr", "99999", "10")
    assert ran.status == 3
    assert ran.out.startswith("99999: not read: ")
    assert read_ids(ran.out.partition("\n")[2]) == [10]
    assert "1 of 2 codes read, 1 failed" in ran.told


def test_a_program_gets_a_code_as_members(collect: Collect) -> None:
    lines = collect("--qr", "99999", "10", "--format", "jsonl").lines
    assert [(line["id"], line["outcome"]) for line in lines] == [(99999, "failed"), (10, "read")]
    assert "not found" in str(lines[0]["message"])
    assert isinstance(lines[1]["clicks"], int)
    listed_at_the_end = json.loads(collect("--qr", "20", "--format", "json").out)
    assert [row["id"] for row in listed_at_the_end] == [20]
    assert collect("--qr", "30", "--format", "csv").out.startswith("id,outcome,name,clicks,")


def test_what_concerns_every_code_ends_the_run_in_one_line(collect: Collect) -> None:
    ran = collect("--qr", "10", "11", LINKDASH_API_KEY="wrong")
    assert (ran.status, ran.out) == (3, "")
    assert re.fullmatch(
        r"linkdash: 0 of 2 codes read, 1 request; 2 left for the next run. Stopped: .+\n", ran.told
    )


@pytest.mark.parametrize("bad", [Fault(content=b'{"error": 0, "deta'), Fault(handled=False, drop=True)])
def test_one_bad_answer_is_said_and_the_rest_is_read(running: Running, collect: Collect, bad: Fault) -> None:
    running.service.faults.next("GET", "/api/qr/10", bad, times=5)  # a read is asked again
    before = len(running.service.log)
    ran = collect("--qr", "10", "11", "20")
    assert ran.status == 1
    assert ran.out.startswith("10: not read: ")
    assert read_ids(ran.out.partition("\n")[2]) == [11, 20]
    asked = sum(entry.path == "/api/qr/10" for entry in list(running.service.log)[before:])
    assert ran.told == f"linkdash: 2 of 3 codes read, 1 failed, {asked + 2} requests\n"


def test_a_turn_whose_read_failed_is_given_back(running: Running, collect: Collect) -> None:
    running.service.faults.next("GET", "/api/qr/*", Fault(content=b"<html>", status=500), times=2)
    failed = collect("--qr", "10", "11")
    assert (failed.status, failed.told) == (1, "linkdash: 0 of 2 codes read, 2 failed, 2 requests\n")
    again = collect("--qr", "10", "11", "20")
    assert again.told == "linkdash: 3 of 3 codes read, 2 failed before, 3 requests\n"
    lines = again.out.splitlines()
    assert lines[0].startswith("20: "), "what has failed comes after what was never tried"
    assert [line.endswith("(failed before)") for line in lines] == [False, True, True]
    third = collect("--qr", "10", "11", "20")
    assert third.told == "linkdash: 0 of 3 codes read, 3 already read a moment ago, 0 requests\n"


async def test_a_sweep_reads_again_what_failed_however_still_it_stands(
    running: Running, tmp_path: Path
) -> None:
    clock = running.service.settings.clock
    assert isinstance(clock, Clock)
    session = session_of(running, tmp_path)
    now = datetime.fromtimestamp(clock(), UTC)
    read = {id: [Reading(now, clicks=scans, scans=scans)] for id, scans in listed(running).items() if id > 1}
    await session.store.history.record_all(read)
    running.service.faults.next("GET", "/api/qr/1", Fault(content=b"<html>", status=500))
    first = await Collector(session, ignore, None).run()
    assert (first.read, first.failed, first.still) == (0, 1, 399)
    second = await Collector(session, ignore, None).run()
    assert (second.read, second.failed_before, second.fresh, second.still) == (1, 1, 0, 399)
    await session.close()


async def test_a_run_that_is_cancelled_gives_its_turn_back(running: Running, tmp_path: Path) -> None:
    session = session_of(running, tmp_path)
    running.service.faults.next("GET", "/api/qr/10", Fault(delay=3600))
    collecting = asyncio.create_task(Collector(session, ignore, None).run([10]))
    await wait_until(lambda: len(running.service.log))
    collecting.cancel()
    await asyncio.wait({collecting})
    assert await session.store.claims.last() == await session.store.claims.failed() == {}
    again = await Collector(session, ignore, None).run([10])
    assert (again.read, again.failed_before) == (1, 0)
    await session.close()


def test_many_bad_answers_in_a_row_end_the_run(running: Running, collect: Collect) -> None:
    running.service.faults.next("GET", "/api/qr/*", Fault(content=b"<html>"), times=50)
    ids = [str(code_id) for code_id in range(1, 30)]
    ran = collect("--qr", *ids)
    assert (ran.status, len(ran.out.splitlines())) == (1, MOST_FAILURES)
    assert re.search(rf"{MOST_FAILURES} failed, .* Stopped: .+\n", ran.told)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_its_summary(running: Running, number: signal.Signals) -> None:
    running.service.faults.next("GET", "/api/qr/11", Fault(delay=3600))
    process = start(running, "collect", "--qr", "10", "11", "12")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("10: ")
    process.send_signal(number)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    summary = "linkdash: 1 of 3 codes read, .*What was read is kept"
    assert re.fullmatch(rf"{summary}\.\nlinkdash: Ended by {number.name}\.\n", error)


async def test_a_sweep_reads_only_what_moved_and_each_code_once_a_day(
    running: Running, tmp_path: Path
) -> None:
    clock = running.service.settings.clock
    assert isinstance(clock, Clock)
    session = session_of(running, tmp_path)
    before = listed(running)
    now = datetime.fromtimestamp(clock(), UTC)
    read = {code_id: [Reading(now, clicks=scans, scans=scans)] for code_id, scans in before.items()}
    await session.store.history.record_all(read)
    first = await Collector(session, ignore, None).run()
    assert (first.requests, first.read, first.still) == (PAGES, 0, 400)
    clock.step(SWEEP_LIST_AGE)
    told = listed(running)
    moved = [code_id for code_id, scans in before.items() if scans != told[code_id]]
    second = await Collector(session, ignore, None).run()
    assert 0 < len(moved) < 200
    assert (second.requests, second.read, second.still) == (PAGES + len(moved), len(moved), 400 - len(moved))
    clock.step(SWEEP_LIST_AGE / 10)
    third = await Collector(session, ignore, None).run()
    assert third.requests == 0  # the list was asked a moment ago, and nothing moved since
    clock.step(86_400)
    fourth = await Collector(session, ignore, budget=PAGES + 1).run()
    assert (fourth.known, fourth.still, fourth.read) == (400, 0, 1)
    await session.close()


async def test_what_the_list_told_is_history_too(running: Running, tmp_path: Path) -> None:
    session = session_of(running, tmp_path)
    await Collector(session, ignore, budget=PAGES).run()
    kept = await session.store.history.latest_listed()
    assert {code_id: reading.scans for code_id, reading in kept.items()} == listed(running)
    await session.close()


def test_one_that_stays_goes_round_until_a_signal(running: Running) -> None:
    process = start(running, "collect", "--qr", "10", "--every", "1s")
    assert process.stderr is not None
    lines = [process.stderr.readline() for _ in range(2)]
    assert lines[0] == "linkdash: 1 of 1 code read, 1 request\n"
    assert "1 already read a moment ago" in lines[1]
    process.send_signal(signal.SIGHUP)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGHUP
    ended = r"linkdash: \d+ rounds: 1 reading, 1 request\.\nlinkdash: Ended by SIGHUP\.\n\Z"
    assert re.search(ended, error)
    assert len(running.service.log) == 1


async def test_one_that_stays_asks_for_the_list_in_every_round(running: Running, tmp_path: Path) -> None:
    clock = running.service.settings.clock
    assert isinstance(clock, Clock)
    session = session_of(running, tmp_path)
    for _ in range(2):
        collected = await Collector(session, ignore, PAGES, list_age=150).run()
        assert collected.requests == PAGES
        clock.step(300)
    await session.close()


def test_one_that_stays_goes_on_after_a_failure_and_not_without_a_key(
    running: Running, collect: Collect
) -> None:
    running.service.faults.next("GET", "/api/qr/10", Fault(content=b"<html>"))
    process = start(running, "collect", "--qr", "10", "--every", "1s")
    assert process.stderr is not None
    assert process.stderr.readline() == "linkdash: 0 of 1 code read, 1 failed, 1 request\n"
    assert process.stderr.readline().startswith("linkdash: ")
    process.terminate()
    process.communicate(timeout=30)
    ran = collect("--qr", "10", "--every", "1s", LINKDASH_API_KEY="wrong")
    assert ran.status == 3
    assert ran.told.endswith("linkdash: 1 round: 0 readings, 1 request.\n")


def test_a_name_that_the_output_cannot_show_is_spelled_out(running: Running) -> None:
    ran = run(running, "collect", "--qr", "10", program=PROGRAM, PYTHONIOENCODING="ascii")
    assert ran.status == 0, ran.told
    assert ran.out.startswith(r"10: \u6771\u4eac")


WRONG = (
    ["--budget", "0"],
    ["--budget", "-1"],
    ["--budget", "x"],
    ["--every", "0m"],
    ["--every", "15"],
    ["--every", "9" * 9 + "d"],
    ["--qr", "1", "--all"],
    ["--qr"],
    ["--qr", "0"],
    ["--qr", "7", "-5"],
    ["--qr", str(2**63)],
    ["--qr", "9" * 5_000],
)


def test_wrong_usage(running: Running, collect: Collect) -> None:
    for wrong in WRONG:
        ran = collect(*wrong)
        assert (ran.status, ran.out) == (2, ""), wrong
        assert "usage: linkdash collect" in ran.told, wrong
    assert not len(running.service.log)


def test_lines_that_nobody_reads_keep_no_code_from_being_read(running: Running) -> None:
    process = start(running, "collect", "--qr", "10", "20")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.wait(timeout=30), process.stderr.read()) == (
        0,
        "linkdash: 2 of 2 codes read, 2 requests\n",
    )
    process.stderr.close()


def test_a_wrong_clock_is_told_and_readings_are_dated_by_the_service(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock(time.time() - 90 * 86_400)
    with serve_in_thread(DemoSettings(rate=1_000, clock=clock)) as running:
        here = Here(running, capsys)
        ran = here("collect", "--qr", "301")
        assert "This machine's clock is 90 days ahead of the service's" in ran.told
        assert "90 days ago" in here("stats", "301", "--cached").out
