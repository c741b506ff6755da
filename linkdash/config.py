"""Profiles and preferences: the configuration file, the environment and the flags, in rising order."""

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from linkdash.api.address import base_address, checked_key
from linkdash.api.errors import Misconfigured

DEFAULT_PROFILE = "default"


class Profile(BaseModel):
    """One service and one key."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    read_only: bool = False


class ConfigurationFile(BaseModel):
    """What `config.toml` may hold."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    profile: str = DEFAULT_PROFILE
    theme: str = ""
    profiles: dict[str, Profile] = {}
    keys: dict[str, str] = {}


@dataclass(frozen=True)
class Flags:
    """What the command line said; None where it said nothing."""

    profile: str | None = None
    base_url: str | None = None
    read_only: bool = False


@dataclass(frozen=True)
class Settings:
    """What one run works with. The address and the key have been checked."""

    profile: str
    base_url: str
    api_key: SecretStr
    read_only: bool = False
    theme: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys by the id of their action, where they differ from the defaults."""

    @property
    def host(self) -> str:
        """Where the service is, as a person says it."""
        return self.base_url.partition("://")[2]


def configuration_path() -> Path:
    """Where the configuration file lies on this platform."""
    from platformdirs import user_config_path

    return user_config_path("linkdash") / "config.toml"


def read_configuration(path: Path) -> ConfigurationFile:
    """The configuration file; the defaults where there is none.

    Raises Misconfigured for what cannot be read or understood, and for a key that others can read.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # reading a pipe or a device may never end
            raise Misconfigured(f"{path} is no regular file.")
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ConfigurationFile()
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"{path} cannot be read: {_reason(error)}.") from None
    try:
        configuration = ConfigurationFile.model_validate(tomllib.loads(text))
    except ValidationError as error:
        raise Misconfigured(f"{path}: {_problem(error)}.") from None
    except RecursionError:
        raise Misconfigured(f"{path} nests its values too deeply.") from None
    except ValueError as error:
        raise Misconfigured(f"{path} is not valid TOML: {error}.") from None
    holds_key = any(profile.api_key.get_secret_value() for profile in configuration.profiles.values())
    if holds_key and os.name == "posix" and mode & 0o077:
        raise Misconfigured(f"{path} holds a key and others can read it.", f"Run: chmod 600 {path}")
    return configuration


def settings(configuration: ConfigurationFile, environment: Mapping[str, str], flags: Flags) -> Settings:
    """The settings of this run: flags beat the environment, which beats the file.

    Raises Misconfigured, with what to set, where an address or a key is missing or cannot be used.
    """
    name = flags.profile or environment.get("LINKDASH_PROFILE") or configuration.profile
    if name != DEFAULT_PROFILE and name not in configuration.profiles:
        raise Misconfigured(
            f"There is no profile named {name!r}.", f"Profiles lie in {configuration_path()}."
        )
    profile = configuration.profiles.get(name, Profile())
    address = flags.base_url or environment.get("LINKDASH_BASE_URL") or profile.base_url
    key = environment.get("LINKDASH_API_KEY") or profile.api_key.get_secret_value()
    if not address:
        raise Misconfigured(
            "No service is set.",
            f"Set LINKDASH_BASE_URL and LINKDASH_API_KEY, or a profile in {configuration_path()};"
            " to look around, run: linkdash --demo",
        )
    return Settings(
        profile=name,
        base_url=base_address(address),
        api_key=SecretStr(checked_key(key)),
        read_only=flags.read_only or profile.read_only,
        theme=configuration.theme,
        keys=configuration.keys,
    )


def _problem(error: ValidationError) -> str:
    problem = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"{where} is not a setting"
    return f"{where}: {problem['msg']}"


def _reason(error: Exception) -> str:
    return error.strerror or "unreadable" if isinstance(error, OSError) else "it is not UTF-8"
