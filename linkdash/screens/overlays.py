"""The screen of the overlays."""

from linkdash.api.resources.overlays import Overlay
from linkdash.model.insight.related import by_label
from linkdash.model.resources.overlays import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.related import RelatedFacts, tally_facts
from linkdash.screens.resource_screen import ResourceScreen


class OverlaysScreen(ResourceScreen[Overlay]):
    """Overlays, and how many there are of each type."""

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def related(self, record: Overlay) -> RelatedFacts | None:
        typed = next(column for column in self.records.columns if column.name == "type")
        return tally_facts(
            "By type",
            self.collection,
            lambda records: by_label(str(typed.shown(one) or "no type") for one in records),
        )
