"""A signal ends every verb with a summary, its status, and a journal that is right."""

import asyncio
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.commands.signals import to_its_end
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.store.journal_entry import Outcome, WriteIntent
from linkdash.store.store import Store
from tests import prestarted
from tests.commands.shell import Ran, environment
from tests.service.writes import writes
from tests.terminal.terminal import Terminal
from tests.test_secrets import HELLO
from tests.waiting import DEADLINE, wait_until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")

RULES = """\
[alerts.soon]
when = "user expires 7d"
"""
ROWS = "type,name,tag\n" + "".join(f"bing,Row {number},1000000{number}\n" for number in range(5))
LATE = 4.0
"""Seconds until the answer to a write that was sent when the signal came."""
FOREVER = 3_600.0


@dataclass(frozen=True)
class Verb:
    """A verb, which of its requests the signal meets, and what it says then."""

    arguments: str
    held: str
    """The method and the path of requests that are held."""
    told: str
    """All that is said, as an expression, but for the last line."""
    before: int = 0
    """Requests to there that are answered before."""
    answered_after: float = FOREVER
    out: int = 0
    """Lines of the result."""
    changes: Sequence[str] = ()
    """What the journal says then, the newest first."""


VERBS = (
    Verb("get users 3", "GET /api/user/3", ""),
    Verb(
        "list pixels --all", "GET /api/pixels", "Not all pages were read, so no pixel is written.", before=1
    ),
    Verb("export pixels {folder}/gone.csv", "GET /api/pixels", "Not all pages were read, .*", before=1),
    Verb("review users", "GET /api/users", "Not all pages were read, so no user is written."),
    Verb("stats 1 2 3", "GET /api/qr/2", "1 of 3 codes were read.", out=2),
    Verb("alerts --check", "GET /api/users", "Not all pages were read, so no user is written."),
    Verb("collect --qr 1 2 3", "GET /api/qr/2", "1 of 3 codes read, .* What was read is kept.", out=1),
    Verb("doctor", "GET /api/account", "", out=11),
    Verb(
        "update pixels 3 name=Summer",
        "PUT /api/pixel/3/update",
        "Waiting for the answer to the change that was sent.",
        answered_after=LATE,
        out=1,
        changes=("done",),
    ),
    Verb(
        "delete pixels 1 2 3 4 --yes",
        "DELETE /api/pixel/3/delete",
        "Finished: 3 done, 1 left.\nRun the same command again to continue.",
        answered_after=LATE,
        out=3,
        changes=("done",) * 3,
    ),
    Verb(
        "import pixels {folder}/rows.csv --yes",
        "POST /api/pixel/add",
        "5 rows: 5 to send, .*\nFinished: 3 done, 2 left.\nRun the same command again to continue.",
        before=2,
        answered_after=LATE,
        out=3,
        changes=("done",) * 3,
    ),
)


def signal_of(verb: Verb) -> signal.Signals:
    """Give one verb the one signal, the next the other."""
    return (signal.SIGTERM, signal.SIGHUP)[VERBS.index(verb) % 2]


def hold(running: Running, verb: Verb) -> None:
    method, path = verb.held.split()
    running.service.faults.next(method, path, Fault(), times=verb.before)
    running.service.faults.next(method, path, Fault(delay=verb.answered_after))


Begun = tuple[Verb, Running, subprocess.Popen[str]]


def is_held(verb: Verb, running: Running, process: subprocess.Popen[str]) -> bool:
    assert process.poll() is None, f"{verb.arguments} ended: {process.communicate()}"
    asked = [f"{entry.method} {entry.path}" for entry in running.service.log]
    return asked.count(verb.held) > verb.before


def signal_each(begun: Sequence[Begun]) -> None:
    """Each its signal as soon as its request is held: some of them are answered after a while."""
    left, deadline = list(begun), time.monotonic() + DEADLINE
    while left:
        for one in [one for one in left if is_held(*one)]:
            one[2].send_signal(signal_of(one[0]))
            left.remove(one)
        assert time.monotonic() < deadline, left
        time.sleep(0.01)


