"""Setting up, and looking at what is set: `linkdash setup`, `profiles`, `doctor`, `store copy`.

The doctor says what is set, what the service says and where files lie, safe to paste into a ticket: no key,
no name of a person's folder and nothing of a proxy's address. It sends three requests at the most.
"""

import argparse
import asyncio
import importlib.metadata
import os
import platform
import shlex
import ssl
import stat
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from linkdash import __version__
from linkdash.api.address import base_address, checked_key
from linkdash.api.budget import Ticket
from linkdash.api.client import Endpoints
from linkdash.api.connection import Connection
from linkdash.api.errors import AdminRequired, ServiceError
from linkdash.api.gate import Gate
from linkdash.api.rate_headers import parse_rate_headers
from linkdash.api.resource import body_of
from linkdash.api.text import inert
from linkdash.commands.output import json_line, write_rows
from linkdash.commands.running import FAILED, FINE, WrongUsage, until_a_signal
from linkdash.commands.streams import ask, ask_secret, hide, tell, write
from linkdash.config import (
    DEFAULT_PROFILE,
    Flags,
    Settings,
    configuration_path,
    configuration_schema,
    password_from_command,
    read_configuration,
    store_address,
    team_store,
)
from linkdash.model.humanize import counted
from linkdash.model.profiles import (
    PLACES_OF_KEYS,
    KeyPlace,
    NewProfile,
    NewStore,
    account_of,
    save_profile,
    server_of,
)
from linkdash.store.database import StoreUnavailable

if TYPE_CHECKING:
    from linkdash.store.team import Team


_TITLES = {"name": "Profile", "used": "Used", "base_url": "Address", "key": "Key", "read_only": "Read-only"}

# ---- setup ----


def setup(flags: argparse.Namespace, path: Path) -> int:
    """Asks for a profile, tests it with one request, and writes it. Raises LinkdashError."""
    configuration = read_configuration(path)
    name = flags.profile or ask(f"Name of the profile [{DEFAULT_PROFILE}]:") or DEFAULT_PROFILE
    if name in configuration.file.profiles:
        tell(f"The profile {name!r} is there already: its address and key will be replaced.")
    address = base_address(flags.base_url or ask("Address of the service:"))
    place = _asked_place("the key")
    members: dict[str, object] = {"name": name, "base_url": address, "place": place}
    if place == "command":
        members["command"] = ask("Command that prints the key:")
    else:
        members["key"] = checked_key(ask_secret("API key (not shown): "))
    profile = body_of(NewProfile, members)
    key = profile.found_key()
    hide(key)
    account = asyncio.run(account_of(profile, key))
    tell(f"It works: {account.username or account.email} at {address.partition('://')[2]}.")
    color = ask("Color of its badge, such as red or #AA3355 [none]:")
    present = configuration.file.profiles.get(name)
    store = _asked_store(present.store if present is not None else "")
    save_profile(path, profile.model_copy(update={"color": color}), key, store)
    named = "" if name == DEFAULT_PROFILE else f" --profile {shlex.quote(name)}"
    tell(f"Wrote the profile to {path}. Run: linkdash{named}")
    return 0


def _asked_place(of: str) -> KeyPlace:
    """Where a secret is to be kept. Raises WrongUsage."""
    places = ", ".join(PLACES_OF_KEYS.names)
    match ask(f"Where to keep {of}, {places} [file]:") or "file":
        case "file" | "keyring" | "command" as place:
            return place
        case other:
            raise WrongUsage(f"{other!r} is no place for a secret.", f"Choose one of {places}.")


def _asked_store(present: str) -> NewStore | None:
    """A team's store that works; None for none, or for the one that is `present`. Raises LinkdashError."""
    text = ask(f"Team store, such as postgresql://linkdash@db.example.org/linkdash [{present or 'none'}]:")
    if not text:
        return None
    try:
        store = NewStore(store_address(text))
    except ValueError as error:
        raise WrongUsage(f"The address of the team store {error}.") from None
    place = _asked_place("its password")
    if place == "command":
        command = _command_words(ask("Command that prints the password:"))
        password = SecretStr(password_from_command(command))
        store = replace(store, place=place, command=command, password=password)
    else:
        typed = SecretStr(ask_secret("Password, empty for none (not shown): "))
        store = replace(store, place=place if typed.get_secret_value() else "file", password=typed)
    hide(store.password)
    tell(f"It works: {asyncio.run(server_of(store))}.")
    return store


