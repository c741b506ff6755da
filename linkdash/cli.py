"""The command line: reads flags, opens what they need, says how it ended. Nothing heavy is imported first.

Exit status: 0 fine, 1 a failure explained in one line, 2 wrong usage or no terminal, 3 refused by the
service, 4 a change of unknown outcome, 5 an alert is raised, 6 answered from a part, 130 interrupted, 128+n a
signal.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import TextIOWrapper

from linkdash.commands.parser import parser
from linkdash.commands.verbs import ASKING, NOTHING, SESSION, VERBS
from linkdash.interrupts import EndedBySignal, end_at_interrupt, ended_by_interrupt, interrupted_once

TYPE_CHECKING = False  # as of `typing`, which takes as long to import as all that --help needs of ours
if TYPE_CHECKING:
    from linkdash.model.session import ProfileChoice, Session
    from linkdash.model.settings import Settings
    from linkdash.startup.run_context import RunContext

_TELL_TALES = ("TEXTUAL_LOG", "SSLKEYLOGFILE")
"""Variables that make libraries write what is typed, or the keys of connections, into files."""
_SECRETS = ("LINKDASH_API_KEY", "LINKDASH_STORE_PASSWORD")
_SHORTEST_KEY = 16
_DAY = 86_400  # seconds
_NO_PLUGINS = ("PYDANTIC_DISABLE_PLUGINS", "__all__")
"""pydantic looks every installed package through for plugins of its own, which would be shown secrets."""
_VARIABLES = ("LINKDASH_BASE_URL", "LINKDASH_PROFILE", *_SECRETS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run linkdash; return the exit status."""
    _open_closed_streams()
    if isinstance(sys.stdout, TextIOWrapper):  # a name must not end what has spent requests
        sys.stdout.reconfigure(errors="backslashreplace")
    environment = _own_environment()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if any(len(argument) >= _SHORTEST_KEY for argument in given):
        from linkdash.commands.standard_streams import hide_keys_in

        hide_keys_in(given)
    try:
        with interrupted_once():
            return _to_its_end(given, environment)
    except EndedBySignal as ended:
        _tell(f"Ended by {signal.Signals(ended.number).name}.")
        return ended.status
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:  # whoever read the output has seen enough
        _silence_output()
        return 0
    except OSError as error:
        _tell(f"{error.filename or 'The output cannot be written'}: {error.strerror or error}.")
        _silence_output()
        return 1
    except Exception as error:  # noqa: BLE001  a trace could hold anything
        return _failed(given, error)


def _to_its_end(given: Sequence[str], environment: Mapping[str, str]) -> int:
    try:
        if given[:1] == [ASKING]:
            from linkdash.commands.completion import complete

            return complete(given[1:], environment)
        return _with_output(_run(parser().parse_args(given), environment))
    finally:
        print(end="", flush=True)


def _open_closed_streams() -> None:
    """Open standard streams that whoever started this has closed, to nowhere.

    A file that is opened later would get their number, and what is written to them would go into it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def _with_output(status: int) -> int:
    """The same status; 1 for a success whose result could not be written."""
    if "linkdash.commands.standard_streams" not in sys.modules:  # nothing was written by way of it
        return status
    from linkdash.commands.standard_streams import is_output_lost

    return 1 if not status and is_output_lost() else status


def _failed(given: Sequence[str], error: Exception) -> int:
    """End what a fault of the program has ended: with one line, and a report."""
    from linkdash.commands.standard_streams import secrets, tell_error
    from linkdash.model.fault_reports import last_words, own_reports

    faults = own_reports(secrets())
    faults.did(f"linkdash {given[0] if given else ''}")
    advice = "Look at linkdash journal before you repeat a change."
    tell_error(last_words(error, faults.write(error), advice))
    return 1


def _own_environment() -> Mapping[str, str]:
    """linkdash's variables. Secrets leave the environment, so that no program started from here has them."""
    environment = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    for name in (*_SECRETS, *_TELL_TALES):
        os.environ.pop(name, None)
    os.environ.setdefault(*_NO_PLUGINS)
    os.umask(0o077)
    _leave_impossible_zone()
    return environment


