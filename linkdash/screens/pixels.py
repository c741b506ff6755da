"""Tracking pixels of all vendors."""

from linkdash.api.client import Endpoints
from linkdash.api.pixels import Pixel, PixelCreate, PixelUpdate
from linkdash.api.resource import Source
from linkdash.screens import places
from linkdash.screens.writing.writable import WritableScreen
from linkdash.screens.writing.writes import Deleting, creating, updating
from linkdash.widgets.columns import column


class PixelsScreen(WritableScreen[Pixel]):
    """Tracking pixels of all vendors."""

    name_of_place = places.PIXELS.id
    TITLE = places.PIXELS.title
    record_type = Pixel
    singular = "pixel"
    columns = (
        column(Pixel, "id"),
        column(Pixel, "name", grow=True, essential=True),
        column(Pixel, "type", width=18),
        column(Pixel, "tag", width=16),
        column(Pixel, "date"),
    )
    creating = creating(PixelCreate, lambda at, body: at.pixels.create(body))
    updating = updating(PixelUpdate, lambda at, id, body: at.pixels.update(id, body))
    deleting = Deleting(
        lambda at, id: at.pixels.delete(id), lambda _pixel: "Its vendor hears of no more visits."
    )

    def source(self, endpoints: Endpoints) -> Source[Pixel]:
        return endpoints.pixels.source
