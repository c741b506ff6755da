"""Three windows on one key: one budget for all of them, and files that outlive the death of one."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from linkdash.demo import DemoSettings
from tests.conftest import StartDemo
from tests.terminal.terminal import Terminal

pytestmark = pytest.mark.nightly

WINDOWS = 3
PLACES = {"2": "tidewater", "3": "message", "5": "Public", "7": "Bing"}
"""Digits, and what stands on the screen of each when its rows are there."""


def test_three_windows_get_no_refusal_and_one_that_is_killed_leaves_its_files_whole(
    start_demo: StartDemo, tmp_path: Path
) -> None:
    demo = start_demo(DemoSettings(rate=4, window=1.5, clock=time.time))
    environment = {"LINKDASH_BASE_URL": demo.base_url, "LINKDASH_API_KEY": demo.api_key}
    with ExitStack() as stack:
        windows = [stack.enter_context(Terminal(environment=environment)) for _ in range(WINDOWS)]
        for window in windows:
            window.wait_for("dmitri.gruber")
        for place, words in PLACES.items():
            for window in windows:
                window.press(place)
            for window in windows:
                window.wait_for(words)
        windows[0].press("b")
        windows[0].wait_for("Every linkdash with this key on this machine shares this budget.")
        windows[1].press("r")
        windows[1].send_signal(signal.SIGKILL)
    asked = [entry for entry in demo.service.log if not entry.invalid]
    assert len(asked) > WINDOWS * 3, "they did ask"
    assert not [entry for entry in asked if entry.refused]

    connection = sqlite3.connect(tmp_path / "cache" / "linkdash" / "cache.db")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    with Terminal(environment=environment) as window:
        window.press("2")
        window.wait_for(PLACES["2"])


def test_a_cron_job_beside_a_dashboard_shares_its_budget(start_demo: StartDemo) -> None:
    demo = start_demo(DemoSettings(rate=6, window=1.5, clock=time.time))
    environment = {"LINKDASH_BASE_URL": demo.base_url, "LINKDASH_API_KEY": demo.api_key}
    command = [sys.executable, "-m", "linkdash", "collect", "--budget", "8"]
    with Terminal(environment=environment) as window:
        window.wait_for("dmitri.gruber")
        for place, words in PLACES.items():
            job = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
            window.press(place)
            window.wait_for(words)
            assert job.wait(60) == 0
    asked = list(demo.service.log)
    assert len(asked) > 8 * len(PLACES)
    assert not [entry for entry in asked if entry.refused]
