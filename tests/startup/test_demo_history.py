"""The demo's past, as far as a verb looks at it: what it tells is what all of it would tell."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.resources.qr import QrCode
from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.local_time import local_moment
from linkdash.model.session import Session, opened_store
from linkdash.model.settings import Settings
from linkdash.model.statistics import report
from linkdash.model.statistics.period import period
from linkdash.model.statistics.report.from_history import kept_report
from linkdash.startup.demo_history import DemoHistory
from linkdash.startup.run_context import days_looked_at

NOW = 1_790_000_000.0
BUSY, FALLEN, QUIET = 350, 40, 398


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with serve_in_thread(DemoSettings(clock=lambda: NOW)) as service:
        yield service


@pytest.fixture(scope="module")
def whole(running: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    DemoHistory(running, folder, folder).write_history()
    return folder


def told(running: Running, folder: Path, codes: Sequence[int], days: int) -> object:
    """The report of some codes in JSON, by what was written into a folder."""

    async def made() -> str:
        settings = Settings("demo", running.base_url, SecretStr(running.api_key))
        session = Session(settings, opened_store(settings, folder, folder), clock=lambda: NOW)
        try:
            over = period("own", local_moment(NOW), days=days)
            return report.json(await kept_report(session, [QrCode(id=id) for id in codes], over))
        finally:
            await session.close()

    return json.loads(asyncio.run(made()))


@pytest.mark.parametrize("days", [1, pytest.param(7, marks=pytest.mark.nightly), 20])
def test_a_report_of_some_days_is_that_of_the_whole_past(
    running: Running, whole: Path, tmp_path: Path, days: int
) -> None:
    DemoHistory(running, tmp_path, tmp_path).write_history(days=days_looked_at(days))
    codes = [BUSY, FALLEN, QUIET]
    assert told(running, tmp_path, codes, days) == told(running, whole, codes, days)


def test_a_report_of_one_code_needs_the_past_of_no_other(
    running: Running, whole: Path, tmp_path: Path
) -> None:
    DemoHistory(running, tmp_path, tmp_path).write_history([FALLEN])
    assert told(running, tmp_path, [FALLEN], 7) == told(running, whole, [FALLEN], 7)
    assert told(running, tmp_path, [BUSY], 7) != told(running, whole, [BUSY], 7)


def test_a_report_of_the_demo_imports_nothing_that_serves(tmp_path: Path) -> None:
    told = (
        "sys.stderr.write(str([name for name in ('starlette', 'textual', 'uvicorn') if name in sys.modules]))"
    )
    run = f"import sys; from linkdash.cli import main; main(['--demo', 'report', '{BUSY}']); {told}"
    homes = {f"XDG_{name}_HOME": str(tmp_path) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    ran = subprocess.run(
        (sys.executable, "-c", run), env={**os.environ, **homes}, capture_output=True, text=True, check=True
    )
    assert f"# QR code {BUSY}" in ran.stdout
    assert ran.stderr.endswith("[]")
