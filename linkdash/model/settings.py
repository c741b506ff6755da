"""The settings of a run: the configuration file, the environment and the flags, in rising order.

What is wrong in the file ends a run only where it concerns the run's profile.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from linkdash.api.errors import Misconfigured
from linkdash.api.http.address import base_address, checked_key
from linkdash.api.inert_text import inert
from linkdash.model.configuration_file import (
    DEFAULT_PROFILE,
    AlertSetting,
    CommandSetting,
    Configuration,
    Profile,
    configuration_path,
)
from linkdash.model.key_command_and_keyring import (
    STORE_KEYRING_SERVICE,
    key_from_command,
    key_from_keyring,
    password_from_command,
    with_keyring,
)


class NotSetUp(Misconfigured):
    """Nothing says which service is meant."""


@dataclass(frozen=True)
class Settings:
    """The settings of one run. The address and the key have been checked."""

    profile: str
    base_url: str
    api_key: SecretStr
    _: KW_ONLY
    read_only: bool = False
    theme: str = ""
    ascii: bool = False
    """True if the dashboard draws with plain ASCII signs."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys by the id of their action, where they differ from the defaults."""
    color: str = ""
    """The colour of the profile's badge; empty for the theme's own."""
    alerts: Mapping[str, AlertSetting] = field(default_factory=dict)
    """The rules that raise an alert, by name."""
    commands: Mapping[str, CommandSetting] = field(default_factory=dict)
    """The user's own commands, by name."""
    notices: tuple[str, ...] = ()
    """A sentence for each part of the configuration file that was left out."""
    store: str = ""
    """The address of a team's database; empty where everything lies in files."""
    store_password: SecretStr | None = None
    asks: bool = False
    """True if a command gives one of its secrets: it may have to ask in the terminal."""
    keeps_state: bool = True
    """True if the next run has the drafts, views and watched codes of this one; not in the demo."""

    @property
    def host(self) -> str:
        """Return the service's host, in words."""
        return self.base_url.partition("://")[2]

    @property
    def secrets(self) -> list[SecretStr]:
        """Return the secrets of the profile, which nothing may show."""
        given = (self.api_key, self.store_password)
        return [secret for secret in given if secret is not None and secret.get_secret_value()]


# ---- what a run works with ----


class Flags(NamedTuple):
    """The flags of the command line; None where it said nothing."""

    profile: str | None = None
    base_url: str | None = None
    read_only: bool = False
    ascii: bool = False


def settings(configuration: Configuration, environment: Mapping[str, str], flags: Flags) -> Settings:
    """The settings of this run: flags beat the environment, which beats the file.

    Raises Misconfigured, with what to set, where an address or a key is missing or cannot be used, and where
    the key of a profile would go to another service than the profile's.
    """
    file = configuration.file
    name, profile = _chosen(configuration, environment, flags)
    address = flags.base_url or environment.get("LINKDASH_BASE_URL") or profile.base_url
    if not address and file.profiles and name not in file.profiles:
        known = ", ".join(map(inert, file.profiles))
        raise Misconfigured(
            "No profile is chosen.", f"Run with --profile, or set profile in {configuration_path()}: {known}."
        )
    if not address:
        raise NotSetUp(
            "No service is set.",
            f"Run linkdash setup, or set LINKDASH_BASE_URL and LINKDASH_API_KEY, or a profile in"
            f" {configuration_path()}; to look around, run: linkdash --demo",
        )
    base_url = base_address(address)
    store = profile.store if _is_its_own(profile, base_url) else ""
    return Settings(
        profile=name,
        base_url=base_url,
        api_key=SecretStr(checked_key(_key(name, profile, base_url, environment))),
        read_only=flags.read_only or profile.read_only,
        theme=file.theme,
        ascii=flags.ascii or file.ascii,
        keys=file.keys,
        color=profile.color,
        alerts=file.alerts,
        commands=file.commands,
        store=store,
        store_password=_store_password(name, profile, environment) if store else None,
    )


def team_store(
    configuration: Configuration, environment: Mapping[str, str], flags: Flags
) -> tuple[str, SecretStr | None]:
    """The address of the profile's team store, empty where it has none, and its password.

    Raises Misconfigured.
    """
    name, profile = _chosen(configuration, environment, flags)
    return profile.store, _store_password(name, profile, environment)


def profile_name(configuration: Configuration, environment: Mapping[str, str], flags: Flags) -> str:
    """The name of the profile of this run: of the only one in the file where nothing names another."""
    if named := flags.profile or environment.get("LINKDASH_PROFILE"):
        return named
    file = configuration.file
    has_address = flags.base_url or environment.get("LINKDASH_BASE_URL")
    is_whole = all(place[:1] not in ((), ("profiles",)) for place in configuration.problems)
    is_only = len(file.profiles) == 1 and is_whole
    if is_only and not has_address and file.profile == DEFAULT_PROFILE:
        return next(iter(file.profiles))
    return file.profile


def _chosen(
    configuration: Configuration, environment: Mapping[str, str], flags: Flags
) -> tuple[str, Profile]:
    """The profile of this run, and its name. Raises Misconfigured where it is wrong, or not there."""
    file = configuration.file
    name = profile_name(configuration, environment, flags)
    for place, problem in configuration.problems.items():
        if place in ((), ("profiles",)) or place[:2] == ("profiles", name):
            raise Misconfigured(problem)
    if name != DEFAULT_PROFILE and name not in file.profiles:
        raise Misconfigured(
            f"There is no profile named {name!r}.", f"Profiles are in {configuration_path()}."
        )
    return name, file.profiles.get(name) or Profile.model_construct()


def _key(name: str, profile: Profile, base_url: str, environment: Mapping[str, str]) -> str:
    """The key for an address: the environment's for any, a profile's for the profile's own service only."""
    if key := environment.get("LINKDASH_API_KEY"):
        return key
    if profile.key_place == "none":
        return ""
    if not _is_its_own(profile, base_url):
        own = profile.base_url or "no address"
        raise Misconfigured(
            f"The key of the profile {name!r} belongs to {own}, not to {base_url}.",
            "Set LINKDASH_API_KEY to the key for that address.",
        )
    if profile.key_command:
        return key_from_command(profile.key_command)
    return key_from_keyring(name) if profile.keyring else profile.api_key.get_secret_value()


def _store_password(name: str, profile: Profile, environment: Mapping[str, str]) -> SecretStr | None:
    """The password of a profile's team store; None where it needs none. Raises Misconfigured."""
    if password := environment.get("LINKDASH_STORE_PASSWORD"):
        return SecretStr(password)
    if profile.store_password_command:
        return SecretStr(password_from_command(profile.store_password_command))
    if profile.store_keyring:
        password = with_keyring(lambda keyring: keyring.get_password(STORE_KEYRING_SERVICE, name))
        if not password:
            raise Misconfigured(
                f"The keyring has no password for the team store of the profile {name!r}.",
                f"Run: keyring set {STORE_KEYRING_SERVICE} {name}",
            )
        return SecretStr(password)
    return profile.store_password if profile.store_password.get_secret_value() else None


def _is_its_own(profile: Profile, base_url: str) -> bool:
    """Return whether an address is that of the profile's own service."""
    return bool(profile.base_url) and _origin(base_address(profile.base_url)) == _origin(base_url)


def _origin(address: str) -> tuple[str, str]:
    """Scheme and host with port."""
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.lower()
