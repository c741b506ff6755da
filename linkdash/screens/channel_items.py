"""The items of one channel."""

from linkdash.api.channels import Channel, ChannelItem
from linkdash.api.client import Endpoints
from linkdash.api.qr import QrCode
from linkdash.api.resource import Source
from linkdash.model.columns import column
from linkdash.model.session import Session
from linkdash.screens import places
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.statistics.screen import StatisticsScreen


class ChannelItemsScreen(ResourceScreen[ChannelItem]):
    """The links, bio pages and QR codes in a channel."""

    name_of_place = places.CHANNELS.id
    record_type = ChannelItem
    singular = "item"
    columns = (
        column(ChannelItem, "type", width=6, essential=True),
        column(ChannelItem, "id"),
        column(ChannelItem, "title", grow=True, essential=True),
        column(ChannelItem, "link", grow=True),
        column(ChannelItem, "date"),
    )

    def __init__(self, session: Session, channel: Channel) -> None:
        super().__init__(session)
        self.channel = channel

    @property
    def place(self) -> str:
        return f"Channels · {self.channel.name}"

    @property
    def file_stem(self) -> str:
        return f"channel-{self.channel.id}-items"

    def source(self, endpoints: Endpoints) -> Source[ChannelItem]:
        return endpoints.channels.items_of(self.channel.id)

    def do_open(self) -> None:
        """A QR code has statistics; what the channel says of it is enough to ask for them."""
        item = self.row
        if item is not None and item.type == "qr":
            code = QrCode(id=item.id, name=item.title, link=item.link)
            self.app.push_screen(StatisticsScreen(self.session, code))
        else:
            super().do_open()
