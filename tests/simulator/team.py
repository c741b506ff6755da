"""Machines on one key that share nothing but a database: real processes, a real PostgreSQL, a real clock.

    python -m tests.simulator.team --processes 8 --seconds 180
    python -m tests.simulator.team --cost

Background asks for all it can get on every machine, and people ask 6 times a minute in all.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from linkdash.api.budget.gate import Gate, SharedBudget
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.shared_budget_file import FileSharedBudget
from linkdash.store.team_address import Address
from linkdash.store.team_budget import TeamSharedBudget
from tests.postgres import PostgresServer
from tests.simulator.report import PERSON_RATE, bucket, fixed, sliding
from tests.simulator.servers import Limiter, Manner
from tests.simulator.service import Crowd

KINDS: Mapping[str, Callable[[int, float], Limiter]] = {"fixed": fixed, "sliding": sliding, "bucket": bucket}
LIMIT, WINDOW = 30, 60.0
DEAREST = 5
"""Milliseconds that a request may cost at the gate more than with a file."""
_DELAY = 0.05  # seconds, each way


@dataclass(slots=True)
class Service:
    """A connection is a request, and a line is its answer."""

    limiter: Limiter
    granted: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)

    async def serve(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(_DELAY)
        now = time.time()
        verdict = self.limiter.request(now)
        (self.granted if verdict.granted else self.refused).append(now)
        told = Manner("seconds left").headers(verdict, self.limiter.limit, now)
        await asyncio.sleep(_DELAY)
        status = 200 if verdict.granted else 429
        writer.write(json.dumps({"status": status, "headers": told}).encode() + b"\n")
        await writer.drain()
        writer.close()


class Machine:
    """A program on one machine, with the gate as linkdash uses it."""

    def __init__(self, shared: SharedBudget, port: int) -> None:
        self.gate = Gate(shared=shared, wall=shared.wall)
        self._shared = shared
        self._port = port

    async def request(self, lane: Lane) -> float:
        while True:
            ticket = await self.gate.admit(lane, "x")
            sent = time.monotonic()
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                answer = json.loads(await reader.readline())
                writer.close()
            except asyncio.CancelledError:
                self.gate.lost(ticket)
                raise
            self.gate.answered(ticket, answer["status"], answer["headers"])
            if answer["status"] == 200:
                return sent

    def close(self) -> None:
        self.gate.close()
        self._shared.close()


@dataclass(frozen=True, slots=True)
class Result:
    """The events on one kind of service after the first window."""

    served: float
    """The share of what the service grants."""
    refused: int
    waits: list[float]
    """Seconds that each request of the user waited, the shortest first."""
    alone: float
    """The share of the time that machines went on without the others."""

    def wait(self, share: float) -> float:
        """The wait that this share of the user's requests did not exceed."""
        return self.waits[int(share * (len(self.waits) - 1))] if self.waits else 0.0


async def measure(
    kind: str,
    server: PostgresServer,
    processes: int,
    seconds: float,
    folder: str = "",
    limit: int = LIMIT,
    window: float = WINDOW,
) -> Result:
    """Run machines against one kind of service; with `folder`, programs on one machine that share a file."""
    service = Service(KINDS[kind](limit, window))
    listening = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    url = folder or server.url(server.new_database())
    machines = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.simulator.team", "--machine", url, str(port)),
            *("--seed", str(number), "--processes", str(processes), "--seconds", str(seconds)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number in range(processes)
    ]
    for machine in machines:
        assert machine.stdout is not None
        assert await machine.stdout.readline() == b"ready\n"
    begun = time.time()
    told = await asyncio.gather(*(machine.communicate(b"\n") for machine in machines))
    listening.close()
    ends = [json.loads(out) for out, _ in told]
    first, last = begun + window, begun + seconds
    granted = sum(first <= moment < last for moment in service.granted)
    return Result(
        served=granted / (limit * (last - first) / window),
        refused=len(service.refused),
        waits=sorted(waited for end in ends for asked, waited in end["waits"] if asked >= window),
        alone=sum(end["alone"] for end in ends) / len(ends),
    )


