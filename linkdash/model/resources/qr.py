"""QR codes; they are assigned to channels."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from linkdash.api import Client
from linkdash.api.exchange import Options
from linkdash.api.fields import Reference
from linkdash.api.model import Body
from linkdash.api.qr import QrCode, QrCreate, QrUpdate
from linkdash.api.resource import Done
from linkdash.model.columns import column
from linkdash.model.humanize import numbered
from linkdash.model.resource import Assigning, Deletion, NameOf, Resource, Verdict, assignment
from linkdash.model.resources.channels import is_in_channel
from linkdash.store.journal import WriteIntent


class ChannelForCodes(Body):
    """The channel that QR codes are put into."""

    channel_id: Annotated[int, Reference("channels")] = Field(title="Channel", gt=0)


def _assign_code(code: QrCode, body: ChannelForCodes, name_of: NameOf) -> Sequence[WriteIntent]:
    channel = name_of("channels", body.channel_id)
    words = f"assign QR code {numbered(code.id, code.name)} to channel {channel}"
    return [WriteIntent("qr", "assign", (code.id, body.channel_id), {}, words)]


async def _send(client: Client, intent: WriteIntent, options: Options) -> Done:
    code_id, channel_id = intent.record_ids
    return await client.channels.assign(channel_id, "qr", code_id, options=options)


async def _check(client: Client, intent: WriteIntent) -> Verdict:
    code_id, channel_id = intent.record_ids
    return await is_in_channel(client, channel_id, "qr", code_id)


RESOURCE = Resource(
    "qr",
    singular="QR code",
    record=QrCode,
    columns=(
        column(QrCode, "name", width=24, grow=True, essential=True),
        column(QrCode, "scans", essential=True),
        column(QrCode, "link", width=24),
        column(QrCode, "date"),
        column(QrCode, "id"),
    ),
    create=QrCreate,
    update=QrUpdate,
    delete=Deletion(
        lambda code: f"Printed copies of it will lead nowhere. Scans so far: {code.scans or 0:,}."
    ),
    assignment=assignment(ChannelForCodes, "Assign to a channel:", _assign_code),
    assigning=Assigning(_send, _check),
)
