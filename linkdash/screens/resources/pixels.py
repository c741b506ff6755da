"""The screen of the pixels."""

from collections.abc import Sequence

from linkdash.api.resources.pixels import Pixel
from linkdash.model.insight.related import by_age
from linkdash.model.resources.pixels import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.lists.related import TallyOf, type_tally
from linkdash.screens.resource_screen import ResourceScreen


class PixelsScreen(ResourceScreen[Pixel]):
    """Pixels, and how many there are of each type."""

    TITLE = RESOURCE.title
    NAMES_CODES = True

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def ways(self) -> Sequence[TallyOf[Pixel]]:
        today = self.session.local_time().date()
        return (
            type_tally(self.records),
            TallyOf("By age", lambda records: by_age((one.date for one in records), today)),
        )
