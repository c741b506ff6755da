"""QR codes, what they hold, and their statistics (reference: QR codes).

The reference names seven types and says that `data` is "string or array, depending on type", no more. A text,
a link and a phone number are sent as a string, the others as an object of the filled members.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, Self, overload
from urllib.parse import quote

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationInfo, field_validator

from linkdash.api.errors import UnreadableAnswer
from linkdash.api.exchange import NO_OPTIONS, Answer, Members, Options, Request
from linkdash.api.fields import (
    Count,
    EmailAddress,
    FilledText,
    FilledUrl,
    Kind,
    Link,
    LongText,
    Moment,
    Password,
    PayloadOf,
    PlainText,
    RgbColor,
    Section,
    Text,
    Url,
    check_filled,
    read_count,
    read_text,
    reveal,
)
from linkdash.api.model import Body, Part, Record
from linkdash.api.resource import Created, Done, PagedResource, path_of, result, single

# ---- what a code holds ----

_LINE_END = re.compile(r"\r\n?|\n")
_PHONE = re.compile(r"\+?[\d\s()/.*#-]*\d[\d\s()/.*#-]*", re.ASCII)


def check_phone(text: str) -> str:
    """A phone number as people write it."""
    text = text.strip()
    if not _PHONE.fullmatch(text):
        raise ValueError("write a phone number such as +49 30 1234567")
    return text


FilledLongText = Annotated[str, AfterValidator(check_filled), Kind.LONG_TEXT]
Phone = Annotated[str, AfterValidator(check_phone), Kind.TEXT]


class Payload(Body):
    """The content of a QR code of one type."""

    def data(self) -> str | dict[str, str]:
        """The value of the member `data` of a QR code's request."""
        members = self.model_dump(mode="json").items()
        return {name: "true" if value is True else str(value) for name, value in members if value}

    @abstractmethod
    def content(self) -> str:
        """The text that the code encodes, as scanners understand it."""

    @classmethod
    def read(cls, data: str | Mapping[str, str]) -> Self:
        """The payload that has this `data`. Raises ValueError for a value of another shape."""
        if isinstance(data, str):
            raise ValueError("this type needs an object")
        return cls.model_validate(dict(data))


class _OneTextPayload(Payload):
    """A payload with a single member, sent as a string."""

    def data(self) -> str:
        return self._text()

    def content(self) -> str:
        return self._text()

    def _text(self) -> str:
        return str(getattr(self, self._member()))

    @classmethod
    def _member(cls) -> str:
        return next(iter(cls.model_fields))

    @classmethod
    def read(cls, data: str | Mapping[str, str]) -> Self:
        if not isinstance(data, str):
            raise ValueError("this type needs a text")
        return cls.model_validate({cls._member(): data})


class TextPayload(_OneTextPayload):
    """Any text."""

    text: FilledLongText = Field(description="What a scanner shows")


class LinkPayload(_OneTextPayload):
    """A web address."""

    link: FilledUrl = Field(description="Where a scan leads, with http:// or https://")


class PhonePayload(_OneTextPayload):
    """A number to call."""

    phone: Phone = Field(description="Best with the country, as in +49 30 1234567")

    def content(self) -> str:
        return f"tel:{_dialled(self.phone)}"


class EmailPayload(Payload):
    """A message to write."""

    to: EmailAddress = Field(description="Who gets the message")
    subject: PlainText = ""
    body: LongText = Field(default="", title="Message", description="What the message begins with")

    def content(self) -> str:
        given = {"subject": self.subject, "body": _LINE_END.sub("\r\n", self.body)}
        query = "&".join(f"{name}={quote(text, safe='')}" for name, text in given.items() if text)
        return f"mailto:{quote(self.to, safe='@')}" + (f"?{query}" if query else "")


class SmsPayload(Payload):
    """A short message to send."""

    phone: Phone = Field(description="Who gets the message")
    message: LongText = Field(default="", description="What the message begins with")

    def content(self) -> str:
        return f"SMSTO:{_dialled(self.phone)}:{self.message}"


