"""Tracking pixels of all vendors."""

from linkdash.api.endpoints import Endpoints
from linkdash.api.pixels import Pixel
from linkdash.api.resource import Source
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column


class PixelsScreen(ResourceScreen[Pixel]):
    """Tracking pixels of all vendors."""

    name_of_place = "pixels"
    TITLE = "Pixels"
    record = Pixel
    singular = "pixel"
    columns = (
        column(Pixel, "id"),
        column(Pixel, "name", grow=True, essential=True),
        column(Pixel, "type", width=13),
        column(Pixel, "tag", grow=True),
        column(Pixel, "date"),
    )

    def source(self, endpoints: Endpoints) -> Source[Pixel]:
        return endpoints.pixels.paged
