"""Machines of a team: each has its own settings and files, and all of them one service."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from linkdash.demo.server import Running
from tests.commands.shell import Here, Ran


@dataclass(frozen=True)
class Machine:
    """A machine of its own: its settings and its files."""

    here: Here
    folder: Path

    @property
    def folders(self) -> dict[str, str]:
        """Return where its files lie."""
        return {f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("CONFIG", "STATE", "CACHE")}

    def __call__(self, *arguments: str, **set: str) -> Ran:
        return self.here(*arguments, set={**self.folders, **set})


class Machines:
    """Machines on one service; their profile names a store, and the profile `alone` none."""

    def __init__(self, service: Running, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self._service, self._folder = service, folder
        self._here = Here(service, capsys)

    def open(self, name: str, store: str, *more: str) -> Machine:
        file = self._folder / name / "config" / "linkdash" / "config.toml"
        file.parent.mkdir(parents=True)
        address = f'base_url = "{self._service.base_url}"'
        own = ["[profiles.default]", address, f'store = "{store}"', *more]
        file.write_text("\n".join([*own, "[profiles.alone]", address]))
        file.chmod(0o600)
        return Machine(self._here, self._folder / name)
