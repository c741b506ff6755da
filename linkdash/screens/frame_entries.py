"""The entries of header and sidebar: account, places, recent and watched records."""

from typing import TYPE_CHECKING

from linkdash.model.humanize import compact
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.resources import place as place_of
from linkdash.screens.key_names import KeyNames
from linkdash.widgets.frame.header import AccountBadge
from linkdash.widgets.frame.sidebar import Freshness, PlaceEntry, RecentEntry, WatchedEntry

if TYPE_CHECKING:
    from linkdash.model.lists.collection import AnyCollection
    from linkdash.model.lists.collections import Collections
    from linkdash.model.session_services import Recents
    from linkdash.model.settings import Settings


def account_of(settings: "Settings", user: str = "", status: str = "") -> AccountBadge:
    """The account that a header names."""
    return AccountBadge(
        settings.profile,
        settings.host,
        user,
        status,
        is_production=is_production(settings.profile),
        read_only=settings.read_only,
        color=settings.color,
    )


def is_production(profile: str) -> bool:
    """Return whether a profile is one where mistakes are dear, by its name."""
    return "prod" in profile.lower()


def place_entries(keys: KeyNames, collections: "Collections | None" = None) -> list[PlaceEntry]:
    """The entries of the sidebar, with the keys that the user has, and how much is known of each."""
    home = keys.of(OVERVIEW.id)
    entries, group = [PlaceEntry(OVERVIEW.id, home, OVERVIEW.title)], ""
    for place in PLACES:
        known = collections.known(place.id) if collections is not None else None
        total = known.listing.total if known is not None else None
        entries.append(
            PlaceEntry(
                place.id,
                keys.of(f"go-{place.id}"),
                place.title,
                freshness(known),
                _count(total),
                place.group if place.group != group else "",
            )
        )
        group = place.group
    return entries


NOT_KNOWN = "–"
"""The place of a count that is not known."""


def _count(total: int | None) -> str:
    return NOT_KNOWN if total is None else compact(total)


def recent_entries(recents: "Recents", collections: "Collections") -> list[RecentEntry]:
    """The records that were opened, for the sidebar."""
    return [
        RecentEntry(
            f"{one.resource} {one.id}",
            place_of(one.resource).icon,
            collections.name_of(one.resource, one.id, one.name),
        )
        for one in recents.recent
    ]


def watched_entries(recents: "Recents", collections: "Collections") -> list[WatchedEntry]:
    """The codes that are watched, for the sidebar, as far as their week is known."""
    known = ((id, name, recents.activities.get(id)) for id, name in recents.watched.items())
    return [
        WatchedEntry(f"qr {id}", collections.name_of("qr", id, name), one.change)
        for id, name, one in known
        if one is not None and one.change is not None
    ]


def freshness(collection: "AnyCollection | None") -> Freshness:
    """Return how old what is loaded of a resource is."""
    if collection is None or collection.listing.page is None:
        return Freshness.NOT_LOADED
    return Freshness.AGED if collection.state == "stale" else Freshness.FRESH
