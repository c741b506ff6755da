"""The cost of verbs on a service with 100,000 users, beside a bare script with httpx and json.

    python -m tests.bench.verbs [--users 100000] [--repeat 2]

Each program is a process of its own; of its runs the best counts. Beside the seconds by the clock stand those
that the process has worked, as a busy machine stretches the other. Memory is the most that it had.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.large_list import KEY, Service, users
from tests.bench.startup import compiled

_SCRIPT = """
import json, sys, httpx
answer = httpx.get(sys.argv[1] + "/api/users", headers={"Authorization": "Bearer " + sys.argv[2]}, timeout=60)
for row in json.loads(answer.content)["data"]:
    print(json.dumps(row))
"""
_PROGRAM = str(Path(sys.executable).parent / "linkdash")


class Bar(NamedTuple):
    """A command, beside what it is measured, and how many times as long it may take."""

    command: Sequence[str]
    beside: str
    times: float
    megabytes: float | None = None


class Taken(NamedTuple):
    """Seconds by the clock, seconds of work and megabytes of a process."""

    seconds: float
    work: float
    megabytes: float


BARS = (
    Bar(("list", "users", "--all", "--format", "jsonl"), "script", 4, 250),
    Bar(("list", "users", "--all", "--format", "csv"), "script", 4, 250),
    Bar(("list", "users", "--limit", "5", "--format", "jsonl"), "script", 2, 250),
    Bar(("review", "users", "--format", "json"), "script", 4, 250),
)


def taken(command: Sequence[str], environment: Mapping[str, str], repeat: int) -> Taken:
    """The quickest of some runs. Raises SystemExit where one fails."""
    runs = [_run(command, environment) for _ in range(repeat)]
    return Taken(*map(min, zip(*runs, strict=True)))


def _run(command: Sequence[str], environment: Mapping[str, str]) -> Taken:
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as told:
        running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=told)
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begun
        if running.returncode:
            told.seek(0)
            raise SystemExit(f"{' '.join(command)} failed\n{told.read().decode()[-2000:]}")
    return Taken(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.users)
        return
    # In a process of its own: what is started from a large one counts that one's memory as its own.
    command = (sys.executable, "-m", "tests.bench.verbs", "--serve", "--users", str(given.users))
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    address = serving.stdout.readline().strip() if serving.stdout else ""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            **compiled(Path(folder)),
            "LINKDASH_BASE_URL": address,
            "LINKDASH_API_KEY": KEY,
        }
        try:
            _measure(environment, address, given.repeat)
        finally:
            serving.kill()


def serve(count: int) -> None:
    """Answer with so many users until it is ended; its address is its first line."""
    service = Service(json.dumps({"error": 0, "data": users(count)}, separators=(",", ":")).encode())
    sys.stdout.write(f"{service.address}\n")
    sys.stdout.flush()
    threading.Event().wait()


def _measure(environment: Mapping[str, str], address: str, repeat: int) -> None:
    known = {"script": taken([sys.executable, "-c", _SCRIPT, address, KEY], environment, repeat)}
    for name, beside in known.items():
        sys.stdout.write(f"{name:<42}{_told(beside)}\n")
    for bar in BARS:
        found = taken([_PROGRAM, *bar.command], environment, repeat)
        beside = known[bar.beside]
        ratio, of_work = found.seconds / beside.seconds, found.work / beside.work
        most = f", {bar.megabytes:.0f} MB" if bar.megabytes else ""
        is_met = ratio <= bar.times and found.megabytes <= (bar.megabytes or found.megabytes)
        missed = "" if is_met else "   MISSED"
        sys.stdout.write(
            f"{' '.join(bar.command):<42}{_told(found)}"
            f"{ratio:6.1f} ({of_work:.1f}) times {bar.beside}, at most {bar.times:g}{most}{missed}\n"
        )
        sys.stdout.flush()


def _told(taken: Taken) -> str:
    return f"{taken.seconds:7.2f} s ({taken.work:.2f}){taken.megabytes:7.0f} MB"


if __name__ == "__main__":
    main()
