"""What the frame of every screen says: whose account, and the places. Light, since it is painted first."""

from datetime import datetime
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from linkdash.model.humanize import compact
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.resources import place as place_of
from linkdash.screens.actions import KeyNames
from linkdash.widgets.frame import (
    HORIZONTAL_BREAKPOINTS,
    VERTICAL_BREAKPOINTS,
    Account,
    Freshness,
    Header,
    PlaceEntry,
    RecentEntry,
    Sidebar,
    Tabs,
    WatchedEntry,
    size_classes,
)
from linkdash.widgets.guards import drawn_strips

if TYPE_CHECKING:
    from linkdash.frame_settings import FrameSettings, KeptPicture
    from linkdash.model.collection import AnyCollection, Collections
    from linkdash.model.context import AtHand


def account_of(settings: "FrameSettings", user: str = "", role: str = "") -> Account:
    """Whose account a header names."""
    return Account(
        settings.profile,
        settings.host,
        user,
        role,
        is_production=is_production(settings.profile),
        read_only=settings.read_only,
    )


def is_production(profile: str) -> bool:
    """Whether a profile is one where mistakes are dear, by its name."""
    return "prod" in profile.lower()


def place_entries(keys: KeyNames, collections: "Collections | None" = None) -> list[PlaceEntry]:
    """The entries of the sidebar, with the keys that a person has, and how much is known of each."""
    home = keys.of(OVERVIEW.id)
    entries, group = [PlaceEntry(OVERVIEW.id, home, OVERVIEW.title, OVERVIEW.short)], ""
    for place in PLACES:
        known = collections.known(place.id) if collections is not None else None
        total = known.listing.total if known is not None else None
        entries.append(
            PlaceEntry(
                place.id,
                keys.of(f"go-{place.id}"),
                place.title,
                place.short,
                freshness(known),
                _count(total),
                place.group if place.group != group else "",
            )
        )
        group = place.group
    return entries


def _count(total: int | None) -> str:
    if total is None:
        return "–"
    return compact(total)


def recent_entries(at_hand: "AtHand") -> list[RecentEntry]:
    """The records that were opened, for the sidebar."""
    return [
        RecentEntry(f"{one.resource} {one.id}", place_of(one.resource).icon, one.name)
        for one in at_hand.recent
    ]


def watched_entries(at_hand: "AtHand") -> list[WatchedEntry]:
    """The codes that are watched, for the sidebar, as far as their week is known."""
    known = ((id, name, at_hand.activities.get(id)) for id, name in at_hand.watched.items())
    return [
        WatchedEntry(f"qr {id}", name, one.trend, one.change)
        for id, name, one in known
        if one is not None and one.trend is not None and one.change is not None
    ]


def freshness(collection: "AnyCollection | None") -> Freshness:
    """How old what is loaded of a resource is."""
    if collection is None or collection.listing.page is None:
        return Freshness.NOT_LOADED
    return Freshness.AGED if collection.state == "stale" else Freshness.FRESH


# ---- the first paint ----


class OpeningScreen(Screen[None]):
    """The frame of the first place, with nothing in it yet, or with what was seen there last."""

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = VERTICAL_BREAKPOINTS
    STYLES = ("frame", "header", "linear", "panel", "screens", "sidebar", "too_small")
    """The style sheets of what it shows; the others can come later."""

    def __init__(self, settings: "FrameSettings", picture: "KeptPicture | None" = None) -> None:
        super().__init__()
        self._settings = settings
        self._picture = picture

    @property
    def shows_picture(self) -> bool:
        """Whether it shows what was seen last: that was on a terminal of this size, in these colors."""
        seen, theme = self._picture, self._settings.theme or self.app.theme
        return seen is not None and (seen.columns, seen.lines) == self.app.size and seen.theme == theme

    def compose(self) -> ComposeResult:
        classes = size_classes(self.app.size, HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS)
        self.update_classes(classes, update=False)
        yield Header(account_of(self._settings), [OVERVIEW.title], lambda: datetime.now().astimezone())
        yield Tabs()
        if self._picture is not None and self.shows_picture:
            yield LastPicture(self._picture)
            yield Static(f"Opening… This is as of {_moment(self._picture.at)}.", id="as-of", markup=False)
            return
        with Container(id="middle"):
            yield Sidebar()
            yield Static("Opening…", id="opening", markup=False)

    def on_mount(self) -> None:
        entries = place_entries(KeyNames(self._settings.keys))
        for widget in (*self.query(Sidebar), self.query_one(Tabs)):
            widget.show_places(entries, OVERVIEW.id)


def _moment(at: str) -> str:
    """A moment as a person says it; the day only where it is another one."""
    then, now = datetime.fromisoformat(at), datetime.now().astimezone()
    return f"{then:%H:%M}" if then.date() == now.date() else f"{then:%-d %b, %H:%M}"


class LastPicture(Widget):
    """What was seen last between the row at the top and the lines at the bottom."""

    def __init__(self, picture: "KeptPicture") -> None:
        super().__init__()
        styles = [Style.parse(text) for text in picture.styles]
        self._lines = [Strip([Segment(text, styles[style]) for text, style in row]) for row in picture.rows]

    def render_line(self, y: int) -> Strip:
        return self._lines[y] if y < len(self._lines) else Strip.blank(self.size.width, self.rich_style)


def picture_of(screen: Screen[None], at: datetime, unkept: Region) -> "KeptPicture":
    """A screen as it was drawn last, at that time; in the region that is not kept there is nothing."""
    from linkdash.frame_settings import KeptPicture

    region, drawn = screen.query_one("#middle").region, drawn_strips(screen)
    lines = [
        _without(strip, unkept) if y in unkept.line_range else strip
        for y, strip in enumerate(drawn)
        if y in region.line_range
    ]
    numbers: dict[str, int] = {}
    rows = [
        [
            (segment.text, numbers.setdefault(str(segment.style or ""), len(numbers)))
            for segment in line.crop(region.x, region.right)
        ]
        for line in lines
    ]
    when, theme, columns = at.isoformat(timespec="minutes"), screen.app.theme, drawn[0].cell_length
    return KeptPicture(when, theme, columns, len(drawn), list(numbers), rows)


def _without(strip: Strip, region: Region) -> Strip:
    """The line with blanks where it goes through a region."""
    inner = strip.crop(region.x, region.right)
    blank = Strip.blank(region.width, next((segment.style for segment in inner), None))
    return Strip.join([strip.crop(0, region.x), blank, strip.crop(region.right)])
