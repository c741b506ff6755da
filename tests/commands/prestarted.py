"""linkdash, started beforehand: what a shell calls by its name is a fork of a process that has imported it.

Arguments, environment, folder, streams, signals and the exit status are the shell's, as in life; only the
second that Python needs to begin is spent once. `python -m tests.commands.prestarted SOCKET` is that process.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from linkdash import cli
from linkdash.config import ConfigurationFile

_CALL = """\
#!{python} -IS
import json, os, signal, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({place!r})
socket.send_fds(server, [b"!"], [0, 1, 2])
server.sendall(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode())
server.shutdown(socket.SHUT_WR)
said = server.makefile()
process = int(said.readline())
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, frame: os.kill(process, number))
sys.exit(int(said.readline() or "1"))
"""


@contextmanager
def prestarted(folder: Path) -> Iterator[Path]:
    """A folder for PATH in which linkdash is, until the block ends."""
    place = str(folder / "socket")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.commands.prestarted", place], stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            call = folder / "linkdash"
            call.write_text(_CALL.format(python=sys.executable, place=place))
            call.chmod(0o700)
            yield folder
        finally:
            process.kill()


def _serve(place: str) -> None:
    for verb in (
        "alerts",
        "collect",
        "doctor",
        "importing",
        "mcp",
        "store",
        "journal",
        "records",
        "review",
        "statistics",
        "writes",
    ):
        import_module(f"linkdash.commands.{verb}")
    for late in ("httpx", "anyio._backends._asyncio"):  # what the first request imports
        import_module(late)
    ConfigurationFile()  # what the first model builds
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody here waits for those that have ended
        while True:
            caller, _ = listener.accept()
            streams = socket.recv_fds(caller, 1, 3)[1]
            if os.fork() == 0:
                os._exit(_called(caller, streams))
            caller.close()
            for stream in streams:
                os.close(stream)


def _called(caller: socket.socket, streams: Sequence[int]) -> int:
    """In the fork: does what a shell has asked for, and tells it its process and then the exit status."""
    caller.sendall(b"%d\n" % os.getpid())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with caller.makefile("rb") as told:
        arguments, environment, folder = json.loads(told.read())
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    try:
        status = cli.main(arguments)
    except SystemExit as ended:
        status = int(ended.code or 0)
    caller.sendall(str(status).encode())
    return status


if __name__ == "__main__":
    _serve(sys.argv[1])
