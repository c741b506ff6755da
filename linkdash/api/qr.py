"""QR codes and their statistics (reference: QR codes)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from linkdash.api.envelope import Members
from linkdash.api.fields import Count, Kind, Link, Moment, PlainText, RgbColor, Text, read_count, read_text
from linkdash.api.marks import PayloadOf
from linkdash.api.model import Body, Part, Record, Unreadable
from linkdash.api.request import Request
from linkdash.api.resource import Created, Done, PagedResource, body_of, created, read_one

QrType = Literal["text", "vcard", "link", "email", "phone", "sms", "wifi"]


class QrCode(Record):
    """A QR code with its landing address."""

    name: Text = Field("", title="Name")
    link: Link = Field("", title="Link", description="The address the code leads to")
    scans: Count = Field(None, title="Scans")
    date: Moment = Field(None, title="Created")


def read_counts(value: object) -> dict[str, int]:
    """Counts by label, in the order they came; labels that read alike are added up."""
    if not isinstance(value, Mapping | list) and value not in (None, ""):
        raise ValueError("not counts by label")
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value or ())
    counts: dict[str, int] = {}
    for label, raw in pairs:
        if (count := read_count(raw)) is not None:
            name = read_text(label)
            counts[name] = counts.get(name, 0) + count
    return counts


Counts = Annotated[dict[str, int], BeforeValidator(read_counts), Kind.NESTED]


class Statistics(Part):
    """What the service counted for a code up to the moment of asking.

    A number is None where the service did not say it, which is not zero.
    """

    clicks: Count = Field(None, title="Clicks")
    unique_clicks: Count = Field(None, title="Unique clicks", alias="uniqueClicks")
    countries: Counts = Field({}, title="Countries", alias="topCountries")
    referrers: Counts = Field({}, title="Referrers", alias="topReferrers")
    browsers: Counts = Field({}, title="Browsers", alias="topBrowsers")
    systems: Counts = Field({}, title="Operating systems", alias="topOs")
    social: Counts = Field({}, title="Social", alias="socialCount")


@dataclass(frozen=True)
class QrReading:
    """The answer about one code: the code, and its statistics if it has any."""

    code: QrCode | Unreadable
    statistics: Statistics | None
    raw: Members = field(repr=False)


QrData = Annotated[
    str | dict[str, str],
    Kind.PAYLOAD,
    PayloadOf("type"),
    Field(title="Data", description="What the code holds"),
]


class QrLook(Body):
    """How a code looks."""

    background: RgbColor = Field("", title="Background", description="rgb(r,g,b) or #RRGGBB")
    foreground: RgbColor = Field("", title="Foreground", description="rgb(r,g,b) or #RRGGBB")
    logo: PlainText = Field("", title="Logo", description="Path or address of a PNG or JPG image")


class QrCreate(QrLook):
    """A new code."""

    type: QrType = Field(title="Type", description="What the code holds; it cannot be changed later")
    data: QrData


class QrUpdate(QrLook):
    """What of a code can be changed; its data is always sent."""

    data: QrData


class QrCodes(PagedResource[QrCode]):
    """`client.qr`."""

    model = QrCode
    path = "/api/qr"
    collections = ("qrs", "qr")

    def request(self, id: int) -> Request:
        """The request for one code and its statistics."""
        return Request("GET", f"/api/qr/{id}")

    async def get(self, id: int) -> QrReading:
        """One code and its statistics. Raises ServiceError."""
        return read_reading(await self._caller.send(self.request(id)))

    async def create(self, body: QrCreate | None = None, /, **members: object) -> Created:
        """Makes a code of `type` and `data`, optionally `background`, `foreground`, `logo`.

        Raises InvalidBody, ServiceError.
        """
        return created(await self._caller.write("POST", "/api/qr/add", body_of(QrCreate, body, members)))

    async def update(self, id: int, body: QrUpdate | None = None, /, **members: object) -> Done:
        """Changes colors, logo and `data`, which is required. Raises InvalidBody, ServiceError."""
        return await self._caller.do("PUT", f"/api/qr/{id}/update", body_of(QrUpdate, body, members))

    async def delete(self, id: int) -> Done:
        """Deletes a code; what was printed of it stops working. Raises ServiceError."""
        return await self._caller.do("DELETE", f"/api/qr/{id}/delete")


def read_reading(members: Members) -> QrReading:
    """The answer about one code, also where its two parts stand under `data`."""
    details, statistics = members.get("details"), members.get("data")
    if details is None and isinstance(statistics, Mapping) and "details" in statistics:
        details, statistics = statistics["details"], statistics.get("data")
    said = _said(statistics)
    return QrReading(read_one(QrCode, details), Statistics.model_validate(said) if said else None, members)


def _said(data: object) -> dict[object, object]:
    """The members that say something: a null is no count and no empty map, but nothing at all."""
    members = data.items() if isinstance(data, Mapping) else ()
    return {name: value for name, value in members if value not in (None, "")}
