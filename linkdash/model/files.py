"""Files of exports: in the folder where a person looks for them, and never over another file unasked."""

import contextlib
from collections.abc import Callable
from itertools import count
from pathlib import Path

from linkdash.api.errors import LinkdashError
from linkdash.store.files import write_atomically


class NotSaved(LinkdashError):
    """The file could not be written; nothing was left behind."""


def downloads_folder() -> Path:
    """The downloads folder of the person; where there is none, the folder linkdash was started in."""
    from platformdirs import user_downloads_path

    for find in (user_downloads_path, Path.cwd):
        with contextlib.suppress(
            OSError, RuntimeError
        ):  # a home that is closed, or none; a folder that is gone
            folder = find()
            if folder.is_dir():
                return folder
    return Path()


def save(folder: Path, stem: str, ending: str, data: Callable[[], bytes]) -> Path:
    """Puts `data` into a new file, whose whole path is returned: `stem.ending`, or the next free name.

    Raises NotSaved; also for a ValueError of `data`, in its words.
    """
    try:
        content = data()
    except ValueError as error:
        raise NotSaved(f"{stem}.{ending} could not be written: {error}.", "Nothing was saved.") from None
    try:
        path = _claimed(folder, stem, ending)
    except OSError as error:
        raise NotSaved(f"{folder} takes no file: {error.strerror}.", "Nothing was saved.") from None
    try:
        _replace(path, content)
    except NotSaved:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    return path


def save_text(folder: Path, stem: str, ending: str, text: str) -> Path:
    """Writes a text into a new file. Raises NotSaved."""
    return save(folder, stem, ending, lambda: text.encode("utf-8", "replace"))


def replace_text(path: Path, text: str) -> None:
    """Writes a text to a path, whole or not at all, in the place of what was there. Raises NotSaved."""
    _replace(path, text.encode("utf-8", "replace"))


def _replace(path: Path, data: bytes) -> None:
    try:
        write_atomically(path, data)
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
