"""The work of verbs to start and to answer, beside `import httpx, pydantic` in the same run.

What sends a request stands beside httpx that sends it from a bare script, and what reads 100,000 users beside
httpx and json that do.

    python -m tests.bench.verb_starts [--runs 10]

Each program is a process of its own, of which the processor's work is measured: what else the machine does
changes little of it. The runs are interleaved, and of each program the best counts; those with many users run
twice.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from linkdash.demo import DemoSettings
from linkdash.demo.server import serve_in_thread
from tests.bench.large_list import KEY, serving
from tests.bench.startup import set_up

_PROGRAM = str(Path(sys.executable).parent / "linkdash")
_PLENTY = _MANY = 100_000


class Row(NamedTuple):
    """A command, beside which other its work is measured, and how many times as much it may be."""

    title: str
    command: Sequence[str]
    beside: str = ""
    times: float = 0.0
    megabytes: float = 0.0
    """What it may have at most, in front of the service with many users; 0 in front of the demo."""


IMPORTS, HELP, GET, USERS = "import httpx, pydantic", "--help", "httpx GET", "httpx and json of all users"
_GET = """
import asyncio, os, httpx, pydantic

async def main():
    async with httpx.AsyncClient(headers={"Authorization": "Bearer " + os.environ["KEY"]}) as client:
        headers = {"Content-Type": "application/json"}
        answer = await client.get(os.environ["ADDRESS"] + "/api/pixels?limit=5", headers=headers)
        print(answer.raise_for_status().json())

asyncio.run(main())
"""
_USERS = """
import json, os, httpx
headers = {"Authorization": "Bearer " + os.environ["LINKDASH_API_KEY"]}
answer = httpx.get(os.environ["LINKDASH_BASE_URL"] + "/api/users", headers=headers, timeout=60)
for row in json.loads(answer.content)["data"]:
    print(json.dumps(row))
"""


def _verb(line: str, times: float, beside: str = IMPORTS, megabytes: float = 0.0) -> Row:
    return Row(line, (_PROGRAM, *line.split()), beside, times, megabytes)


ROWS = (
    Row(IMPORTS, (sys.executable, "-c", IMPORTS)),
    Row(HELP, (_PROGRAM, HELP)),
    Row(GET, (sys.executable, "-c", _GET)),
    Row("__complete list ''", (_PROGRAM, "__complete", "list", ""), HELP, 2),
    _verb("profiles", 1.5),
    _verb("journal", 1.5),
    _verb("list pixels --cached", 1.5),
    _verb("budget", 1.5),
    _verb("list pixels --limit 5", 1.5, GET),
    _verb("--demo report", 6),
    _verb("--demo report 400", 6),
    _verb("--demo stats 400", 6),
    _verb("--demo alerts", 6),
    Row(USERS, (sys.executable, "-c", _USERS), megabytes=250),
    _verb("list users --all --format jsonl", 4, USERS, 250),
    _verb("list users --all --format csv", 4, USERS, 250),
    _verb("list users --limit 5 --format jsonl", 2, USERS, 250),
    _verb("review users --format json", 4, USERS, 250),
)


class Taken(NamedTuple):
    """Seconds of the processor's work, and megabytes at most."""

    seconds: float
    megabytes: float


def taken(command: Sequence[str], environment: Mapping[str, str]) -> Taken:
    """The work of one run. Raises SystemExit where it fails."""
    with tempfile.TemporaryFile() as told:
        running = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=told
        )
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            told.seek(0)
            raise SystemExit(f"{' '.join(command)} failed\n{told.read().decode()[-2000:]}")
    return Taken(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_in_thread(DemoSettings(rate=_PLENTY)) as demo,
        serving(_MANY) as many,
    ):
        home = set_up(Path(folder) / "home", demo.base_url, demo.api_key)
        environment = {**os.environ, **home, "ADDRESS": demo.base_url, "KEY": demo.api_key}
        of_many = {**environment, "LINKDASH_BASE_URL": many, "LINKDASH_API_KEY": KEY}
        taken((_PROGRAM, "list", "pixels", "--all"), environment)  # what --cached shows
        found: dict[str, list[Taken]] = {row.title: [] for row in ROWS}
        for number in range(runs + 1):
            for row in ROWS:
                if row.megabytes and number > 2:
                    continue
                run = taken(row.command, of_many if row.megabytes else environment)
                if number:  # the first run writes what Python has compiled
                    found[row.title].append(run)
    best = {title: min(of) for title, of in found.items()}
    for row in ROWS:
        sys.stdout.write(f"{_told(row, best)}\n")


def _told(row: Row, best: Mapping[str, Taken]) -> str:
    seconds, megabytes = best[row.title]
    line = f"{row.title:<32}{seconds * 1000:6.0f} ms{megabytes:5.0f} MB"
    if row.beside:
        ratio = seconds / best[row.beside].seconds
        most = f", {row.megabytes:.0f} MB" if row.megabytes else ""
        is_met = ratio <= row.times and megabytes <= (row.megabytes or megabytes)
        line += f"{ratio:6.2f} times {row.beside}, at most {row.times:g}{most}{'' if is_met else '   MISSED'}"
    return line


if __name__ == "__main__":
    main()
