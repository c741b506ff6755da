"""The screen of the splash pages."""

from linkdash.api.resources.splash import SplashPage
from linkdash.model.insight.related import by_age, by_label
from linkdash.model.resources.splash import RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.scan_activity import prefix
from linkdash.screens.related import RelatedFacts, TallyOf, tally_facts
from linkdash.screens.resource_screen import ResourceScreen


class SplashPagesScreen(ResourceScreen[SplashPage]):
    """Splash pages, and how old they are."""

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def related(self, record: SplashPage) -> RelatedFacts | None:
        today = self.session.local_time().date()
        return tally_facts(
            self.collection,
            TallyOf("By age", lambda records: by_age((one.date for one in records), today)),
            TallyOf("By name", lambda records: by_label(prefix(one.name) or "others" for one in records)),
        )