def _command_words(text: str) -> list[str]:
    """A command and its arguments. Raises WrongUsage."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise WrongUsage("A quote is not closed.") from None
    if not words:
        raise WrongUsage("No command was given.")
    return words


# ---- profiles ----


def profiles(flags: argparse.Namespace, path: Path) -> int:
    """`linkdash profiles`: those there are, without keys; or the schema of the file. Raises Misconfigured."""
    if flags.schema:
        write(json_line(configuration_schema(), indent=2))
        return 0
    configuration = read_configuration(path)
    used = flags.profile or configuration.file.profile
    rows = [
        {
            "name": name,
            "used": name == used,
            "base_url": profile.base_url,
            "key": profile.key_place,
            "read_only": profile.read_only,
        }
        for name, profile in configuration.file.profiles.items()
    ]
    write_rows(_TITLES, rows, flags.format)
    if not rows:
        tell("There is no profile yet. linkdash setup writes one.")
    for notice in configuration.notices:
        tell(notice)
    return 0


# ---- doctor ----

_LIBRARIES = ("textual", "httpx", "pydantic", "plotext", "platformdirs")
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
_RATE_HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_LARGEST_PAGE = 1_000
_TLS_SECONDS = 10.0
_CLOCK_SECONDS = 2.0  # the Date of an answer is rounded to seconds, and the answer takes its time


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, what was found, and whether that is as it should be."""

    title: str
    words: str
    good: bool = True

    def __str__(self) -> str:
        return f"{'ok' if self.good else '!!'}  {self.title:<9} {inert(_without_home(self.words))}"


@dataclass(frozen=True)
class Folders:
    """Where the files of this run lie."""

    state: Path
    cache: Path


def _without_home(words: str) -> str:
    """What is said, without the name of the person whose home a path is in."""
    home = os.path.expanduser("~")  # Path.home() raises where there is none
    return words.replace(home + os.sep, f"~{os.sep}") if home != os.sep else words


# ---- doctor: this machine ----


def machine() -> Iterator[Finding]:
    """When and on what this was looked at, and where the configuration lies."""
    yield Finding("doctor", f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES)
    yield Finding("version", f"linkdash {__version__}, Python {platform.python_version()}, {versions}")
    yield Finding("system", f"{platform.system()} {platform.release()}, TERM={os.environ.get('TERM', '')}")
    yield file_finding("settings", configuration_path())


def file_finding(title: str, path: Path) -> Finding:
    """Where a file lies, how large it is and who can read it."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return Finding(title, f"{path}: not there yet")
    except OSError as error:
        return Finding(title, f"{path}: {error.strerror}", good=False)
    closed = os.name != "posix" or not stat.S_IMODE(status.st_mode) & 0o077
    others = "" if closed else "; others on this machine can read it"
    return Finding(title, f"{path}: {status.st_size / 1e6:.1f} MB{others}", good=closed)


def configured(settings: Settings) -> Iterator[Finding]:
    """Address, key and proxy, as far as they can be told."""
    yield Finding("profile", f"{settings.profile}{', read-only' if settings.read_only else ''}")
    yield Finding("address", settings.base_url)
    yield Finding("key", shape(settings.api_key.get_secret_value()))
    if names := proxies():
        yield Finding("proxy", f"the environment sets {', '.join(names)}")


def proxies() -> list[str]:
    """The settings of a proxy in the environment, by name: their values can hold a password."""
    return [name for name in _PROXIES if os.environ.get(name) or os.environ.get(name.lower())]


def shape(key: str) -> str:
    """What a key looks like, which does not help to guess it."""
    kinds = {"letters": str.isalpha, "digits": str.isdigit, "other characters": lambda c: not c.isalnum()}
    found = [kind for kind, is_kind in kinds.items() if any(map(is_kind, key))]
    return f"{len(key)} characters: {', '.join(found)} (not shown)"


async def kept(settings: Settings, folders: Folders) -> AsyncIterator[Finding]:
    """The files of state and cache, and what was learned of this service."""
    history = folders.state / "history.db"
    files = [folders.state / "state.db", history, folders.cache / "cache.db"]
    if settings.store:
        files[1:2] = [folders.state / "spool.db", *([history] if history.exists() else [])]
    for path in files:
        yield file_finding(path.stem, path)
    if not (settings.store or (folders.cache / "cache.db").exists()):
        return
    from linkdash.model.session import opened_store

    try:
        store = opened_store(settings, folders.state, folders.cache)
    except StoreUnavailable as error:
        yield Finding("team", str(error), good=False)
        return
    try:
        sizes = await store.pages.learned_caps()
        words = ", ".join(f"{path.removeprefix('/api/')} {size}" for path, size in sizes.items())
        yield Finding("kept", f"records a page learned: {words or 'none yet, so 100 are asked for'}")
        if store.team is not None:
            async for finding in team_findings(store.team):
                yield finding
    except StoreUnavailable as error:
        yield Finding("kept", str(error), good=False)
    finally:
        await store.close()
    for notice in store.notices:
        yield Finding("kept", notice, good=False)


async def team_findings(team: "Team") -> AsyncIterator[Finding]:
    """Whether a team's database is there, how fast it answers, and what waits here for it."""
    try:
        server = await team.server()
        begun = time.monotonic()
        await team.server()
        milliseconds = 1_000 * (time.monotonic() - begun)
        yield Finding("team", f"{team.name}: {server}, answers in {milliseconds:.0f} ms")
        await team.hand_in()
    except StoreUnavailable as error:
        yield Finding("team", str(error), good=False)
    if waiting := await team.waiting():
        yield Finding(
            "waiting", f"{counted(waiting, 'entry', 'entries')} kept here for the team's store", good=False
        )


