"""The places of a user's files."""

from pathlib import Path

from linkdash.api.errors import Misconfigured
from linkdash.api.http.address import state_folder
from linkdash.model.configuration_file import configuration_path
from linkdash.store.folders import cache_folder


def places() -> tuple[Path, Path, Path]:
    """The configuration file and the folders for state and cache.

    Raises Misconfigured for a user without a home, as some containers have.
    """
    try:
        return configuration_path(), state_folder(), cache_folder()
    except RuntimeError:
        raise Misconfigured("This user has no home folder.", "Set HOME to a folder.") from None
