"""`linkdash profiles`: those there are, without their keys."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from linkdash.commands.output import put_json, write_rows
from linkdash.commands.standard_streams import tell
from linkdash.model.configuration_file import configuration_schema, read_configuration
from linkdash.model.settings import Flags, profile_name

_TITLES = {
    "name": "Profile",
    "used": "Used",
    "base_url": "Address",
    "key": "Key",
    "read_only": "Read-only",
}


def profiles(flags: argparse.Namespace, environment: Mapping[str, str], path: Path) -> int:
    """`linkdash profiles`: those there are, without keys; or the schema of the file. Raises Misconfigured."""
    if flags.schema:
        put_json(configuration_schema(), indent=2)
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