def _leave_impossible_zone() -> None:
    """Go by UTC where TZ is a day and more away from it: no moment can be told there."""
    if abs(time.localtime().tm_gmtoff) >= _DAY and hasattr(time, "tzset"):
        _tell("TZ is not a time zone; times are in UTC.")
        os.environ["TZ"] = "UTC"
        time.tzset()


def _tell(text: str) -> None:
    from linkdash.commands.standard_streams import tell_error

    tell_error(text)


def _silence_output() -> None:
    """Nothing takes it any more: what Python flushes at its end must not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError):  # one that is no file
            os.dup2(nowhere, stream.fileno())


# ---- what was asked for ----


def _run(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Do what was asked for; a failure that has words is told in one line."""
    if flags.command is None:
        # Until there is an app it ends the program: an exception can get lost while modules are imported.
        end_at_interrupt()
        if not _is_terminal():
            _tell("This terminal cannot display linkdash.")
            return 2
    elif VERBS[flags.command].needs == NOTHING:  # a shell may read it at every start
        return _without_session(flags, environment)
    import logging

    from linkdash.api.errors import LinkdashError
    from linkdash.demo import DemoError

    logging.getLogger().addHandler(logging.NullHandler())  # libraries write nothing across the screen
    try:
        return _open(flags, environment) if flags.command is None else _run_verb(flags, environment)
    except (LinkdashError, DemoError) as error:
        from linkdash.commands.failures import tell_failure

        return tell_failure(error, flags)


