"""What is shown on the way to a link's target: CTA overlays and custom splash pages, which can be listed."""

from pydantic import Field

from linkdash.api.fields import Moment, Text, Word
from linkdash.api.model import Record
from linkdash.api.resource import PagedResource


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


class SplashPage(Record):
    """A page shown before the target of a link (reference: custom splash page)."""

    name: Text = Field(default="", title="Name")
    date: Moment = Field(default=None, title="Created")


class SplashPages(PagedResource[SplashPage]):
    """`client.splash`."""

    model = SplashPage
    path = "/api/splash"
    collections = ("splash",)
