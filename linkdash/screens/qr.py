"""QR codes; opening one shows its statistics."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import HorizontalGroup, Vertical, VerticalGroup
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from linkdash.api.fields import Kind, fields_of, read_color
from linkdash.api.model import Body
from linkdash.api.qr import QrCode
from linkdash.model.alerts import of_code, standing_alerts
from linkdash.model.arrangement import Arrangement
from linkdash.model.as_text import Choice
from linkdash.model.columns import Column, Computed, value_of
from linkdash.model.finding import channels_with
from linkdash.model.forms import Draft
from linkdash.model.humanize import Bar, Change, Trend, counted, share
from linkdash.model.listing import Answered
from linkdash.model.resources.qr import RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.activity import Activity, by_prefix, prefix
from linkdash.model.statistics.chart_data import label_text
from linkdash.model.statistics.charts import short_label
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.screens.actions import LIST_ACTIONS, Action, Flow, bindings
from linkdash.screens.resource import Follows, ResourceScreen
from linkdash.screens.scans import TopScreen, WatchScreen
from linkdash.screens.statistics import FEWEST, MOST, CompareScreen, StatisticsScreen
from linkdash.screens.windows import PickerScreen
from linkdash.widgets.charts.bars import BAR
from linkdash.widgets.form import Preview
from linkdash.widgets.pictures import CHANGE_CELLS, TREND_CELLS, change_pieces, change_words, trend_pieces
from linkdash.widgets.pieces import Piece, Tone, apart, content, fit_text
from linkdash.widgets.qr_code import LEAST_CONTRAST, TIGHT_QUIET_ZONE, QrImage, Rgb, contrast, qr_modules
from linkdash.widgets.table import RecordTable
from linkdash.widgets.values import Line

QR_ACTIONS = (
    Action(
        "compare", "c", "Compare", "Compare the selected codes", cost="1 request each", needs=("comparable",)
    ),
    Action(
        "watch",
        "W",
        "Watch",
        "Follow the selected codes, or the one under the cursor",
        cost="1 request each time",
        needs=("row",),
    ),
    Action("top", "t", "Top", "All loaded codes, by scans and by growth"),
    Action(
        "sum",
        "+",
        "Sum",
        "Statistics of the selected codes, or of those that share a name prefix, summed",
        needs=("row",),
    ),
    *LIST_ACTIONS,
)

_READ_EVERY = 10.0  # seconds
_ALERTS_EVERY = 60.0  # seconds: to look for them reads the history of every code
_SCANS_CELLS = 13  # a number of seven digits, and a bar


def with_activity(
    columns: Sequence[Column[QrCode]],
    activity_of: Callable[[QrCode], Activity | None],
    most: Callable[[], int],
    *,
    in_numbers: bool,
) -> tuple[Column[QrCode], ...]:
    """The columns of the list, with pictures: a bar at the scans, the last seven days, the week.

    `most` is the number of scans that the longest bar stands for. `in_numbers` the days are not drawn: their
    scans are told.
    """

    def bar(code: QrCode) -> object:
        return Bar(code.scans, most()) if code.scans is not None else value_of(code, "scans")

    def change(code: QrCode) -> Change | None:
        activity = activity_of(code)
        return None if activity is None else activity.change

    def trend(code: QrCode) -> Trend | None:
        activity = activity_of(code)
        return None if activity is None else activity.trend

    def told(code: QrCode) -> str | None:
        activity = activity_of(code)
        return None if activity is None or activity.week.now is None else str(activity.week.now)

    def by(code: QrCode) -> int | None:
        changed = change(code)
        return None if changed is None else changed.now - changed.before

    named = {column.name: column for column in columns}
    scans = named["scans"]
    days = Computed("days", "7 days", Kind.TEXT, TREND_CELLS, draw=trend, rank=by)
    if in_numbers:
        days = replace(days, align="right", draw=told)
    return (
        named["name"],
        Computed(**{**vars(scans), "width": _SCANS_CELLS, "draw": bar}),
        days,
        Computed("change", "Week", Kind.TEXT, CHANGE_CELLS, align="right", draw=change, rank=by),
        named["date"],
        named["link"],
        named["id"],
    )


def week_lines(activity: Activity, *, in_numbers: bool) -> list[Line]:
    """The last week against the one before, and the last 14 days, beside the fields of a code."""
    lines = []
    if (change := activity.change) is not None:
        said = change_pieces(change, len(change_words(change)))
        was = Piece(f" was {change.before:,}", Tone.MUTED)
        lines.append(Line("7 days", (Piece(f"{change.now:,} ", Tone.HERO), *said, was)))
    if (trend := activity.trend) is not None:
        drawn = trend_pieces(trend, len(trend.days))
        numbers = (Piece(" ".join(f"{day:,}" for day in trend.days)),)
        lines.append(Line(f"{len(trend.days)} days", numbers if in_numbers else drawn))
    return lines


class QrScreen(ResourceScreen[QrCode]):
    """QR codes, and what of their statistics is asked for from here."""

    TITLE = RESOURCE.title
    ACTIONS = QR_ACTIONS
    BINDINGS = bindings(QR_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._reader = StatisticsReader(session)
        self._activities: Mapping[int, Activity] = {}
        self._alerts: Mapping[int, Sequence[str]] = {}
        """What the raised alerts say, by the id of the code."""
        self._begun = session.now()
        self._kept: set[tuple[int, float]] = set()
        """Number and moment of the pages of this run that are history by now; those of before are already."""
        self._most = 0
        self._in_numbers = session.settings.linear
        self.columns = with_activity(
            self.columns, self._activity_of, lambda: self._most, in_numbers=self._in_numbers
        )
        self.collection.adopt(Arrangement(self.columns, fields_of(QrCode)))

    @property
    def notes(self) -> Mapping[Hashable, str]:
        return {**dict.fromkeys(self._alerts, "alert"), **super().notes}

    def beneath(self) -> Sequence[Widget]:
        return (CodeGlance(self.session),)

    @on(RecordTable.CursorMoved)
    def _show_glance(self) -> None:
        self.query_one(CodeGlance).show(self.row)

    def lines(self, record: QrCode, width: int) -> Sequence[Line]:
        """Its alerts, all that the service says of it, and after the scans how they went."""
        alerts = [Line("Alert", (Piece(text, Tone.BAD),)) for text in self._alerts.get(record.id, ())]
        activity, said = self._activity_of(record), super().lines(record, width)
        if activity is None:
            return [*alerts, *said]
        at = next((index for index, line in enumerate(said, 1) if line.title == "Scans"), len(said))
        return [*alerts, *said[:at], *week_lines(activity, in_numbers=self._in_numbers), *said[at:]]

    # ---- the history beside the list ----

    def _activity_of(self, code: QrCode) -> Activity | None:
        return self._activities.get(code.id)

    def on_mount(self) -> None:
        self.set_interval(_READ_EVERY, self.on_screen_resume)

    def on_screen_resume(self) -> None:
        """Reads the history, which others add to as well."""
        if self.is_active:
            self.begin(self._read_activities(), "history")

    def _collection_changed(self) -> None:
        """A page that came makes history: it tells the scans of every code on it."""
        pages = self.collection.listing.pages.values()
        if new := [one for one in pages if one.at >= self._begun and (one.number, one.at) not in self._kept]:
            self._kept.update((one.number, one.at) for one in new)
            self.begin(self._keep(new), "history")
        super()._collection_changed()

    async def _keep(self, pages: Sequence[Answered[QrCode]]) -> None:
        for answered in pages:
            await self._reader.keep_listed(answered.page.items, datetime.fromtimestamp(answered.at, UTC))
        await self._read_activities()

    async def _read_activities(self) -> None:
        self._activities = await self._reader.activities()
        self._most = max((one.scans for one in self._activities.values()), default=0)
        self._show_history()
        alerts = await self._standing()
        if alerts != self._alerts:
            self._alerts = alerts
            self._show_history()

    def _show_history(self) -> None:
        if self.collection.arrangement.order is not None:
            self.collection.adopt(self.collection.arrangement)  # what it is ordered by may be another now
        elif self.is_mounted:
            self.paint()
            self.show_details()

    async def _standing(self) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = {}
        standing = standing_alerts(self.session, within=_ALERTS_EVERY)
        for alert in await self.session.kept(standing, self.session.at_hand.alerts):
            if (id := of_code(alert)) is not None:
                found.setdefault(id, []).append(alert.message)
        return found

    def preview(self, model: type[Body]) -> Preview | None:
        return QrPreview() if "data" in model.model_fields else None

    @property
    def selected(self) -> list[QrCode]:
        """The selected codes, in the order of the list."""
        keys = self.collection.selection.keys
        return [code for code in self.collection.records if code.key in keys]

    def missing(self, need: str) -> str | None:
        if need == "comparable":
            count = len(self.collection.selection)
            wanted = f"Select {FEWEST} to {MOST} codes with {self.key_of('mark')} to compare them"
            return None if FEWEST <= count <= MOST else f"{wanted}; {count} are selected."
        return super().missing(need)

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
        """Goes to the channel a code is in; asks which, where it is in several."""
        channels = await channels_with(self.session.collections, code.id)
        choices = {Choice(channel.name, f"channel {channel.id}"): channel for channel in channels}
        chosen: Choice | None = next(iter(choices), None)
        if chosen is None:
            why = f"What a channel holds is known once it was opened: {self.key_of('go-channels')}."
            self.say(why, "No channel is known to hold this code")
            return
        if len(choices) > 1:
            chosen = await self.app.push_screen_wait(PickerScreen(f"Channels with {code.name}", [*choices]))
        if chosen is not None:
            await cast("Follows", self.app).follow("channels", choices[chosen].id)

    def do_compare(self) -> None:
        self.app.push_screen(CompareScreen(self.session, self.selected))

    def do_watch(self) -> None:
        if codes := self.selected or ([self.row] if self.row else []):
            self.app.push_screen(WatchScreen(self.session, codes))

    def do_sum(self) -> Flow | None:
        if len(self.selected) > 1:
            self.app.push_screen(StatisticsScreen(self.session, self.selected, "Selected codes"))
            return None
        return self._sum_of_group()

    async def _sum_of_group(self) -> None:
        """Asks which of the groups is meant; the one of the row under the cursor stands first."""
        groups = by_prefix(self.collection.records)
        own = prefix(self.row.name) if self.row is not None else ""
        names = sorted(groups, key=lambda name: name != own)
        choices = [Choice(name, counted(len(groups[name]), "code")) for name in names]
        if not choices:
            self.warn(f"No two names share a prefix; {self.key_of('mark')} selects codes to sum.")
            return
        chosen = await self.app.push_screen_wait(PickerScreen("Sum codes by name prefix", choices))
        if chosen is not None:
            self.app.push_screen(StatisticsScreen(self.session, groups[chosen.label], chosen.label))

    def do_top(self) -> None:
        collection = self.collection
        self.app.push_screen(TopScreen(self.session, collection.records, collection.listing.total))


class CodeGlance(VerticalGroup):
    """The code under the cursor, to be scanned, and where it was scanned from, as it was read last."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._wanted: QrCode | None = None
        self._code: QrCode | None = None
        self._counts: Mapping[str, Mapping[str, int]] = {}

    def on_resize(self) -> None:
        self.show(self._wanted)
        self._draw()

    def compose(self) -> ComposeResult:
        yield QrImage(quiet_zone=TIGHT_QUIET_ZONE, scrolls=True, id="glance-code")
        for name in _GLANCED:
            yield Static(id=f"glance-{name}", classes="glance", markup=False)

    def show(self, code: QrCode | None) -> None:
        """Shows another code; where there is no room for it, once there is."""
        self._wanted = code
        if code == self._code or not self.region.width:
            return
        self._code = code
        self._counts = {}
        image = self.query_one(QrImage)
        image.display = code is not None and bool(code.link) and image.is_drawn
        if code is not None:
            image.show(code.link)
            self.run_worker(self._read(code), group="glance", exclusive=True, exit_on_error=False)

    @on(QrImage.Encoded)
    def _see_whether_it_fits(self, message: QrImage.Encoded) -> None:
        message.stop()
        image = self.query_one(QrImage)
        side = 0 if message.problem else image.size_of(message.text, TIGHT_QUIET_ZONE)[0]
        image.display = image.is_drawn and 0 < side <= self.content_size.width

    async def _read(self, code: QrCode) -> None:
        """What was read last of the code, from the history: it costs no request."""
        reading = await self._session.kept(self._session.store.history.latest_of(code.id), None)
        self._counts = reading.breakdowns if reading is not None else {}
        self._draw()

    def _draw(self) -> None:
        for name, title in _GLANCED.items():
            counts, said = self._counts.get(name), self.query_one(f"#glance-{name}", Static)
            said.visible = bool(counts)
            if counts:
                said.update(glance(title, counts, self.content_size.width))


