"""`linkdash doctor`: checks of machine, configuration, network and service."""

import asyncio
import importlib.metadata
import os
import platform
import sqlite3
import ssl
import stat
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from linkdash import __version__
from linkdash.api.budget.gate import Gate
from linkdash.api.budget.rate_headers import date_of, parse_rate_headers
from linkdash.api.client import Endpoints
from linkdash.api.errors import AdminRequired, ServiceError
from linkdash.api.http.connection import Connection
from linkdash.api.http.proxies import proxy_of, unreadable_exceptions
from linkdash.api.http.request import Hooks, Observed
from linkdash.api.inert_text import inert
from linkdash.commands.exit_status import FAILED, FINE
from linkdash.commands.output import RowOutput
from linkdash.model.configuration_file import configuration_path
from linkdash.model.humanize import counted, size_words
from linkdash.model.local_time import distance_words
from linkdash.model.settings import Settings
from linkdash.store.database import StoreUnavailable

if TYPE_CHECKING:
    from linkdash.store.team import Team


_LIBRARIES = ("textual", "httpx", "pydantic", "plotext", "platformdirs")
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
_RATE_HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_LARGEST_PAGE = 1_000
_LOCK_SECONDS = 2.0
_TLS_SECONDS = 10.0
_COLUMNS = ("check", "ok", "finding")
_WRONG_CLOCK_SECONDS = 300.0  # readings are dated by the service from here on
_CLOCK_SECONDS = 2.0  # the Date of an answer is rounded to seconds, and the answer takes its time


@dataclass(frozen=True)
class CheckResult:
    """A line: the subject of a check, its finding, and whether that is as it should be."""

    title: str
    words: str
    good: bool = True

    def __str__(self) -> str:
        return f"{'ok' if self.good else '!!'}  {self.title:<9} {self._shown}"

    @property
    def members(self) -> Mapping[str, object]:
        """The same for a program."""
        return {"check": self.title, "ok": self.good, "finding": self._shown}

    @property
    def _shown(self) -> str:
        return _without_home(self.words)


@dataclass(frozen=True)
class Folders:
    """The folders that hold the files of this run."""

    state: Path
    cache: Path


def _without_home(words: str) -> str:
    """Return the text without the user's name in paths of the home folder."""
    home = os.path.expanduser("~")  # Path.home() raises where there is none
    return words.replace(home + os.sep, f"~{os.sep}") if home != os.sep else words


# ---- this machine ----


def machine() -> Iterator[CheckResult]:
    """The moment and the machine of this check, and the path of the configuration."""
    yield CheckResult("doctor", f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES)
    yield CheckResult("version", f"linkdash {__version__}, Python {platform.python_version()}, {versions}")
    yield CheckResult(
        "system", f"{platform.system()} {platform.release()}, TERM={os.environ.get('TERM', '')}"
    )
    yield file_finding("settings", configuration_path())


