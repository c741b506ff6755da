"""Changes of the configuration file by single lines: comments and all else stay as they are.

What is written so that single lines cannot be changed is left alone.
"""

import json
import re
import stat
import tomllib
from collections.abc import Callable, Iterable, Mapping, Set
from pathlib import Path

from linkdash.api.errors import Misconfigured
from linkdash.model.configuration_file import DEFAULT_PROFILE, text_and_mode
from linkdash.store.files import NotSaved, alone_in, private_folder, replace_text

Members = Mapping[str, str | bool | list[str]]
_OF_KEYS = ("api_key", "key_command", "keyring")
_OF_STORES = ("store_password", "store_password_command", "store_keyring")


def change_file(path: Path, change: Callable[[str], str]) -> None:
    """Change the configuration file, which no other program changes meanwhile; a link to it stays one.

    Raises Misconfigured, and NotSaved, also for a file that its owner may not write.
    """
    real = path.resolve()
    private_folder(path.parent)
    with alone_in(path.parent):
        text, mode = text_and_mode(real)
        if text is not None and not mode & stat.S_IWUSR:
            raise NotSaved(f"{real} is read-only.", "Nothing was saved.")
        replace_text(real, _changed(text or "", change))


def _changed(text: str, change: Callable[[str], str]) -> str:
    """The changed text, with lines that end as the first one did."""
    first, line_feed, _ = text.partition("\n")
    end = "\r\n" if line_feed and first.endswith("\r") else "\n"
    return change(text.replace("\r\n", "\n")).replace("\n", end)


def with_setting(text: str, name: str, value: str) -> str:
    """The text of a configuration file with a setting of its first table; everything else stays as it is.

    Raises Misconfigured where the file is written so that this line cannot be changed.
    """
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


_HEADER = re.compile(r"\s*\[(.*)\]\s*(?:#.*)?")
_SETTING = re.compile(r"(\s*(\"[^\"]*\"|[\w-]+)\s*=\s*)(.*)")


def with_profile(text: str, name: str, members: Members) -> str:
    """A configuration with these settings in a profile; comments and all else stay as they are.

    How a key was kept before goes, and how the password of a store was where there is a new one.

    Raises Misconfigured where the file is written so that single lines cannot be changed.
    """
    former = {*_OF_KEYS, *(_OF_STORES if "store" in members else ())}
    lines = _lines_with(_lines(text), _header_of(name), members, former)
    before = _parsed(text)
    if "profile" not in before and not before.get("profiles") and name != DEFAULT_PROFILE:
        lines[:0] = [f"profile = {json.dumps(name)}", ""]
    changed = "\n".join(lines) + "\n"
    kept = {setting: value for setting, value in _profile(text, name).items() if setting not in former}
    if _profile(changed, name) != {**kept, **members}:
        raise Misconfigured(
            "The configuration file cannot be edited automatically.", f"Add {_header_of(name)} by hand."
        )
    return changed


def _lines_with(lines: Iterable[str], header: str, members: Members, former: Set[str]) -> list[str]:
    """The lines of a file with these settings in the table of a header, and without its former ones."""
    wanted = {setting: json.dumps(value, ensure_ascii=False) for setting, value in members.items()}
    changed: list[str] = []
    inside, at = False, None
    for line in lines:
        setting = _SETTING.fullmatch(line)
        name = setting[2].strip('"') if setting else ""
        if _HEADER.fullmatch(line) and not setting:
            inside = _table(line) == _table(header)
            at = len(changed) + 1 if inside else at
        elif inside and setting and name in wanted:
            line = f"{setting[1]}{wanted.pop(name)}{_comment_after(setting[3])}"
        elif inside and name in former:
            continue
        changed.append(line)
    if not wanted:
        return changed
    if at is None:
        changed += ["", header] if changed else [header]
        at = len(changed)
    changed[at:at] = [f"{_written_name(setting)} = {value}" for setting, value in wanted.items()]
    return changed


