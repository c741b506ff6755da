"""Values as people type, paste and save them, read for requests: one reading for every way in."""

import json
from collections.abc import Mapping

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import Field, Kind, fields_of, stripped
from linkdash.api.folded_text import folded
from linkdash.api.http.secrecy import is_secret
from linkdash.api.inert_text import check_encodable
from linkdash.api.records import Body
from linkdash.model.file_text import NOTHING_SENT


def typed(field: Field, value: object) -> object:
    """A value without what shows nothing around it, a label as its word, JSON as what it says.

    A secret is taken as it is. Raises ValueError with a sentence.
    """
    if field.kind is Kind.SECRET:
        return value
    if field.kind is Kind.PAYLOAD:
        return _content(value)
    if not isinstance(value, str):
        return value
    text = stripped(value)
    words = {folded(str(label)): word for word, label in field.labels.names.items()}
    return words.get(folded(text), text)


def sendable(field: Field, value: object) -> object:
    """A value as `typed` reads it, that can be sent. Raises InvalidBody, with the field named."""
    try:
        read = typed(field, value)
        check_values(read)
    except ValueError as error:
        raise InvalidBody(f"{field.name}: {error}.", NOTHING_SENT) from None
    return read


def sendable_members(model: type[Body], members: Mapping[str, object]) -> dict[str, object]:
    """The same of members by name; one that the request does not have is left to it. Raises InvalidBody."""
    fields = {field.name: field for field in fields_of(model)}
    return {
        name: sendable(fields[name], value) if name in fields else value for name, value in members.items()
    }


def check_values(value: object) -> None:
    """Raise ValueError for a text, or one inside a content, that cannot be sent."""
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
    for part in parts:
        if isinstance(part, str):
            check_encodable(part)


def _content(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: part if is_secret(str(name)) else _bare(part) for name, part in value.items()}
    if not isinstance(value, str):
        return value
    text = stripped(value)
    if text[:1] not in ("{", "["):
        return text
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("this is not valid JSON") from None
    return _content(data) if isinstance(data, Mapping) else data


def _bare(value: object) -> object:
    return stripped(value) if isinstance(value, str) else value
