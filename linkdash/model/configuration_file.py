"""The configuration file: profiles, preferences, alerts and commands.

What is wrong in the file is told by its line, and left out; the rest works.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote, urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from linkdash.api.errors import Misconfigured
from linkdash.api.inert_text import inert
from linkdash.api.validation_messages import problem_words
from linkdash.model.gone import without_gone
from linkdash.model.insight.alert_rules import RULES, Rule, rule_of
from linkdash.model.resources import PLACES

DEFAULT_PROFILE = "default"


Place = tuple[str | int, ...]


def store_address(text: str) -> str:
    """The address of a team's store, which holds no password. Raises ValueError."""
    try:
        parts = urlsplit(text)
        holds_password = parts.password is not None or "password=" in unquote(parts.query).lower()
    except ValueError:
        holds_password, parts = False, urlsplit("")
    if parts.scheme not in ("postgresql", "postgres"):
        raise ValueError("is not a database address; use postgresql://user@host/database")
    if holds_password:
        raise ValueError("contains a password; use store_password or store_password_command")
    return text


class Profile(BaseModel):
    """A profile: one service and one key."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    base_url: str = Field(
        default="", description="The service's address; plain http is for this machine only"
    )
    api_key: SecretStr = Field(
        default=SecretStr(""), description="The key itself; the file must then be 0600"
    )
    key_command: list[str] = Field(
        default=[], description='Command that prints the key: ["pass", "show", "linkdash"]'
    )
    keyring: bool = Field(default=False, description="Read the key from the system's keyring")
    read_only: bool = Field(default=False, description="Allow no changes")
    color: str = Field(default="", description="Color of the profile's badge: a name, or #RRGGBB")
    store: str = Field(default="", description="A team's database: postgresql://user@host/database")
    store_password: SecretStr = Field(
        default=SecretStr(""), description="Its password; the file must then be 0600"
    )
    store_password_command: list[str] = Field(default=[], description="Command that prints its password")
    store_keyring: bool = Field(default=False, description="Read its password from the system's keyring")

    @field_validator("store")
    @classmethod
    def _is_an_address_without_a_password(cls, store: str) -> str:
        return store and store_address(store)

    @model_validator(mode="after")
    def _one_place_for_the_key(self) -> "Profile":
        places = (self.api_key.get_secret_value(), self.key_command, self.keyring)
        if sum(map(bool, places)) > 1:
            raise ValueError("only one of api_key, key_command and keyring can say where the key is")
        return self

    @model_validator(mode="after")
    def _one_place_for_the_password(self) -> "Profile":
        places = (self.store_password.get_secret_value(), self.store_password_command, self.store_keyring)
        if sum(map(bool, places)) > 1:
            raise ValueError(
                "only one of store_password, store_password_command and store_keyring can say where it is"
            )
        if any(places) and not self.store:
            raise ValueError("there is a password for a store, but no store")
        return self

    @property
    def key_place(self) -> str:
        """Return where its key is kept, in words."""
        if self.api_key.get_secret_value():
            return "file"
        return "command" if self.key_command else "keyring" if self.keyring else "none"

    @property
    def asks(self) -> bool:
        """Return whether a command gives one of its secrets: it may have to ask in the terminal."""
        return bool(self.key_command or self.store_password_command)


class AlertSetting(BaseModel):
    """A rule that raises an alert."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    when: str = Field(description=f"When it is raised: {', '.join(example for _, example, _ in RULES)}")
    codes: list[int | str] = Field(default=[], description="Ids or names of QR codes or of groups")

    @field_validator("when")
    @classmethod
    def _is_a_rule(cls, when: str) -> str:
        rule_of(when)
        return when

    @model_validator(mode="after")
    def _codes_for_rules_about_codes(self) -> "AlertSetting":
        if self.codes and not self.rule.is_about_codes:
            raise ValueError("codes work only with rules about QR codes")
        return self

    @property
    def rule(self) -> Rule:
        """Return the meaning of `when`."""
        return rule_of(self.when)


