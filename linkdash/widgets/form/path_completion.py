"""Paths of files as they are typed: what is there, and how they go on."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Literal

from linkdash.api.inert_text import inert


@dataclass(frozen=True)
class PathLook:
    """The find on the disk at a path that is being typed."""

    text: str
    path: Path
    """The same as a path, with the home of a user in place of a tilde."""
    kind: Literal["nothing", "file", "folder"]
    has_folder: bool
    """True if the folder that it lies in is there and can be read."""
    size: int = 0
    """In bytes, of a file."""
    names: Sequence[str] = ()
    """The names that its last part can go on to, by name; folders end with a slash."""

    @property
    def completed(self) -> str:
        """Return the text as far as all of the names agree; as it is where nothing follows from them."""
        if not self.names:
            return self.text
        begun, ends = os.path.basename(self.text), zip(min(self.names), max(self.names), strict=False)
        agreed = (one for one, _ in takewhile(lambda pair: pair[0] == pair[1], ends))
        return self.text[: len(self.text) - len(begun)] + "".join(agreed)


def look_at(text: str, endings: Sequence[str] = ()) -> PathLook:
    """Look up a path; of files, only those with one of the `endings`, if any are given. This may wait."""
    path = Path(os.path.expanduser(text))
    if text == "~":
        return PathLook(text, path, "folder", has_folder=True, names=("~/",))
    folder, begun = os.path.split(os.path.expanduser(text))
    found = _names(folder or os.curdir, begun, endings)
    has_folder, names = found is not None, found or ()
    try:
        status = path.stat()
    except (OSError, ValueError):
        return PathLook(text, path, "nothing", has_folder, names=names)
    kind: Literal["file", "folder"] = "folder" if stat.S_ISDIR(status.st_mode) else "file"
    return PathLook(text, path, kind, has_folder, status.st_size, names)


def _names(folder: str, begun: str, endings: Sequence[str]) -> Sequence[str] | None:
    """The names in a folder that begin like this; None where it cannot be read. Hidden ones are asked for."""
    try:
        with os.scandir(folder) as entries:
            found = [
                f"{entry.name}/" if entry.is_dir() else entry.name
                for entry in entries
                if entry.name.startswith(begun) and (begun or not entry.name.startswith("."))
            ]
    except (OSError, ValueError):
        return None
    return sorted(
        name
        for name in found
        if name == inert(name)
        and (name.endswith("/") or not endings or name.lower().endswith(tuple(endings)))
    )
