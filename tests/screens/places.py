"""The content of every place, from the reference and from what the service was seen to answer."""

import re
from dataclasses import dataclass
from typing import Any

import pytest

from tests.service.visitor import Visitor


@dataclass(frozen=True)
class Place:
    """A resource's screen as the user should find it."""

    id: str
    path: str
    """Where its records come from."""
    titles: str
    """The header of its table where there is room for all columns."""
    members: tuple[str, ...]
    """Members of the service's records that stand in the table in full there."""
    singular: str
    collection: str = ""
    """The key of the records in the paged envelope; empty where they come without one."""

    @property
    def request(self) -> str:
        """The one request that opening the screen costs."""
        return f"GET {self.path}?limit=100&page=1" if self.collection else f"GET {self.path}"

    def texts(self, record: dict[str, Any]) -> list[str]:
        """Return what of one of the service's records stands in the table."""
        if "name" not in record:  # the other spelling of a campaign's name
            record = {**record, "name": record.get("domain")}
        return [re.sub("^https?://|(?<=example)/$", "", str(record[member])) for member in self.members]

    def records(self, service: Visitor) -> list[dict[str, Any]]:
        """The records of the first page, from the service itself."""
        data = service.read(f"{self.path}?limit=100" if self.collection else self.path)["data"]
        if self.collection:
            data = data[self.collection]
        return data if isinstance(data, list) else [data]


PLACES = (
    Place(
        "account",
        "/api/account",
        "Username E-mail Status Expires Registered",
        ("username", "email", "status"),
        "account",
    ),
    Place(
        "domains",
        "/api/domains",
        "Domain Root redirect 404 redirect Id",
        ("id", "domain", "redirectroot"),
        "domain",
        "domains",
    ),
    Place("overlays", "/api/overlay", "Name Type Age Id", ("id", "name", "type"), "overlay", "cta"),
    Place("splash", "/api/splash", "Name Age Id", ("id", "name"), "splash page", "splash"),
    Place(
        "campaigns",
        "/api/campaigns",
        "Name Public Rotator Link list Id",
        ("id", "name", "list"),
        "campaign",
        "campaigns",
    ),
    Place(
        "channels",
        "/api/channels",
        "Name Color Starred Description Id",
        ("id", "name", "color", "description"),
        "channel",
        "channels",
    ),
    Place(
        "pixels",
        "/api/pixels",
        "Name Type Tag Age Id",
        ("id", "name", "tag"),
        "pixel",
        "pixels",
    ),
    Place("qr", "/api/qr", "Name Scans Age Link Id", ("id", "name", "link"), "QR code", "qrs"),
    Place("plans", "/api/plans", "Name Monthly Yearly Lifetime Links Clicks Id", ("id", "name"), "plan"),
    Place(
        "users",
        "/api/users",
        "Username Class Plan Left E-mail Until Id",
        ("id", "username", "email", "status"),
        "user",
    ),
)
ACCOUNT = PLACES[0].request
"""What opening the app costs."""

_ALWAYS = {"account", "channels", "qr", "users"}
"""Those that differ in kind: a single record, an ordinary list, one with history, one with classes."""
every_place = pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, id=place.id, marks=() if place.id in _ALWAYS else pytest.mark.nightly)
        for place in PLACES
    ],
)


def place_of(id: str) -> Place:
    """The place with this id."""
    return next(place for place in PLACES if place.id == id)
