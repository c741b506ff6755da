"""A new profile: what is asked for it, its tests, and how it is written without changing anything else."""

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, field_validator, model_validator

from linkdash.api.client import Client
from linkdash.api.errors import Misconfigured
from linkdash.api.fields import FilledText, Password
from linkdash.api.http.address import account_key, base_address, checked_key, profile_key, state_folder
from linkdash.api.records import Body
from linkdash.api.resources.account import Account
from linkdash.model.badge_color import check_badge_color
from linkdash.model.configuration_file import DEFAULT_PROFILE
from linkdash.model.configuration_text import change_file, put_profile
from linkdash.model.key_command_and_keyring import (
    KEYRING_SERVICE,
    STORE_KEYRING_SERVICE,
    key_from_command,
    with_keyring,
)
from linkdash.store.database import StoreUnavailable
from linkdash.store.folders import cache_folder
from linkdash.store.store import Store
from linkdash.store.store_copy import open_shared

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

KeyPlace = Literal["file", "keyring", "command"]


def _address(text: str) -> str:
    try:
        return base_address(text)
    except Misconfigured as error:
        raise ValueError(f"{error}".rstrip(".")) from None


class NewProfile(Body):
    """A new profile, as setup asks for it."""

    base_url: Annotated[str, AfterValidator(_address)] = Field(title="Address")
    key: Password = Field(SecretStr(""), title="API key")
    place: KeyPlace = Field("file", title="Where to keep the key")
    command: str = Field("", title="Command")
    name: FilledText = Field(DEFAULT_PROFILE, title="Profile")
    color: Annotated[str, AfterValidator(check_badge_color)] = Field("", title="Color")
    read_only: bool = False

    @field_validator("key")
    @classmethod
    def _is_key(cls, key: SecretStr) -> SecretStr:
        typed = key.get_secret_value().strip()
        try:
            return SecretStr(checked_key(typed) if typed else "")
        except Misconfigured as error:
            raise ValueError(f"{error}".rstrip(".")) from None

    @field_validator("command")
    @classmethod
    def _is_one(cls, command: str) -> str:
        try:
            shlex.split(command)
        except ValueError:
            raise ValueError("a quote is not closed") from None
        return command

    @model_validator(mode="after")
    def _has_key(self) -> Self:
        if self.place == "command" and not self.words:
            raise ValueError("enter the command that prints the key")
        if self.place != "command" and not self.key.get_secret_value():
            raise ValueError("enter the API key")
        return self

    @property
    def words(self) -> list[str]:
        """The command and its arguments."""
        return shlex.split(self.command)

    def found_key(self) -> SecretStr:
        """The key that was typed, or that the command prints; this may wait. Raises Misconfigured."""
        if self.place == "command":
            return SecretStr(checked_key(key_from_command(self.words)))
        return SecretStr(checked_key(self.key.get_secret_value()))


@dataclass(frozen=True, slots=True)
class NewStore:
    """A team's store for a profile; without a password, or with one that is kept in one of the places."""

    address: str
    password: SecretStr = field(default_factory=lambda: SecretStr(""))
    place: KeyPlace = "file"
    command: Sequence[str] = ()
    """The command that prints the password, where that is its place."""


async def account_of(profile: NewProfile, key: SecretStr) -> Account:
    """Test a profile with one request, and keep which account its key is of.

    Raises ServiceError, Misconfigured.
    """
    async with Client(profile.base_url, key, share=True, safe_text=True) as client:
        account = await client.account.get()
    name = profile_key(profile.base_url, key.get_secret_value())
    store = Store(state_folder(), cache_folder(), name)
    with suppress(StoreUnavailable):  # the next answer about the account tells it again
        await store.belong_to(account_key(profile.base_url, account.id))
    await store.close()
    return account


async def server_of(store: NewStore) -> str:
    """Test a team's store, in which the tables are then; what it runs on: `PostgreSQL 18.1`.

    Raises StoreUnavailable.
    """
    async with open_shared(store.address, store.password.get_secret_value() or None) as place:
        await place.history.select("SELECT 1")
        (row,) = await place.state.select("SELECT current_setting('server_version') AS version")
        return f"PostgreSQL {row['version'].split()[0]}"


def saved_words(path: Path, place: str) -> str:
    """Say where a profile is written to, and where its key is kept."""
    match place:
        case "keyring":
            return f"The profile is saved in {path}, the key in the system's keyring."
        case "command":
            return f"The profile is saved in {path}, with the command and without the key."
        case _:
            return f"The profile is saved in {path} with its key, readable by you alone."


def save_profile(path: Path, profile: NewProfile, key: SecretStr, store: NewStore | None = None) -> None:
    """Write a profile, and its secrets to where they are to be kept; a link to the file stays one.

    Without a `store`, that of a profile which is there already stays. Raises Misconfigured, NotSaved.
    """
    members: dict[str, str | bool | list[str]] = {"base_url": profile.base_url}
    match profile.place:
        case "file":
            members["api_key"] = key.get_secret_value()
        case "command":
            members["key_command"] = profile.words
        case "keyring":
            _keep_in_keyring(KEYRING_SERVICE, profile.name, key)
            members["keyring"] = True
    if profile.color:
        members["color"] = profile.color
    if profile.read_only:
        members["read_only"] = True
    if store is not None:
        members |= _store_members(store, profile.name)
    change_file(path, lambda document: put_profile(document, profile.name, members))


def move_secrets(name: str, new_name: str | None, *, of_key: bool, of_store: bool) -> None:
    """Keep what the keyring has of a profile under its new name, or no more. Raises Misconfigured."""
    services = [KEYRING_SERVICE] * of_key + [STORE_KEYRING_SERVICE] * of_store

    def move(keyring: "KeyringBackend") -> None:
        for service in services:
            secret = keyring.get_password(service, name)
            if secret is None:
                continue
            if new_name is not None:
                keyring.set_password(service, new_name, secret)
            keyring.delete_password(service, name)

    if services:
        with_keyring(move)


def _store_members(store: NewStore, profile: str) -> dict[str, str | bool | list[str]]:
    """A team's store as the file has it; a password for the keyring is kept there."""
    members: dict[str, str | bool | list[str]] = {"store": store.address}
    match store.place:
        case "command":
            members["store_password_command"] = [*store.command]
        case "keyring":
            _keep_in_keyring(STORE_KEYRING_SERVICE, profile, store.password)
            members["store_keyring"] = True
        case "file" if password := store.password.get_secret_value():
            members["store_password"] = password
    return members


def _keep_in_keyring(service: str, profile: str, secret: SecretStr) -> None:
    with_keyring(lambda keyring: keyring.set_password(service, profile, secret.get_secret_value()))