def with_key(text: str, action: str, keys: str) -> str:
    """A configuration with these keys for an action; where `keys` is empty, its line in `[keys]` goes.

    Raises Misconfigured where the file is written so that single lines cannot be changed.
    """
    members = {action: keys} if keys else {}
    changed = "\n".join(_lines_with(_lines(text), "[keys]", members, {action})) + "\n"
    before = _parsed(text)
    kept = {known: one for known, one in _table_of(before, "keys").items() if known != action}
    return _checked(changed, {**before, "keys": {**kept, **members}}, "[keys]")


def renamed_profile(text: str, name: str, new_name: str) -> str:
    """A configuration in which a profile has another name; comments and all else stay as they are.

    Raises Misconfigured where the file is written so that single lines cannot be changed.
    """
    lines = [_header_of(new_name) if _is_header_of(line, name) else line for line in _lines(text)]
    changed = "\n".join(lines) + "\n"
    before = _parsed(text)
    if before.get("profile") == name:
        changed = with_setting(changed, "profile", new_name)
        before = {**before, "profile": new_name}
    known = _table_of(before, "profiles")
    profiles = {new_name if one == name else one: members for one, members in known.items()}
    return _checked(changed, {**before, "profiles": profiles}, _header_of(name))


def without_profile(text: str, name: str) -> str:
    """A configuration without a profile; comments elsewhere and all else stay as they are.

    Raises Misconfigured where the file is written so that single lines cannot be changed.
    """
    lines: list[str] = []
    inside = False
    for line in _lines(text):
        if _HEADER.fullmatch(line) and not _SETTING.fullmatch(line):
            inside = _is_header_of(line, name)
        elif not inside and _is_choice_of(line, name):
            continue
        if not inside:
            lines.append(line)
    before = _parsed(text)
    profiles = {known: one for known, one in _table_of(before, "profiles").items() if known != name}
    kept = {key: value for key, value in before.items() if (key, value) != ("profile", name)}
    kept.pop("profiles", None)
    return _checked("\n".join(lines).strip("\n") + "\n", {**kept, "profiles": profiles}, _header_of(name))


def _lines(text: str) -> list[str]:
    """The lines of a text as TOML has them: other signs that end lines elsewhere can stand in comments."""
    return text.removesuffix("\n").split("\n") if text else []


def _header_of(name: str) -> str:
    return f"[profiles.{_written_name(name)}]"


def _written_name(name: str) -> str:
    """A name as TOML has it: bare, or in quotes."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _is_header_of(line: str, name: str) -> bool:
    is_header = bool(_HEADER.fullmatch(line)) and not _SETTING.fullmatch(line)
    return is_header and _table(line) == {"profiles": {name: {}}}


def _is_choice_of(line: str, name: str) -> bool:
    """Return whether a line chooses this profile."""
    setting = _SETTING.fullmatch(line)
    return setting is not None and _table(line) == {"profile": name}


def _comment_after(value: str) -> str:
    """The comment that follows a value in its line, with the blanks before it."""
    ends = (at for at, letter in enumerate(value) if letter == "#" and _table(f"_ = {value[:at]}"))
    end = next(ends, len(value))
    return value[len(value[:end].rstrip()) :]


def _checked(changed: str, wanted: Mapping[str, object], header: str) -> str:
    """The same text, if it says what is wanted, where a table without settings is as good as none.

    Raises Misconfigured.
    """
    found = _table(changed)
    if not isinstance(found, dict) or _filled(found) != _filled(wanted):
        raise Misconfigured("The configuration file cannot be changed by lines.", f"Change {header} by hand.")
    return changed


def _filled(data: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in data.items() if value != {}}


def _table_of(data: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def _table(line: str) -> object:
    """The settings in a text alone; None for what is no TOML, or a part of something else."""
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
    return _table_of(_table_of(_parsed(text), "profiles"), name)
