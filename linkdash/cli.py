"""The command line: reads flags, opens what they need, says how it ended. Nothing heavy is imported first.

Exit status: 0 fine, 1 a failure explained in one line, 2 wrong usage or no terminal, 3 refused by the
service, 4 a change of unknown outcome, 5 an alert is raised, 130 interrupted, 128+n a signal.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import TextIOWrapper

from linkdash.commands.parser import ASKING, is_write, parser

TYPE_CHECKING = False  # as of `typing`, which takes as long to import as all that --help needs of ours
if TYPE_CHECKING:
    from linkdash.commands.running import Verb
    from linkdash.config import Settings
    from linkdash.model.session import ProfileChoice, Session
    from linkdash.work_place import WorkPlace

_TELL_TALES = ("TEXTUAL_LOG", "SSLKEYLOGFILE")
"""Variables that make libraries write what is typed, or the keys of connections, into files."""
_SECRETS = ("LINKDASH_API_KEY", "LINKDASH_STORE_PASSWORD")
_NO_PLUGINS = ("PYDANTIC_DISABLE_PLUGINS", "__all__")
"""pydantic looks every installed package through for plugins of its own, which would be shown secrets."""
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
        from linkdash.commands.streams import Ended, tell_end

        if not isinstance(interrupt, Ended):
            return 130
        tell_end(interrupt.status)
        return interrupt.status
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
    os.environ.setdefault(*_NO_PLUGINS)
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
    if flags.command in ("completion", "man"):
        return _print_of_parser(flags)
    import logging

    from linkdash.api.errors import LinkdashError
    from linkdash.demo import DemoError

    if flags.command is None and not _is_terminal():
        _tell("This terminal cannot display linkdash.")
        return 2
    logging.getLogger().addHandler(logging.NullHandler())  # libraries write nothing across the screen
    try:
        return _asked_for(flags, environment)
    except (LinkdashError, DemoError) as error:
        from linkdash.commands.running import of_error

        _tell(str(error))
        return of_error(error)


def _print_of_parser(flags: argparse.Namespace) -> int:
    """What is made of the parser alone: a shell may read it at every start."""
    if flags.command == "completion":
        from linkdash.commands.completion import script

        return script(flags.shell)
    from linkdash.commands.completion import man_page

    print(man_page(), end="")
    return 0


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
            from linkdash.work_place import places

            return setup(flags, places()[0])
        case "profiles":
            from linkdash.commands.setup import profiles
            from linkdash.work_place import places

            return profiles(flags, places()[0])
        case "store":
            from linkdash.commands.setup import copy_store
            from linkdash.work_place import places

            path, state, _ = places()
            return copy_store(flags, environment, path, state)
    import asyncio

    from linkdash.commands.running import run_verb
    from linkdash.work_place import open_session, work_place

    verb = _verb(flags.command)
    with work_place(flags, environment) as place:
        if is_write(flags) and place.settings.read_only:
            from linkdash.api.errors import ReadOnly

            raise ReadOnly("This run is read-only.", "Nothing was sent.")
        return asyncio.run(run_verb(verb, lambda: open_session(place), flags))


def _verb(name: str) -> "Verb":
    """The verb of a command that works on a session."""
    match name:
        case "list" | "get" | "export" | "review" | "alerts" | "journal":
            from linkdash.commands import records

            return {
                "list": records.list_records,
                "get": records.get_record,
                "export": records.export_records,
                "review": records.review,
                "alerts": records.alerts,
                "journal": records.journal,
            }[name]
        case "stats" | "report" | "collect":
            from linkdash.commands import statistics

            told = {"stats": statistics.stats, "report": statistics.report}
            return told.get(name, statistics.collect)
        case "mcp":
            from linkdash.commands.mcp import mcp

            return mcp
    from linkdash.commands import writes

    return {
        "create": writes.create,
        "update": writes.update,
        "delete": writes.delete,
        "assign": writes.assign,
        "subscribe": writes.subscribe,
        "import": writes.import_records,
    }[name]


# ---- the dashboard and the demo's service ----


def _serve_demo(flags: argparse.Namespace) -> int:
    from linkdash.work_place import data_file, require_demo

    require_demo()
    from linkdash.demo.server import run_forever

    return run_forever(flags.port, rate=flags.rate, data_file=data_file(flags))


def _open(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    import gc

    from linkdash.api.errors import Misconfigured

    gc.disable()  # nothing of what a start makes is garbage
    try:
        return _dashboard(flags, environment)
    except Misconfigured as error:
        from linkdash.config import NotSetUp

        if not isinstance(error, NotSetUp):
            raise
        from linkdash.first_run import SetupApp
        from linkdash.work_place import places

        setup = SetupApp(places()[0])
        flags.profile = setup.run()
        if flags.profile is None:
            if setup.return_code:
                return setup.return_code
            raise
    return _dashboard(flags, environment)


def _dashboard(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Runs the dashboard. Where its frame is kept, that is painted before the settings are read."""
    from contextlib import ExitStack
    from functools import cache

    from linkdash.app import LinkdashApp
    from linkdash.frame_settings import KeptFrame

    @cache
    def place() -> "WorkPlace":
        from linkdash.work_place import work_place

        return stack.enter_context(work_place(flags, environment))

    kept = KeptFrame(flags, environment)
    with ExitStack() as stack:
        frame = kept.read()
        picture = kept.read_picture() if frame is not None else None
        if frame is None:
            frame = _checked(place().settings)
            if not (flags.demo or frame.asks):
                kept.write(frame)
        app = LinkdashApp(frame, lambda: _first_session(place()), lambda: _profiles(flags, place()), picture)
        status = app.run_to_its_end()
        if app.picture is not None and app.picture is not picture:
            kept.write_picture(app.picture)
        return status


