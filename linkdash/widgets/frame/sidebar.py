"""The sidebar: places, jobs, recent and watched records."""

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from linkdash.model.humanize import CountChange
from linkdash.widgets.charts.cell_pictures import change_pieces, gauge
from linkdash.widgets.panel import Panel, PanelText
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, cells, fitted

CURSOR, SPARE = "▌", " "
_COUNT_CELLS = 5
_FRAME = 2  # rows of a panel around its entries


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


Row = Callable[[int], Sequence[Piece]]
"""A row in so many cells."""
EntryRow = tuple[str, Row]
"""A row, and the id of the entry that it is of; "" where a click on it leads nowhere."""


class Entries(DrawnLines):
    """Entries of one kind, each in a row; a click on one posts `EntryChosen`."""

    kind = title = ""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[EntryRow] = ()
        self.marked: int | None = None

    def show(self, rows: Sequence[EntryRow], marked: int | None = None) -> None:
        """Show these rows."""
        self.rows, self.marked = [*rows], marked
        self.styles.height = len(self.rows)
        self.update_lines()

    def lines(self, width: int, height: int) -> Lines:
        return [row(width) for _, row in self.rows]

    def current(self) -> int | None:
        return self.marked

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and offset.y < len(self.rows) and self.rows[offset.y][0]:
            self.post_message(EntryChosen(self.kind, self.rows[offset.y][0]))


class Places(Entries):
    kind, title = "place", "Places"


class JobList(Entries):
    kind, title = "job", "Jobs"


class Recent(Entries):
    kind, title = "recent", "Recent"


class Watched(Entries):
    kind, title = "watched", "Watched"


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
        for entries in (Places(), JobList(), Recent(), Watched()) if self.display else ():
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
        self._show_places()
        self._show_recent()
        self._show_watched()
        self._show_job()

    def _show(
        self,
        entries: type[Entries],
        rows: Sequence[EntryRow],
        *,
        marked: int | None = None,
        keys: PanelText = (),
    ) -> None:
        """Show rows in their panel, which is away where there are none."""
        if self._is_made:
            self.query_one(entries).show(rows, marked)
            panel = self.query_one(f"#{entries.title.lower()}", Panel)
            panel.display = bool(rows) or entries is Places
            panel.say(keys=keys)

    def show_places(self, places: Sequence[PlaceEntry], current: str) -> None:
        """The places, and in which of them the user is."""
        self._places, self._current = places, current
        self._show_places()

    def _show_places(self) -> None:
        rows: list[EntryRow] = []
        marked = None
        for place in self._places:
            if place.group:
                rows.append(("", partial(_group_row, place.group)))
            if place.id == self._current:
                marked = len(rows)
            rows.append((place.id, partial(place_row, place, is_current=place.id == self._current)))
        self._show(Places, rows, marked=marked)

    def show_recent(self, recent: Sequence[RecentEntry], keys: PanelText = ()) -> None:
        """The records that were opened, the latest first; `keys` say how one is opened."""
        self._recent, self._recent_keys = recent, keys
        self._show_recent()

    def _show_recent(self) -> None:
        rows = [(entry.id, partial(_recent_row, entry)) for entry in self._recent]
        self._show(Recent, rows, keys=self._recent_keys)

    def show_watched(self, watched: Sequence[WatchedEntry]) -> None:
        """The records that are watched, with the change of their last seven days."""
        self._watched = watched
        self._show_watched()

    def _show_watched(self) -> None:
        rows = [(entry.id, partial(_watched_row, entry)) for entry in self._watched]
        self._show(Watched, rows, keys=[Piece("7 days", Tone.MUTED)])
        if self._is_made:  # it shares what room there is with the records that were opened
            self.query_one("#watched").styles.max_height = len(rows) + _FRAME

    def show_job(self, job: JobEntry | None, keys: PanelText) -> None:
        """The bulk job that is under way or was left over; `keys` say how it is opened."""
        self._job, self._job_keys = job, keys
        self._show_job()

    def _show_job(self) -> None:
        drawn = (_job_title, _job_gauge, _job_counts) if self._job is not None else ()
        rows = [("job", partial(row, self._job)) for row in drawn if self._job is not None]
        self._show(JobList, rows, keys=self._job_keys)


def _group_row(group: str, width: int) -> Sequence[Piece]:
    return [Piece(f" {group} {'─' * width}"[: width - 1], Tone.FAINT)]


def place_row(place: PlaceEntry, width: int, *, is_current: bool) -> Sequence[Piece]:
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


def _recent_row(entry: RecentEntry, width: int) -> Sequence[Piece]:
    return fitted([Piece(f"{entry.icon} ", Tone.ICON), Piece(entry.name)], width)


def _watched_row(entry: WatchedEntry, width: int) -> Sequence[Piece]:
    change = change_pieces(entry.change, len(entry.change.words))
    return [*fitted([Piece(entry.name)], width - cells(change) - 1), Piece(" "), *change]


def _job_title(job: JobEntry, width: int) -> Sequence[Piece]:
    return fitted([Piece("▶ " if job.is_running else "· ", Tone.KEY), Piece(job.title)], width)


def _job_gauge(job: JobEntry, width: int) -> Sequence[Piece]:
    count = f" {job.over}/{job.total}"
    heavy, light = gauge(job.over, job.total, width - len(count))
    return [Piece(heavy, Tone.TREND), Piece(light, Tone.FAINT), Piece(count, Tone.MUTED)]


def _job_counts(job: JobEntry, width: int) -> Sequence[Piece]:
    ended = (("✓", job.done, Tone.GOOD), ("✗", job.failed, Tone.BAD), ("?", job.unknown, Tone.WARNING))
    return [Piece(f"{mark} {number}  ", tone if number else Tone.FAINT) for mark, number, tone in ended]
