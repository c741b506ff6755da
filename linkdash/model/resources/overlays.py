"""CTA overlays."""

from linkdash.api.overlays import Overlay
from linkdash.model.columns import column
from linkdash.model.resource import Resource

RESOURCE = Resource(
    "overlays",
    singular="overlay",
    record=Overlay,
    columns=(
        column(Overlay, "name", width=24, grow=True, essential=True),
        column(Overlay, "type"),
        column(Overlay, "date"),
        column(Overlay, "id"),
    ),
)
