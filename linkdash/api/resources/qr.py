"""QR codes, what they hold, and their statistics (reference: QR codes).

The reference names seven types and says that `data` is "string or array, depending on type", no more. A text,
a link and a phone number are sent as a string, the others as an object of the filled members.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, overload

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from linkdash.api.colors import LEAST_FOR_SCANNERS, contrast, is_scannable
from linkdash.api.endpoints import Created, Done, PagedResource, check_id, path_of, single
from linkdash.api.errors import ODD_ANSWER_ADVICE, UnreadableAnswer
from linkdash.api.fields import (
    Count,
    Kind,
    Labels,
    Link,
    Moment,
    PayloadOf,
    PlainText,
    RgbColor,
    Section,
    Text,
    read_color,
    read_count,
    read_text,
)
from linkdash.api.http.request import NO_OPTIONS, Answer, Members, Options, Request
from linkdash.api.qr_payloads import checked_data, checked_new_data
from linkdash.api.records import Body, NestedModel, Record, made_safe

QrType = Literal["text", "vcard", "link", "email", "phone", "sms", "wifi"]
QR_TYPES = Labels(
    {
        "text": "Text",
        "link": "Link (URL)",
        "vcard": "Contact (vCard)",
        "email": "E-mail",
        "phone": "Phone call",
        "sms": "SMS",
        "wifi": "Wi-Fi",
    }
)


class QrCode(Record):
    """A QR code with its landing address (reference: QR code)."""

    name: Text = Field(default="", title="Name")
    link: Link = Field(default="", title="Link", description="The address the code leads to")
    scans: Count = Field(default=None, title="Scans")
    date: Moment = Field(default=None, title="Created")

    @property
    def shown_name(self) -> str:
        """Its name; where it has none, `QR code 7`."""
        return self.name or f"QR code {self.id}"


_MOST_LABELS = 10_000


def read_counts(value: object) -> dict[str, int]:
    """Counts by label, in the order they came; labels that read alike are added up."""
    if not isinstance(value, Mapping | list) and value not in (None, ""):
        raise ValueError("not counts by label")
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value or ())
    if value and len(value) > _MOST_LABELS:
        raise ValueError("too many labels")
    counts: dict[str, int] = {}
    for label, raw in pairs:
        if (count := read_count(raw)) is not None:
            name = read_text(label)
            counts[name] = counts.get(name, 0) + count
    return counts


Counts = Annotated[dict[str, int], BeforeValidator(read_counts), Kind.NESTED]


class Statistics(NestedModel):
    """The service's counts for a code up to the moment of asking (reference: QR code).

    A number is None where the service did not say it, which is not zero.
    """

    clicks: Count = Field(default=None, title="Clicks")
    unique_clicks: Count = Field(default=None, title="Unique clicks", alias="uniqueClicks")
    countries: Counts = Field(default={}, title="Countries", alias="topCountries")
    referrers: Counts = Field(default={}, title="Referrers", alias="topReferrers")
    browsers: Counts = Field(default={}, title="Browsers", alias="topBrowsers")
    systems: Counts = Field(default={}, title="Operating systems", alias="topOs")
    social: Counts = Field(default={}, title="Social", alias="socialCount")


@dataclass(frozen=True)
class QrReading:
    """The answer about one code: the code, and its statistics if it has any."""

    code: QrCode
    statistics: Statistics | None
    raw: Members = field(repr=False)
    """All members of the answer as they came."""
    answer: Answer | None = field(repr=False, default=None)
    """The answer it came in, with status and headers."""


CONTENT, LOOK = Section("Content"), Section("Look")

QrData = Annotated[str | dict[str, str], Kind.PAYLOAD, PayloadOf("type"), CONTENT, Field(title="Content")]


class QrLook(Body):
    """The look of a code."""

    foreground: Annotated[RgbColor, LOOK] = Field(
        default="", title="Foreground", description="rgb(r,g,b) or #RRGGBB"
    )
    background: Annotated[RgbColor, LOOK] = Field(
        default="", title="Background", description="rgb(r,g,b) or #RRGGBB"
    )
    logo: Annotated[PlainText, LOOK] = Field(
        default="", title="Logo", description="Path or address of a PNG or JPG image"
    )


class QrCreate(QrLook):
    """A new code."""

    type: Annotated[QrType, QR_TYPES, CONTENT] = Field(
        title="Type", description="Type of its content; it cannot be changed later"
    )
    data: QrData

    @field_validator("data", mode="before")
    @classmethod
    def _check_data(cls, data: object, info: ValidationInfo) -> object:
        type_ = info.data.get("type")
        return data if type_ is None else checked_data(type_, data)


class QrUpdate(QrLook):
    """The members of a code that can be changed; its data is always sent."""

    data: QrData

    @field_validator("data", mode="before")
    @classmethod
    def _check_data(cls, data: object) -> object:
        return checked_new_data(data)


def colors_problem(foreground: str, background: str) -> str:
    """The fault of the colors of a code in words, "" for none; one that is not given is black or white."""
    ink, paper = read_color(foreground or "#000"), read_color(background or "#FFF")
    if is_scannable(ink, paper):
        return ""
    found = f"contrast {contrast(ink, paper):.1f}, {LEAST_FOR_SCANNERS:.0f} is needed"
    return f"Scanners may not read a code of these colors: {found}, dark on light"


class QrCreated(Created):
    """The answer to a create, with the address the code leads to (reference: QR codes)."""

    link: Link = ""


class QrCodes(PagedResource[QrCode]):
    """`client.qr` (reference: QR codes)."""

    model = QrCode
    path = "/api/qr"
    collections = ("qrs", "qr")

    def request(self, id: int, /) -> Request:
        """The request for one code and its statistics (reference: QR codes).

        Raises InvalidBody for what is no identifier.
        """
        return Request("GET", path_of("/api/qr/{id}", id=id))

    async def get(self, id: int, /, *, options: Options = NO_OPTIONS) -> QrReading:
        """Return one code and its statistics (reference: QR codes).

        Raises InvalidBody, UnreadableAnswer, ServiceError.
        """
        answer = await self._caller.send(self.request(id), options)
        reading = read_reading(answer.members, id, safe_text=self._caller.safe_text)
        return replace(reading, answer=answer)

    @overload
    async def create(self, body: QrCreate, /, *, options: Options = NO_OPTIONS) -> QrCreated: ...
    @overload
    async def create(
        self,
        body: None = None,
        /,
        *,
        type: QrType,
        data: str | Mapping[str, str],
        background: str = ...,
        foreground: str = ...,
        logo: str = ...,
        options: Options = NO_OPTIONS,
    ) -> QrCreated: ...
    async def create(
        self, body: QrCreate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> QrCreated:
        """Create a code of `type` and `data`, optionally `background`, `foreground`, `logo`.

        Colors are `rgb(r,g,b)` or `#RRGGBB`; `logo` is the path or address of a PNG or JPG image; which
        types want a text or an object as `data`, the reference does not say
        (`linkdash.api.qr_payloads` does). (Reference: QR codes.) Raises InvalidBody, ReadOnly, ServiceError.
        """
        given = self._caller.body(QrCreate, body, members)
        answer = await self._caller.send_write("POST", "/api/qr/add", given, options)
        return self._caller.result(QrCreated, answer)

    @overload
    async def update(self, id: int, body: QrUpdate, /, *, options: Options = NO_OPTIONS) -> Done: ...
    @overload
    async def update(
        self,
        id: int,
        /,
        *,
        data: str | Mapping[str, str],
        background: str = ...,
        foreground: str = ...,
        logo: str = ...,
        options: Options = NO_OPTIONS,
    ) -> Done: ...
    async def update(
        self, id: int, body: QrUpdate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> Done:
        """Change colors, logo and `data`, which is required (reference: QR codes).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        path = path_of("/api/qr/{id}/update", id=id)
        return await self._caller.acknowledged(
            "PUT", path, options, self._caller.body(QrUpdate, body, members)
        )

    async def delete(self, id: int, /, *, options: Options = NO_OPTIONS) -> Done:
        """Delete a code; what was printed of it stops working (reference: QR codes).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        return await self._caller.acknowledged("DELETE", path_of("/api/qr/{id}/delete", id=id), options)


def read_reading(members: Members, id: int, *, safe_text: bool = False) -> QrReading:
    """The answer about the code with this id, also where its two parts stand under `data`.

    Raises UnreadableAnswer where it says nothing of a code at all, or something of another one.
    """
    details, statistics = members.get("details"), members.get("data")
    if details is None and isinstance(statistics, Mapping) and "details" in statistics:
        details, statistics = statistics["details"], statistics.get("data")
    details, said = single(details), _said(statistics)
    if not isinstance(details, Mapping) and not said:
        raise UnreadableAnswer(
            "The answer contains no QR code.",
            ODD_ANSWER_ADVICE,
        )
    code, read = _code(details, id), Statistics.model_validate(said) if said else None
    if safe_text:
        code, read = made_safe(code), read and made_safe(read)
    return QrReading(code, read, members)


def _code(details: object, id: int) -> QrCode:
    """The code that was asked for. Raises UnreadableAnswer for details of another one."""
    code = QrCode.read(details)
    if isinstance(code, QrCode):
        check_id(code.id, id, "QR code")
        return code
    known = {**details, "id": id} if isinstance(details, Mapping) else {"id": id}
    found = QrCode.read(known)
    return found if isinstance(found, QrCode) else QrCode.model_validate({"id": id})


def _said(data: object) -> dict[object, object]:
    """The members that say something: a null is no count and no empty map, but nothing at all."""
    members = data.items() if isinstance(data, Mapping) else ()
    return {name: value for name, value in members if value not in (None, "")}
