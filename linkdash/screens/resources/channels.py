"""Channels with their badges, and the screen of one channel's items."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from linkdash.api.records import as_sent
from linkdash.api.resources.channels import Channel, ChannelItem
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import CountChange, counted
from linkdash.model.insight.code_usage import Usage, usage
from linkdash.model.lists.computed_columns import WEEK_TITLES, trend_column, week_columns
from linkdash.model.resources.channels import ITEMS, NOUNS, RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import Activity
from linkdash.screens.actions import Action, Flow, bindings
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.list_actions import LIST_ACTIONS
from linkdash.screens.lists.list_needs import ROW
from linkdash.screens.lists.week_lines import week_lines
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.widgets.charts.cell_pictures import change_pieces
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
        return self._weeks.get(channel.id, UNKNOWN)

    def facts(self) -> Sequence[str]:
        """Return how many channels were not opened, after the sign of their rows, and what opens one."""
        left = len(self._weeks) - self._opened
        if not left:
            return ()
        return f"{UNKNOWN} {left:,} not opened yet", f"{self.key_of('open')} opens one, 1 request"

    async def read_known(self) -> None:
        channels = await self.collection.known_records()
        for channel in channels:
            await self.session.collections.of(ITEMS, channel.id).recall()
        self._activities = await StatisticsReader(self.session).activities()
        weeks = {one.id: self._read_week(one) for one in channels}
        opened = sum(map(self._is_loaded, channels))
        if (weeks, opened) != (self._weeks, self._opened):
            self._weeks, self._opened = weeks, opened
            self.show_columns_anew()

    def _read_week(self, channel: Channel) -> CountChange | str | None:
        """The scans of its codes; None where it has none, a word where its codes or scans are not known."""
        used = self._usage(channel)
        if used.told:
            return used.change
        return UNKNOWN if used.codes or not self._is_loaded(channel) else None

    def _usage(self, channel: Channel) -> Usage:
        return usage(_codes_in(self.session, channel.id), self._activities)

    def lines(self, record: Channel, width: int) -> Sequence[DetailLine]:
        """Its fields, and how its codes were scanned."""
        used = self._usage(record)
        words = [Piece(self._without_codes(record), Tone.MUTED)]
        return [*super().lines(record, width), DetailLine("In it", (*(_used_pieces(used) or words),))]

    def _without_codes(self, record: Channel) -> str:
        return "No QR code" if self._is_loaded(record) else f"{self.key_of('open')} loads them: 1 request"

    def _is_loaded(self, channel: Channel) -> bool:
        return self.session.collections.of(ITEMS, channel.id).listing.page is not None

    def missing_more(self) -> None:
        """Its items are behind every channel."""

    def do_open(self) -> Flow | None:
        if self.row is not None:
            self.note_opened("channels", self.row.id, self.row.name)
            self.app.push_screen(ChannelItemsScreen(self.session, self.row))
        return None

    def do_sum(self) -> Flow | None:
        return sum_of(self, self.row) if self.row is not None else None


def _used_pieces(used: Usage) -> list[Piece]:
    """`12 QR codes  300 scans in 7 days, 9 of them  ▲ 5 %`; nothing where there is no code."""
    if not used.codes:
        return []
    codes = Piece(counted(used.codes, "QR code"), Tone.HERO)
    if not used.told:
        return [codes, Piece("  their week is not known", Tone.FAINT)]
    of = f", {used.told:,} of them" if used.told < used.codes else ""
    change = change_pieces(used.change, len(used.change.words))
    return [codes, Piece(f"  {used.change.now:,}", Tone.HERO), Piece(f" scans in 7 days{of}  "), *change]


def _codes_in(session: Session, id: int) -> dict[int, str]:
    """The names of the codes among the loaded items of a channel, by id."""
    items = session.collections.of(ITEMS, id).records
    return {one.id: one.title or f"QR code {one.id}" for one in items if one.type == "qr"}


async def sum_of(screen: HostScreen, channel: Channel) -> None:
    """Open the statistics of all codes of a channel; ask for the items that are not loaded.

    Raises ServiceError.
    """
    items = screen.session.collections.of(ITEMS, channel.id)
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
        days = trend_column(partial(_activity_of, session))  # late, so that no link is cut for them
        self.records.columns = (title, type, *weeks, *others, days, id)
        self.collection.arrangement.use(self.records.columns, ())

    async def read_known(self) -> None:
        activities = await StatisticsReader(self.session).activities()
        if activities != self._activities:
            self._activities = activities
            self.show_columns_anew()

    def lines(self, record: ChannelItem, width: int) -> Sequence[DetailLine]:
        """Its fields; of a code first how it was scanned."""
        activity = _activity_of(self.session, record)
        return [*(week_lines(activity) if activity is not None else ()), *super().lines(record, width)]

    def facts(self) -> Sequence[str]:
        """The scans of its codes, as far as known, and its items by their kind where all are loaded."""
        kinds = self._kinds() if self.collection.listing.complete else ()
        used = usage(_codes_in(self.session, self.channel.id), self._activities)
        if not used.told:
            return kinds
        of = f"{used.told:,} of " if used.told < used.codes else ""
        return (f"{of}{counted(used.codes, 'code')}: {used.change.now:,} scans in 7 days", *kinds)

    def _kinds(self) -> Sequence[str]:
        """`16 QR codes, 4 links, 1 bio page`; nothing where all are of one kind."""
        numbers = Counter(item.type for item in self.collection.records)
        nouns = {str(type): noun for type, noun in NOUNS.items()}
        told = [counted(number, nouns.get(type, type)) for type, number in numbers.most_common()]
        return [", ".join(told)] if len(told) > 1 else []

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
