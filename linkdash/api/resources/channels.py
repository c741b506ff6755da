"""Channels, which group links, bio pages and QR codes (reference: channels)."""

from collections.abc import AsyncIterator, Hashable
from typing import Annotated, Literal, overload

from pydantic import Field

from linkdash.api.endpoints import Created, Done, Listing, PagedList, PagedResource, path_of
from linkdash.api.fields import Color, Day, FilledText, Flag, HexColor, Labels, Link, PlainText, Text, Word
from linkdash.api.http.request import NO_OPTIONS, Options
from linkdash.api.records import Body, Record

ItemType = Literal["links", "bio", "qr"]
ITEM_TYPES = Labels({"links": "Link", "bio": "Bio page", "qr": "QR code"})


class Channel(Record):
    """A group of items with a badge color (reference: channel)."""

    name: Text = Field(default="", title="Name")
    description: Text = Field(default="", title="Description")
    color: Color = Field(default="", title="Color")
    starred: Flag = Field(default=None, title="Starred")


class ChannelCreated(Created):
    """The answer to a create: the channel as it is now (reference: channels)."""

    name: Text = ""
    description: Text = ""
    color: Color = ""
    starred: Flag = None


class ChannelItem(Record):
    """An item of a channel. Its id is one inside its type (reference: channel item)."""

    type: Annotated[Word, ITEM_TYPES] = Field(default="", title="Type")
    title: Text = Field(default="", title="Title")
    link: Link = Field(default="", title="Link")
    preview: Link = Field(default="", title="Preview")
    date: Day = Field(default=None, title="Date")

    @property
    def key(self) -> Hashable:
        return (self.type, self.id)


class ChannelUpdate(Body):
    """The members of a channel that can be changed."""

    name: FilledText = Field(default="", title="Name")
    description: PlainText = Field(default="", title="Description")
    color: HexColor = Field(default="", title="Color", description="#RRGGBB or rgb(r,g,b)")
    starred: bool = Field(default=False, title="Starred")


class ChannelCreate(ChannelUpdate):
    """A new channel."""

    name: FilledText = Field(title="Name")


class ChannelAssignment(Body):
    """An item to be put into a channel; sent in the path."""

    type: ItemType = Field(title="Type")
    item_id: int = Field(title="Item id", gt=0)


class Channels(PagedResource[Channel]):
    """`client.channels` (reference: channels)."""

    model = Channel
    path = "/api/channels"
    collections = ("channels",)

    def items_of(self, channel_id: int, /) -> PagedList[ChannelItem]:
        """The list of one channel's items (reference: channels).

        Raises InvalidBody for what is no identifier.
        """
        path = path_of("/api/channel/{channel_id}", channel_id=channel_id)
        return PagedList(self._caller, ChannelItem, path, "items")

    def items(
        self,
        channel_id: int,
        /,
        *,
        page: int | None = None,
        limit: int | None = None,
        options: Options = NO_OPTIONS,
    ) -> Listing[ChannelItem]:
        """Return a page of a channel's items if awaited, every item from there on if iterated.

        `page` counts from 1, `limit` is items a page; what is not given is the service's choice
        (reference: channels). Raises InvalidBody, ServiceError.
        """
        return Listing(self.items_of(channel_id), page, limit, options)

    def iter_items(
        self, channel_id: int, /, *, limit: int | None = None, options: Options = NO_OPTIONS
    ) -> AsyncIterator[ChannelItem]:
        """Every item of a channel, as pages come; `limit` is items a page, 100 if not given.

        (Reference: channels.) Raises InvalidBody, ServiceError.
        """
        return aiter(Listing(self.items_of(channel_id), None, limit, options))

    @overload
    async def create(self, body: ChannelCreate, /, *, options: Options = NO_OPTIONS) -> ChannelCreated: ...
    @overload
    async def create(
        self,
        body: None = None,
        /,
        *,
        name: str,
        description: str = ...,
        color: str = ...,
        starred: bool = ...,
        options: Options = NO_OPTIONS,
    ) -> ChannelCreated: ...
    async def create(
        self, body: ChannelCreate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> ChannelCreated:
        """Create a channel of `name`, optionally `description`, `color`, `starred` (reference: channels).

        A color is `#RRGGBB`, `#RGB` or `rgb(r,g,b)`. Raises InvalidBody, ReadOnly, ServiceError.
        """
        given = self._caller.body(ChannelCreate, body, members)
        return self._caller.result(
            ChannelCreated, await self._caller.send_write("POST", "/api/channel/add", given, options)
        )

    @overload
    async def update(self, id: int, body: ChannelUpdate, /, *, options: Options = NO_OPTIONS) -> Done: ...
    @overload
    async def update(
        self,
        id: int,
        /,
        *,
        name: str = ...,
        description: str = ...,
        color: str = ...,
        starred: bool = ...,
        options: Options = NO_OPTIONS,
    ) -> Done: ...
    async def update(
        self,
        id: int,
        body: ChannelUpdate | None = None,
        /,
        *,
        options: Options = NO_OPTIONS,
        **members: object,
    ) -> Done:
        """Change `name`, `description`, `color`, `starred` (reference: channels).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        path = path_of("/api/channel/{id}/update", id=id)
        return await self._caller.acknowledged(
            "PUT", path, options, self._caller.body(ChannelUpdate, body, members)
        )

    async def delete(self, id: int, /, *, options: Options = NO_OPTIONS) -> Done:
        """Delete a channel and unassign all of its items (reference: channels).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        return await self._caller.acknowledged("DELETE", path_of("/api/channel/{id}/delete", id=id), options)

    async def assign(
        self, channel_id: int, type: ItemType, item_id: int, /, *, options: Options = NO_OPTIONS
    ) -> Done:
        """Put a link, bio page or QR code into a channel (reference: channels).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        item = self._caller.body(ChannelAssignment, None, {"type": type, "item_id": item_id})
        template = "/api/channel/{channel_id}/assign/%s/{item_id}" % item.type  # noqa: UP031
        return await self._caller.acknowledged(
            "POST", path_of(template, channel_id=channel_id, item_id=item.item_id), options
        )
