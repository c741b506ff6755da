"""CTA overlays."""

from linkdash.api.client import Endpoints
from linkdash.api.overlays import Overlay
from linkdash.api.resource import Source
from linkdash.screens import places
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column


class OverlaysScreen(ResourceScreen[Overlay]):
    """CTA overlays."""

    name_of_place = places.OVERLAYS.id
    TITLE = places.OVERLAYS.title
    record_type = Overlay
    singular = "overlay"
    columns = (
        column(Overlay, "id"),
        column(Overlay, "name", grow=True, essential=True),
        column(Overlay, "type"),
        column(Overlay, "date"),
    )

    def source(self, endpoints: Endpoints) -> Source[Overlay]:
        return endpoints.overlays.source
