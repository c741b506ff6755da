"""What the frame of every screen says: whose account, and the places. Light, since it is painted first."""

from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Static

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

if TYPE_CHECKING:
    from linkdash.frame_settings import FrameSettings
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
    from linkdash.model.humanize import compact

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
    """The frame of the first place, with nothing in it yet."""

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = VERTICAL_BREAKPOINTS
    STYLES = ("frame", "header", "linear", "panel", "screens", "sidebar", "too_small")
    """The style sheets of what it shows; the others can come later."""

    def __init__(self, settings: "FrameSettings") -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        classes = size_classes(self.app.size, HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS)
        self.update_classes(classes, update=False)
        yield Header(account_of(self._settings), [OVERVIEW.title], lambda: datetime.now().astimezone())
        yield Tabs()
        with Container(id="middle"):
            yield Sidebar()
            yield Static("Opening…", id="opening", markup=False)

    def on_mount(self) -> None:
        entries = place_entries(KeyNames(self._settings.keys))
        self.query_one(Sidebar).show_places(entries, OVERVIEW.id)
        self.query_one(Tabs).show_places(entries, OVERVIEW.id)
