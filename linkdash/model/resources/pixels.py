"""Tracking pixels of all vendors."""

from linkdash.api.resources.pixels import Pixel, PixelCreate, PixelUpdate
from linkdash.model.declaration import Deletion, Resource
from linkdash.model.lists.columns import column
from linkdash.model.lists.views import Finding

RESOURCE = Resource(
    "pixels",
    singular="pixel",
    record=Pixel,
    columns=(
        column(Pixel, "name", width=24, grow=True, essential=True),
        column(Pixel, "type", width=18),
        column(Pixel, "tag", width=16),
        column(Pixel, "date"),
        column(Pixel, "id"),
    ),
    create=PixelCreate,
    update=PixelUpdate,
    delete=Deletion(
        lambda pixel: "Visits will no longer be reported to this vendor.",
        "{} pixels will no longer report visits.",
    ),
    findings=(
        Finding(
            name="twins",
            filter="twins>0",
            order=(("tag", False),),
            why="Another pixel has the same type and tag: the vendor counts each visit twice.",
            advice="Delete all but one.",
        ),
        Finding(
            name="vendor unknown",
            filter="vendor:0",
            why="linkdash does not know their type.",
            advice="Look whether the type is spelled right.",
        ),
    ),
)
