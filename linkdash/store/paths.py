"""Where the program's files lie: as the platform says, `XDG_*` on Linux, closed to other users."""

import os
from pathlib import Path

from linkdash.api.address import profile_key
from linkdash.api.shared_budget import state_folder

__all__ = ["cache_folder", "private_file", "private_folder", "profile_key", "state_folder"]

_APP = "linkdash"
_OTHERS = 0o077
"""The permission bits of everyone but the owner."""


def cache_folder() -> Path:
    """Where what may be thrown away at any time lies: page snapshots. Not yet made."""
    from platformdirs import user_cache_path

    return user_cache_path(_APP, appauthor=False)


def private_folder(folder: Path) -> Path:
    """The same folder, there and open to its owner only (0700), as every folder made on the way to it.

    Raises OSError.
    """
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    for parent in reversed(missing):
        parent.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_mode & _OTHERS:
        folder.chmod(0o700)
    return folder


def private_file(path: Path) -> Path:
    """The same file, there and open to its owner only (0600), empty if it was missing. Raises OSError."""
    private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if path.stat().st_mode & _OTHERS:
            path.chmod(0o600)
    return path
