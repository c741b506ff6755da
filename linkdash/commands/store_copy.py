"""`linkdash store copy`: what is kept, into a team's database or back."""

import argparse
import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from linkdash.commands.exit_status import FAILED, FINE, WrongUsage
from linkdash.commands.output import write_rows
from linkdash.commands.signals import until_a_signal
from linkdash.commands.standard_streams import hide, tell, tell_error
from linkdash.model.configuration_file import read_configuration
from linkdash.model.places import places
from linkdash.model.settings import Flags, team_store

_COUNT_TITLES = {"kind": "What", "there": "In FROM", "here": "In TO"}
_TELL_EVERY = 1.0  # seconds
_SCHEMES = ("postgresql", "postgres")


def copy_store(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Copy a store, and print how much there was and is there now. Raises LinkdashError."""
    path, state, _ = places()
    own, password = team_store(read_configuration(path), environment, Flags(profile=flags.profile))
    source, target = (_store_place(place, own, state) for place in (flags.source, flags.target))
    if source == target:
        raise WrongUsage("FROM and TO are the same store.", "Nothing was copied.")
    if "LINKDASH_STORE_PASSWORD" not in environment and own not in (source, target):
        password = None  # that of the profile is for the store of the profile
    if password is not None:
        hide(password)
    return asyncio.run(until_a_signal(_copy(source, target, password, flags.format)))


def _store_place(place: str, own: str, state: Path) -> str:
    """The folder or the address that an argument means."""
    if place == "files":
        return str(state)
    if place == "team":
        if not own:
            raise WrongUsage("The profile has no team store.", "Set store in the profile.")
        return own
    if urlsplit(place).scheme in _SCHEMES and urlsplit(place).password is not None:
        raise WrongUsage(
            "A password among the arguments can be read by every user of this machine.",
            "Set LINKDASH_STORE_PASSWORD, and leave it out.",
        )
    return place


async def _copy(source: str, target: str, password: SecretStr | None, form: str) -> int:
    from linkdash.store.store_copy import copy_shared, open_shared

    secret = None if password is None else password.get_secret_value()
    async with open_shared(source, secret, must_exist=True) as there, open_shared(target, secret) as here:
        try:
            copied = await copy_shared(there, here, _now_and_then(tell))
        except asyncio.CancelledError:
            tell("Not everything was copied. Run the same command again to continue.")
            raise
    counts = [{"kind": one.kind, "there": one.there, "here": one.here} for one in copied]
    write_rows(_COUNT_TITLES, counts, form)
    if all(one.is_complete for one in copied):
        tell("Everything was copied.")
        return FINE
    tell_error(
        "Not everything was copied: was something written meanwhile? Run the same command again to continue."
    )
    return FAILED


def _now_and_then(say: Callable[[str], object]) -> Callable[[str], None]:
    """Say no more than a line a second."""
    last = time.monotonic()

    def heard(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _TELL_EVERY:
            last = time.monotonic()
            say(line)

    return heard
