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

from linkdash.model.humanize import CountChange, Trend
from linkdash.widgets.charts.cell_pictures import change_pieces, gauge
from linkdash.widgets.charts.sparkline import trend_pieces
from linkdash.widgets.panel import Panel, PanelText
from linkdash.widgets.styled_text import (
    DrawnLines,
    Lines,
    Piece,
    Tone,
    breakable,
    cells,
    cut_in_the_middle,
    fitted,
)

CURSOR, SPARE = "▌", " "
_CELLS, _FRAME = 26, 4
"""Cells of the sidebar before it is laid out, and of them those of a panel's frame."""
_ICON = 2  # cells
_PART = " · "  # between the parts of a name
_JOB_ROWS = 3
_FEWEST_RECENT = 3
"""Recent records that stay however many rows the watched ones need."""
_COUNT_CELLS, _CHANGE_CELLS, _TREND_CELLS = 5, 7, 7
_FIGURES_CELLS = _TREND_CELLS + _CHANGE_CELLS + 2


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

    kind = title = ""

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
    kind, title = "place", "Places"


class Recent(Entries):
    kind, title = "recent", "Recent"


class Watched(Entries):
    kind, title = "watched", "Watched"


class JobList(Entries):
    kind, title = "job", "Jobs"


class Sidebar(Vertical):
    """Four panels; what has nothing to show is away. Nothing in it costs a request.

    They are made when there is room for them for the first time.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_made = False
        """True from when on its panels are whole: they are made beside what is shown meanwhile."""
        self._places: Sequence[PlaceEntry] = ()
        self._current = ""
        self._recent: Sequence[RecentEntry] = ()
        self._recent_keys: PanelText = ()
        self._watched: Sequence[WatchedEntry] = ()
        self._job: JobEntry | None = None
        self._job_keys: PanelText = ()

    def compose(self) -> ComposeResult:
        for entries in (Places(), Recent(), Watched(), JobList()) if self.display else ():
            yield Panel(entries, title=entries.title, id=entries.title.lower())

    def on_mount(self) -> None:
        self._fill()

    async def on_show(self) -> None:
        """Make the panels, unless there is no room for them any more by now."""
        if not self._is_made:
            await self.recompose()
            self._fill()

    def _fill(self) -> None:
        self._is_made = bool(self.query(JobList))
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        """Lay all of it out anew."""
        self._lay_out_places()
        self._lay_out_recent()
        self._lay_out_watched()
        self._lay_out_job()

    def _show(self, entries: type[Entries], rows: Sequence[EntryRow], marked: int | None = None) -> Panel:
        """Show rows in their panel, which is away where there are none."""
        self.query_one(entries).show(rows, marked)
        panel = self.query_one(f"#{entries.title.lower()}", Panel)
        panel.display = bool(rows) or entries is Places
        return panel

    @property
    def _width(self) -> int:
        """The cells within a panel."""
        return (self.size.width or _CELLS) - _FRAME

    @property
    def _spare(self) -> int:
        """Rows that are left where each entry has one."""
        return self._spare_with_all + len(self._recent) - len(self._kept_recent)

    @property
    def _spare_with_all(self) -> int:
        """The same with every recent record."""
        below = [*map(len, (self._recent, self._watched)), _JOB_ROWS if self._job else 0]
        frames = 2 * (1 + sum(map(bool, below)))
        return self.size.height - self._place_rows - sum(below) - frames

    @property
    def _kept_recent(self) -> Sequence[RecentEntry]:
        """The recent records, without those that give up their rows so that all names are whole.

        None does where that would not be enough.
        """
        spare = self._spare_with_all
        second = [bool(rest) for _, rest in self._recent_in_two]
        watched = len(self._watched) + self._watched_in_two if self._is_watched_cut else 0
        for kept in range(len(second), min(len(second), _FEWEST_RECENT) - 1, -1):
            if watched + sum(second[:kept]) <= spare + len(second) - kept:
                return self._recent[:kept]
        return self._recent

    @property
    def _place_rows(self) -> int:
        return len(self._places) + sum(bool(place.group) for place in self._places)

    def show_places(self, places: Sequence[PlaceEntry], current: str) -> None:
        """The places, and in which of them the user is."""
        self._places, self._current = places, current
        self._lay_out_places()

    def _lay_out_places(self) -> None:
        if not self._is_made:
            return
        rows: list[EntryRow] = []
        marked, width = None, self._width
        for place in self._places:
            if place.group:
                rows.append(("", [Piece(f" {place.group} {'─' * width}"[: width - 1], Tone.FAINT)]))
            if place.id == self._current:
                marked = len(rows)
            rows.append((place.id, place_row(place, width, place.id == self._current)))
        self._show(Places, rows, marked)

    def show_recent(self, recent: Sequence[RecentEntry], keys: PanelText = ()) -> None:
        """The records that were opened, the latest first; `keys` say how one is opened."""
        self._recent, self._recent_keys = recent, keys
        self._lay_out_recent()
        self._lay_out_watched()  # which has what these leave

    def _lay_out_recent(self) -> None:
        """Names in two rows, the first of them first, as long as there are rows to spare."""
        if not self._is_made:
            return
        rows: list[EntryRow] = []
        spare = self._spare_for_names
        for number, entry in enumerate(self._kept_recent):
            first, second = in_two_rows(entry.name, self._width - _ICON) if spare > 0 else (entry.name, "")
            tone = Tone.MUTED if number else Tone.PLAIN
            rows.append((entry.id, [Piece(f"{entry.icon} ", Tone.ICON), Piece(first, tone)]))
            if second:
                rows.append((entry.id, [Piece(" " * _ICON), Piece(second, tone)]))
                spare -= 1
        self._show(Recent, rows).say(keys=self._recent_keys)

    def show_watched(self, watched: Sequence[WatchedEntry]) -> None:
        """The records that are watched, with their last seven days."""
        if watched != self._watched:
            self._watched = watched
            self._lay_out_recent()  # which has what these leave
        self._lay_out_watched()

    def _lay_out_watched(self) -> None:
        if self._is_made:
            self._show(Watched, self._watched_rows()).say(below=[Piece("scans, 7 days", Tone.MUTED)])

    def _watched_rows(self) -> list[EntryRow]:
        """A row each; where that cuts a name and there are rows to spare, a row of its own for each name.

        A name gets two where the names of the recent ones leave some.
        """
        width, entries = self._width, self._watched
        if not self._has_name_rows:
            return [(entry.id, _watched_row(entry, entry.name, width)) for entry in entries]
        room = width - _FIGURES_CELLS
        kept = self._recent_in_two[: len(self._kept_recent)]
        spare = self._spare_for_names - sum(bool(second) for _, second in kept)
        rows: list[EntryRow] = []
        for entry in entries:
            first, second = in_two_rows(entry.name, width)
            if not second or spare <= 0 or cell_len(second) > width:
                first, second = cut_in_the_middle(entry.name, width), ""
            rows.append((entry.id, [Piece(first)]))
            if second:
                rows.append((entry.id, [Piece(second)]))
                spare -= 1
            scans = f"{entry.change.now:>{room},}"
            told = scans if len(scans) <= room else ""
            rows.append((entry.id, _watched_row(entry, told, width, Tone.MUTED)))
        return rows

    @property
    def _has_name_rows(self) -> bool:
        """Return whether the names of the watched have rows of their own."""
        return self._is_watched_cut and len(self._watched) <= self._spare

    @property
    def _is_watched_cut(self) -> bool:
        """Return whether a watched name has no room beside its figures."""
        room = self._width - _FIGURES_CELLS
        return any(cell_len(entry.name) > room for entry in self._watched)

    @property
    def _watched_in_two(self) -> int:
        """Watched names that take two rows."""
        return sum(bool(in_two_rows(entry.name, self._width)[1]) for entry in self._watched)

    @property
    def _spare_for_names(self) -> int:
        """Rows that are left for the second rows of names."""
        return self._spare - (len(self._watched) if self._has_name_rows else 0)

    @property
    def _recent_in_two(self) -> list[tuple[str, str]]:
        return [in_two_rows(entry.name, self._width - _ICON) for entry in self._recent]

    def show_job(self, job: JobEntry | None, keys: PanelText) -> None:
        """The bulk job that is under way or was left over; `keys` say how it is opened."""
        is_other = bool(job) != bool(self._job)
        self._job, self._job_keys = job, keys
        self._lay_out_job()
        if is_other:  # the names have another number of rows
            self._lay_out_recent()
            self._lay_out_watched()

    def _lay_out_job(self) -> None:
        if self._is_made:
            rows = _job_rows(self._job, self._width) if self._job else []
            self._show(JobList, [("job", row) for row in rows]).say(keys=self._job_keys)


def in_two_rows(name: str, width: int) -> tuple[str, str]:
    """A name in one row, or broken into two after its first part, else between words.

    The second may be longer than `width`.
    """
    head, dot, rest = name.partition(_PART)
    if dot and cell_len(name) > width >= max(cell_len(head + dot.rstrip()), cell_len(rest)):
        return head + dot.rstrip(), rest
    parts, first = [*breakable(name, width)], ""
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


def _watched_row(entry: WatchedEntry, text: str, width: int, tone: Tone = Tone.PLAIN) -> list[Piece]:
    trend, change = trend_pieces(entry.trend, _TREND_CELLS), change_pieces(entry.change, _CHANGE_CELLS)
    return [*fitted([Piece(text, tone)], width - _FIGURES_CELLS), Piece(" "), *trend, Piece(" "), *change]


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
