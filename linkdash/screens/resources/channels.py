"""Channels with their badges, and the screen of one channel's items."""

from collections.abc import Mapping, Sequence

from linkdash.api.resources.channels import Channel, ChannelItem
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import CountChange, counted
from linkdash.model.insight.related import usage
from linkdash.model.resources import place
from linkdash.model.resources.channels import ITEMS, RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import Activity
from linkdash.screens.actions import Action, Flow, bindings
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.list_actions import LIST_ACTIONS
from linkdash.screens.lists.list_needs import ROW
from linkdash.screens.lists.related import (
    RelatedFacts,
    UsedCodes,
    alike_lines,
    change_lines,
    heading,
    week_lines,
)
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.widgets.details import DetailLine
from linkdash.widgets.styled_text import Lines, Piece, Tone

SUM: Action["ChannelsScreen | ChannelItemsScreen"] = Action(
    "sum",
    "+",
    "Sum",
    "Statistics of the channel's QR codes, summed",
    cost="1 request a page of items that is not loaded",
    needs=(ROW,),
    do=lambda screen: screen.do_sum(),
    opens=True,
)
CHANNEL_ACTIONS: tuple[Action["ChannelsScreen | ChannelItemsScreen"], ...] = (*LIST_ACTIONS, SUM)


class ChannelsScreen(ResourceScreen[Channel]):
    """Channels; opening one shows its items."""

    TITLE = RESOURCE.title
    ACTIONS = CHANNEL_ACTIONS
    BINDINGS = bindings(CHANNEL_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._activities: Mapping[int, Activity] = {}

    async def read_related(self) -> None:
        for channel in await self.collection.known_records():
            await self.session.collection_of(ITEMS, channel.id).recall()
        self._activities = await StatisticsReader(self.session).activities()
        await self.known_codes.read()

    def lines(self, record: Channel, width: int) -> Sequence[DetailLine]:
        """Its fields; where nothing stands beside them, how its codes were scanned, too."""
        told = super().lines(record, width)
        if self.has_related:
            return told
        words = [Piece(self._without_codes(record), Tone.MUTED)]
        used = _used_codes(self.session, record.id, self._activities)
        in_it = used.in_one_line() if _codes_in(self.session, record.id) else words
        return [*told, DetailLine("In it", (*in_it,))]

    def related(self, record: Channel) -> RelatedFacts:
        """Its codes and those of other channels; without any of its own, those that are named like it."""
        own = codes_of_channel(self.session, record.id, self._activities)
        has_codes = bool(_codes_in(self.session, record.id))
        names, scans = self._others(record)
        alike = self.known_codes.alike(record.name)

        def lines(width: int, height: int) -> Lines:
            others = [heading("Other channels, 7 days", width), *change_lines(names, scans, width)]
            if has_codes:
                told = own.lines(width, height)
                has_room = names and len(told) + 1 + len(others) <= height
                return [*told, [], *others] if has_room else told
            words = [Piece(f"{self._without_codes(record)}.", Tone.MUTED)]
            told = [words, *(others if names else [])][:height]
            return [*told, *alike_lines(alike, width, height - len(told))]

        return own._replace(lines=lines)

    def _without_codes(self, record: Channel) -> str:
        return "No QR code" if self._is_loaded(record) else f"{self.key_of('open')} loads them: 1 request"

    def _others(self, record: Channel) -> tuple[Mapping[int, str], Mapping[int, CountChange]]:
        """The names of the other channels with codes, as far as they are loaded, and the scans of those."""
        known = (one for one in self.collection.records if one.id != record.id and self._is_loaded(one))
        names = {one.id: one.name for one in known if _codes_in(self.session, one.id)}
        used = {id: usage(_codes_in(self.session, id), self._activities) for id in names}
        return names, {id: one.change for id, one in used.items() if one.told}

    def _is_loaded(self, channel: Channel) -> bool:
        return self.session.collection_of(ITEMS, channel.id).listing.page is not None

    def missing_more(self) -> None:
        """Its items are behind every channel."""

    def do_open(self) -> Flow | None:
        if self.row is not None:
            self.note_opened("channels", self.row.id, self.row.name)
            self.app.push_screen(ChannelItemsScreen(self.session, self.row))
        return None

    def do_sum(self) -> Flow | None:
        return sum_of(self, self.row) if self.row is not None else None


def codes_of_channel(session: Session, id: int, activities: Mapping[int, Activity]) -> RelatedFacts:
    """The codes of a channel whose items were loaded: how they were scanned together, then each of them."""
    items = session.collection_of(ITEMS, id)
    total, loaded = items.listing.total, len(items.records)
    of = f"{loaded:,} of {counted(total, 'item')} loaded" if total and total > loaded else ""
    return RelatedFacts("QR codes in it", of, _used_codes(session, id, activities).lines)


def _used_codes(session: Session, id: int, activities: Mapping[int, Activity]) -> UsedCodes:
    return UsedCodes(_codes_in(session, id), activities, place("qr").icon, in_numbers=session.settings.linear)


def _codes_in(session: Session, id: int) -> dict[int, str]:
    """The names of the codes among the loaded items of a channel, by id."""
    items = session.collection_of(ITEMS, id).records
    return {one.id: one.title or f"QR code {one.id}" for one in items if one.type == "qr"}


async def sum_of(screen: HostScreen, channel: Channel) -> None:
    """Open the statistics of all codes of a channel; ask for the items that are not loaded.

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
        self._activities: Mapping[int, Activity] = {}

    async def read_related(self) -> None:
        self._activities = await StatisticsReader(self.session).activities()

    def lines(self, record: ChannelItem, width: int) -> Sequence[DetailLine]:
        """Its fields; of a code first how it was scanned, where nothing stands beside them."""
        activity = self._activities.get(record.id) if record.type == "qr" else None
        told = super().lines(record, width)
        if activity is None or self.has_related:
            return told
        return [*week_lines(activity, in_numbers=self.session.settings.linear), *told]

    def related(self, record: ChannelItem) -> RelatedFacts:
        facts = codes_of_channel(self.session, self.channel.id, self._activities)
        return facts._replace(title="QR codes of the channel")

    @property
    def place(self) -> str:
        return f"{RESOURCE.title} · {self.channel.name}"

    @property
    def file_stem(self) -> str:
        return f"channel-{self.channel.id}-items"

    @property
    def filled_by(self) -> str:
        return "" if self.missing_rights() else self.missing_assignment()

    def missing_assignment(self) -> str:
        keys = f"{self.key_of('back')}, then {self.key_of('assign')}"
        return f"Items are assigned in the list of channels: {keys}."

    def missing_more(self) -> str | None:
        return None if self.row is not None and self.row.type == "qr" else super().missing_more()

    def note_record(self, record: ChannelItem) -> None:
        """An item has no place of its own: what leads back to it is its channel, which was opened."""

    def do_open(self) -> Flow | None:
        """A QR code has statistics."""
        item = self.row
        if item is None or item.type != "qr":
            return super().do_open()
        self.app.push_screen(StatisticsScreen(self.session, code_of(item)))
        return None

    def do_sum(self) -> Flow:
        return sum_of(self, self.channel)
