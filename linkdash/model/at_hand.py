"""What is at hand in a run: the records that were opened last, the codes that are watched, the alerts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from linkdash.model.statistics.activity import Activity
from linkdash.store.alerts import Alert

MOST = 12
"""Records that are remembered."""


@dataclass(frozen=True)
class Opened:
    """A record that was opened."""

    resource: str
    id: int
    name: str


class AtHand:
    """Remembers for as long as the program runs."""

    def __init__(self) -> None:
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

    def opened(self, resource: str, id: int, name: str) -> None:
        """A record was opened."""
        others = (one for one in self.recent if (one.resource, one.id) != (resource, id))
        self.recent = (Opened(resource, id, name), *others)[:MOST]

    def watch(self, codes: Sequence[tuple[int, str]]) -> None:
        """These codes are watched, and no others."""
        self.watched = dict(codes)