def file_finding(title: str, path: Path) -> CheckResult:
    """Return where a file lies, how large it is and who can read it."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return CheckResult(title, f"{path}: not there yet")
    except OSError as error:
        return CheckResult(title, f"{path}: {error.strerror}", good=False)
    closed = os.name != "posix" or not stat.S_IMODE(status.st_mode) & 0o077
    others = "" if closed else "; others on this machine can read it"
    return CheckResult(title, f"{path}: {size_words(status.st_size)}{others}", good=closed)


def lock_finding(path: Path) -> CheckResult | None:
    """Say that a database cannot be written now, and why; None where it can be written."""
    try:
        connection = sqlite3.connect(path, timeout=_LOCK_SECONDS, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        finally:
            connection.close()
    except sqlite3.Error as error:
        return CheckResult(path.stem, f"{path}: nothing can be kept now: {error}", good=False)
    return None


def configured(settings: Settings) -> Iterator[CheckResult]:
    """Profile, address, key and proxy, as far as they can be told, and what the configuration has in vain."""
    for notice in settings.notices:
        yield CheckResult("settings", notice, good=False)
    yield CheckResult("profile", f"{settings.profile}{', read-only' if settings.read_only else ''}")
    yield CheckResult("address", settings.base_url)
    yield CheckResult("key", shape(settings.api_key.get_secret_value()))
    if names := proxies():
        way = "and this address goes through it" if proxy_of(settings.base_url) else "not for this address"
        yield CheckResult("proxy", f"the environment sets {', '.join(names)}, {way}")
    if left_out := unreadable_exceptions():
        words = f"left out of NO_PROXY, as neither a name nor an address: {', '.join(left_out)}"
        yield CheckResult("proxy", words, good=False)


def proxies() -> list[str]:
    """The settings of a proxy in the environment, by name: their values can hold a password."""
    return [name for name in _PROXIES if os.environ.get(name) or os.environ.get(name.lower())]


def shape(key: str) -> str:
    """Return the shape of a key, which does not help to guess it."""
    kinds = {"letters": str.isalpha, "digits": str.isdigit, "other characters": lambda c: not c.isalnum()}
    found = [kind for kind, is_kind in kinds.items() if any(map(is_kind, key))]
    return f"{len(key)} characters: {', '.join(found)} (not shown)"


async def kept(settings: Settings, folders: Folders) -> AsyncIterator[CheckResult]:
    """The files of state and cache, and what was learned of this service."""
    history = folders.state / "history.db"
    files = [folders.state / "state.db", history, folders.cache / "cache.db"]
    if settings.store:
        files[1:2] = [folders.state / "spool.db", *([history] if history.exists() else [])]
    for path in files:
        yield file_finding(path.stem, path)
        if path.exists() and (locked := await asyncio.to_thread(lock_finding, path)) is not None:
            yield locked
    if not (settings.store or (folders.cache / "cache.db").exists()):
        return
    from linkdash.model.session import opened_store
    from linkdash.model.session_services import DISTANCE

    try:
        store = opened_store(settings, folders.state, folders.cache)
    except StoreUnavailable as error:
        yield CheckResult("team", str(error), good=False)
        return
    try:
        minutes = await store.preferences.load(DISTANCE)
        if isinstance(minutes, int):
            away = distance_words(timedelta(minutes=minutes))
        else:
            away = (
                "not learned yet, taken for this machine's: where it is another, left<0d and the like are "
                "hours off; a record made here tells"
            )
        yield CheckResult("time", f"the service's own time: {away}")
        sizes = await store.pages.page_sizes()
        words = ", ".join(f"{path.removeprefix('/api/')} {size}" for path, size in sizes.items())
        yield CheckResult("kept", f"records a page learned: {words or 'none yet, so 100 are asked for'}")
        if store.team is not None:
            async for finding in team_findings(store.team):
                yield finding
    except StoreUnavailable as error:
        yield CheckResult("kept", str(error), good=False)
    finally:
        await store.close()
    for notice in store.notices:
        yield CheckResult("kept", notice, good=False)


async def team_findings(team: "Team") -> AsyncIterator[CheckResult]:
    """Check that a team's database is there, how fast it answers, and what waits here for it."""
    try:
        server = await team.server()
        begun = time.monotonic()
        await team.server()
        milliseconds = 1_000 * (time.monotonic() - begun)
        yield CheckResult("team", f"{team.name}: {server}, answers in {milliseconds:.0f} ms")
        await team.hand_in()
    except StoreUnavailable as error:
        yield CheckResult("team", str(error), good=False)
    if waiting := await team.waiting():
        yield CheckResult(
            "waiting", f"{counted(waiting, 'entry', 'entries')} kept here for the team's store", good=False
        )


# ---- the service ----


async def service(settings: Settings, folders: Folders) -> AsyncIterator[CheckResult]:
    """Return what three requests at the most find out; the first that fails is the last."""
    from linkdash.model.session import opened_store, shared_budget

    yield await tls_finding(settings.base_url)
    key = settings.api_key.get_secret_value()
    store = opened_store(settings, folders.state, folders.cache) if settings.store else None
    shared = shared_budget(settings, folders.state, None if store is None else store.team)
    gate = Gate(shared=shared, wall=shared.wall)
    answers: list[tuple[Observed, float]] = []
    hooks = Hooks(answer=lambda answer: answers.append((answer, time.time())))
    connection = Connection(settings.base_url, key, gate=gate, retries=0, hooks=hooks)
    try:
        async for finding in _service_findings(Endpoints(connection.send)):
            yield finding
    except ServiceError as error:
        yield CheckResult("service", str(error), good=False)
    finally:
        await connection.close()
        gate.close()
        shared.close()
        if store is not None:
            await store.close()
    if heard := [(answer.headers, at) for answer, at in answers if answer.headers]:
        headers, answered_at = heard[-1]
        yield clock_finding(headers, answered_at)
        yield rate_finding(headers)
    place = "on this machine" if store is None else "and this team store"
    words = f"every linkdash with this key {place} shares the budget"
    yield CheckResult("sharing", gate.sharing or words, good=gate.sharing is None)


