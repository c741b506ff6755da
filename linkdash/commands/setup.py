"""`linkdash setup` and `linkdash profiles`: writing and listing the profiles of the configuration file."""

import argparse
import asyncio
import getpass
import json
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import SecretStr

from linkdash.api.account import Account
from linkdash.api.address import base_address, checked_key
from linkdash.api.client import Client
from linkdash.api.errors import Misconfigured
from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.output import json_line, write_rows
from linkdash.commands.streams import ask, hide, tell, write
from linkdash.config import (
    DEFAULT_PROFILE,
    KEYRING_SERVICE,
    Settings,
    configuration_schema,
    key_from_command,
    read_configuration,
    with_keyring,
)
from linkdash.model.files import replace_text
from linkdash.store.files import private_folder

Members = Mapping[str, str | bool | list[str]]

_KEY_PLACES = ("file", "keyring", "command")
_OF_KEYS = ("api_key", "key_command", "keyring")
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
    command = shlex.split(ask("Command that prints the key:")) if place == "command" else []
    key = key_from_command(command) if command else checked_key(_typed_key())
    settings = Settings(name, address, _secret(key))
    account = asyncio.run(_account(settings))
    tell(f"It works: {account.username or account.email} at {settings.host}.")
    members: dict[str, str | bool | list[str]] = {"base_url": address}
    match place:
        case "file":
            members["api_key"] = key
        case "command":
            members["key_command"] = command
        case _:
            with_keyring(lambda keyring: keyring.set_password(KEYRING_SERVICE, name, key))
            members["keyring"] = True
    if color := ask("Colour of its badge, such as red or #AA3355 [none]:"):
        members["color"] = color
    _write(path, name, members)
    profile = "" if name == DEFAULT_PROFILE else f" --profile {shlex.quote(name)}"
    tell(f"Wrote the profile to {path}. Run: linkdash{profile}")
    return 0


def _typed_key() -> str:
    """The key as it is typed, not shown; a line of standard input where that is no terminal."""
    if sys.stdin.isatty():
        return getpass.getpass("API key (not shown): ")
    return ask("API key:")


def _secret(key: str) -> SecretStr:
    secret = SecretStr(key)
    hide(secret)
    return secret


async def _account(settings: Settings) -> Account:
    async with Client(settings.base_url, settings.api_key, share=True) as client:
        return await client.account.get()


def _write(path: Path, name: str, members: Members) -> None:
    """Replaces the file; a link to it stays one. Raises Misconfigured, NotSaved."""
    real = path.resolve()
    text = real.read_text("utf-8-sig") if real.exists() else ""
    private_folder(path.parent)
    replace_text(real, with_profile(text, name, members))


# ---- the text of the file ----

_HEADER = re.compile(r"\s*\[(.*)\]\s*(?:#.*)?")
_SETTING = re.compile(r"(\s*([\w-]+)\s*=\s*)(.*?)(\s*#[^\"']*)?")


def with_profile(text: str, name: str, members: Members) -> str:
    """A configuration with an address and a key in a profile; comments and all else stay as they are.

    Raises Misconfigured where the file is written so that single lines cannot be changed.
    """
    header = f"[profiles.{name if re.fullmatch(r'[A-Za-z0-9_-]+', name) else json.dumps(name)}]"
    wanted = {setting: json.dumps(value, ensure_ascii=False) for setting, value in members.items()}
    lines: list[str] = []
    inside, at = False, None
    for line in text.splitlines():
        setting = _SETTING.fullmatch(line)
        if _HEADER.fullmatch(line) and not setting:
            inside = _table(line) == {"profiles": {name: {}}}
            at = len(lines) + 1 if inside else at
        elif inside and setting and setting[2] in wanted:
            line = f"{setting[1]}{wanted.pop(setting[2])}{setting[4] or ''}"
        elif inside and setting and setting[2] in _OF_KEYS:
            continue
        lines.append(line)
    if at is None:
        lines += ["", header] if lines else [header]
        at = len(lines)
    lines[at:at] = [f"{setting} = {value}" for setting, value in wanted.items()]
    if "profile" not in (before := _parsed(text)) and not before.get("profiles") and name != DEFAULT_PROFILE:
        lines[:0] = [f"profile = {json.dumps(name)}", ""]
    changed = "\n".join(lines) + "\n"
    if _profile(changed, name) != {**_without_key(_profile(text, name)), **members}:
        raise Misconfigured("The configuration file cannot be changed by lines.", f"Add {header} by hand.")
    return changed


def _table(line: str) -> object:
    """What a header line alone makes; nothing where it is part of something else."""
    try:
        return tomllib.loads(line)
    except ValueError:
        return None


def _parsed(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise Misconfigured(f"The configuration file is not valid TOML: {error}.") from None


def _profile(text: str, name: str) -> Mapping[str, object]:
    profiles = _parsed(text).get("profiles")
    profile = profiles.get(name) if isinstance(profiles, dict) else None
    return profile if isinstance(profile, dict) else {}


def _without_key(profile: Mapping[str, object]) -> dict[str, object]:
    return {setting: value for setting, value in profile.items() if setting not in _OF_KEYS}


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