def _resource(name: str) -> str:
    if name not in _RESOURCES:
        raise ValueError(f"unknown list; use one of: {', '.join(_RESOURCES)}")
    return name


_RESOURCES = [place.id for place in PLACES]
Scope = Annotated[str, AfterValidator(_resource), WithJsonSchema({"enum": _RESOURCES, "type": "string"})]
"""The resources of the service, as they are named in the configuration."""


_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class CommandSetting(BaseModel):
    """A command of the user's own, for the records of a list."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    key: str = Field(min_length=1, description="The key that runs it")
    run: list[str] = Field(
        min_length=1,
        description="The program and its arguments; it has the record in RECORD_ID, RECORD_LINK, …",
    )
    label: str = Field("", description="What it is called in help and palette")
    scope: list[Scope] = Field([], description="Lists it works on (default: all)")
    changes: bool = Field(False, description="It changes something: refused in read-only sessions")

    @field_validator("run")
    @classmethod
    def _has_no_text_of_a_record(cls, run: list[str]) -> list[str]:
        for found in filter(None, map(_PLACEHOLDER.search, run)):
            raise ValueError(f"{found[0]} is not filled in; use the variable {variable(found[1])}")
        return run

    def is_for(self, resource: str) -> bool:
        """Return whether it is for the list of a resource."""
        return not self.scope or resource in self.scope


def variable(field: str) -> str:
    """The environment variable in which a command of the user's own has a field of its record."""
    return f"RECORD_{field.upper()}"


class ConfigurationFile(BaseModel):
    """The content of `config.toml`."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    profile: str = Field(default=DEFAULT_PROFILE, description="The profile to use by default")
    theme: str = Field(default="", description="The theme of the dashboard")
    ascii: bool = Field(default=False, description="Draw with plain ASCII signs")
    profiles: dict[str, Profile] = Field(default={}, description="Services and keys, by name")
    keys: dict[str, str] = Field(default={}, description="Keys, by the name of the action")
    alerts: dict[str, AlertSetting] = Field(default={}, description="Rules that raise an alert, by name")
    commands: dict[str, CommandSetting] = Field(default={}, description="Your own commands, by name")


@dataclass(frozen=True)
class Configuration:
    """The configuration file as far as it could be understood."""

    file: ConfigurationFile = field(default_factory=lambda: ConfigurationFile.model_construct())
    """Without a file its defaults, for which no model is built: that takes time before the first picture."""
    problems: Mapping[Place, str] = field(default_factory=dict)
    """Faults of what was left out, in a sentence with its line, by place."""

    @property
    def notices(self) -> tuple[str, ...]:
        """Return a sentence for each part of the file that was left out."""
        return tuple(self.problems.values())


# ---- the file ----


def configuration_path() -> Path:
    """Return the path of the configuration file on this platform."""
    from platformdirs import user_config_path

    return user_config_path("linkdash") / "config.toml"


def configuration_schema() -> dict[str, object]:
    """The JSON schema of the configuration file, for editors."""
    return ConfigurationFile.model_json_schema()


def read_configuration(path: Path) -> Configuration:
    """The configuration file; the defaults where there is none.

    Raises Misconfigured for what cannot be read or is no TOML, and for a key that others can read.
    """
    text, mode = text_and_mode(path)
    if text is None:
        return Configuration()
    import tomllib

    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise Misconfigured(f"{path} nests its values too deeply.") from None
    except ValueError as error:
        raise Misconfigured(f"{path} is not valid TOML: {error}.") from None
    file, problems = _understood(data)
    told = {place: f"{path}{_line_of(text, place)}: {problem}." for place, problem in problems.items()}
    if os.name == "posix" and mode & 0o077 and _holds_key(data):
        raise Misconfigured(f"{path} holds a secret and others can read it.", f"Run: chmod 600 {path}")
    return Configuration(file, told)


def text_and_mode(path: Path) -> tuple[str | None, int]:
    """The text of the file, None where there is none, and its mode. Raises Misconfigured."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # reading a pipe or a device may never end
            raise Misconfigured(f"{path} is not a regular file.")
        return path.read_bytes().decode("utf-8-sig"), mode
    except FileNotFoundError:
        return None, 0
    except UnicodeDecodeError:
        raise Misconfigured(f"{path} cannot be read: it is not UTF-8.") from None
    except OSError as error:
        raise Misconfigured(f"{path} cannot be read: {error.strerror}.") from None


