"""Tracking pixels (reference: pixels)."""

from typing import Annotated, Literal

from pydantic import Field

from linkdash.api.fields import FilledText, Moment, PlainText, Text, Word
from linkdash.api.marks import Labels
from linkdash.api.model import Body, Record
from linkdash.api.resource import Created, Done, PagedResource, body_of, created

PixelType = Literal[
    "gtmpixel",
    "gapixel",
    "fbpixel",
    "adwordspixel",
    "linkedinpixel",
    "twitterpixel",
    "adrollpixel",
    "quorapixel",
    "pinterest",
    "bing",
    "snapchat",
    "reddit",
    "tiktok",
]
VENDORS = Labels(
    {
        "gtmpixel": "Google Tag Manager",
        "gapixel": "Google Analytics",
        "fbpixel": "Facebook",
        "adwordspixel": "Google Ads",
        "linkedinpixel": "LinkedIn",
        "twitterpixel": "X (Twitter)",
        "adrollpixel": "AdRoll",
        "quorapixel": "Quora",
        "pinterest": "Pinterest",
        "bing": "Bing",
        "snapchat": "Snapchat",
        "reddit": "Reddit",
        "tiktok": "TikTok",
    }
)


class Pixel(Record):
    """A vendor's tracking tag."""

    name: Text = Field("", title="Name")
    type: Annotated[Word, VENDORS] = Field("", title="Type")
    tag: Text = Field("", title="Tag", description="The vendor's tag or identifier")
    date: Moment = Field(None, title="Created")


class PixelCreate(Body):
    """A new pixel."""

    type: Annotated[PixelType, VENDORS] = Field(
        title="Type", description="The vendor; it cannot be changed later"
    )
    name: FilledText = Field(title="Name")
    tag: FilledText = Field(title="Tag", description="The vendor's tag or identifier")


class PixelUpdate(Body):
    """What of a pixel can be changed; its tag is always sent."""

    name: PlainText = Field("", title="Name")
    tag: FilledText = Field(title="Tag", description="The vendor's tag or identifier")


class Pixels(PagedResource[Pixel]):
    """`client.pixels`."""

    model = Pixel
    path = "/api/pixels"
    collections = ("pixels",)

    async def create(self, body: PixelCreate | None = None, /, **members: object) -> Created:
        """Makes a pixel of `type`, `name` and `tag`. Raises InvalidBody, ServiceError."""
        return created(
            await self._caller.write("POST", "/api/pixel/add", body_of(PixelCreate, body, members))
        )

    async def update(self, id: int, body: PixelUpdate | None = None, /, **members: object) -> Done:
        """Changes `name` and `tag`, which is required. Raises InvalidBody, ServiceError."""
        return await self._caller.do("PUT", f"/api/pixel/{id}/update", body_of(PixelUpdate, body, members))

    async def delete(self, id: int) -> Done:
        """Deletes a pixel. Raises ServiceError."""
        return await self._caller.do("DELETE", f"/api/pixel/{id}/delete")
