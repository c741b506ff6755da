"""The command line: reads flags, opens what they need, says how it ended. Nothing heavy is imported first.

Exit status: 0 fine, 1 a failure explained in one line, 2 wrong usage or no terminal, 3 refused by the
service, 4 a change of unknown outcome, 5 an alert is raised, 130 interrupted, 128+n a signal.
"""

import argparse
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, NamedTuple

from linkdash.commands.parser import ASKING, is_write, parser

if TYPE_CHECKING:
    from pathlib import Path

    from linkdash.commands.running import Verb
    from linkdash.config import Configuration, Settings
    from linkdash.demo.server import Running
    from linkdash.demo_past import DemoPast
    from linkdash.model.session import ProfileChoice, Session

_TELL_TALES = ("TEXTUAL_LOG", "SSLKEYLOGFILE")
"""Variables that make libraries write what is typed, or the keys of connections, into files."""
_LOOK_AT_KEPT = ("export", "journal", "list", "review")
"""The verbs that look at what was kept of lists and changes."""
_LOOK_BACK = ("alerts", "collect", "mcp", "report", "stats")
"""The verbs that look at the history, too."""
_SECRETS = ("LINKDASH_API_KEY", "LINKDASH_STORE_PASSWORD")
_VARIABLES = ("LINKDASH_BASE_URL", "LINKDASH_PROFILE", *_SECRETS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs linkdash; returns the exit status."""
    if isinstance(sys.stdout, TextIOWrapper):  # a name must not end what has spent requests
        sys.stdout.reconfigure(errors="backslashreplace")
    environment = _own_environment()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            if given[:1] == [ASKING]:
                from linkdash.commands.completion import complete

                return complete(given[1:])
            return _run(parser().parse_args(given), environment)
        finally:
            print(end="", flush=True)
    except KeyboardInterrupt as interrupt:
        from linkdash.commands.streams import Ended

        return interrupt.status if isinstance(interrupt, Ended) else 130
    except BrokenPipeError:  # whoever read the output has seen enough
        _let_go_of_output()
        return 0
    except OSError as error:
        with suppress(OSError):
            _tell(f"{error.filename or 'The output cannot be written'}: {error.strerror or error}.")
        _let_go_of_output()
        return 1
    except Exception as error:  # noqa: BLE001  a trace could hold anything
        return _failed(given, error)


def _failed(given: Sequence[str], error: Exception) -> int:
    """Ends what a fault of the program has ended: with one line, and a report."""
    from linkdash.commands.streams import secrets, tell
    from linkdash.model.faults import last_words, own_reports

    faults = own_reports(secrets())
    faults.did(f"linkdash {given[0] if given else ''}")
    advice = "Look at linkdash journal before you repeat a change."
    with suppress(OSError):
        tell(last_words(error, faults.write(error), advice))
    return 1


def _own_environment() -> Mapping[str, str]:
    """linkdash's variables. Secrets leave the environment, so that no program started from here has them."""
    environment = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    for name in (*_SECRETS, *_TELL_TALES):
        os.environ.pop(name, None)
    logging.getLogger().addHandler(logging.NullHandler())  # libraries write nothing across the screen
    os.umask(0o077)
    return environment


def _tell(text: str) -> None:
    from linkdash.commands.streams import tell

    tell(text)


def _let_go_of_output() -> None:
    """Nothing takes it any more: what Python flushes at its end must not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError):  # one that is no file
            os.dup2(nowhere, stream.fileno())


# ---- what was asked for ----


def _run(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Does what was asked for; a failure that has words is told in one line."""
    from linkdash.api.errors import LinkdashError
    from linkdash.demo.settings import DemoError

    if flags.command is None and not _is_terminal():
        _tell("This terminal cannot display linkdash.")
        return 2
    try:
        return _asked_for(flags, environment)
    except (LinkdashError, DemoError) as error:
        from linkdash.commands.exit_status import of_error

        _tell(str(error))
        return of_error(error)


def _is_terminal() -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)  # the dashboard is drawn on the last one
    return all(stream and stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


def _asked_for(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    match flags.command:
        case None:
            return _open(flags, environment)
        case "demo-server":
            return _serve_demo(flags)
        case "doctor":
            return _doctor(flags, environment)
        case "setup":
            from linkdash.commands.setup import setup

            return setup(flags, _places()[0])
        case "profiles":
            from linkdash.commands.setup import profiles

            return profiles(flags, _places()[0])
        case "store":
            from linkdash.commands.store import copy_store

            path, state, _ = _places()
            return copy_store(flags, environment, path, state)
        case "completion":
            from linkdash.commands.completion import script

            return script(flags.shell)
        case "man":
            from linkdash.commands.man_page import man_page

            print(man_page(), end="")
            return 0
    verb = _verb(flags.command)
    with _work_place(flags, environment) as place:
        if is_write(flags) and place.settings.read_only:
            from linkdash.api.errors import ReadOnly

            raise ReadOnly("This run is read-only.", "Nothing was sent.")
        import asyncio

        from linkdash.commands.running import run_verb

        return asyncio.run(run_verb(verb, lambda: _session(place), flags))


def _verb(name: str) -> "Verb":
    """The verb of a command that works on a session."""
    match name:
        case "list" | "get" | "export":
            from linkdash.commands import records

            reads = {"list": records.list_records, "get": records.get_record}
            return reads.get(name, records.export_records)
        case "import":
            from linkdash.commands.importing import import_records

            return import_records
        case "journal":
            from linkdash.commands.journal import journal

            return journal
        case "review":
            from linkdash.commands.review import review

            return review
        case "alerts":
            from linkdash.commands.alerts import alerts

            return alerts
        case "stats" | "report":
            from linkdash.commands import statistics

            return statistics.stats if name == "stats" else statistics.report
        case "mcp":
            from linkdash.commands.mcp import mcp

            return mcp
        case "collect":
            from linkdash.commands.collect import collect

            return collect
    from linkdash.commands import writes

    return {
        "create": writes.create,
        "update": writes.update,
        "delete": writes.delete,
        "assign": writes.assign,
        "subscribe": writes.subscribe,
    }[name]


# ---- settings and places ----


class _WorkPlace(NamedTuple):
    """The settings of a run, and the folders for its state and its cache."""

    settings: "Settings"
    state: "Path"
    cache: "Path"
    past: "DemoPast | None" = None
    """What the demo is to have kept before a session of it is opened."""


@contextmanager
def _work_place(flags: argparse.Namespace, environment: Mapping[str, str]) -> "Iterator[_WorkPlace]":
    """Where this run works; the folders of the demo go with it."""
    from dataclasses import replace

    from linkdash.commands.streams import hide, tell
    from linkdash.config import Flags, read_configuration, settings

    if flags.demo:
        from pathlib import Path
        from tempfile import TemporaryDirectory

        from linkdash.demo_past import DemoPast

        with _demo(flags) as (found, running), TemporaryDirectory() as folder:
            hide(found.api_key)
            with closing(DemoPast(running, Path(folder))) as past:
                if flags.command in (*_LOOK_AT_KEPT, *_LOOK_BACK):
                    past.write(history=flags.command in _LOOK_BACK)
                yield _WorkPlace(found, Path(folder), Path(folder), past)
        return
    given = Flags(flags.profile, flags.base_url, flags.read_only, flags.ascii, flags.linear)
    path, state, cache = _places()
    configuration = read_configuration(path)
    found = settings(configuration, environment, given)
    _hide(found)
    left_out = tuple(f"{notice} It is left out." for notice in configuration.notices)
    if flags.command is None:
        found = replace(found, notices=left_out)
    else:
        for notice in left_out:
            tell(notice)
    yield _WorkPlace(found, state, cache)


def _hide(settings: "Settings") -> None:
    """Keeps the secrets of a profile out of all that is said."""
    from linkdash.commands.streams import hide

    for secret in (settings.api_key, settings.store_password):
        if secret is not None:
            hide(secret)


def _places() -> "tuple[Path, Path, Path]":
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
    """The demo's service and key, with the preferences of the person; hooks are not told what is made up."""
    from pydantic import SecretStr

    from linkdash.config import Settings

    _require_demo()
    from linkdash.demo.server import serve_in_thread
    from linkdash.demo.settings import Settings as DemoSettings

    preferred = _preferred().file
    with serve_in_thread(DemoSettings(data_file=_data_file(flags))) as demo:
        found = Settings(
            "demo",
            demo.base_url,
            SecretStr(demo.api_key),
            read_only=flags.read_only,
            theme=preferred.theme,
            ascii=flags.ascii or preferred.ascii,
            linear=flags.linear or preferred.linear,
            keys=preferred.keys,
            commands=preferred.commands,
            alerts={name: alert.model_copy(update={"hook": []}) for name, alert in preferred.alerts.items()},
        )
        yield found, demo


def _preferred() -> "Configuration":
    """The configuration file, or the defaults where it cannot be used: the demo runs without."""
    from linkdash.api.errors import Misconfigured
    from linkdash.config import Configuration, read_configuration

    try:
        return read_configuration(_places()[0])
    except Misconfigured:
        return Configuration()


def _require_demo() -> None:
    """Raises DemoError where what serves the demo is not installed."""
    from importlib.util import find_spec

    from linkdash.demo.settings import DemoError

    if missing := [name for name in ("starlette", "uvicorn") if find_spec(name) is None]:
        raise DemoError(f"The demo needs {' and '.join(missing)}. Install them: pip install 'linkdash[demo]'")


def _data_file(flags: argparse.Namespace) -> "Path | None":
    """Where the demo keeps what is changed; None for nowhere."""
    from pathlib import Path

    return Path(flags.demo_data) if flags.demo_data else None


def _serve_demo(flags: argparse.Namespace) -> int:
    _require_demo()
    from linkdash.demo.server import run_forever

    return run_forever(flags.port, rate=flags.rate, data_file=_data_file(flags))


# ---- the dashboard ----


def _open(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    import gc

    from linkdash.config import NotSetUp

    gc.disable()  # nothing of what a start makes is garbage
    try:
        return _dashboard(flags, environment)
    except NotSetUp:
        from linkdash.first_run import SetupApp

        setup = SetupApp(_places()[0])
        flags.profile = setup.run()
        if flags.profile is None:
            if setup.return_code:
                return setup.return_code
            raise
    return _dashboard(flags, environment)


def _dashboard(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from linkdash.app import LinkdashApp

    with _work_place(flags, environment) as place:
        app = LinkdashApp(place.settings, partial(_first_session, place), partial(_profiles, flags, place))
        return app.run_to_its_end()


def _first_session(place: _WorkPlace) -> "Session":
    """The session of the app. From here on there is garbage; what the start has made is none."""
    import gc

    if place.past is not None:
        place.past.write_beside()
    session = _session(place)
    gc.freeze()
    gc.enable()
    return session


def _session(place: _WorkPlace) -> "Session":
    from linkdash.model.session import Session, opened_store, shared_budget
    from linkdash.store.files import reports_folder

    settings, state = place.settings, place.state
    store = opened_store(settings, state, place.cache)
    shared = shared_budget(settings, state, store.team)
    return Session(settings, store, shared=shared, reports=reports_folder())


def _profiles(flags: argparse.Namespace, place: _WorkPlace) -> "Sequence[ProfileChoice]":
    """The profiles that the dashboard can switch to; none in the demo, whose files end with it."""
    from dataclasses import replace

    from linkdash.config import Flags, settings
    from linkdash.model.session import ProfileChoice

    configuration = _preferred()
    given = Flags(None, None, flags.read_only, flags.ascii, flags.linear)

    def settings_of(name: str) -> "Settings":
        found = settings(configuration, {}, replace(given, profile=name))
        _hide(found)
        return found

    return [
        ProfileChoice(
            name,
            profile.base_url.partition("://")[2],
            profile.read_only or flags.read_only,
            profile.key_place == "command",
            partial(settings_of, name),
            lambda found: _session(place._replace(settings=found)),
        )
        for name, profile in (configuration.file.profiles.items() if not flags.demo else ())
    ]


# ---- verbs of their own kind ----


def _doctor(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    import asyncio

    from linkdash.api.errors import LinkdashError
    from linkdash.commands import doctor
    from linkdash.commands.running import until_a_signal
    from linkdash.commands.streams import write

    try:
        _places()
        for finding in doctor.machine():
            write(str(finding))
        with _work_place(flags, environment) as place:
            look = doctor.look(place.settings, place.state, place.cache, offline=flags.offline)
            return asyncio.run(until_a_signal(look))
    except LinkdashError as error:
        write(str(doctor.Finding("settings", str(error), good=False)))
        return 1