def _holds_key(data: Mapping[str, object]) -> bool:
    profiles = data.get("profiles")
    found = profiles.values() if isinstance(profiles, dict) else ()
    return any(
        isinstance(profile, dict) and (profile.get("api_key") or profile.get("store_password"))
        for profile in found
    )


def _understood(data: dict[str, object]) -> tuple[ConfigurationFile, dict[Place, str]]:
    """The file without what is wrong in it, and what that is."""
    problems = without_gone(data)
    while True:
        try:
            return ConfigurationFile.model_validate(data), problems
        except ValidationError as error:
            for problem in error.errors(include_input=False, include_url=False):
                if problem["loc"][0] in _WHOLE_OR_NOT and len(problem["loc"]) > 2:
                    problems |= _whole_left_out(data, problem)
                    continue
                place = _left_out(data, problem["loc"])
                is_told = any(known[: len(place)] == place for known in problems)
                if problem["type"] != "missing" or not is_told:  # it may be missing because it was left out
                    problems.setdefault(place, _words(place, problem))


_WHOLE_OR_NOT = ("alerts", "commands")
"""Tables of what would do more, or something else, without one of its settings: it is left out as a whole."""


def _whole_left_out(data: dict[str, object], problem: ErrorDetails) -> dict[Place, str]:
    """Take an alert or a command with a wrong setting out of the data; what is wrong, by that place."""
    place = problem["loc"]
    table, part = place[:2], place[2:]
    tables = data.get(str(table[0]))
    if not isinstance(tables, dict) or tables.pop(str(table[1]), None) is None:
        return {}
    return {place[:3]: f"{inert('.'.join(map(str, table)))}: {_words(part, problem)}"}


def _left_out(data: dict[str, object], place: Place) -> Place:
    """Take what stands at a place out of the data: of a list, all of it."""
    parent: dict[str, object] = data
    for depth, name in enumerate(place, 1):
        inner = parent.get(str(name))
        if depth == len(place) and depth > 1 and str(name) not in parent:
            return _left_out(
                data, place[:-1]
            )  # what is required and missing: without it, nothing of its table
        if depth == len(place) or not isinstance(inner, dict):
            parent.pop(str(name), None)
            return place[:depth]
        parent = inner
    data.clear()
    return ()


def _words(place: Place, problem: ErrorDetails) -> str:
    where = inert(".".join(map(str, place)))
    if problem["type"] == "extra_forbidden":
        return f"{where} is not a setting"
    return f"{where}: {problem_words(problem)}"


_HEADER = re.compile(r"\s*\[\s*([^\[\]#]+?)\s*\]\s*(#.*)?")
_SETTING = re.compile(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")


def _line_of(text: str, place: Place) -> str:
    """`, line 7` for where a setting or its table stands; nothing where that cannot be told."""
    table: tuple[str, ...] = ()
    best, found = 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        header, setting = _HEADER.fullmatch(line), _SETTING.match(line)
        if header:
            table = _names(header[1])
        here = table if header else (*table, *_names(setting[1])) if setting else ()
        if here and here == place[: len(here)] and len(here) > best:
            best, found = len(here), number
    return f", line {found}" if found else ""


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip().strip("\"'") for name in dotted.split("."))
