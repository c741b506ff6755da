"""CTA overlays, which can be listed (reference: CTA overlay)."""

from pydantic import Field

from linkdash.api.fields import Moment, Text, Word
from linkdash.api.model import Record
from linkdash.api.resource import PagedResource


class Overlay(Record):
    """A call to action shown over a page. Its types are open: message and contact were seen."""

    name: Text = Field("", title="Name")
    type: Word = Field("", title="Type")
    date: Moment = Field(None, title="Created")


class Overlays(PagedResource[Overlay]):
    """`client.overlays`."""

    model = Overlay
    path = "/api/overlay"
    collections = ("cta", "overlay", "overlays")
