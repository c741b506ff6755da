"""The sidebar: places, recent and watched records, jobs."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from linkdash.model.humanize import CountChange, Trend
from linkdash.widgets.charts.cell_pictures import change_pieces, gauge, trend_pieces
from linkdash.widgets.panel import Panel, PanelText
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, cells, fitted

CURSOR, SPARE = "▌", " "
_COUNT_CELLS, _CHANGE_CELLS, _TREND_CELLS = 5, 7, 7


class Freshness(enum.Enum):
    """The age of what is kept of a place: its sign and tone."""

    FRESH = ("●", Tone.GOOD)
    AGED = ("◐", Tone.WARNING)
    NOT_LOADED = ("○", Tone.FAINT)
    UNKNOWN = (" ", Tone.FAINT)

    def __init__(self, sign: str, tone: Tone) -> None:
        self.sign, self.tone = sign, tone


@dataclass(frozen=True)
class PlaceEntry:
    """Somewhere to go. `key` is as it is named now; `group` begins a group of that name."""

    id: str
    key: str
    name: str
    short: str = ""
    """A short name, where there is little room."""
    freshness: Freshness = Freshness.UNKNOWN
    count: str = ""
    group: str = ""


class RecentEntry(NamedTuple):
    """A record that was opened: the sign of its kind, and its name."""

    id: str
    icon: str
    name: str


class WatchedEntry(NamedTuple):
    """A record that is watched."""

    id: str
    name: str
    trend: Trend
    change: CountChange


class JobEntry(NamedTuple):
    """A bulk job: how many of its items are over, and how they ended."""

    title: str
    over: int
    total: int
    done: int
    failed: int
    unknown: int
    is_running: bool


class EntryChosen(Message):
    """Something in the sidebar or a tab was clicked: `kind` is `place`, `recent`, `watched` or `job`."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__()
        self.kind, self.id = kind, id


class Entries(DrawnLines):
    """Entries of one kind, a row each; a click on one posts `EntryChosen`."""

    kind = title = ""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, Sequence[Piece]]] = []
        """The id and the pieces of each row; "" is the id of one that is nowhere to go."""
        self.marked: int | None = None

    def show(self, rows: Sequence[tuple[str, Sequence[Piece]]], marked: int | None = None) -> None:
        """Show these rows."""
        self.rows, self.marked = [*rows], marked
        self.styles.height = len(self.rows) if self.kind != "recent" else "1fr"
        self.update_lines()

    def lines(self, width: int, height: int) -> Lines:
        return [row for _, row in self.rows]

    def current(self) -> int | None:
        return self.marked

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and offset.y < len(self.rows) and self.rows[offset.y][0]:
            self.post_message(EntryChosen(self.kind, self.rows[offset.y][0]))


class Places(Entries):
    kind, title = "place", "Places"


class Recent(Entries):
    kind, title = "recent", "Recent"


class Watched(Entries):
    kind, title = "watched", "Watched"


class JobList(Entries):
    kind, title = "job", "Jobs"


class _Content(NamedTuple):
    """The content of a panel: its rows, which of them is marked, and what its frame says."""

    rows: Sequence[tuple[str, Sequence[Piece]]]
    marked: int | None
    below: PanelText
    keys: PanelText


