"""`linkdash setup`: asks for address and key, tests them, writes a profile."""

import argparse
import asyncio
import shlex
import sys
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from pydantic import SecretStr

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody, KeyRefused, LinkdashError, Misconfigured, ServiceError
from linkdash.api.http.address import base_address, checked_key
from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.standard_streams import (
    Loudness,
    ask,
    ask_secret,
    hide,
    read_line,
    tell_between_questions,
)
from linkdash.model.badge_color import check_badge_color
from linkdash.model.configuration_file import DEFAULT_PROFILE, Profile, read_configuration, store_address
from linkdash.model.key_command_and_keyring import password_from_command
from linkdash.model.places import places
from linkdash.model.profiles import (
    KeyPlace,
    NewProfile,
    NewStore,
    account_of,
    save_profile,
    saved_words,
    server_of,
)
from linkdash.store.database import StoreUnavailable

T = TypeVar("T")

_MISTAKES = (WrongUsage, Misconfigured, InvalidBody, KeyRefused)
_PLACES = "file or keyring"
_TRIES = 5
"""The most times that a question is asked."""


def setup(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """`linkdash setup`: writes a profile."""
    set_up(flags, environment)
    return FINE


def set_up(flags: argparse.Namespace, environment: Mapping[str, str]) -> str:
    """Write a profile that was tested with one request; ask for it, or take it from flags. Return its name.

    The key is no flag, which every user of a machine could read. Off a terminal that of the environment is
    taken where there is one. Raises LinkdashError.
    """
    if flags.demo:
        raise WrongUsage("The demo needs no profile.", "Leave --demo out.")
    path, _, _ = places()
    configuration = read_configuration(path)
    color = _badge_color(flags.color)
    base_url = flags.base_url or environment.get("LINKDASH_BASE_URL", "")
    key = environment.get("LINKDASH_API_KEY", "") if base_url else ""
    asks = not (flags.key_stdin or flags.key_command or (key and not sys.stdin.isatty()))
    name = flags.profile or environment.get("LINKDASH_PROFILE", "")
    if asks and not name:
        name = ask(f"Name of the profile [{DEFAULT_PROFILE}]:")
    name = name or DEFAULT_PROFILE
    present = configuration.file.profiles.get(name, Profile())
    if name in configuration.file.profiles:
        _tell(f"The profile {name!r} exists: its address and key will be replaced.")
    if asks:
        profile, found = _until_right(
            lambda: _asked_profile(flags, name, present), *(() if flags.base_url else (ServiceError,))
        )
        color = color or _until_right(_asked_color, *_MISTAKES)
        store = _until_right(lambda: _asked_store(present.store), *_MISTAKES, StoreUnavailable)
    else:
        profile, found = _given_profile(flags, name, base_url, key)
        store = None
    if found.get_secret_value() in (name, color):
        raise WrongUsage("The key was typed as the profile's name or color.", "Nothing was written.")
    profile = profile.model_copy(update={"color": color, "read_only": flags.read_only})
    save_profile(path, profile, found, store)
    changes = " It allows no changes." if flags.read_only or present.read_only else ""
    named = "" if name == DEFAULT_PROFILE else f" --profile {shlex.quote(name)}"
    _tell(f"{saved_words(path, profile.place)}{changes} Run: linkdash{named}")
    return name


def _given_profile(
    flags: argparse.Namespace, name: str, base_url: str, key: str
) -> tuple[NewProfile, SecretStr]:
    """A profile out of flags and environment, tested, and its key; nothing is asked. Raises LinkdashError."""
    if not base_url:
        raise WrongUsage("The address is missing.", "Give --base-url.")
    if flags.keyring and flags.key_command:
        raise WrongUsage("A key that a command prints is not kept.", "Leave --keyring out.")
    place = "command" if flags.key_command else "keyring" if flags.keyring else "file"
    members: dict[str, object] = {"name": name, "base_url": base_url, "place": place}
    if flags.key_command:
        members["command"] = flags.key_command
    else:
        members["key"] = checked_key(read_line().strip() if flags.key_stdin else key)
    profile = body_of(NewProfile, members)
    return profile, _tested(profile)


def _asked_profile(flags: argparse.Namespace, name: str, present: Profile) -> tuple[NewProfile, SecretStr]:
    """A profile that the user was asked for, tested, and its key. Raises LinkdashError."""
    address = base_address(
        flags.base_url or _until_right(lambda: _asked_address(present.base_url), *_MISTAKES)
    )

    def asked() -> tuple[NewProfile, SecretStr]:
        members: dict[str, object] = {"name": name, "base_url": address}
        if typed := ask_secret("API key (not shown), empty for a command that prints it: ").strip():
            members["key"] = checked_key(typed)
        elif flags.keyring:
            raise WrongUsage("A key that a command prints is not kept.", "Leave --keyring out.")
        else:
            members |= {"place": "command", "command": ask("Command that prints the key:")}
        profile = body_of(NewProfile, members)
        return profile, _tested(profile)

    profile, key = _until_right(asked, *_MISTAKES)
    if profile.place != "command":
        place = "keyring" if flags.keyring else _until_right(lambda: _asked_place("the key"), *_MISTAKES)
        profile = profile.model_copy(update={"place": place})
    return profile, key


def _asked_address(present: str) -> str:
    if not present:
        return base_address(ask("Address of the service:"))
    return base_address(ask(f"Address of the service [{present}]:") or present)


def _asked_color() -> str:
    return _badge_color(ask("Color of its badge, such as red or #AA3355 [none]:"))


def _badge_color(text: str) -> str:
    """Raises WrongUsage, without what was typed: it may be secret."""
    try:
        return check_badge_color(text)
    except ValueError as error:
        raise WrongUsage("The badge cannot have this color.", f"{str(error).capitalize()}.") from None


def _tell(text: str) -> None:
    if not Loudness.quiet:
        tell_between_questions(text)


def _until_right(asked: Callable[[], T], *mistakes: type[LinkdashError]) -> T:
    """Return the user's answers; at a terminal a mistake is said, and asked again. Raises LinkdashError."""
    for _ in range(_TRIES - 1 if sys.stdin.isatty() else 0):
        try:
            return asked()
        except mistakes as error:
            tell_between_questions(f"{error} Try again:")
    return asked()


def _tested(profile: NewProfile) -> SecretStr:
    """The key of a profile that works. Raises Misconfigured, ServiceError."""
    key = profile.found_key()
    hide(key)
    account = _awaited(account_of(profile, key))
    _tell(f"It works: {account.username or account.email} at {profile.base_url.partition('://')[2]}.")
    return key


def _awaited(work: Coroutine[None, None, T]) -> T:
    """Return what `work` gives, done in a loop of its own: the dashboard has one, and waits."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def _asked_place(of: str) -> KeyPlace:
    """Return where what was typed is to be kept. Raises WrongUsage, without the answer: it may be secret."""
    match ask(f"Where to keep {of}: {_PLACES} [file]:") or "file":
        case "file" | "keyring" as place:
            return place
    raise WrongUsage("Secrets cannot be stored there.", f"Choose {_PLACES}.")


def _asked_store(present: str) -> NewStore | None:
    """A team's store that works; None for none, or for the one that is `present`. Raises LinkdashError."""
    text = ask(f"Team store, such as postgresql://linkdash@db.example.org/linkdash [{present or 'none'}]:")
    if not text:
        return None
    try:
        store = NewStore(store_address(text))
    except ValueError as error:
        raise WrongUsage(f"The address of the team store {error}.") from None
    typed = SecretStr(ask_secret("Password (not shown), empty for none or for a command that prints it: "))
    if typed.get_secret_value():
        place = _until_right(lambda: _asked_place("its password"), *_MISTAKES)
        store = replace(store, place=place, password=typed)
    elif command := ask("Command that prints the password [none]:"):
        words = _command_words(command)
        password = SecretStr(password_from_command(words))
        store = replace(store, place="command", command=words, password=password)
    hide(store.password)
    _tell(f"It works: {_awaited(server_of(store))}.")
    return store


def _command_words(text: str) -> list[str]:
    """A command and its arguments. Raises WrongUsage."""
    try:
        return shlex.split(text)
    except ValueError:
        raise WrongUsage("A quote is not closed.") from None
