"""The inputs that a form has for a request model, and the texts in them.

The name of an input is its text's path.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pydantic import BaseModel

from linkdash.api.fields import (
    Field,
    Kind,
    PayloadOf,
    Twice,
    fields_of,
    mark_of,
    read_moment,
)
from linkdash.api.http.secrecy import MASK
from linkdash.api.qr_payloads import PAYLOADS, payload_from
from linkdash.api.records import Body
from linkdash.api.resources.qr import QR_TYPES
from linkdash.model.writes.value_texts import text_of

TypesAt = Callable[[str], Iterable[str]]
"""The payload types to lay out for the type whose path is given."""

AGAIN = ".again"
"""The end of the path of a text that is asked for twice."""


def type_field(model: type[Body], name: str) -> str:
    """The path of the type that decides about the parts of the payload `name`."""
    mark = mark_of(model, name, PayloadOf)
    if mark is None:
        raise TypeError(f"{model.__name__}.{name} is a payload without PayloadOf")
    return mark.type_field


def shown_fields(model: type[Body], values: Mapping[str, str]) -> tuple[Field, ...]:
    """The inputs to show while the form holds these texts, in order."""
    return tuple(_fields(model, lambda path: (values.get(path, ""),)))


def every_field(model: type[Body]) -> tuple[Field, ...]:
    """The inputs that the form may ever show: the parts of payloads of every type among them."""
    return tuple(_fields(model, lambda _path: tuple(PAYLOADS)))


def every_default(model: type[Body]) -> dict[str, str]:
    """Return what holds where nothing is typed, by path: in the parts of payloads of every type too."""
    defaults = default_texts(model)
    for name in payload_names(model):
        for type_, payload in PAYLOADS.items():
            parts = default_texts(payload).items()
            defaults |= {part_path(name, type_, part): text for part, text in parts}
    return defaults


def payload_names(model: type[Body]) -> tuple[str, ...]:
    """The fields of `model` that are payloads."""
    return tuple(item.name for item in fields_of(model) if item.kind is Kind.PAYLOAD)


def content_parts(data: object) -> Sequence[str]:
    """Return the parts of a code's content that were given, without secrets: `["https://example.org"]`."""
    parts = data.values() if isinstance(data, Mapping) else [data]
    return [str(part) for part in parts if part not in ("", None, MASK)]


def _fields(model: type[Body], types: TypesAt) -> Iterator[Field]:
    for item in fields_of(model):
        if item.kind is Kind.PAYLOAD:
            yield from _payload_fields(model, item, types)
            continue
        yield item
        if mark_of(model, item.name, Twice):
            again = f"{item.title} again"
            yield item._replace(name=item.name + AGAIN, title=again, help="Repeat it")


def _payload_fields(model: type[Body], item: Field, types: TypesAt) -> Iterator[Field]:
    path = type_field(model, item.name)
    if path not in model.model_fields:
        choices = tuple(PAYLOADS)
        yield Field(
            path,
            "Type",
            "The service does not tell it: choose the one it was made with",
            Kind.CHOICE,
            item.required,
            choices,
            labels=QR_TYPES,
            section=item.section,
        )
    for type_ in types(path):
        if type_ in PAYLOADS:
            for part in fields_of(PAYLOADS[type_]):
                yield part._replace(name=part_path(item.name, type_, part.name), section=item.section)


def texts_of(model: type[BaseModel], record: Mapping[str, object]) -> dict[str, str]:
    """The texts of the members of `record` that `model` has, by path.

    A path is a field's name, or `data.wifi.ssid` for a part of a payload. Secrets are left out: what is
    kept secret is never put back into an input.
    """
    texts: dict[str, str] = {}
    for item in fields_of(model):
        if item.kind is Kind.PAYLOAD:
            texts |= _payload_texts(model, item, record)
        elif item.kind is not Kind.SECRET and item.name in record:
            texts[item.name] = text_of(record[item.name])
    return texts


def default_texts(model: type[BaseModel]) -> dict[str, str]:
    """The texts of the values that members have when they are left alone, where that is any."""
    defaults = {
        name: info.get_default() for name, info in model.model_fields.items() if not info.is_required()
    }
    return {name: text for name, text in texts_of(model, defaults).items() if text}


def value_of(field: Field, text: str) -> object:
    """Return the value for the model that `text` stands for. Raises ValueError with a sentence."""
    if field.kind is Kind.REFERENCE and not field.several and text and not text.strip().isdecimal():
        raise ValueError("no match: choose one of the list, or type an id")
    if field.kind is not Kind.MOMENT:
        return text
    try:
        moment = read_moment(text)
    except ValueError:
        moment = None
    if moment is None:
        raise ValueError("use YYYY-MM-DD or YYYY-MM-DD HH:MM:SS")
    return moment


def part_path(field: str, type_: str, part: str) -> str:
    """The path of one part of a payload; what was typed for another type has a path of its own."""
    return f"{field}.{type_}.{part}"


def _payload_texts(model: type[BaseModel], field: Field, record: Mapping[str, object]) -> dict[str, str]:
    mark = mark_of(model, field.name, PayloadOf)
    type_ = text_of(record.get(mark.type_field)) if mark else ""
    texts = {mark.type_field: type_} if mark and type_ else {}
    data = record.get(field.name)
    if not isinstance(data, str | Mapping):
        return texts
    try:
        payload = payload_from(type_, data)
    except ValueError:
        return texts
    parts = texts_of(type(payload), payload.given())
    return texts | {part_path(field.name, type_, part): text for part, text in parts.items()}