def _checked(settings: "Settings") -> "Settings":
    """The same settings. Raises Misconfigured for keys of a person's own that clash."""
    if settings.keys or settings.commands:
        from linkdash.screens.registry import check_own_keys

        check_own_keys(settings.keys, settings.commands)
    return settings


def _first_session(place: "WorkPlace") -> "Session":
    """The session of the app. From here on there is garbage; what the start has made is none.

    Garbage that has grown old is left to the app, which looks for it when nobody does anything.
    """
    import gc

    from linkdash.work_place import open_session

    if place.past is not None:
        place.past.write_beside()
    session = open_session(place)
    gc.freeze()
    gc.set_threshold(700, 10, 1_000_000)
    gc.enable()
    return session


def _profiles(flags: argparse.Namespace, place: "WorkPlace") -> "Sequence[ProfileChoice]":
    """The profiles that the dashboard can switch to; none in the demo, whose files end with it."""
    from dataclasses import replace

    from linkdash.config import Flags, settings
    from linkdash.model.session import ProfileChoice
    from linkdash.work_place import hide_secrets, open_session, preferred_configuration

    configuration = preferred_configuration()
    given = Flags(None, None, flags.read_only, flags.ascii, flags.linear)

    def settings_of(name: str) -> "Settings":
        found = settings(configuration, {}, replace(given, profile=name))
        hide_secrets(found)
        return found

    return [
        ProfileChoice(
            name,
            profile.base_url.partition("://")[2],
            profile.read_only or flags.read_only,
            profile.asks,
            partial(settings_of, name),
            lambda found: open_session(place._replace(settings=found)),
        )
        for name, profile in (configuration.file.profiles.items() if not flags.demo else ())
    ]


# ---- verbs of their own kind ----


def _doctor(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    import asyncio

    from linkdash.api.errors import LinkdashError
    from linkdash.commands import setup
    from linkdash.commands.running import until_a_signal
    from linkdash.commands.streams import write
    from linkdash.work_place import places, work_place

    try:
        places()
        for finding in setup.machine():
            write(str(finding))
        with work_place(flags, environment) as place:
            look = setup.look(place.settings, place.state, place.cache, offline=flags.offline)
            return asyncio.run(until_a_signal(look))
    except LinkdashError as error:
        write(str(setup.Finding("settings", str(error), good=False)))
        return 1
