"""QR codes; opening one shows its statistics."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

from textual import on

from linkdash.api.fields import fields_of
from linkdash.api.inert_text import inert
from linkdash.api.resources.qr import QR_TYPES, QrCode, QrLook
from linkdash.model.copy_choices import PickerChoice
from linkdash.model.humanize import CountChange, CountedTrend, counted
from linkdash.model.insight.alerts import of_code, standing_alerts
from linkdash.model.lists.arrangement import Arrangement
from linkdash.model.lists.columns import Column
from linkdash.model.lists.computed_columns import WEEK_TITLES, scan_columns, scans_of_week
from linkdash.model.lists.loaded_pages import Answered
from linkdash.model.lists.record_search import channels_with
from linkdash.model.resources.qr import RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import Activity, by_prefix, prefix
from linkdash.model.writes.form_fields import content_parts
from linkdash.model.writes.kept_members import KeptMembers
from linkdash.model.writes.named_updates import kept_here
from linkdash.screens.actions import Action, Flow, bindings
from linkdash.screens.lists.list_actions import EDIT, EDIT_BUT_NAME, LIST_ACTIONS
from linkdash.screens.lists.list_needs import ROW, TARGETS
from linkdash.screens.lists.week_lines import week_lines
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.statistics.code_actions import COMPARE, WATCH
from linkdash.screens.statistics.compare import CompareScreen, missing_to_compare
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.screens.statistics.watch import watch_codes
from linkdash.screens.windows.picker import PickerScreen
from linkdash.widgets.charts.cell_pictures import CHANGE_CELLS
from linkdash.widgets.charts.sparkline import TREND_CELLS
from linkdash.widgets.details import DetailLine
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.cell_text import full
from linkdash.widgets.table.record_table import RecordTable

_WATCH: Action["QrScreen"] = WATCH
QR_ACTIONS: tuple[Action["QrScreen"], ...] = (
    COMPARE,
    replace(_WATCH, needs=(TARGETS,)),
    Action(
        "sum",
        "+",
        "Sum",
        "Statistics of the selected codes, or of those that share a name prefix, summed",
        needs=(ROW,),
        is_for_selection=True,
        do=lambda screen: screen.do_sum(),
        opens=True,
    ),
    *(EDIT_BUT_NAME if action is EDIT else action for action in LIST_ACTIONS),
)

_READ_EVERY = 10.0  # seconds
_ALERTS_EVERY = 60.0  # seconds: to look for them reads the history of every code
_DAYS_CELLS = 6  # of a number


def with_activity(
    columns: Sequence[Column[QrCode]], activity_of: Callable[[QrCode], Activity | None]
) -> tuple[Column[QrCode], ...]:
    """The columns of the list, with the scans of the last seven days."""
    days, week = scan_columns(activity_of)

    def change(code: QrCode) -> CountChange | None:
        activity = activity_of(code)
        return None if activity is None else activity.change

    def counted_days(code: QrCode) -> CountedTrend | None:
        activity = activity_of(code)
        trend = None if activity is None else activity.trend
        if activity is None or trend is None:
            return None
        return CountedTrend(scans_of_week(activity), trend)

    days = replace(days, align="left", draw=counted_days, width=_DAYS_CELLS + 1 + TREND_CELLS)
    named = {column.name: column for column in columns}
    return (
        named["name"],
        named["scans"],
        days,
        replace(week, width=CHANGE_CELLS, draw=change),
        named["age"],
        named["link"],
        named["id"],
    )


class QrScreen(ResourceScreen[QrCode]):
    """QR codes, and what of their statistics is asked for from here."""

    TITLE = RESOURCE.title
    COLUMN_TITLES = WEEK_TITLES
    ACTIONS = QR_ACTIONS
    BINDINGS = bindings(QR_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._reader = StatisticsReader(session)
        self._activities: Mapping[int, Activity] = {}
        self._alerts: Mapping[int, Sequence[str]] = {}
        """The messages of the raised alerts, by the id of the code."""
        self._kept: Mapping[int, KeptMembers] = {}
        """What was sent from here of the code under the cursor, by its id."""
        self._told: Mapping[Hashable, str] = {}
        self._begun = session.now()
        self._pages_kept: set[tuple[int, float]] = set()
        """Number and moment of the pages of this run that are history by now; those of before are already."""
        self.records.columns = with_activity(self.records.columns, self._activity_of)
        self.collection.adopt(Arrangement(self.records.columns, fields_of(QrCode)))

    @property
    def notes(self) -> Mapping[Hashable, str]:
        return {**dict.fromkeys(self._alerts, "alert"), **super().notes}

    @on(RecordTable.CursorMoved)
    def _look_at_row(self) -> None:
        self.begin(self._read_kept(), "contents")

    def lines(self, record: QrCode, width: int) -> Sequence[DetailLine]:
        """Its alerts, all that the service says of it, and after the scans how they went."""
        alerts = [DetailLine("Alert", (Piece(text, Tone.BAD),)) for text in self._alerts.get(record.id, ())]
        activity, said = self._activity_of(record), [*super().lines(record, width)]
        if (kept := self._kept.get(record.id)) is not None:
            said += self._kept_lines(record, kept)
        if activity is None:
            return [*alerts, *said]
        at = next((index for index, line in enumerate(said, 1) if line.title == "Scans"), len(said))
        return [*alerts, *said[:at], *week_lines(activity), *said[at:]]

    def _kept_lines(self, code: QrCode, kept: KeptMembers) -> list[DetailLine]:
        """Lines about what was sent of a code from here last, and when."""
        if kept.at is None:
            return []
        is_unnamed = self.collection.notes.get(code.key) == "new"  # and is called by its content
        until = f"; {self.key_of('refresh')} reads its name" if is_unnamed else ""
        sent = Piece(f"  as sent from here at {kept.at.astimezone():%Y-%m-%d %H:%M}{until}", Tone.MUTED)
        content = " · ".join(map(inert, content_parts(kept.members.get("data"))))
        type_ = str(QR_TYPES.of(kept.members.get("type") or ""))
        told = [DetailLine("Content", (Piece(content),)), DetailLine("Type", (Piece(type_),))]
        told += [
            DetailLine(field.title, full(kept.members.get(field.name) or "", field.kind))
            for field in fields_of(QrLook)
            if kept.members.get(field.name)
        ]
        first, *others = [line for line in told if line.text] or [
            DetailLine("Content", (Piece("not known"),))
        ]
        return [replace(first, pieces=(*first.pieces, sent)), *others]

    # ---- the history beside the list ----

    def _activity_of(self, code: QrCode) -> Activity | None:
        return self._activities.get(code.id)

    def on_mount(self) -> None:
        self.set_interval(_READ_EVERY, self.show_known)

    async def read_known(self) -> None:
        """Read the history, which others add to as well."""
        await self._read_activities()

    def _collection_changed(self) -> None:
        """A page that came makes history: it tells the scans of every code on it."""
        pages = self.collection.listing.pages.values()
        if new := [
            one for one in pages if one.at >= self._begun and (one.number, one.at) not in self._pages_kept
        ]:
            self._pages_kept.update((one.number, one.at) for one in new)
            self.begin(self._keep(new), "history")
        if self.collection.notes != self._told:
            self._told = dict(self.collection.notes)
            self.begin(self._read_kept(), "contents")
        super()._collection_changed()

    async def _keep(self, pages: Sequence[Answered[QrCode]]) -> None:
        for answered in pages:
            await self._reader.keep_listed(answered.page.items, self.session.moment_of_answer(answered.at))
        await self._read_activities()

    async def _read_activities(self) -> None:
        activities = await self._reader.activities()
        if activities != self._activities:
            self._activities = activities
            self._show_history()
        alerts = await self._standing()
        if alerts != self._alerts:
            self._alerts = alerts
            self._show_history()
        await self._read_kept()

    async def _read_kept(self) -> None:
        """Read what the journal keeps of the code under the cursor, which the service does not show."""
        code = self.row
        kept = {} if code is None else {code.id: await kept_here(self.session, self.resource, code.id)}
        if kept != self._kept:
            self._kept = kept
            if self.is_mounted:
                self.show_details()

    def _show_history(self) -> None:
        self.show_columns_anew()
        if self.is_mounted:
            self.show_details()

    async def _standing(self) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = {}
        standing = standing_alerts(self.session, within=_ALERTS_EVERY)
        for alert in await self.session.kept(standing, self.session.recents.alerts):
            if (id := of_code(alert)) is not None:
                found.setdefault(id, []).append(alert.message)
        return found

    @property
    def selected(self) -> list[QrCode]:
        """The selected codes, in the order of the list."""
        keys = self.collection.selection.keys
        return [code for code in self.collection.records if code.key in keys]

    def missing_to_compare(self) -> str | None:
        return missing_to_compare(len(self.collection.selection), self.key_of("mark"))

    def missing_more(self) -> None:
        """Its statistics are behind every code."""

    def do_open(self) -> Flow | None:
        if self.row is not None:
            self.app.push_screen(StatisticsScreen(self.session, self.row))
        return None

    @property
    def follows(self) -> bool:
        return True

    def do_follow(self) -> Flow | None:
        return self._go_to_channel(self.row) if self.row is not None else None

    async def _go_to_channel(self, code: QrCode) -> None:
        """Go to the channel a code is in; ask which, where it is in several."""
        channels = await channels_with(self.session.collections, code.id)
        choices = {PickerChoice(channel.name, f"channel {channel.id}"): channel for channel in channels}
        chosen: PickerChoice | None = next(iter(choices), None)
        if chosen is None:
            why = f"Items of a channel are known once it was opened: {self.key_of('go-channels')}."
            self.say(why, "In no channel that is known")
            return
        if len(choices) > 1:
            chosen = await self.app.push_screen_wait(PickerScreen(f"Channels with {code.name}", [*choices]))
        if chosen is not None:
            await self.services.navigation.follow("channels", choices[chosen].id)

    def do_compare(self) -> None:
        self.app.push_screen(CompareScreen(self.session, self.selected))

    def do_watch(self) -> Flow | None:
        codes = self.selected or ([self.row] if self.row else [])
        return watch_codes(self.services, codes) if codes else None

    def do_sum(self) -> Flow | None:
        if len(self.selected) > 1:
            self.app.push_screen(StatisticsScreen(self.session, self.selected, "Selected codes"))
            return None
        return self._sum_of_group()

    @property
    def _loaded(self) -> str:
        """`100 of 400 loaded`; nothing where all are."""
        listing = self.collection.listing
        of = "" if listing.total is None else f" of {listing.total:,}"
        return f"{len(listing.loaded_rows()):,}{of} loaded" if listing.lacks_rows else ""

    async def _sum_of_group(self) -> None:
        """Ask which of the groups of loaded codes is meant; that of the row under the cursor stands first."""
        groups = by_prefix(self.collection.records)
        own = prefix(self.row.name) if self.row is not None else ""
        names = sorted(groups, key=lambda name: name != own)
        choices = [PickerChoice(name, counted(len(groups[name]), "code")) for name in names]
        if not choices:
            self.warn(f"No two names share a prefix; {self.key_of('mark')} selects codes to sum.")
            return
        title = " · ".join(filter(None, ("Sum codes by name prefix", self._loaded)))
        chosen = await self.app.push_screen_wait(PickerScreen(title, choices))
        if chosen is not None:
            self.app.push_screen(StatisticsScreen(self.session, groups[chosen.label], chosen.label))