_GLANCED = {"countries": "Top countries", "referrers": "Top referrers"}
_MOST_GLANCED, _LEAST_BAR = 6, 8


def glance(title: str, counts: Mapping[str, int], width: int) -> Content:
    """The largest of some counts as bars with their shares, under a title."""
    whole = sum(counts.values())
    largest = sorted(counts.items(), key=lambda item: -item[1])[:_MOST_GLANCED]
    names = [label_text(short_label(label)) for label, _ in largest]
    room = min(max(map(cell_len, names)), width - _LEAST_BAR - 6)
    bar = width - room - 6
    lines = [apart([Piece(title, Tone.MUTED)], [Piece(f"of {whole:,}", Tone.FAINT)], width)]
    for name, (_, count) in zip(names, largest, strict=True):
        length = max(1, round(bar * count / largest[0][1])) if count > 0 else 0
        lines.append(
            [
                Piece(f"{fit_text(name, room)} "),
                Piece(f"{BAR * length:<{bar}}", Tone.TREND),
                Piece(f"{share(count, whole):>5}", Tone.MUTED),
            ]
        )
    return Content("\n").join(map(content, lines))


_FACTS = 17  # cells that they need to stand beside the code


class QrPreview(Preview):
    """Shows what a code will hold, in its chosen colors where a scanner can tell them apart."""

    has_more = True

    def __init__(self) -> None:
        super().__init__()
        self._facts: list[list[Piece]] = []
        self._shown: tuple[str, Rgb | None, Rgb | None] | None = None

    def compose(self) -> ComposeResult:
        yield Static("The code appears here once its data is complete.", id="preview-hint", markup=False)
        with HorizontalGroup(id="preview"):
            yield QrImage(quiet_zone=TIGHT_QUIET_ZONE, scrolls=True, id="preview-code")
            yield Static(id="preview-facts", markup=False)

    def show(self, draft: Draft) -> None:
        payload = draft.payload("data")
        self.query_one("#preview").display = payload is not None
        self.query_one("#preview-hint").display = payload is None
        self._shown = None
        if payload is not None:
            ink, paper = _color(draft, "foreground"), _color(draft, "background")
            self._facts = [contrast_fact(ink, paper)]
            if draft.text("logo"):
                self._facts.append([Piece("– no logo here:\n  the service\n  draws it", Tone.MUTED)])
            self._shown = (payload.content(), ink, paper)
            self.query_one(QrImage).show(*self._shown)

    def show_whole(self) -> None:
        if self._shown is not None:
            self.app.push_screen(PreviewWindow(*self._shown))

    @on(QrImage.Encoded)
    def _say_facts(self, message: QrImage.Encoded) -> None:
        message.stop()
        facts = [*self._facts, *(code_facts(message.text) if message.problem is None else ())]
        lines = [content(line) for line in facts]
        self.query_one("#preview-facts", Static).update(Content("\n").join(lines))
        self.query_one("#preview-facts").display = message.problem is None
        if message.problem is None:
            width, _ = self.query_one(QrImage).size_of(message.text, TIGHT_QUIET_ZONE)
            self.query_one("#preview").set_class(self.size.width - width - 1 < _FACTS, "-below")


