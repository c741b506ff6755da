"""The sidebar: places, recent and watched records, jobs."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from linkdash.api.inert_text import inert
from linkdash.model.humanize import CountChange, Trend
from linkdash.widgets.charts.cell_pictures import change_pieces, gauge, trend_pieces
from linkdash.widgets.panel import Panel, PanelText
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, breakable, cells, fitted

CURSOR, SPARE = "▌", " "
_CELLS, _FRAME = 26, 4
"""Cells of the sidebar before it is laid out, and of them those of a panel's frame."""
_ICON = 2  # cells
_JOB_ROWS = 3
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


EntryRow = tuple[str, Sequence[Piece]]
"""A row, and the id of the entry that it is of; "" where a click on it leads nowhere."""


class Entries(DrawnLines):
    """Entries of one kind, each in a row or two; a click on one posts `EntryChosen`."""

    kind = ""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[EntryRow] = ()
        self.marked: int | None = None

    def show(self, rows: Sequence[EntryRow], marked: int | None = None) -> None:
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
    kind = "place"


class Recent(Entries):
    kind = "recent"


class Watched(Entries):
    kind = "watched"


class JobList(Entries):
    kind = "job"


class Sidebar(Vertical):
    """Four panels; what has nothing to show is away. Nothing in it costs a request."""

    def __init__(self) -> None:
        super().__init__()
        self._places: Sequence[PlaceEntry] = ()
        self._current = ""
        self._recent: Sequence[RecentEntry] = ()
        self._watched: Sequence[WatchedEntry] = ()
        self._job: JobEntry | None = None

    def compose(self) -> ComposeResult:
        yield Panel(Places(), title="Places", id="places")
        for entries, title in ((Recent(), "Recent"), (Watched(), "Watched"), (JobList(), "Jobs")):
            panel = Panel(entries, title=title, id=title.lower())
            panel.display = False
            yield panel

    def on_resize(self) -> None:
        """Lay all of it out anew."""
        self.show_places(self._places, self._current)
        self._lay_out_recent()
        self._lay_out_watched()
        self._lay_out_job()

    @property
    def _width(self) -> int:
        """The cells within a panel."""
        return (self.size.width or _CELLS) - _FRAME

    @property
    def _spare(self) -> int:
        """Rows that are left where each entry has one."""
        entries = (self._recent, self._watched, range(_JOB_ROWS if self._job else 0))
        panels = 1 + sum(map(bool, entries))
        return self.size.height - self._place_rows - 2 * panels - sum(map(len, entries))

    @property
    def _place_rows(self) -> int:
        return len(self._places) + sum(bool(place.group) for place in self._places)

    def show_places(self, places: Sequence[PlaceEntry], current: str) -> None:
        """The places, and in which of them the user is."""
        self._places, self._current, width = places, current, self._width
        rows: list[EntryRow] = []
        marked = None
        for place in places:
            if place.group:
                rows.append(("", [Piece(f" {place.group} {'─' * width}"[: width - 1], Tone.FAINT)]))
            if place.id == current:
                marked = len(rows)
            rows.append((place.id, place_row(place, width, place.id == current)))
        self.query_one(Places).show(rows, marked)

    def show_recent(self, recent: Sequence[RecentEntry], keys: PanelText = ()) -> None:
        """The records that were opened, the latest first; `keys` say how one is opened."""
        self._recent = recent
        self._lay_out_recent()
        self.query_one("#recent", Panel).say(keys=keys)
        self.query_one("#recent").display = bool(recent)

    def _lay_out_recent(self) -> None:
        """Names in two rows, the first of them first, as long as there are rows to spare."""
        rows: list[EntryRow] = []
        spare = self._spare - (len(self._watched_rows()) - len(self._watched))
        for number, entry in enumerate(self._recent):
            first, second = in_two_rows(entry.name, self._width - _ICON) if spare > 0 else (entry.name, "")
            tone = Tone.MUTED if number else Tone.PLAIN
            rows.append((entry.id, [Piece(f"{entry.icon} ", Tone.ICON), Piece(first, tone)]))
            if second:
                rows.append((entry.id, [Piece(" " * _ICON), Piece(second, tone)]))
                spare -= 1
        self.query_one(Recent).show(rows)

    def show_watched(self, watched: Sequence[WatchedEntry]) -> None:
        """The records that are watched, with their last seven days."""
        if watched != self._watched:
            self._watched = watched
            self._lay_out_recent()  # which has what these leave
        self._lay_out_watched()
        self.query_one("#watched", Panel).say(below=[Piece("scans, 7 days", Tone.MUTED)])
        self.query_one("#watched").display = bool(watched)

    def _lay_out_watched(self) -> None:
        self.query_one(Watched).show(self._watched_rows())

    def _watched_rows(self) -> list[EntryRow]:
        """A row each; where that cuts a name and there are rows to spare, names have their own."""
        short = [(entry.id, _watched_row(entry, entry.name, self._width)) for entry in self._watched]
        room = self._width - _TREND_CELLS - _CHANGE_CELLS - 2
        if all(cell_len(inert(entry.name)) <= room for entry in self._watched):
            return [*short]
        rows: list[EntryRow] = []
        for entry in self._watched:
            names = [*filter(None, in_two_rows(entry.name, self._width))]
            beside = names.pop() if names and cell_len(names[-1]) <= room else ""
            rows += [(entry.id, [Piece(name)]) for name in names]
            rows.append((entry.id, _watched_row(entry, beside, self._width)))
        return rows if len(rows) - len(short) <= self._spare else [*short]

    def show_job(self, job: JobEntry | None, keys: PanelText = ()) -> None:
        """The bulk job that is under way or was left over; `keys` say how it is opened."""
        self._job = job
        self._lay_out_job()
        self.query_one("#jobs", Panel).say(keys=keys)
        self.query_one("#jobs").display = job is not None

    def _lay_out_job(self) -> None:
        rows = _job_rows(self._job, self._width) if self._job else []
        self.query_one(JobList).show([("job", row) for row in rows])


def in_two_rows(name: str, width: int) -> tuple[str, str]:
    """A name in one row, or broken between words into two; the second may be longer than `width`."""
    parts, first = [*breakable(inert(name), width)], ""
    while parts and cell_len((first + parts[0]).rstrip()) <= width:
        first += parts.pop(0)
    return first.rstrip(), "".join(parts)


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


def _watched_row(entry: WatchedEntry, name: str, width: int) -> list[Piece]:
    room = width - _TREND_CELLS - _CHANGE_CELLS - 2
    trend, change = trend_pieces(entry.trend, _TREND_CELLS), change_pieces(entry.change, _CHANGE_CELLS)
    return [*fitted([Piece(name)], room), Piece(" "), *trend, Piece(" "), *change]


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
