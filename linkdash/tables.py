"""Tables of a TOML file, read into dataclasses: what a setting may be is said once, by the type of its field.

A field is `Annotated` with its description, with functions that raise ValueError for what does not fit, and
with what its JSON schema says besides. Light, since the dashboard reads its settings before it paints.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from linkdash.api.secret import SecretStr
from linkdash.api.text import inert

T = TypeVar("T")

Place = tuple[str, ...]
"""The names that lead to a setting, from the top of the file on."""
Problems = dict[Place, str]
"""What is wrong with a setting, by its place."""

_WORDS = {str: "text", SecretStr: "text", bool: "true or false", int: "a whole number"}


class Wrong(Exception):
    """A value is left out; why is among the problems."""


def read_table(kind: type[T], data: Mapping[str, object], problems: Problems, place: Place = ()) -> T:
    """A table as a dataclass of this kind, without what is wrong in it, which is added to the problems.

    Raises Wrong for one that lacks what has to be there, or whose `__post_init__` raises ValueError.
    """
    known = fields_of(kind)
    values: dict[str, object] = {}
    for name, value in data.items():
        here = (*place, name)
        if name not in known:
            problems[here] = f"{_words(here)} is not a setting"
            continue
        try:
            values[name] = _read(known[name][1], value, problems, here)
        except Wrong:
            continue
    for name, (one, _) in known.items():
        if name not in values and one.default is MISSING and one.default_factory is MISSING:
            if name not in data:
                problems[place] = f"{_words(place)}: {name} is missing"
            raise Wrong
    try:
        return kind(**values)
    except ValueError as error:
        problems[place] = f"{_words(place)}: {error}"
        raise Wrong from None


def fields_of(kind: type[object]) -> Mapping[str, tuple[Field[object], object]]:
    """The fields of a dataclass with their types, by name."""
    types = get_type_hints(kind, include_extras=True)
    found = fields(kind)  # type: ignore[arg-type]  # a dataclass, which `type` cannot say
    return {one.name: (one, types[one.name]) for one in found}


def _read(kind: object, value: object, problems: Problems, place: Place) -> object:
    """A value of a type. Raises Wrong, with the reason among the problems."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _checked(arguments[1:], _read(arguments[0], value, problems, place), problems, place)
    if origin is list and isinstance(value, list):
        return [_read(arguments[0], one, problems, place) for one in value]
    if origin is dict and isinstance(value, dict):
        return _read_all(arguments[1], value, problems, place)
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        return read_table(kind, value, problems, place)
    if kind is SecretStr and isinstance(value, str):
        return SecretStr(value)
    allowed = arguments if origin is UnionType else (kind,)
    if type(value) in allowed:
        return value
    problems[place] = f"{_words(place)}: should be {_expected(kind)}"
    raise Wrong


def _read_all(kind: object, data: dict[str, object], problems: Problems, place: Place) -> dict[str, object]:
    """The members of a table whose names are free, without those that are wrong."""
    found = {}
    for name, value in data.items():
        try:
            found[name] = _read(kind, value, problems, (*place, name))
        except Wrong:
            continue
    return found


def _checked(checks: tuple[Any, ...], value: object, problems: Problems, place: Place) -> object:
    try:
        for check in filter(callable, checks):
            check(value)
    except ValueError as error:
        problems[place] = f"{_words(place)}: {error}"
        raise Wrong from None
    return value


def _words(place: Place) -> str:
    return inert(".".join(place))


def _expected(kind: object) -> str:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is list:
        return "a list"
    if origin is UnionType:
        return " or ".join(map(_expected, arguments))
    return _WORDS.get(cast("type", kind), "a table")


# ---- for editors ----

_TYPES: Mapping[object, str] = {str: "string", bool: "boolean", int: "integer"}


def schema(kind: type[object]) -> dict[str, object]:
    """The JSON schema of a table."""
    known = fields_of(kind)
    members = {name: _schema(of) for name, (_, of) in known.items()}
    required = [
        name for name, (one, _) in known.items() if one.default is MISSING and one.default_factory is MISSING
    ]
    return {"type": "object", "properties": members, "required": required, "additionalProperties": False}


def _schema(kind: Any) -> dict[str, object]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        found = _schema(arguments[0])
        for extra in arguments[1:]:
            found |= extra if isinstance(extra, dict) else {}
            found |= {"description": extra} if isinstance(extra, str) else {}
        return found
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1])}
    if origin is UnionType:
        return {"anyOf": [_schema(one) for one in arguments]}
    if kind is SecretStr:
        return {"type": "string", "format": "password", "writeOnly": True}
    return schema(kind) if kind not in _TYPES else {"type": _TYPES[kind]}
