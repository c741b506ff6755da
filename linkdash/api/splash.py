"""Custom splash pages, which can be listed (reference: custom splash page)."""

from pydantic import Field

from linkdash.api.fields import Moment, Text
from linkdash.api.model import Record
from linkdash.api.resource import PagedResource


class SplashPage(Record):
    """A page shown before the target of a link."""

    name: Text = Field("", title="Name")
    date: Moment = Field(None, title="Created")


class SplashPages(PagedResource[SplashPage]):
    """`client.splash`."""

    model = SplashPage
    path = "/api/splash"
    collections = ("splash",)