class PreviewWindow(ModalScreen[None]):
    """The code of a form, always whole."""

    BINDINGS = [Binding("escape,f3,q", "dismiss", "Close")]

    def __init__(self, text: str, ink: Rgb | None, paper: Rgb | None) -> None:
        super().__init__()
        self._shown = (text, ink, paper)

    def compose(self) -> ComposeResult:
        with Vertical(id="code-window") as window:
            yield QrImage(id="code")
        window.border_title = Content.styled("The code as it will be", "bold")
        window.border_subtitle = Content("esc close")

    def on_mount(self) -> None:
        self.query_one(QrImage).show(*self._shown)


def contrast_fact(ink: Rgb | None, paper: Rgb | None) -> list[Piece]:
    """Whether a scanner can tell the colors apart, with the figure."""
    found = contrast(ink, paper)
    if found >= LEAST_CONTRAST:
        return [Piece("✓ ", Tone.GOOD), Piece(f"contrast {found:.1f}")]
    return [Piece("✗ ", Tone.BAD), Piece(f"contrast {found:.1f}\n  drawn black\n  on white", Tone.BAD)]


def code_facts(text: str) -> list[list[Piece]]:
    """How large the code of a text is, and how much is in it. Raises QrError."""
    side = len(qr_modules(text).rows)
    facts = (f"version {(side - 17) // 4}", f"{side} × {side} modules", counted(len(text), "character"))
    return [[Piece("✓ ", Tone.GOOD), Piece(fact)] for fact in facts]


def _color(draft: Draft, name: str) -> Rgb | None:
    try:
        return read_color(draft.text(name))
    except ValueError:
        return None