# ---- doctor: the service ----


class _Listening(Gate):
    """A gate that remembers the headers of the last answer."""

    headers: Mapping[str, str] = {}
    answered_at = 0.0

    def answered(
        self, ticket: Ticket, status: int, headers: Mapping[str, str], *, rejected: bool | None = None
    ) -> bool:
        self.headers, self.answered_at = dict(headers), time.time()
        return super().answered(ticket, status, headers, rejected=rejected)


async def service(settings: Settings, folders: Folders) -> AsyncIterator[Finding]:
    """What three requests at the most find out; the first that fails is the last."""
    from linkdash.model.session import opened_store, shared_budget

    yield await tls_finding(settings.base_url)
    key = settings.api_key.get_secret_value()
    store = opened_store(settings, folders.state, folders.cache) if settings.store else None
    shared = shared_budget(settings, folders.state, None if store is None else store.team)
    gate = _Listening(shared=shared, wall=shared.wall)
    connection = Connection(settings.base_url, key, gate=gate, retries=0)
    try:
        async for finding in _service_findings(Endpoints(connection), gate):
            yield finding
    except ServiceError as error:
        yield Finding("service", str(error), good=False)
    finally:
        await connection.close()
        gate.close()
        shared.close()
        if store is not None:
            await store.close()
    if gate.headers:
        yield clock_finding(gate.headers, gate.answered_at)
        yield rate_finding(gate.headers)
    place = "on this machine" if store is None else "and this team store"
    words = f"every linkdash with this key {place} shares the budget"
    yield Finding("sharing", gate.sharing or words, good=gate.sharing is None)


async def _service_findings(endpoints: Endpoints, gate: _Listening) -> AsyncIterator[Finding]:
    begun = time.monotonic()
    await endpoints.account.get()
    yield Finding("service", f"it accepts the key, and answered in {time.monotonic() - begun:.1f} s")
    try:
        plans = await endpoints.plans.list()
    except AdminRequired:
        yield Finding("admin", "no: plans and users are not for this key")
    else:
        yield Finding("admin", f"yes: the key sees {len(plans)} plans")
    page = await endpoints.domains.list(page=1, limit=_LARGEST_PAGE)
    given = "not told by the service" if page.perpage is None else f"{page.perpage:,}"
    yield Finding("page", f"{_LARGEST_PAGE:,} records asked for at once, given at the most: {given}")


async def tls_finding(base_url: str) -> Finding:
    """How the connection is protected: one handshake, no request."""
    parts = urlsplit(base_url)
    if parts.scheme == "http":
        return Finding("TLS", "none: plain http, which does not leave this machine")
    if proxies():
        return Finding("TLS", "not looked at: there may be a proxy between")
    try:
        async with asyncio.timeout(_TLS_SECONDS):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or 443, ssl=ssl.create_default_context()
            )
    except (OSError, TimeoutError) as error:
        reason = error.verify_message if isinstance(error, ssl.SSLCertVerificationError) else "no connection"
        return Finding("TLS", f"no trusted connection: {inert(reason)}", good=False)
    connection = writer.get_extra_info("ssl_object")
    writer.close()
    return Finding("TLS", f"{connection.version()}, trusted until {connection.getpeercert()['notAfter']}")


