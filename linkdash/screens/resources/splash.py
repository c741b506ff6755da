"""The screen of the splash pages."""

from collections.abc import Sequence

from linkdash.api.resources.splash import SplashPage
from linkdash.model.insight.related import by_age
from linkdash.model.resources.splash import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.lists.related import TallyOf
from linkdash.screens.resource_screen import ResourceScreen


class SplashPagesScreen(ResourceScreen[SplashPage]):
    """Splash pages, and how old they are."""

    TITLE = RESOURCE.title
    NAMES_CODES = True

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def ways(self) -> Sequence[TallyOf[SplashPage]]:
        today = self.session.local_time().date()
        return (TallyOf("By age", lambda records: by_age((one.date for one in records), today)),)