async def run_machine(url: str, port: int, seed: int, processes: int, seconds: float) -> None:
    """Run one of the processes: from the line on standard input to the end of the time."""
    machine = Machine(_shared(url), port)
    print("ready", flush=True)  # noqa: T201
    await asyncio.to_thread(sys.stdin.readline)
    crowd = Crowd([machine], random.Random(seed), PERSON_RATE / processes)
    begun = asyncio.get_running_loop().time()
    alone: list[bool] = []

    async def look() -> None:
        while True:
            alone.append(machine.gate.sharing is not None)
            await asyncio.sleep(0.1)

    looking = asyncio.create_task(look())
    await crowd.ask_for(seconds)
    looking.cancel()
    waits = [(asked - begun, waited) for asked, waited in crowd.waits]
    print(json.dumps({"waits": waits, "alone": sum(alone) / len(alone)}))  # noqa: T201


def _shared(place: str) -> SharedBudget:
    """Return what is shared at the address of a database, or in a folder."""
    if place.startswith("/"):
        return FileSharedBudget(Path(place), "https://links.example.org", "key")
    return TeamSharedBudget(Address.read(place), "key")


async def cost(shared: SharedBudget, requests: int = 300) -> list[float]:
    """Seconds that one request after another spends at the gate, where there is plenty."""
    gate, took = Gate(shared=shared, wall=shared.wall), []
    headers = {"X-RateLimit-Limit": "100000", "X-RateLimit-Remaining": "90000", "X-RateLimit-Reset": "60"}
    for _ in range(requests):
        begun = time.perf_counter()
        ticket = await gate.admit(Lane.READ, "x")
        took.append(time.perf_counter() - begun)
        gate.answered(ticket, 200, headers)
        await asyncio.sleep(0.02)  # the answer is told to the others meanwhile
    gate.close()
    shared.close()
    return sorted(took[1:])


def _table_of_costs(server: PostgresServer) -> None:
    with tempfile.TemporaryDirectory() as folder:
        budgets: dict[str, SharedBudget] = {
            "a file": FileSharedBudget(Path(folder), "https://links.example.org", "key"),
            "the database": TeamSharedBudget(Address.read(server.url()), "key"),
        }
        found = {}
        for name, shared in budgets.items():
            took = asyncio.run(cost(shared))
            found[name] = [1_000 * took[int(share * (len(took) - 1))] for share in (0.5, 0.95)]
            print("{}: p50 {:.2f} ms, p95 {:.2f} ms a request".format(name, *found[name]))  # noqa: T201
        more = [there - here for here, there in zip(*found.values(), strict=True)]
        print("more: p50 {:.2f} ms, p95 {:.2f} ms; the bar is {} ms".format(*more, DEAREST))  # noqa: T201


async def _table(
    server: PostgresServer, kinds: Sequence[str], processes: int, seconds: float, folder: str
) -> None:
    results = await asyncio.gather(*(measure(kind, server, processes, seconds, folder) for kind in kinds))
    print("| service | served | refused | a person waits p50 / p95 / max | went on alone |")  # noqa: T201
    print("| --- | ---: | ---: | ---: | ---: |")  # noqa: T201
    for kind, result in zip(kinds, results, strict=True):
        waits = " / ".join(f"{result.wait(share):.2f}" for share in (0.5, 0.95, 1.0))
        print(f"| {kind} | {result.served:.0%} | {result.refused} | {waits} s | {result.alone:.1%} |")  # noqa: T201


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.simulator.team", description=__doc__)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[*KINDS])
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--cost", action="store_true", help="what the database costs one request")
    parser.add_argument("--machine", nargs=2, metavar=("URL", "PORT"), help="run as one of the machines")
    parser.add_argument("--folder", default="", help="of one machine's file, in place of a database")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.machine:
        url, port = options.machine
        asyncio.run(run_machine(url, int(port), options.seed, options.processes, options.seconds))
        return
    server = PostgresServer()
    with closing(_Removed(server)):
        if options.cost:
            _table_of_costs(server)
        else:
            asyncio.run(_table(server, options.kinds, options.processes, options.seconds, options.folder))


@dataclass(frozen=True)
class _Removed:
    """A server that goes when it is closed."""

    server: PostgresServer

    def close(self) -> None:
        self.server.remove()


if __name__ == "__main__":
    main()