class WifiPayload(Payload):
    """A wireless network to join."""

    ssid: FilledText = Field(title="Network name", description="As it is announced (SSID)")
    encryption: Literal["WPA", "WEP", "none"] = Field(
        default="WPA", description="WPA stands for WPA2 and WPA3 too"
    )
    password: Password = Field(default=SecretStr(""), validate_default=True)
    hidden: bool = Field(
        default=False, title="Hidden network", description="The network does not announce its name"
    )

    @field_validator("password")
    @classmethod
    def _as_encrypted(cls, password: SecretStr, info: ValidationInfo) -> SecretStr:
        if info.data.get("encryption") == "none":
            return SecretStr("")
        if not reveal(password):
            raise ValueError("an encrypted network has a password")
        return password

    def content(self) -> str:
        parts = [f"T:{'nopass' if self.encryption == 'none' else self.encryption}"]
        parts.append(f"S:{_wifi_escaped(self.ssid)}")
        if password := reveal(self.password):
            parts.append(f"P:{_wifi_escaped(password)}")
        if self.hidden:
            parts.append("H:true")
        return f"WIFI:{';'.join(parts)};;"


class VcardPayload(Payload):
    """A person or company for the address book."""

    name: FilledText = Field(description="As it stands in the address book")
    phone: Phone = ""
    email: EmailAddress = Field(default="", title="E-mail")
    company: PlainText = ""
    position: PlainText = Field(default="", description="What the person does there")
    website: Url = ""
    address: LongText = ""

    def content(self) -> str:
        lines = ["BEGIN:VCARD", "VERSION:3.0", f"N:{_vcard_escaped(self.name)};;;;"]
        given = {
            "FN": self.name,
            "TEL": self.phone,
            "EMAIL": self.email,
            "ORG": self.company,
            "TITLE": self.position,
            "URL": self.website,
        }
        lines += [f"{name}:{_vcard_escaped(text)}" for name, text in given.items() if text]
        if self.address:
            lines.append(f"ADR:;;{_vcard_escaped(self.address)};;;;")
        return "\r\n".join([*lines, "END:VCARD", ""])


PAYLOADS: Mapping[str, type[Payload]] = {
    "text": TextPayload,
    "link": LinkPayload,
    "vcard": VcardPayload,
    "email": EmailPayload,
    "phone": PhonePayload,
    "sms": SmsPayload,
    "wifi": WifiPayload,
}
"""The payload of each QR type (reference: QR codes)."""


def payload_from(type_: str, data: str | Mapping[str, str]) -> Payload:
    """The payload that was sent as `data` of a code of this type. Raises ValueError where it was none."""
    if type_ not in PAYLOADS:
        raise ValueError("not a type of QR code")
    return PAYLOADS[type_].read(data)


def _dialled(phone: str) -> str:
    """A phone number with nothing but what is dialled."""
    return re.sub(r"[\s()/.-]", "", phone)


def _wifi_escaped(text: str) -> str:
    return re.sub(r'([\\;,:"])', r"\\\1", text)


def _vcard_escaped(text: str) -> str:
    """A text value of vCard 3.0 (RFC 2426, section 5)."""
    return "\\n".join(re.sub(r"([\\;,])", r"\\\1", text).splitlines())


# ---- the codes ----

QrType = Literal["text", "vcard", "link", "email", "phone", "sms", "wifi"]


class QrCode(Record):
    """A QR code with its landing address (reference: QR code)."""

    name: Text = Field(default="", title="Name")
    link: Link = Field(default="", title="Link", description="The address the code leads to")
    scans: Count = Field(default=None, title="Scans")
    date: Moment = Field(default=None, title="Created")


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