@pytest.mark.nightly
def test_a_signal_ends_every_verb_with_its_summary(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "linkdash").mkdir()
    (tmp_path / "linkdash" / "config.toml").write_text(RULES)
    with ExitStack() as services:

        def begin(running: Running, place: str, *arguments: str) -> subprocess.Popen[str]:
            folders = {f"XDG_{kind}_HOME": str(tmp_path / place / kind) for kind in ("STATE", "CACHE")}
            own = environment(running, XDG_CONFIG_HOME=str(tmp_path), **folders)
            command, pipe = [prestarted.program(), *arguments], subprocess.PIPE
            return subprocess.Popen(command, env=own, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

        begun = []
        for verb in VERBS:
            running = services.enter_context(serve_in_thread(DemoSettings(rate=100_000)))
            hold(running, verb)
            arguments = verb.arguments.format(folder=tmp_path).split()
            begun.append((verb, running, begin(running, verb.arguments, *arguments)))
        signal_each(begun)
        server = begin(running, "mcp", "mcp")
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(f"{json.dumps(HELLO)}\n")
        server.stdin.flush()
        assert server.stdout.readline()
        server.terminate()
        assert server.wait(DEADLINE) == 128 + signal.SIGTERM, "while its standard input is open"
        assert server.communicate() == ("", "linkdash: Ended by SIGTERM.\n")
        for verb, running, process in begun:
            number = signal_of(verb)
            out, told = process.communicate(timeout=DEADLINE)
            said = told.replace("linkdash: ", "")
            expected = "".join(f"{line}\n" for line in (verb.told, f"Ended by {number.name}.") if line)
            assert (process.returncode, len(out.splitlines())) == (128 + number, verb.out), verb.arguments
            assert re.fullmatch(expected, said), f"{verb.arguments} says {said}"
            journal = begin(running, verb.arguments, "journal", "--format", "jsonl")
            ran = Ran(0, *journal.communicate(timeout=DEADLINE))
            assert tuple(line["outcome"] for line in ran.lines) == verb.changes, verb.arguments
    assert not (tmp_path / "gone.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "question", "number"),
    [
        ("delete pixels 1 2", "Type yes:", signal.SIGINT),
        ("create users username=c email=c@example.org password=-", "Password:", signal.SIGTERM),
        ("setup", "Name of the profile", signal.SIGHUP),
    ],
)
def test_a_signal_ends_a_question(
    service: Running, arguments: str, question: str, number: signal.Signals
) -> None:
    before = len(service.service.log)
    with Terminal(*arguments.split(), environment=environment(service)) as terminal:
        terminal.wait_for(question)
        terminal.wait_until(lambda: terminal.work_in(0.1) == 0)
        if number == signal.SIGINT:
            terminal.press("\x03")
        else:
            terminal.send_signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert f"linkdash: Ended by {number.name}." in terminal.text
        assert terminal.is_restored
    assert len(service.service.log) == before


@asynccontextmanager
async def session_at(running: Running, folder: Path) -> AsyncIterator[Session]:
    settings = Settings("tests", running.base_url, SecretStr(running.api_key))
    session = Session(settings, Store(folder / "state", folder / "cache", "tests"))
    try:
        yield session
    finally:
        await session.close()


MADE = WriteIntent("pixels", "create", (), {"type": "bing", "name": "Made", "tag": "12345678"})


async def test_a_change_that_was_sent_is_waited_for_whatever_is_queued_behind_it(tmp_path: Path) -> None:
    comes = threading.Event()
    with serve_in_thread(DemoSettings(rate=2, window=3600)) as running:
        running.service.faults.next("POST", "*", Fault(meanwhile=lambda: comes.wait(DEADLINE)))
        async with session_at(running, tmp_path) as session:
            write = asyncio.create_task(to_its_end(session, session.writes.carry_out(MADE), MADE))
            await wait_until(lambda: session.writes.sent)
            reads = [asyncio.create_task(session.client.qr.get(id)) for id in (1, 2, 3)]
            await wait_until(lambda: session.gate.state.queued)
            write.cancel()
            comes.set()
            await asyncio.wait({write})
            for read in reads:
                read.cancel()
            (entry,) = await session.store.journal.recent()
    assert entry.outcome is Outcome.DONE
    assert len(writes(running)) == 1


async def test_the_end_of_a_change_is_not_that_of_a_job_beside_it(tmp_path: Path) -> None:
    deletions = [WriteIntent("pixels", "delete", (id,), {}) for id in (1, 2)]
    comes = threading.Event()
    with serve_in_thread(DemoSettings(rate=100)) as running:
        running.service.faults.next("DELETE", "*", Fault(meanwhile=lambda: comes.wait(DEADLINE)))
        async with session_at(running, tmp_path) as session:
            job = await session.jobs.create("Delete", deletions)
            run = asyncio.create_task(to_its_end(session, session.jobs.run(job, is_attended=False)))
            await wait_until(lambda: session.writes.sent)
            write = asyncio.create_task(to_its_end(session, session.writes.carry_out(MADE), MADE))
            await asyncio.sleep(0)
            write.cancel()
            comes.set()
            await asyncio.wait({write, run})
            assert session.jobs.current(job).left == 0


async def test_what_is_over_when_its_end_comes_is_not_told_to_be_unsent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_in_thread(DemoSettings(rate=100)) as running:
        async with session_at(running, tmp_path) as session:

            async def sent() -> None:
                result = await session.writes.carry_out(MADE)
                assert result.outcome is Outcome.DONE
                asyncio.get_running_loop().call_soon(ending.cancel)

            ending = asyncio.create_task(to_its_end(session, sent(), MADE))
            await asyncio.wait({ending})
    assert ending.cancelled()
    assert "not sent" not in capsys.readouterr().err
