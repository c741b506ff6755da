"""`linkdash profiles use`, `rename` and `remove`: they change the configuration file."""

import argparse
import sys
from pathlib import Path

from linkdash.commands.exit_status import FINE, NotAgreed, NotKept, WrongUsage
from linkdash.commands.standard_streams import says_yes, tell
from linkdash.commands.suggestions import did_you_mean
from linkdash.model.configuration_file import Profile, read_configuration
from linkdash.model.configuration_text import change_file, remove_profile, rename_profile, set_setting
from linkdash.model.profiles import move_secrets


def change_profiles(flags: argparse.Namespace, path: Path) -> int:
    """Change which profile is used, or one of them. Raises LinkdashError."""
    configuration = read_configuration(path)
    known, name = configuration.file.profiles, flags.name
    if name is None:
        raise WrongUsage("Which profile?", f"Write: linkdash profiles {flags.action} NAME")
    if name not in known:
        names = ", ".join(known) or "none"
        raise NotKept(f"There is no profile {name!r}{did_you_mean(name, known)}.", f"Profiles: {names}.")
    if flags.new_name is not None and flags.action != "rename":
        raise WrongUsage("Only one name is allowed.", f"Write: linkdash profiles {flags.action} NAME")
    match flags.action:
        case "use":
            change_file(path, lambda document: set_setting(document, "profile", name))
            tell(f"{name!r} is now the default profile.")
        case "rename":
            _rename(path, name, flags.new_name, known)
        case _:
            _remove(path, name, known[name], agreed=flags.yes)
    return FINE


def _rename(path: Path, name: str, new_name: str | None, known: dict[str, Profile]) -> None:
    if not new_name:
        raise WrongUsage("Which name?", "Write: linkdash profiles rename NAME NEW")
    if new_name in known:
        raise WrongUsage(f"There is a profile {new_name!r} already.", "Nothing was changed.")
    change_file(path, lambda document: rename_profile(document, name, new_name))
    _move_secrets(name, new_name, known[name])
    tell(f"The profile {name!r} is now {new_name!r}.")


def _remove(path: Path, name: str, profile: Profile, *, agreed: bool) -> None:
    """Remove a profile and its secrets; what was kept of its lists and changes stays."""
    if not agreed:
        if not sys.stdin.isatty():
            raise WrongUsage("Confirmation is needed to remove it.", "Add --yes. Nothing was changed.")
        if not says_yes(f"Remove the profile {name!r} with its key?"):
            raise NotAgreed("Nothing was changed.")
    change_file(path, lambda document: remove_profile(document, name))
    _move_secrets(name, None, profile)
    tell(f"Removed the profile {name!r}.")


def _move_secrets(name: str, new_name: str | None, profile: Profile) -> None:
    move_secrets(name, new_name, of_key=profile.keyring, of_store=profile.store_keyring)
