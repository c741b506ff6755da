"""`linkdash profiles`: those there are, without their keys."""

import argparse
from collections.abc import Mapping

from linkdash.commands.output import write_rows
from linkdash.commands.standard_streams import put, tell
from linkdash.model.configuration_file import configuration_schema, read_configuration
from linkdash.model.json_text import json_text
from linkdash.model.places import places
from linkdash.model.settings import Flags, profile_name

_TITLES = {
    "name": "Profile",
    "used": "Used",
    "base_url": "Address",
    "key": "Key",
    "read_only": "Read-only",
}


def profiles(flags: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """`linkdash profiles`: those there are, without keys; or a change of one. Raises LinkdashError."""
    path, _, _ = places()
    if flags.action is not None:
        from linkdash.commands.change_profiles import change_profiles  # it edits the file, which takes longer

        return change_profiles(flags, path)
    if flags.schema:
        put(json_text(configuration_schema()))
        return 0
    configuration = read_configuration(path)
    used = profile_name(configuration, environment, Flags(flags.profile, flags.base_url))
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
    if not rows:
        tell("There is no profile yet. Run linkdash setup to create one.")
    for notice in configuration.notices:
        tell(notice)
    return 0
