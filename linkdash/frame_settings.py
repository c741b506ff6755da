"""What the first picture shows of the settings, kept from a start like this one, so that it comes at once.

Reading the configuration takes pydantic, whose import takes longer than painting the frame. Nothing is kept
of settings that cannot be used: what is wrong with them is told before anything is painted.
"""

import argparse
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, fields
from pathlib import Path

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

    @property
    def host(self) -> str:
        """Where the service is, as a person says it."""
        return self.base_url.partition("://")[2]


class KeptFrame:
    """The frame of the last start; good for one with the same flags, variables and configuration file."""

    def __init__(self, flags: argparse.Namespace, environment: Mapping[str, str]) -> None:
        shown = [environment.get(name) for name in _SHOWN]
        self._origin = [__version__, vars(flags), shown, "LINKDASH_API_KEY" in environment, _stamp()]

    def read(self) -> FrameSettings | None:
        """What is kept; None where that is nothing, or was made from something else."""
        with suppress(OSError, ValueError, TypeError, LookupError, RuntimeError):
            kept = json.loads(_file().read_bytes())
            if kept["origin"] == self._origin:
                return FrameSettings(**kept["frame"])
        return None

    def write(self, settings: FrameSettings) -> None:
        """Keeps what the frame shows of these settings. Where that cannot be, the next start takes longer."""
        frame = {one.name: getattr(settings, one.name) for one in fields(FrameSettings)}
        with suppress(OSError, RuntimeError):
            file = _file()
            private_folder(file.parent)
            write_atomically(file, json.dumps({"origin": self._origin, "frame": frame}).encode())


def _file() -> Path:
    return cache_folder() / "frame.json"


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
