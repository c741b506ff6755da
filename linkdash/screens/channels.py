"""Channels with their badges; enter shows the items of one."""

from typing import TYPE_CHECKING

from linkdash.api.channels import Channel
from linkdash.api.resource import Source
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column

if TYPE_CHECKING:
    from linkdash.api.client import Client


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

    def source(self, client: "Client") -> Source[Channel]:
        return client.channels.paged
