"""CTA overlays."""

from linkdash.api.resources.overlays import Overlay
from linkdash.model.declaration import Resource
from linkdash.model.lists.columns import column

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
