"""The folders for state, cache, reports and downloads."""

import contextlib
from pathlib import Path

from linkdash.api.http.address import state_folder

_APP = "linkdash"


def cache_folder() -> Path:
    """Return the folder for what may be thrown away at any time: page snapshots. Not yet made."""
    from platformdirs import user_cache_path

    return user_cache_path(_APP, appauthor=False)


def reports_folder() -> Path | None:
    """Return the folder of fault reports: the user's own, so that those of the demo outlive it.

    None for a user without a home.
    """
    try:
        return state_folder()
    except RuntimeError:
        return None


def downloads_folder() -> Path:
    """The user's downloads folder; where there is none, the folder linkdash was started in."""
    from platformdirs import user_downloads_path

    for find in (user_downloads_path, Path.cwd):
        with contextlib.suppress(
            OSError, RuntimeError
        ):  # a home that is closed, or none; a folder that is gone
            folder = find()
            if folder.is_dir():
                return folder
    return Path()
