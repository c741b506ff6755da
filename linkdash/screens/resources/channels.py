"""Channels with their badges, and the screen of one channel's items."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from linkdash.api.records import as_sent
from linkdash.api.resources.channels import Channel, ChannelItem
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import CountChange, counted
from linkdash.model.insight.related import usage
from linkdash.model.lists.computed_columns import WEEK_TITLES, trend_column, week_columns
from linkdash.model.resources import place
from linkdash.model.resources.channels import ITEMS, NOUNS, RESOURCE
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
    alike_facts,
    named,
    week_lines,
)
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.widgets.details import DetailLine
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.cell_text import UNKNOWN

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
    COLUMN_TITLES = WEEK_TITLES
    ACTIONS = CHANNEL_ACTIONS
    BINDINGS = bindings(CHANNEL_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._activities: Mapping[int, Activity] = {}
        self._weeks: Mapping[int, CountChange | str | None] = {}
        """The scans of the codes in a channel, by its id, or a word for why there are none to tell."""
        self._opened = 0
        """The number of channels whose items are loaded."""
        *first, description, id = self.records.columns
        self.records.columns = (*first, *week_columns(self._week_of), description, id)
        self.collection.arrangement.use(self.records.columns, ())

    def _week_of(self, channel: Channel) -> CountChange | str | None:
        return self._weeks.get(channel.id, self._not_known)

    @property
    def _not_known(self) -> str:
        return "unknown" if self.session.settings.linear else UNKNOWN

    def facts(self) -> Sequence[str]:
        """Return how many channels were not opened, after the sign of their rows, and what opens one."""
        left = len(self._weeks) - self._opened
        if not left:
            return ()
        sign = "" if self.session.settings.linear else f"{UNKNOWN} "
        return f"{sign}{left:,} not opened yet", f"{self.key_of('open')} opens one, 1 request"

    async def read_related(self) -> None:
        channels = await self.collection.known_records()
        for channel in channels:
            await self.session.collection_of(ITEMS, channel.id).recall()
        self._activities = await StatisticsReader(self.session).activities()
        await self.known_codes.read()
        weeks = {one.id: self._read_week(one) for one in channels}
        opened = sum(map(self._is_loaded, channels))
        if (weeks, opened) != (self._weeks, self._opened):
            self._weeks, self._opened = weeks, opened
            self.show_columns_anew()

    def _read_week(self, channel: Channel) -> CountChange | str | None:
        """The scans of its codes; None where it has none, a word where its codes or scans are not known."""
        codes = _codes_in(self.session, channel.id)
        used = usage(codes, self._activities)
        if used.told:
            return used.change
        if codes or not self._is_loaded(channel):
            return self._not_known
        return "no code" if self.session.settings.linear else None

    def lines(self, record: Channel, width: int) -> Sequence[DetailLine]:
        """Its fields; how its codes were scanned, too, where nothing beside them says that."""
        told = super().lines(record, width)
        if self.has_related and not self._tells_names(record):
            return told
        words = [Piece(self._without_codes(record), Tone.MUTED)]
        used = _used_codes(self.session, record.id, self._activities)
        in_it = used.in_one_line() if _codes_in(self.session, record.id) else words
        return [*told, DetailLine("In it", (*in_it,))]

    def related(self, record: Channel) -> RelatedFacts:
        """Its codes; where none is known, those that are named like it."""
        alike = self.known_codes.alike(record.name)
        if alike is not None and self._tells_names(record):
            return alike_facts(alike)._replace(title=f"{named(alike[0])}, not in it", below="")
        own = codes_of_channel(self.session, record.id, self._activities)
        if _codes_in(self.session, record.id):
            return own
        words = [Piece(f"{self._without_codes(record)}.", Tone.MUTED)]
        return own._replace(lines=lambda width, height: [words])

    def _tells_names(self, record: Channel) -> bool:
        """Return whether it has no known code, and codes that are named like it are told instead."""
        return not _codes_in(self.session, record.id) and self.known_codes.alike(record.name) is not None

    def _without_codes(self, record: Channel) -> str:
        return "No QR code" if self._is_loaded(record) else f"{self.key_of('open')} loads them: 1 request"

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
    used = _used_codes(session, id, activities)
    return RelatedFacts("QR codes in it", of, used.lines, used.chart(StatisticsReader(session).now))


def _used_codes(session: Session, id: int, activities: Mapping[int, Activity]) -> UsedCodes:
    icon, linear = place("qr").icon, session.settings.linear
    return UsedCodes(_codes_in(session, id), activities, icon, in_numbers=linear)


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
    sent = as_sent(item)
    code = QrCode.read({"id": sent.id, "name": sent.title, "link": sent.link}, safe_text=True)
    return code if isinstance(code, QrCode) else QrCode(id=item.id)


def _activity_of(session: Session, item: ChannelItem) -> Activity | None:
    """The scans of a code, as far as they were read of what is kept."""
    return session.recents.activities.get(item.id) if item.type == "qr" else None


def _change_of(session: Session, item: ChannelItem) -> CountChange | None:
    activity = _activity_of(session, item)
    return None if activity is None else activity.change


class ChannelItemsScreen(ResourceScreen[ChannelItem]):
    """The links, bio pages and QR codes in a channel."""

    TITLE = "Channels · items"
    ACTIONS = CHANNEL_ACTIONS
    BINDINGS = bindings(CHANNEL_ACTIONS)

    def __init__(self, session: Session, channel: Channel) -> None:
        super().__init__(session, ITEMS, channel.id)
        self.channel = channel
        self._activities: Mapping[int, Activity] = {}
        title, type, *others, id = self.records.columns
        weeks = week_columns(partial(_change_of, session))  # known longer than the screen
        # The days come late, so that no link is cut for them; nobody is read a picture.
        days = () if session.settings.linear else (trend_column(partial(_activity_of, session)),)
        self.records.columns = (title, type, *weeks, *others, *days, id)
        self.collection.arrangement.use(self.records.columns, ())

    async def read_related(self) -> None:
        activities = await StatisticsReader(self.session).activities()
        if activities != self._activities:
            self._activities = activities
            self.show_columns_anew()

    def lines(self, record: ChannelItem, width: int) -> Sequence[DetailLine]:
        """Its fields; of a code first how it was scanned, where nothing stands beside them."""
        activity = _activity_of(self.session, record)
        told = super().lines(record, width)
        if activity is None or self.has_related:
            return told
        return [*week_lines(activity, in_numbers=self.session.settings.linear), *told]

    def facts(self) -> Sequence[str]:
        """Its items by their kind where a panel sums up its codes; else their scans, as far as known."""
        if self.has_related:
            return self._kinds() if self.collection.listing.complete else ()
        used = usage(_codes_in(self.session, self.channel.id), self._activities)
        if not used.told:
            return ()
        of = f"{used.told:,} of " if used.told < used.codes else ""
        return (f"{of}{counted(used.codes, 'code')}: {used.change.now:,} scans in 7 days",)

    def _kinds(self) -> Sequence[str]:
        """`16 QR codes, 4 links, 1 bio page`; nothing where all are of one kind."""
        numbers = Counter(item.type for item in self.collection.records)
        nouns = {str(type): noun for type, noun in NOUNS.items()}
        told = [counted(number, nouns.get(type, type)) for type, number in numbers.most_common()]
        return [", ".join(told)] if len(told) > 1 else []

    def related(self, record: ChannelItem) -> RelatedFacts:
        """All its codes together: its rows tell of each."""
        facts = codes_of_channel(self.session, self.channel.id, self._activities)
        used = _used_codes(self.session, self.channel.id, self._activities)
        return facts._replace(title="QR codes of the channel", lines=used.as_a_whole)

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
