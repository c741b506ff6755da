"""Items into channels and links into campaigns: what is asked for, sent, and found out afterwards."""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from linkdash.api.campaigns import Campaign
from linkdash.api.channels import Channel, ItemType
from linkdash.api.client import Endpoints
from linkdash.api.fields import Kind, Reference
from linkdash.api.model import Body
from linkdash.api.qr import QrCode
from linkdash.screens.writing.writes import Given, Giving, Naming, giving
from linkdash.store.settling import Look, Verdict
from linkdash.store.tasks import Task

LOOKED_AT = 100
"""Items of a channel that one look reads."""

_SEPARATORS = re.compile(r"[\s,;]+")


def read_ids(text: str) -> tuple[int, ...]:
    """Ids out of `12, 15 99`, each once. Raises ValueError with a sentence for a person."""
    words = [word for word in _SEPARATORS.split(text) if word]
    if not words or not all(word.isascii() and word.isdigit() and int(word) for word in words):
        raise ValueError("write one id or several, with commas or blanks between them")
    return tuple(dict.fromkeys(int(word) for word in words))


def write_ids(text: str) -> str:
    """Ids as `12, 15, 99`."""
    return ", ".join(map(str, read_ids(text)))


Ids = Annotated[str, AfterValidator(write_ids), Kind.TEXT]


class ItemsForChannel(Body):
    """Items of one type that are put into a channel."""

    type: ItemType = Field(title="Type", description="What kind of items they are")
    ids: Ids = Field(title="Item ids", description="One or several, with commas between them")


class LinksForCampaign(Body):
    """Links that are put into a campaign."""

    ids: Ids = Field(title="Link ids", description="One or several, with commas between them")


class ChannelForCodes(Body):
    """The channel that QR codes are put into."""

    channel_id: Annotated[int, Reference("channels")] = Field(title="Channel", gt=0)


# ---- what is to be done ----

_NOUNS: dict[ItemType, str] = {"links": "link", "bio": "bio page", "qr": "QR code"}


def _into_channel(channel: Channel, body: ItemsForChannel, _naming: Naming) -> Sequence[Task]:
    where, noun = f"channel {channel.id} ({channel.name})", _NOUNS[body.type]
    return [
        Task("channels", "assign", (channel.id, id), {"type": body.type}, f"assign {noun} {id} to {where}")
        for id in read_ids(body.ids)
    ]


def _into_campaign(campaign: Campaign, body: LinksForCampaign, _naming: Naming) -> Sequence[Task]:
    where = f"campaign {campaign.id} ({campaign.name})"
    return [
        Task("campaigns", "assign", (campaign.id, id), {}, f"assign link {id} to {where}")
        for id in read_ids(body.ids)
    ]


def _code_into_channel(code: QrCode, body: ChannelForCodes, naming: Naming) -> Sequence[Task]:
    channel = naming("channels", body.channel_id)
    words = f"assign QR code {code.id} ({code.name}) to channel {channel}"
    return [Task("qr", "assign", (code.id, body.channel_id), {}, words)]


CHANNEL_GIVING: Giving[Channel] = giving(ItemsForChannel, "Assign items to", _into_channel)
CAMPAIGN_GIVING: Giving[Campaign] = giving(LinksForCampaign, "Assign links to", _into_campaign)
QR_GIVING: Giving[QrCode] = giving(ChannelForCodes, "Assign to a channel:", _code_into_channel)

# ---- sending it, and finding out ----


def item_type(task: Task) -> ItemType:
    """The type of the items that a task puts into a channel."""
    return next(type for type in _NOUNS if type == task.params.get("type"))


async def _in_channel(endpoints: Endpoints, channel_id: int, type: ItemType, item_id: int) -> Verdict:
    """Whether an item is in a channel, by one read of its items. Raises ServiceError."""
    page = await endpoints.channels.items(channel_id, limit=LOOKED_AT)
    if any((item.type, item.id) == (type, item_id) for item in page):
        return Verdict(True, f"It is done: the {_NOUNS[type]} is in the channel.")
    if Look(page.rows, is_last=(page.maxpage or 1) <= 1).is_complete:
        return Verdict(False, f"It did not happen: the {_NOUNS[type]} is not in the channel.")
    return Verdict(None, f"This cannot be told: the channel has more than {LOOKED_AT} items.")


async def _nobody_knows(_endpoints: Endpoints, _task: Task) -> Verdict:
    return Verdict(None, "This cannot be told: the service does not show which links a campaign has.")


CHANNEL_GIVEN = Given(
    lambda at, task: at.channels.assign(task.record_ids[0], item_type(task), task.record_ids[1]),
    lambda at, task: _in_channel(at, task.record_ids[0], item_type(task), task.record_ids[1]),
)
CAMPAIGN_GIVEN = Given(lambda at, task: at.campaigns.assign(*task.record_ids), _nobody_knows)
QR_GIVEN = Given(
    lambda at, task: at.channels.assign(task.record_ids[1], "qr", task.record_ids[0]),
    lambda at, task: _in_channel(at, task.record_ids[1], "qr", task.record_ids[0]),
)
