"""QR codes; they are assigned to channels."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from linkdash.api.client import Client, Endpoints
from linkdash.api.colors import LEAST_FOR_SCANNERS
from linkdash.api.endpoints import Done
from linkdash.api.fields import Reference
from linkdash.api.records import Body
from linkdash.api.resources.qr import QrCode, QrCreate, QrUpdate, colors_problem
from linkdash.model.declaration import Assigning, Assignment, Deletion, Expected, NameOf, Resource, Verdict
from linkdash.model.lists.columns import column
from linkdash.model.lists.views import BROKEN, Finding
from linkdash.model.resources import FELL, MOST_SCANNED, ROSE
from linkdash.model.resources.channels import is_in_channel
from linkdash.model.writes.form_fields import content_parts
from linkdash.store.journal_entry import WriteIntent


class ChannelForCodes(Body):
    """The channel that QR codes are put into."""

    channel_id: Annotated[int, Reference("channels")] = Field(title="Channel", gt=0)


def _assign_code(code: QrCode, body: ChannelForCodes, name_of: NameOf) -> Sequence[WriteIntent]:
    names = (code.name, name_of("channels", body.channel_id))
    return [WriteIntent("qr", "assign", (code.id, body.channel_id), {}, names)]


async def _assign(client: Endpoints, intent: WriteIntent) -> Done:
    code_id, channel_id = intent.record_ids
    return await client.channels.assign(channel_id, "qr", code_id)


async def _check(client: Client, intent: WriteIntent) -> Verdict:
    code_id, channel_id = intent.record_ids
    return await is_in_channel(client, channel_id, "qr", code_id)


def _expected(intent: WriteIntent, now: datetime, made: QrCode | None) -> Expected:
    """A new code is called by its content until the service says its name, and was never scanned."""
    name = next(iter(content_parts(intent.params.get("data"))), "")
    if intent.action == "create":
        return Expected({}, {"name": name, "scans": 0, "date": f"{now:%Y-%m-%d %H:%M:%S}"})
    return Expected(intent.params, {"name": name} if made is not None and name else {})


def _doubt(intent: WriteIntent) -> str:
    """Colors that no scanner can tell apart."""
    names = ("foreground", "background")
    known = {**(intent.before or {}), **intent.params}
    ink, paper = (str(known.get(name) or "") for name in names)
    return colors_problem(ink, paper) if not intent.params.keys().isdisjoint(names) else ""


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
        lambda code: f"Printed copies of it will lead nowhere. Scans so far: {code.scans or 0:,}.",
        "{} printed codes will lead nowhere.",
    ),
    assignment=Assignment(ChannelForCodes, "Assign to a channel:", _assign_code),
    assigning=Assigning(
        _assign,
        _check,
        lambda intent: "channel",
        lambda intent: ("channels", intent.record_ids[1:]),
        is_given=True,
    ),
    expected=_expected,
    doubt=_doubt,
    naming="the service names it",
    findings=(
        Finding(
            name=FELL,
            filter="week<=-15",
            order=(("change", False),),
            why="They were scanned at least 15 % less in the last 7 days than in the 7 before.",
            advice="Open one to see when it fell, and what of it.",
        ),
        Finding(
            name=ROSE,
            filter="week>=15",
            order=(("change", True),),
            why="They were scanned at least 15 % more in the last 7 days than in the 7 before.",
            advice="Open one to see what rose.",
        ),
        Finding(
            name=MOST_SCANNED,
            filter="days>0",
            order=(("days", True),),
            why="The scans of the last 7 days, the most first.",
            advice="Open one for its statistics.",
        ),
        Finding(
            name="not scanned",
            filter="month:0 age>30d",
            order=(("scans", True),),
            why="They are older than 30 days, and were not scanned in the last 30.",
            advice="See whether they still hang where they did.",
        ),
        Finding(
            name="never scanned",
            filter="scans:0",
            order=(("age", True),),
            why="They were not scanned yet.",
            advice="Try one, or delete what was never printed.",
        ),
        Finding(
            name="in no channel",
            filter="channels:0",
            why="No channel holds them.",
            advice="Assign them to one; this is known once the items of all channels are loaded.",
        ),
        Finding(
            name="weak contrast",
            filter=f"contrast<{LEAST_FOR_SCANNERS:.0f}",
            why="Their colors, as sent from here, are too much alike for scanners.",
            advice="Edit the colors before they are printed.",
        ),
        BROKEN,
    ),
)
