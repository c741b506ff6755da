"""Values that are read without their record: which readers can be asked alone, and what they leave as it is.

A record that is read whole costs twenty times what one of its members does, and most values are ordinary: of
many at once it is seen that each stays what it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from types import NoneType
from typing import cast

from pydantic import BeforeValidator

from linkdash.api.fields import (
    read_count,
    read_day,
    read_flag,
    read_identifier,
    read_moment,
    read_text,
    write_moment,
)
from linkdash.api.records import Record

Read = Callable[[object], object]
_LARGEST_NUMBER = 2**63 - 1


def are_texts(values: Sequence[object]) -> bool:
    """Return whether all are texts, without halves of characters."""
    if {*map(type, values)} != {str}:
        return False
    try:
        "".join(cast("Sequence[str]", values)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _are_counts(values: Sequence[object]) -> bool:
    return _are_numbers(values, -_LARGEST_NUMBER)


def _are_identifiers(values: Sequence[object]) -> bool:
    return _are_numbers(values, 1)


def _are_numbers(values: Sequence[object], least: int) -> bool:
    if {*map(type, values)} != {int}:
        return False
    numbers = cast("Sequence[int]", values)
    return min(numbers) >= least and max(numbers) <= _LARGEST_NUMBER


def _never(_values: Sequence[object]) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class PlainReader:
    """The reader of a field's value, where it alone has a say. All raise ValueError for what is no value."""

    read: Read
    as_json: Read
    """The value as JSON has it."""
    are_unchanged: Callable[[Sequence[object]], bool] = _never
    """Tells of many values at once that `read` and `as_json` leave each as it is."""


def _text_as_json(value: object) -> str:
    text = value if type(value) is str else read_text(value)
    if not text.isascii():
        text.encode()  # halves of characters are no text: that is a ValueError
    return text


def _moment_as_json(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("no ordinary moment")
    return _written(value)


@lru_cache(maxsize=20_000)
def _written(text: str) -> str | None:
    moment = read_moment(text)
    return None if moment is None else write_moment(moment)


def _day_as_json(value: object) -> str | None:
    day = read_day(value)
    return None if day is None else day.isoformat()


_READERS = (
    PlainReader(read_text, _text_as_json, are_texts),
    PlainReader(read_count, read_count, _are_counts),
    PlainReader(read_identifier, read_identifier, _are_identifiers),
    PlainReader(read_flag, read_flag),
    PlainReader(read_moment, _moment_as_json),
    PlainReader(read_day, _day_as_json),
)


def reader_of(model: type[Record], name: str) -> PlainReader | None:
    """The reader of a field's value.

    None where more than its own reader has a say: validators of the model or of the field, or no reader.
    """
    field = model.model_fields.get(name)
    decorators = model.__pydantic_decorators__
    if field is None or decorators.model_validators or decorators.field_validators:
        return None
    validators = [mark for mark in field.metadata if hasattr(mark, "__get_pydantic_core_schema__")]
    if len(validators) != 1 or not isinstance(validators[0], BeforeValidator):
        return None
    reader = next((known for known in _READERS if known.read is validators[0].func), None)
    return None if field.default_factory is not None else reader


def read_all(reader: PlainReader, values: Sequence[object]) -> list[object]:
    """Read many values, quickly where they are ordinary. Raises ValueError where one is no value."""
    if reader.are_unchanged(values):
        return list(values)
    moments = _moments(values) if reader.read is read_moment else None
    return [*map(reader.read, values)] if moments is None else [*moments]


def _moments(values: Sequence[object]) -> Sequence[datetime | None] | None:
    """The moments of ordinary texts, quickly; None where one of them is not ordinary."""
    if not set(map(type, values)) <= {str, NoneType}:
        return None
    texts = cast("Sequence[str | None]", values)
    try:
        known = {text: datetime.fromisoformat(text) if text else None for text in set(texts)}
    except ValueError:
        return None
    if any(moment is not None and moment.tzinfo for moment in known.values()):
        return None
    return [known[text] for text in texts]
