"""The types that fields of records and requests are made of.

A field's annotation says three things at once: its Python type, how the service's spellings become it, and
its `Kind`, from which tables choose a cell, forms an input and filters a comparison.
"""

import enum
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from typing import Annotated, Literal, NamedTuple, TypeVar, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    GetCoreSchemaHandler,
    PlainSerializer,
    SecretStr,
    ValidationInfo,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from linkdash.api.inert_text import encodable, marked

M = TypeVar("M")


class Kind(enum.StrEnum):
    """The kind of a field, as the user sees it."""

    IDENTIFIER = "identifier"
    TEXT = "text"
    LONG_TEXT = "long text"
    LINK = "link"
    EMAIL = "e-mail"
    COUNT = "count"
    FLAG = "flag"
    MOMENT = "moment"
    DAY = "day"
    CHOICE = "choice"
    REFERENCE = "reference"
    HEX_COLOR = "hex color"
    RGB_COLOR = "rgb color"
    SECRET = "secret"
    PAYLOAD = "payload"
    NESTED = "nested"


TEMPORAL = frozenset({Kind.MOMENT, Kind.DAY})
COLORS = frozenset({Kind.HEX_COLOR, Kind.RGB_COLOR})
NOT_IN_A_TEXT = frozenset({Kind.SECRET, Kind.NESTED})
"""Kinds whose values are neither found by a text, nor copied or written as one."""


class Reference(NamedTuple):
    """A mark on a field that holds the id of a record of another resource, named as in `Client`."""

    resource: str
    several: bool = False
    """True if it holds several, with commas between them."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of the words that a field can hold; the words are what is sent, stored and exported."""

    names: Mapping[str, str] = field(default_factory=dict, hash=False)

    def of(self, value: object) -> object:
        """Return the text for a value: its label, where it is a word that has one."""
        return self.names.get(value, value) if isinstance(value, str) else value


NO_LABELS = Labels()


class PayloadOf(NamedTuple):
    """A mark beside `Kind.PAYLOAD`: the content of a QR code, whose shape follows the member `type_field`."""

    type_field: str


class Passed(NamedTuple):
    """A mark on a moment: the word for a record whose moment is over, `expired`."""

    word: str


class Section(NamedTuple):
    """A group of fields under one title: how a code looks, what it holds."""

    title: str


class Unique:
    """A text that tells a record from all others beside its name, such as its address."""


class Twice:
    """A text that is asked for twice, because what was typed cannot be seen."""


# ---- reading: what the service may write becomes one Python value, or ValueError ----

