"""Pixels: records, request bodies and endpoints (reference: pixels)."""

from typing import Annotated, Literal, overload

from pydantic import Field

from linkdash.api.endpoints import Created, Done, PagedResource, path_of
from linkdash.api.fields import FilledText, Labels, Moment, Text, Word
from linkdash.api.http.request import NO_OPTIONS, Options
from linkdash.api.records import Body, Record

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

    name: Text = Field(default="", title="Name")
    type: Annotated[Word, VENDORS] = Field(default="", title="Type")
    tag: Text = Field(default="", title="Tag", description="The vendor's tag or identifier")
    date: Moment = Field(default=None, title="Created")


class PixelCreate(Body):
    """A new pixel."""

    type: Annotated[PixelType, VENDORS] = Field(
        title="Type", description="The vendor; it cannot be changed later"
    )
    name: FilledText = Field(title="Name")
    tag: FilledText = Field(title="Tag", description="The vendor's tag or identifier")


class PixelUpdate(Body):
    """The members of a pixel that can be changed; its tag is always sent."""

    name: FilledText = Field(default="", title="Name")
    tag: FilledText = Field(title="Tag", description="The vendor's tag or identifier")


class Pixels(PagedResource[Pixel]):
    """`client.pixels` (reference: pixels)."""

    model = Pixel
    path = "/api/pixels"
    collections = ("pixels",)

    @overload
    async def create(self, body: PixelCreate, /, *, options: Options = NO_OPTIONS) -> Created: ...
    @overload
    async def create(
        self, body: None = None, /, *, type: PixelType, name: str, tag: str, options: Options = NO_OPTIONS
    ) -> Created: ...
    async def create(
        self, body: PixelCreate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> Created:
        """Create a pixel of `type`, `name` and `tag`, all required (reference: pixels).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        given = self._caller.body(PixelCreate, body, members)
        answer = await self._caller.send_write("POST", "/api/pixel/add", given, options)
        return self._caller.result(Created, answer)

    @overload
    async def update(self, id: int, body: PixelUpdate, /, *, options: Options = NO_OPTIONS) -> Done: ...
    @overload
    async def update(
        self, id: int, /, *, tag: str, name: str = ..., options: Options = NO_OPTIONS
    ) -> Done: ...
    async def update(
        self, id: int, body: PixelUpdate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> Done:
        """Change `name` and `tag`, which is required (reference: pixels).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        path = path_of("/api/pixel/{id}/update", id=id)
        return await self._caller.acknowledged(
            "PUT", path, options, self._caller.body(PixelUpdate, body, members)
        )

    async def delete(self, id: int, /, *, options: Options = NO_OPTIONS) -> Done:
        """Delete a pixel (reference: pixels). Raises InvalidBody, ReadOnly, ServiceError."""
        return await self._caller.acknowledged("DELETE", path_of("/api/pixel/{id}/delete", id=id), options)
