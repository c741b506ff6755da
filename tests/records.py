"""The records that a service begins with, made once: that takes longer than most tests."""

import shutil
from dataclasses import replace
from pathlib import Path

from linkdash.demo import DemoSettings
from linkdash.demo.service import DemoService
from tests.service.visitor import Clock

_ORDINARY = DemoSettings()


class Records:
    """The records as they are made at the moment of `Clock()`, in a file; every service gets a copy of it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._copies = folder, 0
        self._made = folder / "records.db"
        DemoService(DemoSettings(data_file=self._made, clock=Clock())).close()

    def known(self, settings: DemoSettings) -> DemoSettings:
        """The same settings, with a copy of the records where the service would only make them again."""
        if settings.data_file is not None or settings.seed != _ORDINARY.seed or settings.clock() != Clock()():
            return settings
        self._copies += 1
        copy = self._folder / f"copy-{self._copies}.db"
        shutil.copyfile(self._made, copy)
        return replace(settings, data_file=copy)
