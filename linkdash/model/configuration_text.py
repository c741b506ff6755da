"""Changes of the configuration file: comments, order, line ends and all else stay as they are."""

import stat
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from linkdash.api.errors import Misconfigured
from linkdash.model.configuration_file import DEFAULT_PROFILE, text_and_mode
from linkdash.store.files import NotSaved, alone_in, private_folder, replace_text

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

Members = Mapping[str, str | bool | list[str]]
_OF_KEYS = ("api_key", "key_command", "keyring")
_OF_STORES = ("store_password", "store_password_command", "store_keyring")


def change_file(path: Path, change: "Callable[[TOMLDocument], None]") -> None:
    """Change the configuration file, which no other program changes meanwhile; a link to it stays one.

    Raises Misconfigured for a file that is no TOML, or whose change would say something else than it should,
    and NotSaved, also for a file that its owner may not write.
    """
    real = path.resolve()
    private_folder(path.parent)
    with alone_in(path.parent):
        text, mode = text_and_mode(real)
        if text is not None and not mode & stat.S_IWUSR:
            raise NotSaved(f"{real} is read-only.", "Nothing was saved.")
        replace_text(real, changed_text(text or "", change))


def changed_text(text: str, change: "Callable[[TOMLDocument], None]") -> str:
    """The text of a configuration file after a change, with lines that end as the first one did.

    Raises Misconfigured.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    first, line_feed, _ = text.partition("\n")
    end = "\r\n" if line_feed and first.endswith("\r") else "\n"
    try:
        document = tomlkit.parse(text.replace("\r\n", "\n"))
    except TOMLKitError as error:
        raise Misconfigured(f"The configuration file is not valid TOML: {error}.") from None
    try:
        change(document)
        changed = tomlkit.dumps(document)
        is_as_meant = tomllib.loads(changed) == document.unwrap()
    except (TOMLKitError, ValueError):  # no table fits where an inline one stands
        changed, is_as_meant = "", False
    if not is_as_meant:
        raise Misconfigured(
            "The configuration file cannot be changed as it is written.",
            "Nothing was saved; edit it yourself.",
        )
    return changed.replace("\n", end)


def set_setting(document: "TOMLDocument", name: str, value: str) -> None:
    """Give a setting of the first table a value."""
    document[name] = value


def put_profile(document: "TOMLDocument", name: str, members: Members) -> None:
    """Give a profile these settings; its others stay.

    How a key was kept before goes, and how the password of a store was where there is a new one. The first
    profile of a file becomes the one that is used.
    """
    import tomlkit

    if "profile" not in document and not document.get("profiles") and name != DEFAULT_PROFILE:
        document["profile"] = name
    profiles = document.setdefault("profiles", tomlkit.table(is_super_table=True))
    if name not in profiles:
        profiles[name] = tomlkit.table()
    profile = profiles[name]
    for setting in (*_OF_KEYS, *(_OF_STORES if "store" in members else ())):
        if setting not in members:
            profile.pop(setting, None)
    for setting, value in members.items():
        profile[setting] = value


def rename_profile(document: "TOMLDocument", name: str, new_name: str) -> None:
    """Give a profile another name, where it stands; it stays the one that is used.

    Raises Misconfigured where it has no table of its own.
    """
    from tomlkit.items import Table

    tables = [one for key, one in document.body if key is not None and key.key == "profiles"]
    for profiles in tables:
        profile = profiles.get(name) if isinstance(profiles, Table) else None
        if isinstance(profiles, Table) and isinstance(profile, Table):
            profile.display_name = None  # else its header is written as it was read
            profiles.value._replace(name, new_name, profile)  # in public tomlkit moves it to the end
            break
    else:
        raise Misconfigured(f"The profile {name!r} has no table of its own.", "Rename it by hand.")
    if document.get("profile") == name:
        document["profile"] = new_name


def remove_profile(document: "TOMLDocument", name: str) -> None:
    """Remove a profile; of one that was used none is named any more."""
    if document.get("profile") == name:
        del document["profile"]
    profiles = document["profiles"]
    del profiles[name]
    if not profiles:
        del document["profiles"]
