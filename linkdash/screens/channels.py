"""Channels with their badges; enter shows the items of one."""

from linkdash.api.channels import Channel, ChannelCreate, ChannelUpdate
from linkdash.api.client import Endpoints
from linkdash.api.errors import ServiceError
from linkdash.api.resource import Source
from linkdash.model.columns import column
from linkdash.model.humanize import counted
from linkdash.screens import places
from linkdash.screens.channel_items import ChannelItemsScreen
from linkdash.screens.writing.assigning import CHANNEL_GIVEN, CHANNEL_GIVING
from linkdash.screens.writing.writable import WritableScreen
from linkdash.screens.writing.writes import Deleting, creating, updating


class ChannelsScreen(WritableScreen[Channel]):
    """Channels with their badges; enter shows the items of one."""

    name_of_place = places.CHANNELS.id
    TITLE = places.CHANNELS.title
    record_type = Channel
    singular = "channel"
    columns = (
        column(Channel, "id"),
        column(Channel, "name", grow=True, essential=True),
        column(Channel, "color"),
        column(Channel, "starred"),
        column(Channel, "description", grow=True),
    )
    giving = CHANNEL_GIVING
    given = CHANNEL_GIVEN
    creating = creating(ChannelCreate, lambda at, body: at.channels.create(body))
    updating = updating(ChannelUpdate, lambda at, id, body: at.channels.update(id, body))
    deleting = Deleting(lambda at, id: at.channels.delete(id), lambda _channel: "Its items stay, unassigned.")

    def source(self, endpoints: Endpoints) -> Source[Channel]:
        return endpoints.channels.source

    async def losses(self, record: Channel) -> list[str]:
        """How many items will be unassigned, which costs one request to know."""
        try:
            page = await self.session.endpoints.channels.items(record.id, limit=1)
        except ServiceError as error:
            return [f"How many items it has could not be found out: {error}", "All of them are unassigned."]
        count = page.result if page.result is not None else len(page)
        return [f"{counted(count, 'item')} will be unassigned; nothing else happens to them."]

    def do_open(self) -> None:
        if self.row is not None:
            self.app.push_screen(ChannelItemsScreen(self.session, self.row))
