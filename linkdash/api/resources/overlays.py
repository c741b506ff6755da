"""Overlays: records and endpoints (reference: overlays)."""

from pydantic import Field

from linkdash.api.endpoints import PagedResource
from linkdash.api.fields import Moment, Text, Word
from linkdash.api.records import Record


class Overlay(Record):
    """A call to action shown over a page (reference: CTA overlay).

    Its types are open: message and contact were seen.
    """

    name: Text = Field(default="", title="Name")
    type: Word = Field(default="", title="Type")
    date: Moment = Field(default=None, title="Created")


class Overlays(PagedResource[Overlay]):
    """`client.overlays`."""

    model = Overlay
    path = "/api/overlay"
    collections = ("cta", "overlay", "overlays")
