"""The resources of the service: which there are, in the order of their keys. Here each is registered.

What else is known of one is declared in the file beside this one that its id names. Nothing heavy is imported
here, so that a frame, a help text or a completion can name every resource before any record model is there.
"""

from typing import Literal, NamedTuple

Group = Literal["", "Manage", "Admin"]


class Place(NamedTuple):
    """A resource as it is named everywhere: `id` is its namespace in the client, and the name of its file."""

    id: str
    key: str
    """The key that leads to it unless the user has remapped it."""
    title: str
    group: Group = "Manage"
    icon: str = ""
    """The sign of one of its records."""
    sought: int = 9
    """Its turn in a search: the resource whose records are looked for most has 1."""


PLACES = (
    Place("account", "1", "Account", "", icon="@"),
    Place("domains", "2", "Domains", icon="⌂", sought=4),
    Place("overlays", "3", "Overlays", icon="▤"),
    Place("splash", "4", "Splash pages", icon="▥"),
    Place("campaigns", "5", "Campaigns", icon="◎", sought=2),
    Place("channels", "6", "Channels", icon="≡", sought=3),
    Place("pixels", "7", "Pixels", icon="▪"),
    Place("qr", "8", "QR codes", icon="▣", sought=1),
    Place("plans", "9", "Plans", "Admin", "◇"),
    Place("users", "0", "Users", "Admin", "@", sought=5),
)


WITHIN_A_WEEK, WITHIN_A_MONTH = "expires within 7 days", "expires within 30 days"
FELL, ROSE, MOST_SCANNED = "fell sharply", "rose sharply", "most scanned"
"""The findings that lines of the overview lead to."""

OVERVIEW = Place("overview", "h", "Overview", "")
"""The first place of the app: no resource, but a place to go to like one."""


def place(id: str) -> Place:
    """The entry of a resource. Raises KeyError for an unknown id."""
    return {place.id: place for place in PLACES}[id]
