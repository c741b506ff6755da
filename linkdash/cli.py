"""The command line. Nothing heavy is imported before it is known what was asked for."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from linkdash import __version__

if TYPE_CHECKING:
    from linkdash.config import Settings
    from linkdash.demo.server import Running
    from linkdash.model.session import Session

EXIT_FINE, EXIT_FAILURE, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130
_LARGEST = 2**63 - 1  # what SQLite can hold


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs linkdash; returns the exit status.

    0 is fine, 1 a failure that was explained, 2 wrong usage, 130 an interruption by the keyboard.
    """
    if isinstance(sys.stdout, TextIOWrapper):  # a name must not end what has spent requests
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            return _run(parser().parse_args(arguments))
        finally:
            print(end="", flush=True)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _tell_refusal(error)
        _let_go_of_output()
        return EXIT_FAILURE


def _tell_refusal(error: OSError) -> None:
    """One line for what the system refused; only for what is written out it names no file."""
    what = error.filename or "The output cannot be written"
    with suppress(OSError):
        print(f"linkdash: {what}: {error.strerror or error}.", file=sys.stderr, flush=True)


def _let_go_of_output() -> None:
    """Nothing takes it any more: what Python flushes at its end must not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        os.dup2(nowhere, stream.fileno())


def _run(flags: argparse.Namespace) -> int:
    if flags.command == "demo-server":
        return _explained(lambda: _serve_demo(flags))
    if flags.command == "collect":
        return _explained(lambda: _collect(flags))
    if flags.command == "doctor":
        return _doctor(flags)
    streams = (sys.stdin, sys.stdout, sys.stderr)  # the dashboard is drawn on the last one
    if not all(stream and stream.isatty() for stream in streams) or os.environ.get("TERM") == "dumb":
        print("linkdash: This is no terminal that can show a dashboard.", file=sys.stderr)
        return EXIT_USAGE
    return _explained(lambda: _open(flags))


def parser() -> argparse.ArgumentParser:
    """The flags. There is none for the key: every user of a machine can read arguments."""
    parser = argparse.ArgumentParser(
        prog="linkdash",
        description="A keyboard-driven terminal dashboard for a link-management service.",
        epilog="LINKDASH_BASE_URL, LINKDASH_API_KEY and LINKDASH_PROFILE beat the configuration file; "
        "flags beat them.",
    )
    parser.add_argument("--version", action="version", version=f"linkdash {__version__}")
    parser.add_argument("--profile", metavar="NAME", help="a profile of the configuration file")
    parser.add_argument("--base-url", metavar="URL", help="the service's address")
    parser.add_argument("--read-only", action="store_true", help="change nothing in this run")
    parser.add_argument("--demo", action="store_true", help="try everything on a service made up for it")
    parser.add_argument("--demo-data", metavar="FILE", type=Path, help="keep what is changed in the demo")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    server = commands.add_parser("demo-server", help="serve the demo's service for other clients")
    server.add_argument("--port", type=int, required=True, metavar="N", help="0 takes a free one")
    server.add_argument("--rate", type=int, default=30, metavar="R", help="requests a minute (30)")
    server.add_argument("--demo-data", metavar="FILE", type=Path, help="keep what is changed")
    collect = commands.add_parser("collect", help="read the statistics of QR codes into the history")
    codes = collect.add_mutually_exclusive_group()
    codes.add_argument("--qr", type=_positive, nargs="+", metavar="ID", help="these codes, by their ids")
    codes.add_argument("--all", action="store_true", help="all codes there are (the default)")
    collect.add_argument("--budget", type=_positive, metavar="N", help="requests at the most (no limit)")
    doctor = commands.add_parser("doctor", help="look at settings, service and files; fit for a ticket")
    doctor.add_argument("--offline", action="store_true", help="send nothing (otherwise 3 requests at most)")
    return parser


def _positive(text: str) -> int:
    """An id, or a number of requests. Raises ArgumentTypeError."""
    if text.isdecimal() and len(text) <= len(str(_LARGEST)) and 1 <= int(text) <= _LARGEST:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {_LARGEST}")


def _explained(run: Callable[[], int]) -> int:
    """The status of `run`; a failure that has words is told in one line."""
    from linkdash.api.errors import LinkdashError
    from linkdash.demo.settings import DemoError

    try:
        return run()
    except (LinkdashError, DemoError) as error:
        print(f"linkdash: {error}", file=sys.stderr)
        return EXIT_FAILURE


@contextmanager
def _work_place(flags: argparse.Namespace) -> "Iterator[tuple[Settings, Path, Path]]":
    """The settings of this run, and the folders for its state and its cache; those of the demo go with it."""
    from linkdash.config import Flags, read_configuration, settings

    if flags.demo:
        from tempfile import TemporaryDirectory

        with _demo(flags) as (found, running), TemporaryDirectory() as folder:
            from linkdash.demo_history import kept_history

            with kept_history(running, Path(folder)):
                yield found, Path(folder), Path(folder)
    else:
        given = Flags(profile=flags.profile, base_url=flags.base_url, read_only=flags.read_only)
        configuration, state, cache = _places()
        yield settings(read_configuration(configuration), os.environ, given), state, cache


def _places() -> tuple[Path, Path, Path]:
    """The configuration file and the folders for state and cache.

    Raises Misconfigured for a user without a home, as some containers have.
    """
    from linkdash.api.errors import Misconfigured
    from linkdash.config import configuration_path
    from linkdash.store.files import cache_folder, state_folder

    try:
        return configuration_path(), state_folder(), cache_folder()
    except RuntimeError:
        raise Misconfigured("This user has no home folder.", "Set HOME to a folder.") from None


@contextmanager
def _demo(flags: argparse.Namespace) -> "Iterator[tuple[Settings, Running]]":
    from pydantic import SecretStr

    from linkdash.config import Settings

    _require_demo()
    from linkdash.demo.server import serve_in_thread
    from linkdash.demo.settings import Settings as DemoSettings

    with serve_in_thread(DemoSettings(data_file=flags.demo_data)) as demo:
        yield Settings("demo", demo.base_url, SecretStr(demo.api_key), read_only=flags.read_only), demo


def _require_demo() -> None:
    """Raises DemoError where what serves the demo is not installed."""
    from linkdash.demo.settings import DemoError

    if missing := [name for name in ("starlette", "uvicorn") if find_spec(name) is None]:
        raise DemoError(f"The demo needs {' and '.join(missing)}. Install them: pip install 'linkdash[demo]'")


def _serve_demo(flags: argparse.Namespace) -> int:
    _require_demo()
    from linkdash.demo.server import run_forever

    run_forever(flags.port, rate=flags.rate, data_file=flags.demo_data)
    return EXIT_FINE


def _open(flags: argparse.Namespace) -> int:
    import gc

    gc.disable()  # nothing of what a start makes is garbage
    from linkdash.app import LinkdashApp

    with _work_place(flags) as place:
        app = LinkdashApp(place[0], partial(_first_session, *place))
        app.run()
        return app.return_code or EXIT_FINE


def _first_session(settings: "Settings", state: Path, cache: Path) -> "Session":
    """The session of the app. From here on there is garbage; what the start has made is none."""
    import gc

    session = _session(settings, state, cache)
    gc.freeze()
    gc.enable()
    return session


def _session(settings: "Settings", state: Path, cache: Path) -> "Session":
    from linkdash.api.shared_budget import FileSharedBudget
    from linkdash.model.session import Session
    from linkdash.store.files import former_profile_key, profile_key
    from linkdash.store.store import Store

    address, key = settings.base_url, settings.api_key.get_secret_value()
    shared = FileSharedBudget(state, address, key)
    store = Store(state, cache, profile_key(address, key), formerly=former_profile_key(address, key))
    return Session(settings, store, shared=shared)


def _collect(flags: argparse.Namespace) -> int:
    from linkdash.commands.collect import collect

    with _work_place(flags) as place:
        return collect(lambda: _session(*place), flags.qr, flags.budget)


def _doctor(flags: argparse.Namespace) -> int:
    import asyncio

    from linkdash.api.errors import LinkdashError
    from linkdash.commands import doctor

    async def look(settings: "Settings", state: Path, cache: Path) -> bool:
        good = True
        async for finding in doctor.examine(settings, doctor.Folders(state, cache), offline=flags.offline):
            print(finding, flush=True)
            good = good and finding.good
        return good

    try:
        _places()
        print(*doctor.machine(), sep="\n")
        with _work_place(flags) as place:
            return EXIT_FINE if asyncio.run(look(*place)) else EXIT_FAILURE
    except LinkdashError as error:
        print(doctor.Finding("settings", str(error), good=False))
        return EXIT_FAILURE