class Statistics(Part):
    """What the service counted for a code up to the moment of asking (reference: QR code).

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


def check_data(data: str | list[str] | dict[str, str]) -> str | list[str] | dict[str, str]:
    """Content of a code that says something."""
    texts = [data] if isinstance(data, str) else [*(data if isinstance(data, list) else data.values())]
    if not any(text.strip() for text in texts):
        raise ValueError("this cannot be empty")
    return data


CONTENT, LOOK = Section("Content"), Section("Look")

QrData = Annotated[
    str | list[str] | dict[str, str],
    AfterValidator(check_data),
    Kind.PAYLOAD,
    PayloadOf("type"),
    CONTENT,
    Field(title="Data", description="What the code holds"),
]


class QrLook(Body):
    """How a code looks."""

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

    type: Annotated[QrType, CONTENT] = Field(
        title="Type", description="What the code holds; it cannot be changed later"
    )
    data: QrData


class QrUpdate(QrLook):
    """What of a code can be changed; its data is always sent."""

    data: QrData


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
        """One code and its statistics (reference: QR codes).

        Raises InvalidBody, UnreadableAnswer, ServiceError.
        """
        answer = await self._caller.read(self.request(id), options)
        return replace(read_reading(answer.members, id), answer=answer)

    @overload
    async def create(self, body: QrCreate, /, *, options: Options = NO_OPTIONS) -> QrCreated: ...
    @overload
    async def create(
        self,
        body: None = None,
        /,
        *,
        type: QrType,
        data: str | Sequence[str] | Mapping[str, str],
        background: str = ...,
        foreground: str = ...,
        logo: str = ...,
        options: Options = NO_OPTIONS,
    ) -> QrCreated: ...
    async def create(
        self, body: QrCreate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> QrCreated:
        """Creates a code of `type` and `data`, optionally `background`, `foreground`, `logo`.

        Colors are `rgb(r,g,b)` or `#RRGGBB`; `logo` is the path or address of a PNG or JPG image; which
        types want a text, a list or an object as `data`, the reference does not say
        (the payloads of this module do). (Reference: QR codes.) Raises InvalidBody, ReadOnly, ServiceError.
        """
        given = self._caller.body(QrCreate, body, members)
        return result(QrCreated, await self._caller.write("POST", "/api/qr/add", given, options))

    @overload
    async def update(self, id: int, body: QrUpdate, /, *, options: Options = NO_OPTIONS) -> Done: ...
    @overload
    async def update(
        self,
        id: int,
        /,
        *,
        data: str | Sequence[str] | Mapping[str, str],
        background: str = ...,
        foreground: str = ...,
        logo: str = ...,
        options: Options = NO_OPTIONS,
    ) -> Done: ...
    async def update(
        self, id: int, body: QrUpdate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> Done:
        """Changes colors, logo and `data`, which is required (reference: QR codes).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        path = path_of("/api/qr/{id}/update", id=id)
        return await self._caller.do("PUT", path, options, self._caller.body(QrUpdate, body, members))

    async def delete(self, id: int, /, *, options: Options = NO_OPTIONS) -> Done:
        """Deletes a code; what was printed of it stops working (reference: QR codes).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        return await self._caller.do("DELETE", path_of("/api/qr/{id}/delete", id=id), options)


def read_reading(members: Members, id: int) -> QrReading:
    """The answer about the code with this id, also where its two parts stand under `data`.

    Raises UnreadableAnswer where it says nothing of a code at all.
    """
    details, statistics = members.get("details"), members.get("data")
    if details is None and isinstance(statistics, Mapping) and "details" in statistics:
        details, statistics = statistics["details"], statistics.get("data")
    details, said = single(details), _said(statistics)
    if not isinstance(details, Mapping) and not said:
        raise UnreadableAnswer(
            "The answer says nothing of a QR code.",
            "Try again; if it stays, tell its operator.",
        )
    read = Statistics.model_validate(said) if said else None
    return QrReading(_code(details, id), read, members)


def _code(details: object, id: int) -> QrCode:
    """The code that was asked for, by its own id where the details say it."""
    code = QrCode.read(details)
    if isinstance(code, QrCode):
        return code
    known = {**details, "id": id} if isinstance(details, Mapping) else {"id": id}
    found = QrCode.read(known)
    return found if isinstance(found, QrCode) else QrCode.model_validate({"id": id})


def _said(data: object) -> dict[object, object]:
    """The members that say something: a null is no count and no empty map, but nothing at all."""
    members = data.items() if isinstance(data, Mapping) else ()
    return {name: value for name, value in members if value not in (None, "")}
