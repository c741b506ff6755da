"""What the first picture shows, kept from a run like this one, so that it comes at once.

That is as much of the settings as the frame shows, and the overview as it was seen last. Reading either anew
takes pydantic, whose import takes longer than painting them. Nothing is kept of settings that cannot be used:
what is wrong with them is told before anything is painted.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, fields
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from linkdash import __version__
from linkdash.store.files import cache_folder, private_folder, write_atomically

_SHOWN = ("LINKDASH_BASE_URL", "LINKDASH_PROFILE")


def configuration_path() -> Path:
    """Where the configuration file lies on this platform."""
    from platformdirs import user_config_path

    return user_config_path("linkdash") / "config.toml"


@dataclass(frozen=True)
class FrameSettings:
    """As much of the settings as the frame shows or needs to be painted; nothing of it is secret."""

    profile: str
    base_url: str
    _: KW_ONLY
    read_only: bool = False
    theme: str = ""
    ascii: bool = False
    """Whether the dashboard draws with plain ASCII signs."""
    linear: bool = False
    """Whether it is for a screen reader: no frames, no bars, nothing side by side, nothing that ticks."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys by the id of their action, where they differ from the defaults."""
    holds_api_key: bool = False
    """Whether the API key stands in the configuration file itself."""

    @property
    def host(self) -> str:
        """Where the service is, as a person says it."""
        return self.base_url.partition("://")[2]


class KeptPicture(NamedTuple):
    """The overview as it was seen last: lines of pieces, a piece being a text and the number of its style."""

    at: str
    """When, in ISO 8601."""
    theme: str
    columns: int
    """Of the terminal, as `lines`: it fits into no other."""
    lines: int
    styles: Sequence[str]
    rows: Sequence[Sequence[tuple[str, int]]]


class KeptFrame:
    """The frame of the last start; good for one with the same flags, variables and configuration file.

    And the picture in it, where that file says the key too: else another's records could be shown.
    """

    def __init__(self, flags: argparse.Namespace, environment: Mapping[str, str]) -> None:
        shown = [environment.get(name) for name in _SHOWN]
        self._is_key_given = "LINKDASH_API_KEY" in environment
        self._origin = [__version__, vars(flags), shown, self._is_key_given, _stamp()]

    def read(self) -> FrameSettings | None:
        """What is kept; None where that is nothing, or was made from something else."""
        with suppress(*_SPOILED):
            return FrameSettings(**self._read("frame"))
        return None

    def read_picture(self) -> KeptPicture | None:
        """What was seen last; None as for the frame."""
        from rich.errors import StyleSyntaxError
        from rich.style import Style

        with suppress(*_SPOILED, StyleSyntaxError):
            picture = KeptPicture(**self._read("picture"))
            datetime.fromisoformat(picture.at)
            styles = range(len([Style.parse(str(text)) for text in picture.styles]))
            pieces = chain(*picture.rows)
            if all(
                isinstance(text, str) and type(style) is int and style in styles for text, style in pieces
            ):
                return picture
        return None

    def write(self, settings: FrameSettings) -> None:
        """Keeps what the frame shows of these settings. Where that cannot be, the next start takes longer."""
        self._write("frame", {one.name: getattr(settings, one.name) for one in fields(FrameSettings)})

    def write_picture(self, picture: KeptPicture) -> None:
        """Keeps what was seen last, where the frame is kept that it stands in and the key is the file's."""
        frame = self.read()
        if frame is not None and frame.holds_api_key and not self._is_key_given:
            self._write("picture", picture._asdict())

    def _read(self, name: str) -> dict[str, Any]:
        kept = json.loads(_file(name).read_bytes())
        if kept["origin"] != self._origin:
            raise LookupError(name)
        found: dict[str, Any] = kept[name]
        return found

    def _write(self, name: str, content: Mapping[str, object]) -> None:
        with suppress(OSError, RuntimeError):
            file = _file(name)
            private_folder(file.parent)
            write_atomically(file, json.dumps({"origin": self._origin, name: content}).encode())


_SPOILED = (OSError, ValueError, TypeError, LookupError, RuntimeError)


def _file(name: str) -> Path:
    return cache_folder() / f"{name}.json"


def _stamp() -> list[str | int]:
    """What changes when the configuration file does; less of it where there is none."""
    with suppress(OSError, RuntimeError):
        path = configuration_path()
        with suppress(FileNotFoundError):
            status = path.stat()
            return [
                str(path),
                status.st_ino,
                status.st_size,
                status.st_mode,
                status.st_mtime_ns,
                status.st_ctime_ns,
            ]
        return [str(path)]
    return []