def _without_session(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    status: int = VERBS[flags.command].function()(flags, environment)
    return status


def _run_verb(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Run a verb; its exit status. Raises LinkdashError, DemoError."""
    from linkdash.commands.standard_streams import Loudness

    Loudness.quiet, Loudness.verbose = flags.quiet, flags.verbose
    verb = VERBS[flags.command]
    if verb.needs != SESSION:
        return _without_session(flags, environment)
    import asyncio

    from linkdash.commands.run_verb import function_of, run_verb
    from linkdash.startup.run_context import open_session, run_context

    call = function_of(verb)
    with run_context(flags, environment) as place:
        if verb.writes and not flags.dry_run and place.settings.read_only:
            from linkdash.api.errors import ReadOnly

            raise ReadOnly("This run is read-only.", "Nothing was sent.")
        return asyncio.run(run_verb(call, lambda: open_session(place), flags))


def _is_terminal() -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)  # the dashboard is drawn on the last one
    return all(stream and stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


# ---- the dashboard ----


def _open(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from linkdash import garbage_collection
    from linkdash.api.errors import Misconfigured

    os.environ.setdefault("TEXTUAL_FPS", "240")  # after a late frame Textual leaves out one or two
    garbage_collection.put_off()
    sys.setswitchinterval(0.0005)  # the event loop takes its turn from a thread that reads much
    try:
        return _dashboard(flags, environment)
    except Misconfigured as error:
        from linkdash.model.settings import NotSetUp

        if not isinstance(error, NotSetUp):
            raise
    from linkdash.commands.standard_streams import tell_between_questions

    tell_between_questions("No service is set. Answer these questions, or look around first: linkdash --demo")
    flags.profile = _set_up(flags, environment)
    return _dashboard(flags, environment)


def _set_up(flags: argparse.Namespace, environment: Mapping[str, str]) -> str:
    """Ask in this terminal what `linkdash setup` asks; the name of the profile that was written."""
    from linkdash.commands.setup import set_up

    asking = parser().parse_args(["setup"], argparse.Namespace(**vars(flags)))
    return set_up(asking, environment)


def _dashboard(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    with ended_by_interrupt():
        from linkdash.app import LinkdashApp
        from linkdash.startup.run_context import run_context

    with run_context(flags, environment) as place:
        settings = _checked(place.settings)
        return LinkdashApp(
            settings,
            lambda: _first_session(place),
            lambda: _profiles(flags, place),
            None if flags.demo else partial(_set_up_again, flags),
        ).run_to_its_end()


def _set_up_again(flags: argparse.Namespace, profile: str) -> None:
    """Ask what `linkdash setup` asks of a profile. Raises LinkdashError, also where the user gives up."""
    from linkdash.api.errors import LinkdashError

    try:
        _set_up(argparse.Namespace(**{**vars(flags), "profile": profile, "base_url": None}), {})
    except KeyboardInterrupt:
        raise LinkdashError("The questions were left.", "Nothing was saved.") from None


def _refusal(settings: "Settings") -> str:
    """Return why the dashboard does not take the theme or the keys of these settings; "" where it does."""
    if not (settings.theme or settings.keys or settings.commands):
        return ""
    from linkdash.api.errors import Misconfigured
    from linkdash.app import check_theme

    try:
        check_theme(settings.theme)
        _checked(settings)
    except Misconfigured as error:
        return str(error)
    return ""


def _checked(settings: "Settings") -> "Settings":
    """The same settings. Raises Misconfigured for keys of the user's own that clash."""
    if settings.keys or settings.commands:
        from linkdash.screens.key_clashes import check_own_keys

        check_own_keys(settings.keys, settings.commands)
    return settings


def _first_session(place: "RunContext") -> "Session":
    """The session of the app."""
    from linkdash.startup.run_context import open_session

    if place.past is not None:
        place.past.write_beside()
    return open_session(place)


def _profiles(flags: argparse.Namespace, place: "RunContext") -> "Sequence[ProfileChoice]":
    """The profiles that the dashboard can switch to; none in the demo, whose files end with it."""
    from linkdash.model.session import ProfileChoice
    from linkdash.model.settings import Flags, settings
    from linkdash.startup.run_context import hide_secrets, open_session, preferred_configuration

    configuration = preferred_configuration()
    given = Flags(None, None, flags.read_only, flags.ascii)

    def settings_of(name: str) -> "Settings":
        found = settings(configuration, {}, given._replace(profile=name))
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


# ---- verbs that need more than commands may know ----


def doctor(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """`linkdash doctor`: the machine, and as far as the settings go what they lead to."""
    import asyncio

    from linkdash.api.errors import LinkdashError
    from linkdash.commands.doctor import CheckOutput, CheckResult, Folders, look, machine
    from linkdash.commands.signals import until_a_signal
    from linkdash.model.places import places
    from linkdash.startup.run_context import run_context

    output = CheckOutput(flags.format)
    try:
        places()
        for finding in machine():
            output.add(finding)
        with run_context(flags, environment) as place:
            if refusal := _refusal(place.settings):
                output.add(CheckResult("dashboard", refusal, good=False))
            folders = Folders(place.state, place.cache)
            checks = look(output, place.settings, folders, offline=flags.offline)
            return asyncio.run(until_a_signal(checks))
    except LinkdashError as error:
        output.add(CheckResult("settings", str(error), good=False))
        return output.status
    finally:
        output.end()


def serve_demo(flags: argparse.Namespace, _environment: Mapping[str, str]) -> int:
    """`linkdash demo-server`: serves until it is stopped."""
    from linkdash.startup.run_context import require_demo

    require_demo()
    import asyncio

    from linkdash.commands.signals import until_a_signal
    from linkdash.commands.standard_streams import say
    from linkdash.demo.server import serve_forever

    try:
        return asyncio.run(until_a_signal(serve_forever(flags.port, say, rate=flags.rate)))
    except EndedBySignal as ended:
        if ended.number == signal.SIGINT:  # nothing else is to end it
            return 0
        raise
