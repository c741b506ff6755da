"""Between the values of a request model and the texts in a form's inputs."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import BaseModel, SecretStr

from linkdash.api.fields import Field, Kind, PayloadOf, fields_of, mark_of, read_moment, write_moment
from linkdash.api.payloads import payload_from

ON, OFF = "true", "false"
"""The texts of a flag; "" is one that nobody touched."""


def texts_of(model: type[BaseModel], record: Mapping[str, object]) -> dict[str, str]:
    """The texts of the members of `record` that `model` has, by path.

    A path is a field's name, or `data.wifi.ssid` for a part of a payload. Secrets are left out: what is
    kept secret is never put back into an input.
    """
    texts: dict[str, str] = {}
    for field in fields_of(model):
        if field.kind is Kind.PAYLOAD:
            texts |= _payload_texts(model, field, record)
        elif field.kind is not Kind.SECRET and field.name in record:
            texts[field.name] = text_of(record[field.name])
    return texts


def default_texts(model: type[BaseModel]) -> dict[str, str]:
    """The texts of the values that members have when they are left alone, where that is any."""
    defaults = {
        name: info.get_default() for name, info in model.model_fields.items() if not info.is_required()
    }
    return {name: text for name, text in texts_of(model, defaults).items() if text}


def text_of(value: object) -> str:
    """A value as a person would type it; nothing for None."""
    if value is None or isinstance(value, SecretStr):
        return ""
    if isinstance(value, bool):
        return ON if value else OFF
    return write_moment(value) if isinstance(value, datetime) else str(value)


def flag_word(text: str) -> str:
    """The text of a flag in words."""
    return "yes" if text == ON else "no"


def value_of(field: Field, text: str) -> object:
    """What the model is given for `text`. Raises ValueError with a sentence for a person."""
    if field.kind is not Kind.MOMENT:
        return text
    try:
        moment = read_moment(text)
    except ValueError:
        moment = None
    if moment is None:
        raise ValueError("write a moment as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS")
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