async def _service_findings(endpoints: Endpoints) -> AsyncIterator[CheckResult]:
    begun = time.monotonic()
    await endpoints.account.get()
    yield CheckResult("service", f"it accepts the key, and answered in {time.monotonic() - begun:.1f} s")
    try:
        plans = await endpoints.plans.list()
    except AdminRequired:
        yield CheckResult("admin", "no: plans and users are not for this key")
    else:
        yield CheckResult("admin", f"yes: the key sees {len(plans)} plans")
    page = await endpoints.domains.list(page=1, limit=_LARGEST_PAGE)
    given = "not reported by the service" if page.perpage is None else f"{page.perpage:,}"
    yield CheckResult("page", f"{_LARGEST_PAGE:,} records asked for at once, returned at most: {given}")


async def tls_finding(base_url: str) -> CheckResult:
    """Return how the connection is protected: one handshake, no request."""
    parts = urlsplit(base_url)
    if parts.scheme == "http":
        return CheckResult("TLS", "none: plain http, which does not leave this machine")
    if proxy_of(base_url):
        return CheckResult("TLS", "not checked: there is a proxy in between")
    try:
        async with asyncio.timeout(_TLS_SECONDS):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or 443, ssl=ssl.create_default_context()
            )
    except (OSError, TimeoutError) as error:
        reason = (
            error.verify_message if isinstance(error, ssl.SSLCertVerificationError) else "connection failed"
        )
        return CheckResult("TLS", f"no trusted connection: {reason}", good=False)
    connection = writer.get_extra_info("ssl_object")
    writer.close()
    return CheckResult("TLS", f"{connection.version()}, trusted until {connection.getpeercert()['notAfter']}")


def clock_finding(headers: Mapping[str, str], answered_at: float) -> CheckResult:
    """Return how far this machine's clock is from the service's; `answered_at` is in seconds since 1970."""
    moment = date_of(headers)
    if moment is None:
        return CheckResult("clock", "the service does not send its time")
    off = answered_at - moment.timestamp()
    if abs(off) <= _CLOCK_SECONDS:
        return CheckResult("clock", "same as the service's")
    side = "ahead of" if off > 0 else "behind"
    words = f"{abs(off):,.0f} s {side} the service's; the budget does not depend on it"
    return CheckResult("clock", words, good=abs(off) <= _WRONG_CLOCK_SECONDS)


def rate_finding(headers: Mapping[str, str]) -> CheckResult:
    """Return the rate headers of an answer and what they mean (reference: Limits)."""
    shown = ", ".join(f"{name}: {_header(headers, name) or '(missing)'}" for name in _RATE_HEADERS)
    rate = parse_rate_headers(headers)
    if rate.limit is None and rate.remaining is None:
        return CheckResult(
            "rate", f"{shown}. Not understood: the budget is learned from refusals", good=False
        )
    reset = "not believed" if rate.reset_in is None else f"in {rate.reset_in:.0f} s"
    return CheckResult(
        "rate", f"{shown}. So {rate.remaining} of {rate.limit} are left; reset {reset} ({rate.spelling})"
    )


def _header(headers: Mapping[str, str], name: str) -> str:
    found = next((value for known, value in headers.items() if known.lower() == name.lower()), "")
    return inert(found)[:60]


# ---- all of it ----


class CheckOutput:
    """The findings as they come, and the exit status that they are."""

    def __init__(self, form: str) -> None:
        self.status = FINE
        """Fine where all of it is as it should be."""
        self._rows = RowOutput(form, _COLUMNS)

    def add(self, finding: CheckResult) -> None:
        """Write a finding."""
        self._rows.add(finding.members, str(finding))
        self.status = self.status if finding.good else FAILED

    def end(self) -> None:
        """Write what a format has at its end."""
        self._rows.end()


async def look(output: CheckOutput, settings: Settings, folders: Folders, *, offline: bool) -> int:
    """Write everything there is to find out; the exit status."""
    async for finding in examine(settings, folders, offline=offline):
        output.add(finding)
    return output.status


async def examine(settings: Settings, folders: Folders, *, offline: bool) -> AsyncIterator[CheckResult]:
    """Everything there is to find out; sends nothing if `offline`."""
    for finding in configured(settings):
        yield finding
    async for finding in kept(settings, folders):
        yield finding
    if offline:
        yield CheckResult("service", "skipped: --offline")
        return
    async for finding in service(settings, folders):
        yield finding
