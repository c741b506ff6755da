"""Channels with their badges, and the screen of one channel's items."""

from linkdash.api.channels import Channel, ChannelItem
from linkdash.api.errors import ServiceError
from linkdash.api.qr import QrCode
from linkdash.model.humanize import counted
from linkdash.model.resources.channels import ITEMS, RESOURCE
from linkdash.model.session import Session
from linkdash.screens.actions import LIST_ACTIONS, Action, Flow, bindings
from linkdash.screens.host import HostScreen
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.statistics import StatisticsScreen

SUM = Action(
    "sum",
    "+",
    "Sum",
    "Statistics of the channel's QR codes, summed",
    cost="1 request a page of items that is not loaded",
    needs=("row",),
)
CHANNEL_ACTIONS = (*LIST_ACTIONS, SUM)


class ChannelsScreen(ResourceScreen[Channel]):
    """Channels; opening one shows its items."""

    TITLE = RESOURCE.title
    ACTIONS = CHANNEL_ACTIONS
    BINDINGS = bindings(CHANNEL_ACTIONS)

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
            self.note_opened("channels", self.row.id, self.row.name)
            self.app.push_screen(ChannelItemsScreen(self.session, self.row))
        return None

    def do_sum(self) -> Flow | None:
        return sum_of(self, self.row) if self.row is not None else None


async def sum_of(screen: HostScreen, channel: Channel) -> None:
    """Opens the statistics of all codes of a channel; asks for the items that are not loaded.

    Raises ServiceError.
    """
    items = screen.session.collection_of(ITEMS, channel.id)
    await items.open()
    if not items.listing.complete and (plan := items.plan()) is not None:
        await items.load_all(plan)
    codes = [code_of(item) for item in items.records if item.type == "qr"]
    if codes:
        screen.app.push_screen(StatisticsScreen(screen.session, codes, channel.name))
    else:
        screen.say(f"There is no QR code in {channel.name}.")


def code_of(item: ChannelItem) -> QrCode:
    """The code that an item is: what the channel says of it is enough to ask for its statistics."""
    return QrCode(id=item.id, name=item.title, link=item.link)


class ChannelItemsScreen(ResourceScreen[ChannelItem]):
    """The links, bio pages and QR codes in a channel."""

    TITLE = "Channels · items"
    ACTIONS = CHANNEL_ACTIONS
    BINDINGS = bindings(CHANNEL_ACTIONS)

    def __init__(self, session: Session, channel: Channel) -> None:
        super().__init__(session, ITEMS, channel.id)
        self.channel = channel

    @property
    def place(self) -> str:
        return f"{RESOURCE.title} · {self.channel.name}"

    @property
    def file_stem(self) -> str:
        return f"channel-{self.channel.id}-items"

    def missing(self, need: str) -> str | None:
        if need == "assignment":
            keys = f"{self.key_of('back')}, then {self.key_of('assign')}"
            return f"Items are assigned in the list of channels: {keys}."
        return super().missing(need)

    def do_open(self) -> Flow | None:
        """A QR code has statistics."""
        item = self.row
        if item is None or item.type != "qr":
            return super().do_open()
        self.app.push_screen(StatisticsScreen(self.session, code_of(item)))
        return None

    def do_sum(self) -> Flow:
        return sum_of(self, self.channel)
