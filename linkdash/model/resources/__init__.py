"""The resources of the service: which there are, in the order of their keys. Their declarations lie beside.

This table imports nothing heavy, so that a frame, a help text or a completion can name every resource before
any record model is there.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from linkdash.model.resource import AnyResource

Group = Literal["", "Manage", "Admin"]


class Place(NamedTuple):
    """A resource as it is named everywhere: `id` is its namespace in the client, and the name of its file."""

    id: str
    key: str
    """The key that leads to it unless a person has remapped it."""
    title: str
    group: Group = "Manage"


PLACES = (
    Place("account", "1", "Account", ""),
    Place("domains", "2", "Domains"),
    Place("overlays", "3", "Overlays"),
    Place("splash", "4", "Splash pages"),
    Place("campaigns", "5", "Campaigns"),
    Place("channels", "6", "Channels"),
    Place("pixels", "7", "Pixels"),
    Place("qr", "8", "QR codes"),
    Place("plans", "9", "Plans", "Admin"),
    Place("users", "0", "Users", "Admin"),
)


def place(id: str) -> Place:
    """The entry of a resource. Raises KeyError for an unknown id."""
    return {place.id: place for place in PLACES}[id]


@cache
def declaration(id: str) -> "AnyResource":
    """The declaration of a resource. Raises KeyError for an unknown id."""
    found: AnyResource = import_module(f"{__name__}.{place(id).id}").RESOURCE
    return found


def declarations() -> "list[AnyResource]":
    """Every declaration, in the order of the keys."""
    return [declaration(place.id) for place in PLACES]
