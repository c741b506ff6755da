"""What a person has at hand beside every list: records that were opened, codes that are watched, alerts."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from linkdash.model.context import Context
from linkdash.store import at_hand as stored
from linkdash.store.alerts import Alert
from linkdash.store.at_hand import KeptAtHand, Opened

if TYPE_CHECKING:  # nothing is read of codes before a list or the overview asks
    from linkdash.model.statistics.activity import Activity

MOST = 12
"""Records that are remembered."""


class AtHand:
    """Remembers what was opened and watched, also from run to run."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._is_recalled = False
        self.recent: tuple[Opened, ...] = ()
        """The records that were opened, the latest first, each once."""
        self.watched: Mapping[int, str] = {}
        """The codes that were watched last, by id, with their names."""
        self.activities: Mapping[int, Activity] = {}
        """How much codes are scanned, as it was read last."""
        self.alerts: Sequence[Alert] = ()
        """The alerts that stood when they were looked for last."""
        self.alerts_at = -math.inf
        """When that was, in seconds since the epoch."""

    async def opened(self, resource: str, id: int, name: str) -> None:
        """A record was opened."""
        self._remember(Opened(resource=resource, id=id, name=name), *self.recent)
        await self._keep()

    async def watch(self, codes: Sequence[tuple[int, str]]) -> None:
        """These codes are watched, and no others."""
        self.watched = dict(codes)
        await self._keep()

    async def recall(self) -> None:
        """Adds what was opened and watched in earlier runs; later calls do nothing."""
        if not self._is_recalled:
            self._is_recalled = True
            found = await self._context.kept(stored.load(self._context.store.preferences), KeptAtHand())
            self._remember(*self.recent, *found.recent)
            self.watched = self.watched or found.watched

    def _remember(self, *recent: Opened) -> None:
        by_record: dict[tuple[str, int], Opened] = {}
        for one in recent:
            by_record.setdefault((one.resource, one.id), one)
        self.recent = tuple(by_record.values())[:MOST]

    async def _keep(self) -> None:
        await self.recall()
        kept = KeptAtHand(recent=self.recent, watched=dict(self.watched))
        await self._context.kept(stored.save(self._context.store.preferences, kept), None)
