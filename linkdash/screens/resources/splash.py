"""The screen of the splash pages."""

from collections.abc import Sequence

from linkdash.api.resources.splash import SplashPage
from linkdash.model.insight.related import by_age, by_label
from linkdash.model.resources.splash import RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.scan_activity import prefix
from linkdash.screens.lists.known_codes import KnownCodes
from linkdash.screens.lists.related import RelatedFacts, TallyOf, tally_facts
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.details import DetailLine


class SplashPagesScreen(ResourceScreen[SplashPage]):
    """Splash pages, and how old they are."""

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._codes = KnownCodes(session)

    async def read_related(self) -> None:
        await self._codes.read()

    def lines(self, record: SplashPage, width: int) -> Sequence[DetailLine]:
        """Its fields; where nothing stands beside them, the codes of the same name, too."""
        codes = [] if self.has_related else self._codes.in_details(record.name)
        return [*super().lines(record, width), *codes]

    def related(self, record: SplashPage) -> RelatedFacts | None:
        today = self.session.local_time().date()
        return tally_facts(
            self.collection,
            TallyOf("By age", lambda records: by_age((one.date for one in records), today)),
            TallyOf("By name", lambda records: by_label(prefix(one.name) or "others" for one in records)),
            alike=self._codes.alike(record.name),
        )
