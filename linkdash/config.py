"""Profiles and preferences: the configuration file, the environment and the flags, in rising order.

What is wrong in the file is told by its line. Where it concerns the profile of this run nothing is begun;
elsewhere the rest works.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, NamedTuple
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
from linkdash.api.http.address import base_address, checked_key
from linkdash.api.inert_text import inert
from linkdash.api.validation_messages import problem_words
from linkdash.model.key_command_and_keyring import (
    STORE_KEYRING_SERVICE,
    key_from_command,
    key_from_keyring,
    password_from_command,
    with_keyring,
)
from linkdash.model.resources import PLACES

DEFAULT_PROFILE = "default"


class NotSetUp(Misconfigured):
    """Nothing says which service is meant."""


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


Kind = Literal["drop", "silent", "country", "expires", "requests"]


class Rule(NamedTuple):
    """A rule of an alert: `number` is the percent or the requests of the rule, `days` its time."""

    kind: Kind
    number: int = 0
    days: int = 0

    @property
    def is_about_codes(self) -> bool:
        """Return whether it applies to QR codes, rather than to users or to the budget."""
        return self.kind in ("drop", "silent", "country")


RULES: tuple[tuple[Kind, str, str], ...] = (
    ("drop", "scans drop 50% in 7d", r"scans drop (?P<number>\d{1,3})% in (?P<time>\d{1,3}[dw])"),
    ("silent", "silent 7d", r"silent (?P<time>\d{1,3}[dw])"),
    ("country", "new country", r"new country"),
    ("expires", "user expires 7d", r"user expires (?P<time>\d{1,3}[dw])"),
    ("requests", "requests left < 5", r"requests left < (?P<number>\d{1,6})"),
)
"""The kinds of rules: an example and the pattern of each."""


def rule_of(text: str) -> Rule:
    """Return the meaning of a rule. Raises ValueError, with the rules there are."""
    for kind, _, pattern in RULES:
        if found := re.fullmatch(pattern, " ".join(text.split()), re.ASCII):
            given = found.groupdict()
            time = given.get("time") or "0d"
            days = int(time[:-1]) * (7 if time.endswith("w") else 1)
            rule = Rule(kind, int(given.get("number") or 0), days)
            is_empty = (rule.number == 0 and "number" in given) or (rule.days == 0 and "time" in given)
            if not is_empty and (kind != "drop" or rule.number <= 100):
                return rule
    raise ValueError(f"is not a rule; use one of: {', '.join(example for _, example, _ in RULES)}")


class AlertSetting(BaseModel):
    """A rule that raises an alert, and what is run then."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    when: str = Field(description=f"When it is raised: {', '.join(example for _, example, _ in RULES)}")
    codes: list[int | str] = Field(default=[], description="Ids or names of QR codes or of groups")
    hook: list[str] = Field(default=[], description="A command; the alert is JSON on its standard input")

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


_INTERPRETER = re.compile(r"(?:ba|da|z|k|fi|a)?sh|python[\d.]*|perl|ruby|node|pwsh")
_SCRIPT_FOLLOWS = re.compile(r"-[A-Za-z]*[ce]|--command|--eval")
_PLACEHOLDER = re.compile(r"\{\w+\}")


class CommandSetting(BaseModel):
    """A command of the user's own, for the records of a list."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    key: str = Field(min_length=1, description="The key that runs it")
    run: list[str] = Field(
        min_length=1, description="The program and its arguments; {id}, {link}, … are the record's"
    )
    label: str = Field("", description="What it is called in help and palette")
    scope: list[Scope] = Field([], description="Lists it works on (default: all)")
    changes: bool = Field(False, description="It changes something: refused in read-only sessions")

    @field_validator("run")
    @classmethod
    def _has_no_text_of_others_in_a_script(cls, run: list[str]) -> list[str]:
        interpreted = False
        for word, following in pairwise(run):
            interpreted = interpreted or bool(_INTERPRETER.fullmatch(Path(word).name))
            if interpreted and _SCRIPT_FOLLOWS.fullmatch(word) and (found := _PLACEHOLDER.search(following)):
                raise ValueError(
                    f"{found[0]} in a script would be run as code; "
                    "give it as an argument after the script, which a shell knows as $1"
                )
        return run

    def is_for(self, resource: str) -> bool:
        """Return whether it is for the list of a resource."""
        return not self.scope or resource in self.scope


class ConfigurationFile(BaseModel):
    """The content of `config.toml`."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    profile: str = Field(default=DEFAULT_PROFILE, description="The profile to use by default")
    theme: str = Field(default="", description="The theme of the dashboard")
    ascii: bool = Field(default=False, description="Draw with plain ASCII signs")
    linear: bool = Field(default=False, description="For screen readers: no frames, nothing side by side")
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
    linear: bool = False
    """True if it is for a screen reader: no frames, no bars, nothing side by side, nothing that ticks."""
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
    keeps_drafts: bool = True
    """True if the next run has what was typed and not saved; not in the demo, whose files end with it."""

    @property
    def host(self) -> str:
        """Return the service's host, in words."""
        return self.base_url.partition("://")[2]

    @property
    def secrets(self) -> list[SecretStr]:
        """Return the secrets of the profile, which nothing may show."""
        given = (self.api_key, self.store_password)
        return [secret for secret in given if secret is not None and secret.get_secret_value()]


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
    text, mode = _text_and_mode(path)
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


def with_theme(text: str, theme: str) -> str:
    """The text of a configuration file with this theme in it; everything else stays as it is.

    Raises Misconfigured where the file is written so that this line cannot be changed.
    """
    return with_setting(text, "theme", theme)


def with_setting(text: str, name: str, value: str) -> str:
    """The text of a configuration file with a setting of its first table; everything else stays as it is.

    Raises Misconfigured where the file is written so that this line cannot be changed.
    """
    import json
    import tomllib

    line = f"{name} = {json.dumps(value, ensure_ascii=False)}"
    top, rest = text, ""
    if found := re.search(r"^\s*\[", text, re.MULTILINE):
        top, rest = text[: found.start()], text[found.start() :]
    changed, count = re.subn(
        rf"^[ \t]*{name}[ \t]*=[^\n#]*?(?=[ \t]*(#[^\n]*)?$)", lambda _: line, top, flags=re.MULTILINE
    )
    if not count:
        changed = f"{line}\n{top}"
    whole = changed + rest
    try:
        expected = {**tomllib.loads(text), name: value}
        if tomllib.loads(whole) == expected:
            return whole
    except ValueError:
        pass
    raise Misconfigured(f"The {name} cannot be saved in config.toml.", f"Write {line} into it.")


def _text_and_mode(path: Path) -> tuple[str | None, int]:
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
    problems: dict[Place, str] = {}
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


# ---- what a run works with ----


class Flags(NamedTuple):
    """The flags of the command line; None where it said nothing."""

    profile: str | None = None
    base_url: str | None = None
    read_only: bool = False
    ascii: bool = False
    linear: bool = False


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
        linear=flags.linear or file.linear,
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
