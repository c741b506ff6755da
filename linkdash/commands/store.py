"""What is kept: `linkdash journal` lists the changes, `linkdash store copy` takes all of it to another store.

That is from files to a team's database or back, with the counts compared.
"""

import argparse
import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from linkdash.commands.output import write_rows
from linkdash.commands.running import FAILED, FINE, WrongUsage, until_a_signal
from linkdash.commands.streams import hide, tell
from linkdash.config import Flags, read_configuration, team_store

if TYPE_CHECKING:
    from linkdash.model.session import Session
    from linkdash.store.journal import JournalEntry

# ---- the journal ----

_TITLES = {
    "id": "Id",
    "when": "When",
    "outcome": "Outcome",
    "what": "What",
    "person": "Person",
    "machine": "Machine",
    "requests": "Requests",
    "message": "Message",
}


async def journal(session: "Session", flags: argparse.Namespace) -> int:
    """Lists changes, the newest first; with --check it finds out first what became of the unknown."""
    store = session.store.journal
    if flags.check:
        for entry in await store.unknown():
            found = await session.check(entry.intent, entry)
            tell(f"{entry.intent.summary}: {found.message}")
    person, machine = flags.person, flags.machine
    if flags.unknown:
        entries = [entry for entry in await store.unknown() if is_by(entry, person, machine)]
    else:
        entries = await store.recent(flags.limit, user=person, host=machine)
    write_rows(_TITLES, [row(entry) for entry in entries], flags.format)
    return 0


def is_by(entry: "JournalEntry", person: str | None, machine: str | None) -> bool:
    """Whether a change was made by a person and on a machine; None for any."""
    return person in (None, entry.author.user) and machine in (None, entry.author.host)


def row(entry: "JournalEntry") -> dict[str, object]:
    """An entry by the names of its columns."""
    outcome = entry.outcome.value if entry.outcome is not None else "sending"
    if entry.settlement is not None:
        outcome = "done after all" if entry.settlement.happened else "not done"
    return {
        "id": entry.id,
        "when": entry.begun.astimezone().isoformat(" ", "seconds"),
        "outcome": outcome,
        "what": entry.intent.summary,
        "person": entry.author.user,
        "machine": entry.author.host,
        "requests": entry.requests,
        "message": entry.settlement.message if entry.settlement is not None else entry.message,
    }


# ---- copying ----

_COUNT_TITLES = {"kind": "What", "there": "In FROM", "here": "In TO"}
_TELL_EVERY = 1.0  # seconds
_SCHEMES = ("postgresql", "postgres")


def copy_store(flags: argparse.Namespace, environment: Mapping[str, str], path: Path, state: Path) -> int:
    """Copies, and writes how much there was and is there now. Raises LinkdashError.

    `path` is that of the configuration file, and `state` the folder of this machine's files.
    """
    own, password = team_store(read_configuration(path), environment, Flags(profile=flags.profile))
    source, target = (_place(place, own, state) for place in (flags.source, flags.target))
    if source == target:
        raise WrongUsage("FROM and TO are the same store.", "Nothing was copied.")
    if "LINKDASH_STORE_PASSWORD" not in environment and own not in (source, target):
        password = None  # that of the profile is for the store of the profile
    if password is not None:
        hide(password)
    return asyncio.run(until_a_signal(_copy(source, target, password)))


def _place(place: str, own: str, state: Path) -> str:
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
    from linkdash.store.copying import copy, opened

    secret = None if password is None else password.get_secret_value()
    async with opened(source, secret, must_exist=True) as there, opened(target, secret) as here:
        try:
            copied = await copy(there, here, _now_and_then(tell))
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
