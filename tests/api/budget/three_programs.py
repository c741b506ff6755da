"""Three programs with one budget of requests, in front of a service that refuses what is too much."""

import asyncio
import json
import math
import subprocess
import time

from tests import prestarted

LIMIT, WINDOW = 20, 0.6
REQUESTS = 15
"""Requests of each program."""

PROGRAM = """
import asyncio, json, sys
from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane

async def main(shared, port, requests):
    gate = Gate(shared=shared, wall=shared.wall)
    statuses = []

    async def one():
        ticket = await gate.admit(Lane.READ, "x")
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answer = json.loads(await reader.readline())
        writer.close()
        gate.answered(ticket, answer["status"], answer["headers"])
        statuses.append(answer["status"])

    print("ready", flush=True)
    sys.stdin.readline()
    await asyncio.gather(*(one() for _ in range(requests)))
    gate.close()
    shared.close()
    print(json.dumps([statuses, gate.sharing]))

"""


class Service:
    """A fixed window, aligned to its own clock; a connection is a request, a line is the answer."""

    def __init__(self) -> None:
        self.ends, self.used = 0.0, 0

    async def serve(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        now = time.monotonic()
        if now >= self.ends:
            self.ends, self.used = (now // WINDOW + 1) * WINDOW, 0
        granted = self.used < LIMIT
        self.used += granted
        left = self.ends - now
        headers = {
            "X-RateLimit-Limit": str(LIMIT),
            "X-RateLimit-Remaining": str(LIMIT - self.used),
            "X-RateLimit-Reset": f"{left:.3f}",
            "Retry-After": str(math.ceil(left)),
        }
        writer.write(json.dumps({"status": 200 if granted else 429, "headers": headers}).encode() + b"\n")
        await writer.drain()
        writer.close()


async def are_never_refused(opening: str, *, seconds: float) -> None:
    """Let three of them ask at once; `opening` is code that makes the `shared` budget of one."""
    service = await asyncio.start_server(Service().serve, "127.0.0.1", 0)
    port = service.sockets[0].getsockname()[1]
    code = f"{PROGRAM}{opening}\nasyncio.run(main(shared, {port}, {REQUESTS}))"
    programs = [
        await asyncio.create_subprocess_exec(
            prestarted.program(code), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(3)
    ]
    for program in programs:
        assert program.stdout is not None
        assert await program.stdout.readline() == b"ready\n"
    async with asyncio.timeout(seconds):
        told = await asyncio.gather(*(program.communicate(b"\n") for program in programs))
    service.close()
    assert [json.loads(out) for out, _ in told] == [[[200] * REQUESTS, None]] * 3
