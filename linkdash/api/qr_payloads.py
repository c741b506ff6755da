"""The contents that a QR code can have, one model a type."""

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import quote

from pydantic import AfterValidator, Field, SecretStr, ValidationError, ValidationInfo, field_validator

from linkdash.api.fields import (
    EmailAddress,
    FilledText,
    FilledUrl,
    Kind,
    Labels,
    LongText,
    Password,
    PlainText,
    Url,
    check_filled,
    pasted,
    reveal,
)
from linkdash.api.records import Body
from linkdash.api.validation_messages import problem_words

_LINE_END = re.compile(r"\r\n?|\n")
_PHONE = re.compile(r"\+?[\d ()/.*#-]*\d[\d ()/.*#-]*(;ext=\d+)?", re.ASCII)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_EXTENSION = re.compile(
    r"[ ,;]*(?:\bext(?:ension)?\b\.?|\bDurchwahl\b|\bDW\b|x|;ext=)[ .:=]*(\d{1,7})$", re.ASCII | re.IGNORECASE
)
_TRUNK_ZERO = re.compile(r"^(\+[\d ]+)\(0\) *", re.ASCII)
"""The zero that is dialled within the country, and not with its number before it."""


def check_phone(text: str) -> str:
    """A phone number as people write and paste it, in signs that are dialled; `;ext=12` is its extension."""
    text = "".join(map(pasted, unicodedata.normalize("NFKC", text).translate(_DASHES).splitlines()))
    text = re.sub(r"^tel:", "", " ".join(text.split()), flags=re.IGNORECASE)
    text = _TRUNK_ZERO.sub(r"\1", _EXTENSION.sub(r";ext=\1", text))
    if not _PHONE.fullmatch(text):
        raise ValueError("use a phone number such as +49 30 1234567")
    return text


FilledLongText = Annotated[str, AfterValidator(check_filled), Kind.LONG_TEXT]
Phone = Annotated[str, AfterValidator(check_phone), Kind.TEXT]


class Payload(Body):
    """The content of a QR code of one type."""

    is_text: ClassVar[bool] = False
    """True if it is sent as a text, False for an object of its members."""

    def data(self) -> str | dict[str, str]:
        """The value of the member `data` of a QR code's request."""
        members = self.model_dump(mode="json").items()
        return {name: "true" if value is True else str(value) for name, value in members if value}

    @abstractmethod
    def content(self) -> str:
        """The text that the code encodes, as scanners understand it."""

    @classmethod
    def read(cls, data: object) -> Self:
        """The payload that has this `data`. Raises ValueError for a value of another shape."""
        if not isinstance(data, Mapping):
            raise ValueError(f"this type needs an object with {cls.members_words()}")
        return cls.model_validate({str(name): value for name, value in data.items()})

    @classmethod
    def members_words(cls) -> str:
        """Return its members: `ssid, encryption, password, hidden`."""
        return ", ".join(cls.model_fields)


class _OneTextPayload(Payload):
    """A payload with a single member, sent as a string."""

    is_text = True

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
    def read(cls, data: object) -> Self:
        if not isinstance(data, str):
            raise ValueError("this type needs a text")
        return cls.model_validate({cls._member(): data})


class TextPayload(_OneTextPayload):
    """Any text."""

    text: FilledLongText = Field(description="What a scanner shows")


class LinkPayload(_OneTextPayload):
    """A web address."""

    link: FilledUrl = Field(title="Target", description="Where a scan leads, with http:// or https://")


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

    ssid: FilledText = Field(title="Network", description="As it is announced (SSID)")
    encryption: Annotated[Literal["WPA", "WEP", "none"], Labels({"none": "None: an open network"})] = Field(
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
            raise ValueError("an encrypted network needs a password")
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

    name: FilledText = Field(description="As shown in the address book")
    phone: Phone = ""
    email: EmailAddress = Field(default="", title="E-mail")
    company: PlainText = ""
    position: PlainText = Field(default="", description="Position or profession")
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


def payload_from(type_: str, data: object) -> Payload:
    """The payload that was sent as `data` of a code of this type. Raises ValueError where it was none."""
    if type_ not in PAYLOADS:
        raise ValueError("not a type of QR code")
    return PAYLOADS[type_].read(data)


def checked_data(type_: str, data: object) -> str | dict[str, str]:
    """The `data` of a code of this type as it is sent. Raises ValueError, with what is wrong."""
    try:
        return payload_from(type_, data).data()
    except ValidationError as error:
        raise ValueError(_problem(PAYLOADS[type_], error)) from None


def checked_new_data(data: object) -> str | dict[str, str]:
    """The same of a code that is there, whose type nobody tells: its members say which it may be."""
    if not isinstance(data, Mapping):
        return checked_data("text", data)
    types = [type_ for type_, payload in PAYLOADS.items() if not payload.is_text]
    return checked_data(max(types, key=lambda type_: _likeness(PAYLOADS[type_], data)), data)


def _likeness(payload: type[Payload], data: Mapping[object, object]) -> tuple[int, int]:
    """The number of members that a payload has, and, below zero, of those that it needs and are missing."""
    needed = {name for name, info in payload.model_fields.items() if info.is_required()}
    return len(data.keys() & payload.model_fields.keys()), -len(needed - data.keys())


def _problem(payload: type[Payload], error: ValidationError) -> str:
    """The fault of a content in words, with the member named where it has several."""
    problems = error.errors(include_url=False, include_input=False)
    problem = next((one for one in problems if one["type"] == "extra_forbidden"), problems[0])
    words, name = problem_words(problem), ".".join(map(str, problem["loc"]))
    if problem["type"] == "extra_forbidden":
        return f"{name} is unknown; its members: {payload.members_words()}"
    return words if payload.is_text or not name else f"{name}: {words}"


def _dialled(phone: str) -> str:
    """A phone number with nothing but what is dialled."""
    return re.sub(r"[\s()/.-]", "", phone)


def _wifi_escaped(text: str) -> str:
    return re.sub(r'([\\;,:"])', r"\\\1", text)


def _vcard_escaped(text: str) -> str:
    """A text value of vCard 3.0 (RFC 2426, section 5)."""
    return "\\n".join(re.sub(r"([\\;,])", r"\\\1", text).splitlines())
