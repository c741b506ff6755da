"""`linkdash setup` and `linkdash profiles`: writing and listing the profiles of the configuration file."""

import argparse
import asyncio
import getpass
import shlex
import sys
from pathlib import Path

from linkdash.api.address import base_address, checked_key
from linkdash.api.resource import body_of
from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.output import json_line, write_rows
from linkdash.commands.streams import ask, hide, tell, write
from linkdash.config import DEFAULT_PROFILE, configuration_schema, read_configuration
from linkdash.model.profiles import PLACES_OF_KEYS, NewProfile, account_of, save_profile

_KEY_PLACES = tuple(PLACES_OF_KEYS.names)
_TITLES = {"name": "Profile", "used": "Used", "base_url": "Address", "key": "Key", "read_only": "Read-only"}

# ---- setup ----


def setup(flags: argparse.Namespace, path: Path) -> int:
    """Asks for a profile, tests it with one request, and writes it. Raises LinkdashError."""
    configuration = read_configuration(path)
    name = flags.profile or ask(f"Name of the profile [{DEFAULT_PROFILE}]:") or DEFAULT_PROFILE
    if name in configuration.file.profiles:
        tell(f"The profile {name!r} is there already: its address and key will be replaced.")
    address = base_address(flags.base_url or ask("Address of the service:"))
    place = ask(f"Where to keep the key, {', '.join(_KEY_PLACES)} [file]:") or "file"
    if place not in _KEY_PLACES:
        raise WrongUsage(f"{place!r} is no place for a key.", f"Choose one of {', '.join(_KEY_PLACES)}.")
    members: dict[str, object] = {"name": name, "base_url": address, "place": place}
    if place == "command":
        members["command"] = ask("Command that prints the key:")
    else:
        members["key"] = checked_key(_typed_key())
    profile = body_of(NewProfile, members)
    key = profile.found_key()
    hide(key)
    account = asyncio.run(account_of(profile, key))
    tell(f"It works: {account.username or account.email} at {address.partition('://')[2]}.")
    color = ask("Colour of its badge, such as red or #AA3355 [none]:")
    save_profile(path, profile.model_copy(update={"color": color}), key)
    named = "" if name == DEFAULT_PROFILE else f" --profile {shlex.quote(name)}"
    tell(f"Wrote the profile to {path}. Run: linkdash{named}")
    return 0


def _typed_key() -> str:
    """The key as it is typed, not shown; a line of standard input where that is no terminal."""
    if sys.stdin.isatty():
        return getpass.getpass("API key (not shown): ")
    return ask("API key:")


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
    for notice in configuration.notices:
        tell(notice)
    return 0
