"""Files: private folders and files, replaced atomically; and saving of those that the user gets.

An export goes to the folder where the user looks for it, and never over another file unasked.
"""

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from linkdash.api.errors import LinkdashError

_OTHERS = 0o077
"""The permission bits of everyone but the owner."""
NOT_REGULAR = "it is not a regular file"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def private_folder(folder: Path) -> Path:
    """The same folder, there and open to its owner only (0700), as every folder made on the way to it.

    A folder of everybody's, like /tmp, stays as it is. Raises OSError, also for a folder that belongs to
    another user, and for a link to a folder that others may enter: what a link leads to is never changed.
    """
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    for parent in reversed(missing):
        parent.mkdir(mode=0o700, exist_ok=True)
    status = folder.stat()
    _require_owner(status, folder)
    if status.st_mode & _OTHERS and not status.st_mode & stat.S_ISVTX:
        if folder.is_symlink():
            raise OSError(errno.EPERM, "it is a link to a folder that others may enter", str(folder))
        folder.chmod(0o700)
    return folder


def private_file(path: Path) -> Path:
    """The same file, there and open to its owner only (0600), empty if it was missing.

    Raises OSError, also for what is no plain file of this user's own: a link of either kind, a pipe,
    another user's file. What a link leads to is never touched.
    """
    private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _NO_FOLLOW, 0o600))
    except FileExistsError:
        close_to_others(path)
    return path


def close_to_others(path: Path) -> None:
    """Make a file that is there private. Raises OSError as `private_file` does.

    The file is not opened: closing it again would end the locks that SQLite holds on it in this process.
    Between looking and changing it cannot be swapped, for no one else may write to its folder.
    """
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a link, or not a regular file", str(path))
    if status.st_nlink > 1:
        raise OSError(errno.EMLINK, "it has a hard link", str(path))
    _require_owner(status, path)
    if status.st_mode & _OTHERS:
        path.chmod(0o600)


def write_atomically(path: Path, data: bytes, *, for_all: bool = False) -> None:
    """Put `data` into a file (0600, `for_all` 0644) in place of what it held: wholly, or not at all.

    It is on the disk when this returns, also if the power fails then. The folder must be there. A link is
    replaced, not followed. Raises OSError, also for a device or a pipe, and leaves nothing behind.
    """
    if not is_replaceable(path):
        raise OSError(errno.EINVAL, NOT_REGULAR, str(path))
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
        with os.fdopen(file, "wb") as stream:
            if for_all:
                part.chmod(0o644)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    _sync_folder(path.parent)


def is_replaceable(path: Path) -> bool:
    """Return whether a file can stand in the place of what is at a path: a file, or nothing.

    It is not for a device, a pipe or a folder, nor for a link to one, such as /dev/stdout.
    """
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other programs waiting that change files of a folder in this way, where there are such locks."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    file = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # on a network's file system
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _sync_folder(folder: Path) -> None:
    """Put a folder's names on the disk, where the system lets folders be opened."""
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


# ---- for the user ----


class NotSaved(LinkdashError):
    """The file could not be written; nothing was left behind."""


def save(folder: Path, stem: str, ending: str, data: Callable[[], bytes]) -> Path:
    """Put `data` into a new file, whose whole path is returned: `stem.ending`, or the next free name.

    Raises NotSaved; also for a ValueError of `data`, in its words.
    """
    try:
        content = data()
    except ValueError as error:
        raise NotSaved(f"{stem}.{ending} could not be written: {error}.", "Nothing was saved.") from None
    try:
        path = _claimed(folder, stem, ending)
    except OSError as error:
        raise NotSaved(f"{folder} cannot be written to: {error.strerror}.", "Nothing was saved.") from None
    try:
        _replace(path, content)
    except NotSaved:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    return path


def save_text(folder: Path, stem: str, ending: str, text: str) -> Path:
    """Write a text into a new file. Raises NotSaved."""
    return save(folder, stem, ending, lambda: text.encode("utf-8", "replace"))


def replace_text(path: Path, text: str, *, for_all: bool = False) -> None:
    """Write a text to a path, whole or not at all, in the place of what was there. Raises NotSaved.

    With `for_all` every user of the machine may read it.
    """
    _replace(path, text.encode("utf-8", "replace"), for_all=for_all)


def _replace(path: Path, data: bytes, *, for_all: bool = False) -> None:
    try:
        write_atomically(path, data, for_all=for_all)
    except OSError as error:
        raise NotSaved(f"{path} could not be written: {error.strerror}.", "Nothing was saved.") from None


def _claimed(folder: Path, stem: str, ending: str) -> Path:
    """A new empty file; its name was free at the moment it was made. Raises OSError."""
    for number in count(1):
        path = folder / (f"{stem}.{ending}" if number == 1 else f"{stem}-{number}.{ending}")
        with contextlib.suppress(FileExistsError):
            path.touch(mode=0o600, exist_ok=False)
            return path
    raise AssertionError("numbers do not end")
