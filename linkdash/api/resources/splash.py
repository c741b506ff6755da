"""Splash pages: records and endpoints (reference: splash pages)."""

from pydantic import Field

from linkdash.api.endpoints import PagedResource
from linkdash.api.fields import Moment, Text
from linkdash.api.records import Record


class SplashPage(Record):
    """A page shown before the target of a link (reference: custom splash page)."""

    name: Text = Field(default="", title="Name")
    date: Moment = Field(default=None, title="Created")


class SplashPages(PagedResource[SplashPage]):
    """`client.splash`."""

    model = SplashPage
    path = "/api/splash"
    collections = ("splash",)
