"""The context of a run: its settings, the folders for its state and cache, and the session opened there."""

import argparse
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from pydantic import SecretStr

from linkdash.api.errors import Misconfigured
from linkdash.commands.argument_types import USUAL_DAYS
from linkdash.commands.standard_streams import hide, tell
from linkdash.demo import DemoError
from linkdash.model.configuration_file import Configuration, read_configuration
from linkdash.model.gone import FLAGS, gone_words
from linkdash.model.places import places
from linkdash.model.settings import Flags, Settings, settings
from linkdash.store.folders import reports_folder

if TYPE_CHECKING:
    from linkdash.demo.server import Running
    from linkdash.model.session import Session
    from linkdash.startup.demo_history import DemoHistory

_LOOK_AT_KEPT = ("export", "journal", "list", "review", "undo")
"""The verbs that look at what was kept of lists and changes."""
_LOOK_BACK = ("mcp", "metrics")
"""The verbs that look at the history, too."""


class RunContext(NamedTuple):
    """The settings of a run, and the folders for its state and its cache."""

    settings: Settings
    state: Path
    cache: Path
    past: "DemoHistory | None" = None
    """The history that the demo is given before a session of it is opened."""


def run_context(
    flags: argparse.Namespace, environment: Mapping[str, str]
) -> AbstractContextManager[RunContext]:
    """The settings and folders of this run. Raises Misconfigured, DemoError on entering."""
    return _demo_context(flags) if flags.demo else _profile_context(flags, environment)


@contextmanager
def _demo_context(flags: argparse.Namespace) -> Iterator[RunContext]:
    """A run on the demo, whose service and folders end with it."""
    from linkdash.startup.demo_history import DemoHistory

    with _demo(flags) as (found, running), TemporaryDirectory() as folder:
        hide(found.api_key)
        place = Path(folder)
        with closing(DemoHistory(running, place, place)) as past:
            _write_past(past, flags, found)
            yield RunContext(found, place, place, past)


def _write_past(past: "DemoHistory", flags: argparse.Namespace, found: Settings) -> None:
    """Write as much of the demo's past as a verb looks back at."""
    match flags.command:
        case "collect":
            past.write_history(flags.qr or ())
        case "stats":
            past.write_history(flags.ids, days_looked_at(flags.since))
        case "report":
            words = () if flags.filter else (*flags.codes, *flags.qr)
            codes = [int(word) for word in words] if all(map(str.isdecimal, words)) else ()
            is_about_days = flags.first is None and flags.last is None
            days = {"days": days_looked_at(flags.since or USUAL_DAYS)} if is_about_days else {}
            past.write_history(codes, **days)
        case "alerts" if flags.check and found.alerts:
            past.write()
        case verb if verb in _LOOK_BACK:
            past.write()
        case verb if verb in _LOOK_AT_KEPT:
            past.write(history=False)


def days_looked_at(since: int) -> int:
    """Return how many days a period of whole days and the one before it reach back, and one more."""
    return 2 * since + 2


@contextmanager
def _profile_context(flags: argparse.Namespace, environment: Mapping[str, str]) -> Iterator[RunContext]:
    """A run with a profile of the configuration file."""
    given = Flags(flags.profile, flags.base_url, flags.read_only, flags.ascii)
    path, state, cache = places()
    configuration = read_configuration(path)
    found = settings(configuration, environment, given)
    hide_secrets(found)
    left_out = (*gone_flags(flags), *(f"{notice} It is left out." for notice in configuration.notices))
    if flags.command in (None, "doctor"):  # these tell it themselves
        found = replace(found, notices=left_out)
    else:
        for notice in left_out:
            tell(notice)
    yield RunContext(found, state, cache)


def hide_secrets(settings: Settings) -> None:
    """Keep the secrets of a profile out of all that is said."""
    for secret in settings.secrets:
        hide(secret)


@contextmanager
def _demo(flags: argparse.Namespace) -> "Iterator[tuple[Settings, Running]]":
    """The demo's service and key, with the user's preferences."""
    require_demo()
    from linkdash.demo.server import serve_in_thread

    preferred = preferred_configuration().file
    with serve_in_thread() as demo:
        found = Settings(
            "demo",
            demo.base_url,
            SecretStr(demo.api_key),
            read_only=flags.read_only,
            keeps_state=False,
            notices=gone_flags(flags),
            theme=preferred.theme,
            ascii=flags.ascii or preferred.ascii,
            keys=preferred.keys,
            commands=preferred.commands,
            alerts=preferred.alerts,
        )
        yield found, demo


def preferred_configuration() -> Configuration:
    """The configuration file, or the defaults where it cannot be used: the demo runs without."""
    try:
        return read_configuration(places()[0])
    except Misconfigured:
        return Configuration()


def require_demo() -> None:
    """Raise DemoError where what serves the demo is not installed."""
    if missing := [name for name in ("starlette", "uvicorn") if importlib.util.find_spec(name) is None]:
        raise DemoError(f"The demo needs {' and '.join(missing)}. Install them: pip install 'linkdash[demo]'")


def gone_flags(flags: argparse.Namespace) -> tuple[str, ...]:
    """The words about each flag that was given and is no more."""
    return tuple(f"{gone_words(name, FLAGS[name][1])}." for name in flags.gone)


def open_session(place: RunContext) -> "Session":
    """A session with the store of this place."""
    from linkdash.model.session import Session, opened_store, shared_budget

    settings, state = place.settings, place.state
    store = opened_store(settings, state, place.cache)
    shared = shared_budget(settings, state, store.team)
    return Session(settings, store, shared=shared, reports=reports_folder())
