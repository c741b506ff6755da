"""Channels, the items of one, and how items are assigned to them."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field

from linkdash.api.client import Client, Endpoints
from linkdash.api.endpoints import Done
from linkdash.api.errors import ServiceError
from linkdash.api.fields import Reference
from linkdash.api.records import Body
from linkdash.api.resources.channels import Channel, ChannelCreate, ChannelItem, ChannelUpdate, ItemType
from linkdash.model.declaration import (
    Assigning,
    Assignment,
    Deletion,
    KnownCollections,
    NameOf,
    Resource,
    Verdict,
    declaration,
)
from linkdash.model.humanize import counted
from linkdash.model.lists.columns import column
from linkdash.model.lists.views import Finding
from linkdash.model.writes.settling import SettlingRead
from linkdash.store.journal_entry import WriteIntent

if TYPE_CHECKING:  # forms alone need it
    from linkdash.model.writes.draft import Options as Names

CHECKED_ITEMS = 100
"""Items of a channel that one check reads."""

_SEPARATORS = re.compile(r"[\s,;]+")
NOUNS: dict[ItemType, str] = {"links": "link", "bio": "bio page", "qr": "QR code"}
_TYPES: dict[str, ItemType] = {type: type for type in NOUNS}


def _item_noun(intent: WriteIntent) -> str:
    return next((noun for type, noun in NOUNS.items() if type == intent.params.get("type")), "item")


def read_ids(text: str) -> tuple[int, ...]:
    """Ids out of `12, 15 99`, each once. Raises ValueError with a sentence for the user."""
    words = [word for word in _SEPARATORS.split(text) if word]
    if not words or not all(word.isascii() and word.isdigit() and int(word) for word in words):
        raise ValueError("enter one or more ids, separated by commas or blanks")
    return tuple(dict.fromkeys(int(word) for word in words))


def write_ids(text: str) -> str:
    """Ids as `12, 15, 99`."""
    return ", ".join(map(str, read_ids(text)))


LinkIds = Annotated[str, AfterValidator(write_ids), Reference("links", several=True)]


def read_items(text: str) -> tuple[tuple[ItemType, int], ...]:
    """Items out of `qr:12, qr:15, links:99`, each once; what is left out before an id is as before.

    Raises ValueError with a sentence for the user.
    """
    found: list[tuple[ItemType, int]] = []
    named = ""
    for word in _SEPARATORS.split(text.strip(" ,;")):
        kind, _, id = word.rpartition(":")
        named = kind or named
        type = _TYPES.get(named)
        if type is None:
            raise ValueError("use qr:12, links:12 or bio:12")
        found.extend((type, number) for number in read_ids(id))
    return tuple(dict.fromkeys(found))


def write_items(text: str) -> str:
    """Items as `qr:12, links:99`."""
    return ", ".join(f"{type}:{id}" for type, id in read_items(text))


Items = Annotated[str, AfterValidator(write_items), Reference("items", several=True)]


class ItemsForChannel(Body):
    """Items that are put into a channel."""

    items: Items = Field(title="Items", description="By name, or as qr:12, links:12, bio:12")


def _assign_items(channel: Channel, body: ItemsForChannel, name_of: NameOf) -> Sequence[WriteIntent]:
    return [item_assignment(channel.id, type, id, channel.name) for type, id in read_items(body.items)]


def item_assignment(channel: int, type: str, item: int, name: str = "") -> WriteIntent:
    """An item is put into a channel, whose name may be known."""
    return WriteIntent("channels", "assign", (channel, item), {"type": type}, (name,))


async def known_items(known: KnownCollections) -> "Names":
    """Return what can be put into a channel by name: every known QR code, and what known channels hold."""
    found = {f"qr:{id}": f"{name} · QR code" for id, name in await known.of(declaration("qr")).names()}
    for channel in await known.of(RESOURCE).known_records():
        for item in await known.of(ITEMS, channel.id).known_records():
            found.setdefault(f"{item.type}:{item.id}", f"{item.title} · {NOUNS.get(item.type, item.type)}")
    return {"items": [*found.items()]}


async def known_links(known: KnownCollections) -> "Names":
    """The links that known channels hold: the service has no list of all of them."""
    items = (await known_items(known))["items"]
    found = [(str(key).removeprefix("links:"), name) for key, name in items if str(key).startswith("links:")]
    return {"links": found}


def _item_type(intent: WriteIntent) -> ItemType:
    return next(type for type in NOUNS if type == intent.params.get("type"))


async def _assign(client: Endpoints, intent: WriteIntent) -> Done:
    channel_id, item_id = intent.record_ids
    return await client.channels.assign(channel_id, _item_type(intent), item_id)


async def _check(client: Client, intent: WriteIntent) -> Verdict:
    channel_id, item_id = intent.record_ids
    return await is_in_channel(client, channel_id, _item_type(intent), item_id)


async def is_in_channel(client: Client, channel_id: int, type: ItemType, item_id: int) -> Verdict:
    """Settle whether an item is in a channel, by one read of its items. Raises ServiceError."""
    page = await client.channels.items(channel_id, limit=CHECKED_ITEMS)
    if any((item.type, item.id) == (type, item_id) for item in page):
        return Verdict(True, f"Done: the {NOUNS[type]} is in the channel.")
    if SettlingRead(page.rows, is_last=(page.maxpage or 1) <= 1).is_complete:
        return Verdict(False, f"Not done: the {NOUNS[type]} is not in the channel.")
    return Verdict(None, f"Cannot tell: the channel has more than {CHECKED_ITEMS} items.")


async def _count_items(channel: Channel, client: Client, known: KnownCollections) -> Sequence[str]:
    """The number of items that will be unassigned: as known from its items, else after one request."""
    count = known.of(ITEMS, channel.id).total
    if count is None:
        try:
            page = await client.channels.items(channel.id, limit=1)
        except ServiceError as error:
            return [f"Its items could not be counted: {error}", "All of them will be unassigned."]
        count = page.result if page.result is not None else len(page)
    return [f"{counted(count, 'item')} will be unassigned; nothing else happens to them."]


RESOURCE = Resource(
    "channels",
    singular="channel",
    record=Channel,
    columns=(
        column(Channel, "name", width=24, grow=True, essential=True),
        column(Channel, "color", width=5),
        column(Channel, "starred"),
        column(Channel, "description", width=14, grow=True),
        column(Channel, "id"),
    ),
    create=ChannelCreate,
    update=ChannelUpdate,
    delete=Deletion(
        lambda channel: "Its items stay, unassigned.",
        "The items of {} channels stay, unassigned.",
        counted=_count_items,
    ),
    assignment=Assignment(ItemsForChannel, "Assign items to", _assign_items, known=known_items),
    assigning=Assigning(_assign, _check, _item_noun, lambda intent: ("channels", intent.record_ids[:1])),
    findings=(
        Finding(
            name="empty",
            filter="items:0",
            why="They hold nothing.",
            advice="Assign items, or delete them; this is known of channels that were opened.",
        ),
        Finding(
            name="lost items",
            filter="lost>0",
            why="They hold QR codes that do not exist.",
            advice="Open one to see which; this is known once it was opened and all QR codes are loaded.",
        ),
    ),
)

ITEMS = Resource(
    "channels",
    singular="item",
    record=ChannelItem,
    columns=(
        column(ChannelItem, "title", width=24, grow=True, essential=True),
        column(ChannelItem, "type", width=8, essential=True),
        column(ChannelItem, "link", grow=True),
        column(ChannelItem, "date"),
        column(ChannelItem, "id"),
    ),
    follows=lambda item: ("qr", item.id) if item.type == "qr" else None,
    part_source="items_of",
)
"""The links, bio pages and QR codes in one channel: a part of the channels, named by the channel's id."""
