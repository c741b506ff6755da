"""What stands on every screen: the row at the top, the places at the side, and what stands in for content."""

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from linkdash.model.humanize import Change, Trend
from linkdash.widgets.panel import Panel, Said
from linkdash.widgets.pictures import change_pieces, gauge, trend_pieces
from linkdash.widgets.pieces import DrawnLines, Lines, Piece, Tone, apart, cells, content, fitted

# ---- the side ----

CURSOR, SPARE = "▌", " "
_COUNT_CELLS, _CHANGE_CELLS, _TREND_CELLS = 5, 7, 7


class Freshness(enum.Enum):
    """How old what is kept of a place is: its sign and tone."""

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
    """What it is called where there is little room."""
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
    change: Change


class JobEntry(NamedTuple):
    """A bulk job: how many of its items are over, and how they ended."""

    title: str
    over: int
    total: int
    done: int
    failed: int
    unknown: int
    is_running: bool


class Chosen(Message):
    """Something in the sidebar or a tab was clicked: `kind` is `place`, `recent`, `watched` or `job`."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__()
        self.kind, self.id = kind, id


class Entries(DrawnLines):
    """Entries of one kind, a row each; a click on one posts `Chosen`."""

    kind = ""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, Sequence[Piece]]] = []
        """The id and the pieces of each row; "" is the id of one that is nowhere to go."""
        self.marked: int | None = None

    def show(self, rows: Sequence[tuple[str, Sequence[Piece]]], marked: int | None = None) -> None:
        """Shows these rows."""
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
            self.post_message(Chosen(self.kind, self.rows[offset.y][0]))


class Places(Entries):
    kind = "place"


class Recent(Entries):
    kind = "recent"


class Watched(Entries):
    kind = "watched"


class Jobs(Entries):
    kind = "job"


class Sidebar(Vertical):
    """Four panels; what has nothing to show is away. Nothing in it costs a request."""

    WIDTH = 22  # cells within the panels

    def compose(self) -> ComposeResult:
        yield Panel(Places(), title="Places", id="places")
        for entries, title in ((Recent(), "Recent"), (Watched(), "Watched"), (Jobs(), "Jobs")):
            panel = Panel(entries, title=title, id=title.lower())
            panel.display = False
            yield panel

    def show_places(self, places: Sequence[PlaceEntry], current: str) -> None:
        """The places, and in which of them a person is."""
        rows, marked = [], None
        for place in places:
            if place.group:
                rows.append(("", [Piece(f" {place.group} {'─' * self.WIDTH}"[: self.WIDTH - 1], Tone.FAINT)]))
            if place.id == current:
                marked = len(rows)
            rows.append((place.id, place_row(place, self.WIDTH, place.id == current)))
        self.query_one(Places).show(rows, marked)

    def show_recent(self, recent: Sequence[RecentEntry]) -> None:
        """The records that were opened, the latest first."""
        rows = [
            (entry.id, [Piece(f"{entry.icon} ", Tone.ICON), Piece(entry.name, _first(number))])
            for number, entry in enumerate(recent)
        ]
        self.query_one(Recent).show(rows)
        self.query_one("#recent").display = bool(rows)

    def show_watched(self, watched: Sequence[WatchedEntry]) -> None:
        """The records that are watched, with their last seven days."""
        rows = [(entry.id, _watched_row(entry, self.WIDTH)) for entry in watched]
        self.query_one(Watched).show(rows)
        self.query_one("#watched", Panel).say(below=[Piece("scans, 7 days", Tone.MUTED)])
        self.query_one("#watched").display = bool(rows)

    def show_job(self, job: JobEntry | None, keys: Said = ()) -> None:
        """The bulk job that is under way or was left over; `keys` say how it is opened."""
        self.query_one(Jobs).show([("job", row) for row in _job_rows(job, self.WIDTH)] if job else [])
        self.query_one("#jobs", Panel).say(keys=keys)
        self.query_one("#jobs").display = job is not None


class Tabs(DrawnLines):
    """One row: keys and short names, the open place in full; keys alone where even that is too much."""

    def __init__(self) -> None:
        super().__init__()
        self._places: Sequence[PlaceEntry] = ()
        self._current = ""

    def show_places(self, places: Sequence[PlaceEntry], current: str) -> None:
        """The places, and in which of them a person is."""
        self._places, self._current = tuple(places), current
        self.update_lines()

    def lines(self, width: int, height: int) -> Lines:
        return [[piece for _, tab in self._tabs(width) for piece in tab]]

    def on_click(self, event: events.Click) -> None:
        end = 0
        for place, tab in self._tabs(self.size.width):
            end += cells(tab)
            if event.x < end:
                self.post_message(Chosen("place", place.id))
                return

    def _tabs(self, width: int) -> list[tuple[PlaceEntry, list[Piece]]]:
        for named in (True, False):
            tabs = [(place, self._tab(place, named)) for place in self._places]
            if sum(cells(tab) for _, tab in tabs) <= width:
                break
        return tabs

    def _tab(self, place: PlaceEntry, named: bool) -> list[Piece]:
        if place.id == self._current:
            return [
                Piece(CURSOR, Tone.KEY),
                Piece(f"{place.key} ", Tone.KEY),
                Piece(f"{place.name} ", Tone.HERO),
            ]
        short = (place.short or place.name[:4]) if named else ""
        return [Piece(f" {place.key}" if not named else place.key, Tone.KEY), Piece(f"{short} ", Tone.MUTED)]


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


# ---- the top ----

BRAND, BADGE, PRODUCTION, STEP = "◆", "●", "▲", "›"


class Account(NamedTuple):
    """Who works on which service."""

    profile: str
    host: str
    user: str = ""
    role: str = ""
    """`admin`, or the class of the user; "" where it is not known yet."""
    is_production: bool = False
    read_only: bool = False


class Header(DrawnLines):
    """One row; `trail` is where a person is, the outermost place first."""

    ticks = True

    def __init__(self, account: Account, trail: Sequence[str], now: Callable[[], datetime]) -> None:
        super().__init__()
        self._account = account
        self._trail = tuple(trail)
        self._now = now

    def show(self, *, account: Account | None = None, trail: Sequence[str] | None = None) -> None:
        """Says another account or another place."""
        self._account = account or self._account
        self._trail = self._trail if trail is None else tuple(trail)
        self.update_lines()

    @property
    def _badge(self) -> str:
        account = self._account
        name = account.profile.upper() if account.is_production else account.profile
        only = " read-only" if account.read_only else ""
        return f" {PRODUCTION if account.is_production else BADGE} {name}{only} "

    def _draw(self) -> Content:
        """The row, with the badge filled: the only background of its own here."""
        width = self.size.width
        brand = Piece(f" {BRAND} linkdash " if width >= 100 else f" {BRAND} ", Tone.BRAND)
        fill = "$error" if self._account.is_production else "$accent"
        badge = Content.styled(self._badge, f"bold $onfill on {fill}")
        room = width - cells([brand]) - badge.cell_length
        (rest,) = self.lines(max(0, room), 1)
        return Content.assemble(content([brand]), badge, content(rest))

    def lines(self, width: int, height: int) -> Lines:
        """What stands right of the badge."""
        account, now = self._account, self._now()
        host = [Piece(f"  {account.host}", Tone.MUTED)] if width >= 80 else []
        left = [*host, Piece("  ")]
        for name in self._trail[:-1]:
            left += [Piece(name, Tone.MUTED), Piece(f" {STEP} ", Tone.FAINT)]
        left += [Piece(name, Tone.HERO) for name in self._trail[-1:]]
        clock = [Piece(f"{now:%a %-d %b} ", Tone.MUTED), Piece(f"{now:%H:%M} ", Tone.HERO)]
        user = [Piece(f"{account.user} ", Tone.MUTED), Piece(account.role, Tone.ICON), Piece("  ")]
        for right in ([*user, *clock], clock, clock[1:]):
            row = apart(left, right, width)
            if row and row[-1] is right[-1]:
                return [row]
        return [apart(left, [], width)]


# ---- sizes, and what stands where content would be ----

LEAST_COLUMNS, LEAST_LINES = 60, 15
"""The smallest terminal the program can be used on."""

HORIZONTAL_BREAKPOINTS = [
    (0, "-too-narrow"),
    (LEAST_COLUMNS, "-narrow"),
    (100, "-normal"),
    (124, "-roomy"),
    (160, "-wide"),
]
VERTICAL_BREAKPOINTS = [(0, "-too-low"), (LEAST_LINES, "-tiny"), (20, "-low"), (36, "-high")]
"""The sizes at which screens change how they are laid out, as classes for the style sheets."""


def size_classes(size: Size, *breakpoints: list[tuple[int, str]]) -> dict[str, bool]:
    """The classes of a screen of this size: those of its width, then those of its height.

    A screen that has them from the beginning is not styled twice.
    """
    found: dict[str, bool] = {}
    for extent, steps in zip(size, breakpoints, strict=True):
        reached = [name for least, name in steps if extent >= least]
        found |= {name: name == reached[-1] for _, name in steps}
    return found


class StatePanel(Vertical):
    """A headline, and the next step in one or two lines."""

    def compose(self) -> ComposeResult:
        yield Static(id="headline", markup=False)
        yield Static(id="advice", markup=False)

    def show(self, headline: str, advice: str, *, failed: bool = False) -> None:
        """Shows a state; `failed` marks it as one that needs a person."""
        self.set_class(failed, "-failed")
        self.query_one("#headline", Static).update(Text(headline))
        self.query_one("#advice", Static).update(Text(advice))


class TooSmall(Widget):
    """Says how large the terminal is and how large it has to be; the style sheet shows it when it is true."""

    def __init__(self, quit_key: str) -> None:
        super().__init__()
        self._quit_key = quit_key

    def render(self) -> Text:
        columns, lines = self.app.size
        return Text(
            f"This terminal is {columns} by {lines}.\n"
            f"linkdash needs {LEAST_COLUMNS} by {LEAST_LINES}.\n"
            f"Make it larger; {self._quit_key} quits.",
            justify="center",
        )