_PLAIN_NUMBER = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.0+)?")
_GROUPED_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2}(?P<sign>[.'’ \u00a0\u202f])\d{3}((?P=sign)\d{3})*(,0+)?")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}\.000")
_LARGEST = 2**63 - 1
_ZERO_DATE = "0000-00-00"
_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off", "")


def read_text(value: object) -> str:
    """A text as it came, whatever it holds; a number as its digits; nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise ValueError("not a text")


class AmbiguousNumber(ValueError):
    """A number that can be a thousand times another: `1.000`."""


def read_count(value: object) -> int | None:
    """A whole number of 64 bits out of 12, "12", "1,234", "1.234" or 12.0; None for null and the empty text.

    Raises AmbiguousNumber for "1.000", which is one to some and a thousand to others.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    number = _whole(value)
    if number is None or abs(number) > _LARGEST:
        raise ValueError("not a whole number")
    return number


def _whole(value: object) -> int | None:
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return _written_number(value.strip()) if isinstance(value, str) and len(value) <= 40 else None


def _written_number(text: str) -> int | None:
    if _EITHER.fullmatch(text):
        raise AmbiguousNumber(text)
    if _PLAIN_NUMBER.fullmatch(text):
        return int(text.replace(",", "").split(".")[0])
    if grouped := _GROUPED_NUMBER.fullmatch(text):
        return int(text.split(",")[0].replace(grouped["sign"], ""))
    return None


def read_identifier(value: object) -> int:
    """An identifier, 1 to 2**63 - 1, out of 12 or "12"."""
    number = read_count(value)
    if number is None or number < 1 or isinstance(value, bool):
        raise ValueError("not an identifier")
    return number


def identifier_in(answer: object) -> int | None:
    """The identifier that an answer tells of, at its top level or under `data`; None where it tells none."""
    members = answer if isinstance(answer, Mapping) else {}
    data = members.get("data")
    for candidate in (members.get("id"), data.get("id") if isinstance(data, Mapping) else data):
        try:
            return read_identifier(candidate)
        except ValueError:
            continue
    return None


def read_flag(value: object) -> bool | None:
    """A boolean out of true, 1, "1" and their opposites; None for null."""
    if value is None or isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, str | int) else None
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError("neither true nor false")


def read_moment(value: object) -> datetime | None:
    """A date-time without a zone; a bare date is its midnight; None for null, "" and the zero date."""
    if value is None or isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise ValueError("not a date-time")
    text = value.strip()
    if not text or text.startswith(_ZERO_DATE):
        return None
    return datetime.fromisoformat(text).replace(tzinfo=None)


def read_day(value: object) -> date | None:
    """A date out of a date or a date-time; None for null, "" and the zero date."""
    moment = read_moment(value)
    return None if moment is None else moment.date()


def read_secret(value: object) -> SecretStr | None:
    """A secret that no repr and no dump shows; None where there is none."""
    if value is None or isinstance(value, SecretStr):
        return value
    return SecretStr(read_text(value)) if value != "" else None


@dataclass(frozen=True)
class Leniently:
    """A reader that is asked where a value is not of the plain type, as nearly all are.

    What is `plain` is read many times as quickly, and must become what the reader would make of it.
    """

    read: Callable[[object], object]
    plain: CoreSchema = field(hash=False)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        lenient = core_schema.no_info_before_validator_function(self.read, handler(source))
        return core_schema.union_schema([self.plain, lenient], mode="left_to_right")


_TEXT = Leniently(read_text, core_schema.str_schema(strict=True))
_IDENTIFIER = Leniently(read_identifier, core_schema.int_schema(strict=True, ge=1, le=_LARGEST))
_COUNT = Leniently(
    read_count,
    core_schema.nullable_schema(core_schema.int_schema(strict=True, ge=-_LARGEST, le=_LARGEST)),
)
_FLAG = Leniently(read_flag, core_schema.nullable_schema(core_schema.bool_schema(strict=True)))
# A moment of pydantic's own can be a number in a text, or have a zone.
_ORDINARY_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"
_MOMENT = Leniently(
    read_moment,
    core_schema.nullable_schema(
        core_schema.chain_schema(
            [core_schema.str_schema(strict=True, pattern=_ORDINARY_MOMENT), core_schema.datetime_schema()]
        )
    ),
)

Identifier = Annotated[int, _IDENTIFIER, Kind.IDENTIFIER]
Text = Annotated[str, _TEXT, Kind.TEXT]
Link = Annotated[str, _TEXT, Kind.LINK]
Email = Annotated[str, _TEXT, Kind.EMAIL]
Word = Annotated[str, _TEXT, Kind.CHOICE]
Color = Annotated[str, _TEXT, Kind.HEX_COLOR]
Count = Annotated[int | None, _COUNT, Kind.COUNT]
Flag = Annotated[bool | None, _FLAG, Kind.FLAG]
Moment = Annotated[datetime | None, _MOMENT, Kind.MOMENT]
Day = Annotated[date | None, BeforeValidator(read_day), Kind.DAY]
Secret = Annotated[SecretStr | None, BeforeValidator(read_secret), Kind.SECRET]


# ---- writing: what the user may type becomes what the reference documents, or ValueError ----

_FLAG_OF_A_LAND = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f$")
"""An emoji that ends in signs which show nothing alone."""


def stripped(text: str) -> str:
    """`text` without what shows nothing at its ends: blanks, line ends, signs without width."""
    text = text.strip()
    if text.isascii() and text.isprintable():
        return text
    start, end = 0, len(text)
    while start < end and _is_unseen(text[start]):
        start += 1
    while end > start and _is_unseen(text[end - 1]) and not _FLAG_OF_A_LAND.search(text, start, end):
        end -= 1
    return text[start:end]


def pasted(text: str) -> str:
    """A pasted line without what shows nothing, also inside; what joins words and emoji stays."""
    line = stripped(text.replace("\t", " "))
    shown = zip(line, marked(line), strict=True)
    return "".join(character for character, mark in shown if mark == character != "\N{REPLACEMENT CHARACTER}")


def _is_unseen(character: str) -> bool:
    is_half = encodable(character) != character
    return character.isspace() or (marked(character) != character and not is_half)


_HEX = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_RGB = re.compile(r"rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)", re.IGNORECASE)
_EMAIL = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+\.[^@\s,;<>.]+")
_URL = re.compile(r"https?://[^\s/?#@\\]+[^\s\\]*", re.IGNORECASE)
_WITHOUT_SCHEME = re.compile(r"[\w-]+(\.[\w-]+)*\.[^\W\d_]{2,}(:\d+)?([/?#][^\s\\]*)?")


def read_color(text: str) -> tuple[int, int, int]:
    """Red, green and blue (0 to 255) out of `#RRGGBB`, `#RGB` or `rgb(r, g, b)`.

    Raises ValueError with a sentence for the user.
    """
    if match := _HEX.fullmatch(text.strip()):
        digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if match := _RGB.fullmatch(text.strip()):
        red, green, blue = (int(part) for part in match.groups())
        if max(red, green, blue) <= 255:
            return red, green, blue
    raise ValueError("use #RRGGBB")


def write_hex_color(text: str) -> str:
    """A color in either spelling as `#RRGGBB`."""
    return "#{:02X}{:02X}{:02X}".format(*read_color(text))


def write_rgb_color(text: str) -> str:
    """A color in either spelling as `rgb(r,g,b)`."""
    return "rgb({},{},{})".format(*read_color(text))


def check_url(text: str) -> str:
    """A web address with its scheme; "" stays, it clears the field."""
    text = stripped(text)
    if text and not _URL.fullmatch(text):
        raise ValueError("use a full address, starting with http:// or https://")
    return text


def completed_url(text: str) -> str:
    """A web address that only lacks its scheme as a whole one; any other text as it is."""
    return f"https://{stripped(text)}" if _WITHOUT_SCHEME.fullmatch(stripped(text)) else text


def check_email(text: str) -> str:
    """An e-mail address."""
    text = stripped(text)
    if not _EMAIL.fullmatch(text):
        raise ValueError("use an e-mail address such as name@example.org")
    return text


def check_id(value: object) -> int:
    """The id of a record, as a number or its digits."""
    try:
        return read_identifier(value)
    except ValueError:
        raise ValueError("an id is a whole number, 1 or more") from None


def check_filled(text: str) -> str:
    """A text that is not empty."""
    if not text.strip():
        raise ValueError("this cannot be empty")
    return text


def check_moment(value: object, info: ValidationInfo) -> datetime:
    """A date-time in the service's own time, or a text that names one; a number is none.

    One with a zone is converted to the `timezone` of the validation's context, the service's.
    """
    if isinstance(value, str) and not value.strip().startswith(_ZERO_DATE):
        with suppress(ValueError):
            value = datetime.fromisoformat(value.strip())
    if not isinstance(value, datetime):
        raise ValueError("use a date and time such as 2026-12-31 23:59:00")
    if value.tzinfo is None:
        return value
    timezone = (info.context or {}).get("timezone")
    if timezone is None:
        raise ValueError("leave out the time zone: the service's own is not known")
    return value.astimezone(timezone).replace(tzinfo=None)


def write_moment(moment: datetime) -> str:
    """A moment as the service reads it: `YYYY-MM-DD HH:MM:SS`, without a zone (reference: conventions).

    Raises ValueError for one with a zone, which the service would take for its own.
    """
    if moment.tzinfo is not None:
        raise ValueError("a moment with a zone is not the service's own time")
    return moment.isoformat(" ", "seconds")


def reveal(secret: SecretStr) -> str:
    """The secret itself, for the body of a request and nowhere else."""
    return secret.get_secret_value()


FilledText = Annotated[str, AfterValidator(check_filled), Kind.TEXT]
PlainText = Annotated[str, Kind.TEXT]
RecordId = Annotated[int, BeforeValidator(check_id)]
LongText = Annotated[str, Kind.LONG_TEXT]
Url = Annotated[str, AfterValidator(check_url), Kind.LINK]
FilledUrl = Annotated[str, AfterValidator(check_filled), AfterValidator(check_url), Kind.LINK]
EmailAddress = Annotated[str, AfterValidator(check_email), Kind.EMAIL]
HexColor = Annotated[str, AfterValidator(write_hex_color), Kind.HEX_COLOR]
RgbColor = Annotated[str, AfterValidator(write_rgb_color), Kind.RGB_COLOR]
When = Annotated[
    datetime, BeforeValidator(check_moment), PlainSerializer(write_moment, when_used="json"), Kind.MOMENT
]
Password = Annotated[SecretStr, PlainSerializer(reveal, when_used="json"), Kind.SECRET]


# ---- asking a model about its fields ----


class Field(NamedTuple):
    """A field of a record or request model, as tables, details, filters and forms need it."""

    name: str
    title: str
    help: str
    kind: Kind
    required: bool
    choices: tuple[str, ...] = ()
    """The allowed words, for `Kind.CHOICE` of a request; empty where anything may come."""
    reference: str | None = None
    """The resource whose id this is, for `Kind.REFERENCE`."""
    several: bool = False
    """True if it holds several of what it refers to."""
    labels: Labels = NO_LABELS
    """The labels of its words."""
    section: str = ""
    """The title of what it belongs to; "" where a model is not divided."""
    unique: bool = False
    """True if no two records should have the same."""
    passed: str = ""
    """The word for a record whose moment of this is over; "" where there is none."""


@cache
def fields_of(model: type[BaseModel]) -> tuple[Field, ...]:
    """The fields of a record or request model as they were declared.

    In a request that extends another, what it refers to comes first, then what is needed.
    """
    fields = [_field(name, info) for name, info in model.model_fields.items()]
    extends = not model.__annotations__.keys() >= model.model_fields.keys()
    if extends and "id" not in model.model_fields:  # a record is in the service's own order
        fields.sort(key=lambda field: (field.reference is None, not field.required))
    return tuple(fields)


def _field(name: str, info: FieldInfo) -> Field:
    marks = (*info.metadata, *_nested_marks(info.annotation))
    choices = tuple(str(choice) for choice in _choices(info.annotation))
    referred = next((mark for mark in marks if isinstance(mark, Reference)), None)
    reference = referred.resource if referred else None
    return Field(
        name=name,
        title=info.title or name.replace("_", " ").capitalize(),
        help=info.description or "",
        kind=_kind(info.annotation, marks, choices, reference),
        required=info.is_required(),
        choices=choices,
        reference=reference,
        several=referred is not None and referred.several,
        labels=next((mark for mark in marks if isinstance(mark, Labels)), NO_LABELS),
        section=next((mark.title for mark in marks if isinstance(mark, Section)), ""),
        unique=any(isinstance(mark, Unique) for mark in marks),
        passed=next((mark.word for mark in marks if isinstance(mark, Passed)), ""),
    )


def _kind(
    annotation: object, marks: tuple[object, ...], choices: tuple[str, ...], reference: str | None
) -> Kind:
    if reference is not None:
        return Kind.REFERENCE
    if choices:
        return Kind.CHOICE
    if marked := next((mark for mark in marks if isinstance(mark, Kind)), None):
        return marked
    return Kind.FLAG if annotation is bool or bool in get_args(annotation) else Kind.TEXT


def _nested_marks(annotation: object) -> Iterator[object]:
    """The marks of `Annotated` types inside a union, which pydantic leaves where they are."""
    if get_origin(annotation) is Annotated:
        yield from get_args(annotation)[1:]
    for part in get_args(annotation):
        yield from _nested_marks(part)


def _choices(annotation: object) -> Iterator[object]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    else:
        for part in get_args(annotation):
            yield from _choices(part)


def mark_of(model: type[BaseModel], name: str, mark: type[M]) -> M | None:
    """The mark of this class on the field `name`, if it has one."""
    return next((item for item in model.model_fields[name].metadata if isinstance(item, mark)), None)
