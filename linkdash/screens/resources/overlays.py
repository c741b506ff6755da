"""The screen of the overlays."""

from collections.abc import Sequence

from linkdash.api.resources.overlays import Overlay
from linkdash.model.insight.related import by_age, by_label
from linkdash.model.resources.overlays import RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.scan_activity import prefix
from linkdash.screens.lists.known_codes import KnownCodes
from linkdash.screens.lists.related import RelatedFacts, TallyOf, tally_facts, type_tally
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.details import DetailLine


class OverlaysScreen(ResourceScreen[Overlay]):
    """Overlays, and how many there are of each type."""

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._codes = KnownCodes(session)

    async def read_related(self) -> None:
        await self._codes.read()

    def lines(self, record: Overlay, width: int) -> Sequence[DetailLine]:
        """Its fields; where nothing stands beside them, the codes of the same name, too."""
        codes = [] if self.has_related else self._codes.in_details(record.name)
        told = super().lines(record, width)
        return [*(line for line in told if line.title != "Type" or not codes), *codes]

    def related(self, record: Overlay) -> RelatedFacts | None:
        today = self.session.local_time().date()
        return tally_facts(
            self.collection,
            type_tally(self.records),
            TallyOf("By age", lambda records: by_age((one.date for one in records), today)),
            TallyOf("By name", lambda records: by_label(prefix(one.name) or "others" for one in records)),
            alike=self._codes.alike(record.name),
        )
