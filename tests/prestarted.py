"""linkdash, started beforehand: what a test starts is a fork of a process that has imported it.

Arguments, environment, folder, streams, terminal, signals and the exit status are those of a program, as in
life, and what kills the program kills the fork; only the second that Python needs to begin is spent once.
`python -m tests.prestarted SOCKET` is that process; it ends with the one that has started it.
"""

import ast
import atexit
import gc
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, TypedDict

# Imports only what is built into Python: the rest takes longer than the call.
_CALL = """\
#!{python} -IS
import _signal, _socket, posix, sys
handed_on = _signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP
_signal.pthread_sigmask(_signal.SIG_BLOCK, handed_on)  # until it is known to whom
server = _socket.socket(_socket.AF_UNIX)
server.connect({place!r})
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
server.sendmsg([b"!"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
texts = [[text.decode(errors="surrogateescape") for text in pair] for pair in posix.environ.items()]
here = dict(environment=dict(texts), folder=posix.getcwd(), terminal="")
call = ascii(dict(arguments=sys.argv[1:], script={script!r}, **here)).encode()
server.sendall(b"%d\\n" % len(call) + call)
def said():
    line = b""
    while line[-1:] != b"\\n" and (more := server.recv(1)):
        line += more
    return int(line or 1)
process = said()
for number in handed_on:
    _signal.signal(number, lambda number, frame: posix.kill(process, number))
_signal.pthread_sigmask(_signal.SIG_UNBLOCK, handed_on)
status = said()
if status < 0:
    if status != -_signal.SIGKILL:
        _signal.signal(-status, _signal.SIG_DFL)
    posix.kill(posix.getpid(), -status)
sys.exit(status)
"""


class Call(TypedDict):
    """A call: linkdash with these arguments, or the text of a script.

    With the path of a terminal it runs in that, and else with the streams that come with the call.
    """

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    terminal: str
    script: str


class Process:
    """A fork in a terminal: as much of `subprocess.Popen` as its tests need."""

    def __init__(self, call: Call) -> None:
        self._server = socket.socket(socket.AF_UNIX)
        self._server.connect(str(_folder() / "socket"))
        told = ascii(call).encode()
        self._server.sendall(b"!%d\n" % len(told) + told)
        self._said = self._server.makefile()
        self.pid = int(self._said.readline())
        self._status: int | None = None

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """Its exit status, minus the number of the signal that has ended it; None while it runs."""
        if self._status is None and select.select([self._server], [], [], 0)[0]:
            self.wait()
        return self._status

    def wait(self) -> int:
        """Wait until it ends; its status."""
        if self._status is None:
            self._status = int(self._said.readline())
            self._said.close()
            self._server.close()
        return self._status


@cache
def program(script: str = "") -> str:
    """The path of a `linkdash`, in a folder of its own, or of a script; it is there at once."""
    call = _folder() / (f"script-{hash(script)}" if script else "linkdash")
    call.write_text(_CALL.format(python=sys.executable, place=str(_folder() / "socket"), script=script))
    call.chmod(0o700)
    return str(call)


def _folder() -> Path:
    return _server()[0]


@cache
def _server() -> "tuple[Path, subprocess.Popen[bytes]]":
    """The place where a process is forked, and this process itself, which stays as long as we do."""
    folder = Path(tempfile.mkdtemp(prefix="linkdash-prestarted-"))
    place = str(folder / "socket")
    command = [sys.executable, "-m", "tests.prestarted", place]
    root = Path(__file__).parents[1]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    atexit.register(_end, process)
    return folder, process


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in filter(None, (process.stdin, process.stdout)):
        stream.close()
    process.wait(10.0)


# ---- the process that is forked ----


def _serve(place: str) -> None:
    import linkdash

    for module in pkgutil.walk_packages(linkdash.__path__, "linkdash."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for late in ("anyio._backends._asyncio", "textual.drivers.linux_driver"):  # imported when they are used
        import_module(late)
    from linkdash.model.configuration_file import ConfigurationFile

    ConfigurationFile()  # what the first model builds
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        os.write(sys.stdout.fileno(), b"ready\n")
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody here waits for those that have ended
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            caller, _ = listener.accept()
            streams = socket.recv_fds(caller, 1, 3)[1]
            if os.fork() == 0:
                listener.close()
                _mind(caller, streams)
            caller.close()
            for stream in streams:
                os.close(stream)
    for file in Path(place).parent.iterdir():
        file.unlink()
    Path(place).parent.rmdir()


def _mind(caller: socket.socket, streams: list[int]) -> None:
    """In a fork of its own: does what was called for in another, and tells its number and how it ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    told = caller.makefile("rb")
    call: Call = ast.literal_eval(told.read(int(told.readline())).decode())
    process = os.fork()
    if process == 0:
        caller.close()
        _perform(call, streams)
    for stream in streams:
        os.close(stream)
    threading.Thread(target=_end_with, args=(told, process), daemon=True).start()
    caller.sendall(b"%d\n" % process)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with suppress(OSError):  # who called may have gone
        caller.sendall(b"%d\n" % status)
    os._exit(0)


def _end_with(caller: BinaryIO, process: int) -> None:
    """Kill what was called for when the caller is killed."""
    with suppress(OSError):  # it was killed with something unread
        caller.read()
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _perform(call: Call, streams: list[int]) -> None:
    """Become what was called for, to its end."""
    os.environ.clear()
    os.environ.update(call["environment"])
    os.chdir(call["folder"])
    if call["terminal"]:
        os.setsid()
        streams = [os.open(call["terminal"], os.O_RDWR) for _ in range(3)]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # As Python makes them at its start.
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  they stay open
    sys.stdout = open(1, "w", closefd=False, buffering=1 if os.isatty(1) else -1)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, buffering=1, errors="backslashreplace")  # noqa: SIM115
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))
    sys.argv = ["linkdash", *call["arguments"]]
    try:
        if call["script"]:
            exec(compile(call["script"], "<script>", "exec"), {"__name__": "__main__"})  # noqa: S102  a test's own
            sys.exit(0)
        sys.exit(import_module("linkdash.cli").main())
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            _end_here(ended.code or 0)
        raise


def _end_here(status: int) -> None:
    """End as Python does, and do not take all that was imported apart: that takes longer than most runs.

    What cannot be written at the end is left to Python.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # as Python calls them
    atexit._run_exitfuncs()
    with suppress(AttributeError, OSError, ValueError):  # it is none, has no room, or was closed
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status & 0xFF)


if __name__ == "__main__":
    _serve(sys.argv[1])