def clock_finding(headers: Mapping[str, str], answered_at: float) -> Finding:
    """How far the clock of this machine is from the service's; `answered_at` is in seconds since 1970."""
    text = _header(headers, "Date")
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return Finding("clock", "the service does not tell the time")
    off = answered_at - moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    if abs(off) <= _CLOCK_SECONDS:
        return Finding("clock", "as the service's")
    side = "ahead of" if off > 0 else "behind"
    return Finding("clock", f"{abs(off):,.0f} s {side} the service's; the budget does not depend on it")


def rate_finding(headers: Mapping[str, str]) -> Finding:
    """What the rate headers of an answer are, and how they are understood (reference: Limits)."""
    shown = ", ".join(f"{name}: {_header(headers, name) or '(missing)'}" for name in _RATE_HEADERS)
    rate = parse_rate_headers(headers)
    if rate.limit is None and rate.remaining is None:
        return Finding("rate", f"{shown}. Not understood: the budget is learned from refusals", good=False)
    reset = "not believed" if rate.reset_in is None else f"in {rate.reset_in:.0f} s"
    return Finding(
        "rate", f"{shown}. So {rate.remaining} of {rate.limit} are left; reset {reset} ({rate.spelling})"
    )


def _header(headers: Mapping[str, str], name: str) -> str:
    found = next((value for known, value in headers.items() if known.lower() == name.lower()), "")
    return inert(found)[:60]


# ---- doctor: all of it ----


async def look(settings: Settings, state: Path, cache: Path, *, offline: bool) -> int:
    """Writes everything there is to find out; the exit status, fine where all of it is as it should be."""
    good = True
    async for finding in examine(settings, Folders(state, cache), offline=offline):
        write(str(finding))
        good = good and finding.good
    return FINE if good else FAILED


async def examine(settings: Settings, folders: Folders, *, offline: bool) -> AsyncIterator[Finding]:
    """Everything there is to find out; sends nothing if `offline`."""
    for finding in configured(settings):
        yield finding
    async for finding in kept(settings, folders):
        yield finding
    if offline:
        yield Finding("service", "not asked: --offline")
        return
    async for finding in service(settings, folders):
        yield finding


# ---- another store ----

_COUNT_TITLES = {"kind": "What", "there": "In FROM", "here": "In TO"}
_TELL_EVERY = 1.0  # seconds
_SCHEMES = ("postgresql", "postgres")


def copy_store(flags: argparse.Namespace, environment: Mapping[str, str], path: Path, state: Path) -> int:
    """Copies, and writes how much there was and is there now. Raises LinkdashError.

    `path` is that of the configuration file, and `state` the folder of this machine's files.
    """
    own, password = team_store(read_configuration(path), environment, Flags(profile=flags.profile))
    source, target = (_store_place(place, own, state) for place in (flags.source, flags.target))
    if source == target:
        raise WrongUsage("FROM and TO are the same store.", "Nothing was copied.")
    if "LINKDASH_STORE_PASSWORD" not in environment and own not in (source, target):
        password = None  # that of the profile is for the store of the profile
    if password is not None:
        hide(password)
    return asyncio.run(until_a_signal(_copy(source, target, password)))


def _store_place(place: str, own: str, state: Path) -> str:
    """The folder or the address that an argument means."""
    if place == "files":
        return str(state)
    if place == "team":
        if not own:
            raise WrongUsage("The profile names no team's store.", "Set store in the profile.")
        return own
    if urlsplit(place).scheme in _SCHEMES and urlsplit(place).password is not None:
        raise WrongUsage(
            "A password among the arguments can be read by every user of this machine.",
            "Set LINKDASH_STORE_PASSWORD, and leave it out.",
        )
    return place


async def _copy(source: str, target: str, password: SecretStr | None) -> int:
    from linkdash.store.store import copy_shared, open_shared

    secret = None if password is None else password.get_secret_value()
    async with open_shared(source, secret, must_exist=True) as there, open_shared(target, secret) as here:
        try:
            copied = await copy_shared(there, here, _now_and_then(tell))
        except asyncio.CancelledError:
            tell("Not all of it is there. The same command goes on.")
            raise
    write_rows(
        _COUNT_TITLES, [{"kind": one.kind, "there": one.there, "here": one.here} for one in copied], "table"
    )
    if all(one.is_complete for one in copied):
        tell("All of it is there.")
        return FINE
    tell("Not all of it is there: was something written meanwhile? The same command goes on.")
    return FAILED


def _now_and_then(say: Callable[[str], object]) -> Callable[[str], None]:
    """Says no more than a line a second."""
    last = time.monotonic()

    def heard(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _TELL_EVERY:
            last = time.monotonic()
            say(line)

    return heard
