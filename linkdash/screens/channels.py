"""Channels with their badges, and the screen of one channel's items."""

from linkdash.api.channels import Channel, ChannelItem
from linkdash.api.errors import ServiceError
from linkdash.api.qr import QrCode
from linkdash.model.humanize import counted
from linkdash.model.resources.channels import ITEMS, RESOURCE
from linkdash.model.session import Session
from linkdash.screens.actions import Flow
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.statistics.screen import StatisticsScreen


class ChannelsScreen(ResourceScreen[Channel]):
    """Channels; opening one shows its items."""

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    async def losses(self, record: Channel) -> list[str]:
        """How many items will be unassigned: as known from its items, else one request finds out."""
        known = self.session.collection_of(ITEMS, record.id).listing.total
        if known is None:
            try:
                page = await self.session.client.channels.items(record.id, limit=1)
            except ServiceError as error:
                return [f"Its items could not be counted: {error}", "All of them will be unassigned."]
            known = page.result if page.result is not None else len(page)
        return [f"{counted(known, 'item')} will be unassigned; nothing else happens to them."]

    def do_open(self) -> Flow | None:
        if self.row is not None:
            self.app.push_screen(ChannelItemsScreen(self.session, self.row))
        return None


class ChannelItemsScreen(ResourceScreen[ChannelItem]):
    """The links, bio pages and QR codes in a channel."""

    TITLE = "Channels · items"

    def __init__(self, session: Session, channel: Channel) -> None:
        super().__init__(session, ITEMS, channel.id)
        self.channel = channel

    @property
    def place(self) -> str:
        return f"{RESOURCE.title} · {self.channel.name}"

    @property
    def file_stem(self) -> str:
        return f"channel-{self.channel.id}-items"

    def do_open(self) -> Flow | None:
        """A QR code has statistics; what the channel says of it is enough to ask for them."""
        item = self.row
        if item is None or item.type != "qr":
            return super().do_open()
        code = QrCode(id=item.id, name=item.title, link=item.link)
        self.app.push_screen(StatisticsScreen(self.session, code))
        return None
