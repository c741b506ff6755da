"""The records that a service begins with, made once: that takes longer than most tests."""

from contextlib import closing
from dataclasses import replace

from linkdash.demo import DemoSettings
from linkdash.demo.sample_records import USERS
from linkdash.demo.service import DemoService
from tests.service.visitor import Clock

_ORDINARY = DemoSettings()


class Records:
    """The records as they are made at the moment of `Clock()`; every service gets a copy of them.

    There may be fewer users: they come in one answer, and each list of them looks at all.
    """

    def __init__(self, users: int = USERS) -> None:
        with closing(DemoService(DemoSettings(clock=Clock()))) as service:
            service.db.execute("DELETE FROM users WHERE id > ?", (users,))
            self._made = service.db.serialize()

    def known(self, settings: DemoSettings) -> DemoSettings:
        """The same settings, with a copy of the records where the service would only make them again."""
        if settings.records is not None or settings.seed != _ORDINARY.seed or settings.clock() != Clock()():
            return settings
        return replace(settings, records=self._made)
