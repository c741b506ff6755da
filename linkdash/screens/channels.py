"""Channels with their badges; enter shows the items of one."""

from linkdash.api.channels import Channel
from linkdash.api.endpoints import Endpoints
from linkdash.api.resource import Source
from linkdash.screens.channel_items import ChannelItemsScreen
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column


class ChannelsScreen(ResourceScreen[Channel]):
    """Channels with their badges; enter shows the items of one."""

    name_of_place = "channels"
    TITLE = "Channels"
    record = Channel
    singular = "channel"
    columns = (
        column(Channel, "id"),
        column(Channel, "name", grow=True, essential=True),
        column(Channel, "color"),
        column(Channel, "starred"),
        column(Channel, "description", grow=True),
    )

    def source(self, endpoints: Endpoints) -> Source[Channel]:
        return endpoints.channels.paged

    def do_open(self) -> None:
        if self.row is not None:
            self.app.push_screen(ChannelItemsScreen(self.session, self.row))
