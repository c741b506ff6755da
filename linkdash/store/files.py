"""Files of the program's own: where they lie, who may read them, and how one is replaced."""

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import sys
from pathlib import Path

from linkdash.api.address import profile_key as profile_key
from linkdash.api.shared_budget import state_folder as state_folder

_APP = "linkdash"
_OTHERS = 0o077
"""The permission bits of everyone but the owner."""
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def cache_folder() -> Path:
    """Where what may be thrown away at any time lies: page snapshots. Not yet made."""
    from platformdirs import user_cache_path

    return user_cache_path(_APP, appauthor=False)


def reports_folder() -> Path | None:
    """Where reports of faults lie: the person's own folder, so that those of the demo outlive it.

    None for a user without a home.
    """
    try:
        return state_folder()
    except RuntimeError:
        return None


def former_profile_key(address: str, api_key: str) -> str:
    """The name that earlier versions gave, under which a store may still keep something."""
    return hashlib.sha256(f"{address}\0{api_key}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def private_folder(folder: Path) -> Path:
    """The same folder, there and open to its owner only (0700), as every folder made on the way to it.

    A folder of everybody's, like /tmp, stays as it is. Raises OSError, also for a folder that belongs to
    somebody else.
    """
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    for parent in reversed(missing):
        parent.mkdir(mode=0o700, exist_ok=True)
    status = folder.stat()
    _require_owner(status, folder)
    if status.st_mode & _OTHERS and not status.st_mode & stat.S_ISVTX:
        folder.chmod(0o700)
    return folder


def private_file(path: Path) -> Path:
    """The same file, there and open to its owner only (0600), empty if it was missing.

    Raises OSError, also for what is no plain file of this user's own: a link of either kind, a pipe,
    somebody else's file. What a link leads to is never touched.
    """
    private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _NO_FOLLOW, 0o600))
    except FileExistsError:
        close_to_others(path)
    return path


def close_to_others(path: Path) -> None:
    """Makes a file that is there private. Raises OSError as `private_file` does.

    The file is not opened: closing it again would end the locks that SQLite holds on it in this process.
    Between looking and changing nobody can swap it, for nobody else may write to its folder.
    """
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a link or no plain file", str(path))
    if status.st_nlink > 1:
        raise OSError(errno.EMLINK, "it has a second name (a hard link)", str(path))
    _require_owner(status, path)
    if status.st_mode & _OTHERS:
        path.chmod(0o600)


def write_atomically(path: Path, data: bytes) -> None:
    """Puts `data` into a file (0600) in place of what it held: wholly, or not at all.

    It is on the disk when this returns, also if the power fails then. The folder must be there. A link is
    replaced, not followed. Raises OSError, and leaves nothing behind.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Puts a folder's names on the disk, where the system lets folders be opened."""
    if sys.platform == "win32":
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _require_owner(status: os.stat_result, path: Path) -> None:
    if sys.platform != "win32" and status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "it belongs to another user", str(path))
