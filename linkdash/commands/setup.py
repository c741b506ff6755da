"""`linkdash setup` and `linkdash profiles`: writing and listing the profiles of the configuration file."""

import argparse
import asyncio
import shlex
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr

from linkdash.api.address import base_address, checked_key
from linkdash.api.resource import body_of
from linkdash.commands.output import json_line, write_rows
from linkdash.commands.running import WrongUsage
from linkdash.commands.streams import ask, ask_secret, hide, tell, write
from linkdash.config import (
    DEFAULT_PROFILE,
    configuration_schema,
    password_from_command,
    read_configuration,
    store_address,
)
from linkdash.model.profiles import (
    PLACES_OF_KEYS,
    KeyPlace,
    NewProfile,
    NewStore,
    account_of,
    save_profile,
    server_of,
)

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
        command = _words(ask("Command that prints the password:"))
        password = SecretStr(password_from_command(command))
        store = replace(store, place=place, command=command, password=password)
    else:
        typed = SecretStr(ask_secret("Password, empty for none (not shown): "))
        store = replace(store, place=place if typed.get_secret_value() else "file", password=typed)
    hide(store.password)
    tell(f"It works: {asyncio.run(server_of(store))}.")
    return store


def _words(text: str) -> list[str]:
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
