"""Channels, which group links, bio pages and QR codes (reference: channels)."""

from collections.abc import AsyncIterator, Hashable
from typing import Literal

from pydantic import Field

from linkdash.api.fields import Color, Day, FilledText, Flag, HexColor, Link, PlainText, Text, Word
from linkdash.api.model import Body, Record
from linkdash.api.pages import Page
from linkdash.api.resource import Created, Done, PagedList, PagedResource, body_of, created

ItemType = Literal["links", "bio", "qr"]


class Channel(Record):
    """A group of items with a badge color."""

    name: Text = Field("", title="Name")
    description: Text = Field("", title="Description")
    color: Color = Field("", title="Color")
    starred: Flag = Field(None, title="Starred")


class ChannelItem(Record):
    """An item of a channel. Its id is one inside its type."""

    type: Word = Field("", title="Type")
    title: Text = Field("", title="Title")
    link: Link = Field("", title="Link")
    preview: Link = Field("", title="Preview")
    date: Day = Field(None, title="Date")

    @property
    def key(self) -> Hashable:
        return (self.type, self.id)


class ChannelUpdate(Body):
    """What of a channel can be changed."""

    name: FilledText = Field("", title="Name")
    description: PlainText = Field("", title="Description")
    color: HexColor = Field("", title="Color", description="#RRGGBB or rgb(r,g,b)")
    starred: bool = Field(False, title="Starred")


class ChannelCreate(ChannelUpdate):
    """A new channel."""

    name: FilledText = Field(title="Name")


class ChannelAssignment(Body):
    """An item to be put into a channel; sent in the path."""

    type: ItemType = Field(title="Type")
    item_id: int = Field(title="Item id", gt=0)


class Channels(PagedResource[Channel]):
    """`client.channels`."""

    model = Channel
    path = "/api/channels"
    collections = ("channels",)

    def items_of(self, channel_id: int) -> PagedList[ChannelItem]:
        """The list of one channel's items."""
        return PagedList(self._caller, ChannelItem, f"/api/channel/{channel_id}", "items")

    async def items(
        self, channel_id: int, *, page: int | None = None, limit: int | None = None
    ) -> Page[ChannelItem]:
        """One page of a channel's items. Raises ServiceError."""
        return await self.items_of(channel_id).page(page, limit)

    def iter_items(self, channel_id: int, *, limit: int | None = 100) -> AsyncIterator[ChannelItem]:
        """Every item of a channel, with no request more than needed. Raises ServiceError."""
        return self.items_of(channel_id).items(limit)

    async def create(self, body: ChannelCreate | None = None, /, **members: object) -> Created:
        """Makes a channel: `name`, optionally `description`, `color`, `starred`.

        Raises InvalidBody, ServiceError.
        """
        return created(
            await self._caller.write("POST", "/api/channel/add", body_of(ChannelCreate, body, members))
        )

    async def update(self, id: int, body: ChannelUpdate | None = None, /, **members: object) -> Done:
        """Changes `name`, `description`, `color`, `starred`. Raises InvalidBody, ServiceError."""
        return await self._caller.do(
            "PUT", f"/api/channel/{id}/update", body_of(ChannelUpdate, body, members)
        )

    async def delete(self, id: int) -> Done:
        """Deletes a channel and unassigns all of its items. Raises ServiceError."""
        return await self._caller.do("DELETE", f"/api/channel/{id}/delete")

    async def assign(self, channel_id: int, type: ItemType, item_id: int) -> Done:
        """Puts a link, bio page or QR code into a channel. Raises InvalidBody, ServiceError."""
        item = body_of(ChannelAssignment, None, {"type": type, "item_id": item_id})
        return await self._caller.do("POST", f"/api/channel/{channel_id}/assign/{item.type}/{item.item_id}")
