"""The members of many rows as an export has them, straight from what came: no record is made for it.

A record costs twenty times what its members do. A row is taken member by member by the readers that its model
has for them; one that is not ordinary is read as a record after all, so that what comes out is always what
the record would give.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from types import NoneType
from typing import TypeVar

from linkdash.api.fields import Kind, fields_of
from linkdash.api.http.raw_rows import RawRows
from linkdash.api.http.secrecy import MASK, is_secret, masked
from linkdash.api.paging import Rows
from linkdash.api.records import MOST_MEMBERS, Record, Unreadable, member_names
from linkdash.api.slices import at_once
from linkdash.model.lists.field_values import Values
from linkdash.model.lists.plain_values import PlainReader, are_texts, reader_of
from linkdash.model.lists.rows import PickedRows

T = TypeVar("T", bound=Record)
Made = TypeVar("Made")
Members = dict[str, object]

_AT_ONCE = 500
_SECRET = frozenset({str, NoneType})
_NAMED = "value"  # can be a secret by what stands in the member beside it


@dataclass(frozen=True)
class _Recipe:
    """A conversion of rows that have the same members into plain members."""

    blank: dict[str, object]
    """Every name in its order, with what stands there where the member is missing."""
    taken: tuple[tuple[str, str, PlainReader], ...]
    """A name, the member that it comes from, and what reads its value."""
    secrets: tuple[str, ...]
    """Members that are left out."""

    def members(self, row: Members) -> Members:
        """Raise ValueError for a value that only the record can tell."""
        found = self.blank.copy()
        for name, member, reader in self.taken:
            found[name] = reader.as_json(row[member])
        for member in self.secrets:
            if type(row[member]) not in _SECRET:
                raise ValueError("no ordinary secret")
        return found

    def members_of_each(self, columns: Mapping[str, Sequence[object]]) -> list[Members]:
        """The members of rows that are given member by member, which takes a third of the time.

        Raises ValueError where one of the rows holds a value that only the record can tell.
        """
        if any(not _SECRET.issuperset(map(type, columns[member])) for member in self.secrets):
            raise ValueError("no ordinary secret")
        count = len(next(iter(columns.values())))
        found: dict[str, Iterable[object]] = {
            name: repeat(value, count) for name, value in self.blank.items()
        }
        for name, member, reader in self.taken:
            values = columns[member]
            found[name] = values if reader.are_unchanged(values) else map(reader.as_json, values)
        return [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]


def members_of(
    rows: Sequence[T | Unreadable], of_row: Callable[[T | Unreadable], Made], wanted: Collection[str] = ()
) -> Iterator[Made | Members]:
    """The members of each row that is an ordinary record, and what `of_row` gives for any other.

    A record that has more to say than its members is asked where one of `wanted` is not among them.
    """
    if isinstance(rows, Rows):
        for start in range(0, len(rows), _AT_ONCE):
            end = min(start + _AT_ONCE, len(rows))
            alike = _of_alike(rows.model, rows.raw, start, end, wanted)
            if alike is not None:
                yield from alike
                continue
            for place, raw in enumerate(rows.raw[start:end], start):
                found = _straight(rows.model, raw, wanted)
                yield of_row(rows[place]) if found is None else found
    elif isinstance(rows, PickedRows) and isinstance(rows.rows, Rows):
        for place in rows.positions:
            found = _straight(rows.rows.model, rows.rows.raw[place], wanted)
            yield of_row(rows.rows[place]) if found is None else found
    else:
        yield from map(of_row, rows)


def has_unreadable(rows: Sequence[T | Unreadable]) -> bool:
    """Return whether a row is no record; ordinary ones are not read for it."""
    if isinstance(rows, PickedRows) and isinstance(rows.rows, Rows):
        return not at_once(Values(rows.rows).unreadable()).isdisjoint(rows.positions)
    if isinstance(rows, Rows):
        return bool(at_once(Values(rows).unreadable()))
    return any(isinstance(row, Unreadable) for row in rows)


def _of_alike(
    model: type[Record], raw: Sequence[object], start: int, end: int, wanted: Collection[str]
) -> list[Members] | None:
    """The members of ordinary rows that have the same names; None where a row has to be looked at alone."""
    columns = raw.columns(start, end) if isinstance(raw, RawRows) else None
    recipe = None if columns is None else _recipe(model, tuple(columns))
    if columns is None or recipe is None or not recipe.blank.keys() >= {*wanted}:
        return None
    try:
        return recipe.members_of_each(columns)
    except ValueError:
        return None


def _straight(model: type[Record], raw: object, wanted: Collection[str]) -> Members | None:
    if not isinstance(raw, dict) or len(raw) > MOST_MEMBERS:
        return None
    recipe = _recipe(model, tuple(raw))
    if recipe is None or not recipe.blank.keys() >= {*wanted}:
        return None
    try:
        return recipe.members(raw)
    except ValueError:
        return None


@lru_cache(maxsize=500)  # the rows of a list have the same names
def _recipe(model: type[Record], members: tuple[str, ...]) -> _Recipe | None:
    """None where only the record can tell: unusual names, fields with rules of their own."""
    blank: dict[str, object] = {}
    taken: list[tuple[str, str, PlainReader]] = []
    secrets: list[str] = []
    rest = dict.fromkeys(members)
    kinds = {field.name: field.kind for field in fields_of(model)}
    for name, field in model.model_fields.items():
        present = [member for member in dict.fromkeys(member_names(name, field)) if member in rest]
        for member in present:
            del rest[member]
        reader, is_hidden = reader_of(model, name), kinds[name] is Kind.SECRET
        if len(present) > 1 or (field.is_required() and not present) or (reader is None and not is_hidden):
            return None
        if is_hidden:
            secrets += present
            continue
        blank[name] = None if field.is_required() else field.get_default()
        if present and reader is not None:
            taken.append((name, present[0], reader))
    if not _is_ordinary(model, blank, rest):
        return None
    taken += [(member, member, _HIDDEN if is_secret(member) else _UNKNOWN) for member in rest]
    return _Recipe(blank | rest, tuple(taken), tuple(secrets))


def _is_ordinary(model: type[Record], blank: Mapping[str, object], rest: Iterable[str]) -> bool:
    """Return whether names alone tell what each member is."""
    if not all(isinstance(default, str | int | None) for default in blank.values()):
        return False
    if any(is_secret(name) for name in blank) or not all(name.isascii() for name in rest):
        return False
    return _NAMED not in {*blank, *rest} and model.model_fields.keys().isdisjoint(rest)


def _hidden(value: object) -> object:
    return value if value in (None, "") else MASK


_HIDDEN = PlainReader(_hidden, _hidden)
_UNKNOWN = PlainReader(masked, masked, are_texts)