class Sidebar(Vertical):
    """Four panels; what has nothing to show is away. Nothing in it costs a request.

    They are made when there is room for them for the first time.
    """

    WIDTH = 22  # cells within the panels

    def __init__(self) -> None:
        super().__init__()
        nothing = _Content((), None, (), ())
        self._contents: dict[type[Entries], _Content] = {
            Places: nothing,
            Recent: nothing,
            Watched: nothing,
            JobList: nothing,
        }

    def compose(self) -> ComposeResult:
        for entries in self._contents if self.display else ():
            yield Panel(entries(), title=entries.title, id=entries.title.lower())

    def on_mount(self) -> None:
        self._fill_all()

    async def on_show(self) -> None:
        if not self.children:
            await self.recompose()
            self._fill_all()

    def _fill_all(self) -> None:
        for entries in self._contents if self.children else ():
            self._fill(entries)

    def show_places(self, places: Sequence[PlaceEntry], current: str) -> None:
        """The places, and in which of them the user is."""
        rows, marked = [], None
        for place in places:
            if place.group:
                rows.append(("", [Piece(f" {place.group} {'─' * self.WIDTH}"[: self.WIDTH - 1], Tone.FAINT)]))
            if place.id == current:
                marked = len(rows)
            rows.append((place.id, place_row(place, self.WIDTH, place.id == current)))
        self._show(Places, rows, marked)

    def show_recent(self, recent: Sequence[RecentEntry], keys: PanelText = ()) -> None:
        """The records that were opened, the latest first; `keys` say how one is opened."""
        rows = [
            (entry.id, [Piece(f"{entry.icon} ", Tone.ICON), Piece(entry.name, _first(number))])
            for number, entry in enumerate(recent)
        ]
        self._show(Recent, rows, keys=keys)

    def show_watched(self, watched: Sequence[WatchedEntry]) -> None:
        """The records that are watched, with their last seven days."""
        rows = [(entry.id, _watched_row(entry, self.WIDTH)) for entry in watched]
        self._show(Watched, rows, below=[Piece("scans, 7 days", Tone.MUTED)])

    def show_job(self, job: JobEntry | None, keys: PanelText = ()) -> None:
        """The bulk job that is under way or was left over; `keys` say how it is opened."""
        rows = [("job", row) for row in _job_rows(job, self.WIDTH)] if job else []
        self._show(JobList, rows, keys=keys)

    def _show(
        self,
        entries: type[Entries],
        rows: Sequence[tuple[str, Sequence[Piece]]],
        marked: int | None = None,
        *,
        below: PanelText = (),
        keys: PanelText = (),
    ) -> None:
        self._contents[entries] = _Content(rows, marked, below, keys)
        if self.children:
            self._fill(entries)

    def _fill(self, entries: type[Entries]) -> None:
        """Show in its panel what there is of entries by now."""
        content = self._contents[entries]
        self.query_one(entries).show(content.rows, content.marked)
        panel = self.query_one(f"#{entries.title.lower()}", Panel)
        panel.say(below=content.below, keys=content.keys)
        panel.display = bool(content.rows) or entries is Places


def place_row(place: PlaceEntry, width: int, is_current: bool) -> list[Piece]:
    """A place in a row of the sidebar; its key has room for two characters."""
    key = f"{place.key:>2} " if len(place.key) > 1 else f"{place.key} "
    left = [
        Piece(CURSOR if is_current else SPARE, Tone.KEY),
        Piece(key, Tone.KEY),
        Piece(place.name, Tone.HERO if is_current else Tone.PLAIN),
    ]
    right = [
        Piece(place.freshness.sign, place.freshness.tone),
        Piece(f"{place.count:>{_COUNT_CELLS}}", Tone.HERO if is_current else Tone.MUTED),
    ]
    return [*fitted(left, width - cells(right)), *right]


def _first(number: int) -> Tone:
    return Tone.MUTED if number else Tone.PLAIN


def _watched_row(entry: WatchedEntry, width: int) -> list[Piece]:
    room = width - _TREND_CELLS - _CHANGE_CELLS - 2
    name = fitted([Piece(entry.name)], room)
    trend, change = trend_pieces(entry.trend, _TREND_CELLS), change_pieces(entry.change, _CHANGE_CELLS)
    return [*name, Piece(" "), *trend, Piece(" "), *change]


def _job_rows(job: JobEntry, width: int) -> list[list[Piece]]:
    count = f" {job.over}/{job.total}"
    heavy, light = gauge(job.over, job.total, width - len(count))
    sign = Piece("▶ " if job.is_running else "· ", Tone.KEY)
    ended = (("✓", job.done, Tone.GOOD), ("✗", job.failed, Tone.BAD), ("?", job.unknown, Tone.WARNING))
    return [
        [sign, Piece(job.title)],
        [Piece(heavy, Tone.TREND), Piece(light, Tone.FAINT), Piece(count, Tone.MUTED)],
        [Piece(f"{mark} {number}  ", tone if number else Tone.FAINT) for mark, number, tone in ended],
    ]
