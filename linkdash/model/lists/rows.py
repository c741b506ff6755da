"""Rows in great numbers: a field of all of them without reading each, and sequences made when looked at.

A row that is read whole costs twenty times what one of its fields does. So filter and order look at fields,
and rows are read when they are shown: of 100,000, only those cost. Where a field's text is unusual, its row
is read after all, so that a value here is always the one that the row itself would give.
"""

from collections.abc import Callable, Hashable, Sequence, Set
from datetime import date, datetime
from functools import cache
from types import NoneType
from typing import Generic, TypeVar, cast, overload

from pydantic import BeforeValidator

from linkdash.api.fields import (
    Field,
    read_count,
    read_day,
    read_flag,
    read_identifier,
    read_moment,
    read_text,
)
from linkdash.api.http.large_answers import MISSING, CompactList, RawRows
from linkdash.api.paging import Rows
from linkdash.api.records import Record, Unreadable, member_names
from linkdash.api.slices import SLICE_SIZE, SMALL_SLICE, Slices
from linkdash.model.lists.columns import Odd, Rank, sampled, value_of

# ---- what rows have in a field ----

T = TypeVar("T", bound=Record)
RowsOf = Sequence[T | Unreadable]
Read = Callable[[Sequence[object]], list[object]]
"""A function that reads some members. Raises ValueError where the row of one has to be looked at."""

SEPARATOR = "\0"
"""Between the texts of one row; a text that holds it is searched as two."""

_LARGE_NUMBER = 2**62
_PLAIN = frozenset({int, bool, datetime, date})
"""Types of which each value, and not only some, is looked for as `str` writes it."""
_READERS = frozenset({read_count, read_day, read_flag, read_identifier, read_moment, read_text})


class Values(Generic[T]):
    """The values of rows, field by field, each looked at once, when it is first asked for.

    What is made is made for all who ask: two that work at the same time, in turns, go on where the other is.
    """

    def __init__(self, rows: RowsOf[T]) -> None:
        self.rows = rows
        self._fields: dict[str, CompactList[object]] = {}  # as far as they are read
        self._texts: dict[tuple[Field, ...], CompactList[str]] = {}  # as far as they are made
        self._unreadable: set[int] = set()
        self._looked_at = 0  # rows of which it is known whether they are unreadable

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, name: str) -> Slices[Sequence[object]]:
        """Return each row's value in a field, as `value_of` would, and None for an unreadable one."""
        values = self._fields.setdefault(name, CompactList())
        if len(values) < len(self.rows):
            yield from self._read(name, values)
        return values

    def unreadable(self) -> Slices[Set[int]]:
        """Return the positions of rows that are no record."""
        if self._looked_at < len(self.rows):
            yield from self._find_unreadable()
        return self._unreadable

    def texts(self, fields: tuple[Field, ...]) -> Slices[Sequence[str]]:
        """The texts of these fields, in each row one after the other, without regard to case."""
        joined = self._texts.setdefault(fields, CompactList())
        if len(joined) < len(self.rows):
            yield from self._join(fields, joined)
        return joined

    def ranks(self, rank: Callable[[T], Rank | None]) -> Slices[Sequence[Rank | None]]:
        """The `rank` of each row, which is read for it; None for one that is unreadable."""
        found: list[Rank | None] = []
        for row in self.rows:
            found.append(None if isinstance(row, Unreadable) else rank(row))
            if len(found) % SMALL_SLICE == 0:
                yield
        return found

    # ---- reading a field ----

    def _read(self, name: str, values: CompactList[object]) -> Slices[None]:
        unreadable = yield from self.unreadable()
        straight = _straight(self.rows, name)
        whole = _whole(self.rows)
        while (start := len(values)) < len(self.rows):
            if straight is None:
                some = range(start, min(start + SMALL_SLICE, len(self.rows)))
                found = [None if index in unreadable else self._in_row(index, name) for index in some]
            else:
                members, read = straight
                part = members[start : start + SLICE_SIZE]
                try:
                    found = read(part)
                except ValueError:
                    found = [self._one(index, raw, read, name) for index, raw in enumerate(part, start)]
                for index in whole.intersection(range(start, start + len(part))):
                    found[index - start] = self._in_row(index, name)
            values.extend(found)
            yield

    def _one(self, index: int, raw: object, read: Read, name: str) -> object:
        try:
            return read([raw])[0]
        except ValueError:
            return self._in_row(index, name)

    def _in_row(self, index: int, name: str) -> object:
        row = self.rows[index]
        return None if isinstance(row, Unreadable) else value_of(row, name)

    def _find_unreadable(self) -> Slices[None]:
        straight = _straight(self.rows, "id")
        while (start := self._looked_at) < len(self.rows):
            if straight is None:
                some = range(start, min(start + SMALL_SLICE, len(self.rows)))
                self._unreadable |= {index for index in some if isinstance(self.rows[index], Unreadable)}
                self._looked_at += len(some)
            else:
                members, read = straight
                part = members[start : start + SLICE_SIZE]
                try:
                    read(part)
                except ValueError:
                    ids = (self._one(index, raw, read, "id") for index, raw in enumerate(part, start))
                    self._unreadable |= {index for index, id in enumerate(ids, start) if id is None}
                self._looked_at += len(part)
            yield

    # ---- texts to search ----

    def _join(self, fields: tuple[Field, ...], joined: CompactList[str]) -> Slices[None]:
        """Go on where `joined` ends; others may do so between two steps."""
        columns: list[Sequence[object]] = []
        for field in fields:
            column = yield from self.of(field.name)
            columns.append(column)
        unreadable = yield from self.unreadable()
        while (start := len(joined)) < len(self.rows):
            parts = [
                _texts(column[start : start + SLICE_SIZE], field)
                for field, column in zip(fields, columns, strict=True)
            ]
            texts = [*map(str.casefold, map(SEPARATOR.join, zip(*parts, strict=True)))]
            for index in unreadable & frozenset(range(start, start + len(texts))) if unreadable else ():
                row = self.rows[index]
                texts[index - start] = row.text.casefold() if isinstance(row, Unreadable) else ""
            joined.extend(texts)
            yield


def _texts(values: Sequence[object], field: Field) -> list[str]:
    """The texts of each value, as one."""
    if field.labels.names:
        return [SEPARATOR.join(texts_of(value, field)) for value in values]
    types = set(map(type, values))
    if types == {str}:
        return list(cast("Sequence[str]", values))
    if len(types) == 1 and types <= _PLAIN:  # each different one is written once
        texts = {value: str(value) for value in set(values)}
        return [texts[value] for value in values]
    return [value if type(value) is str else _plain(value) for value in values]


def _plain(value: object) -> str:
    if value is None:
        return ""
    return value.text if isinstance(value, Odd) else str(value)


def texts_of(value: object, field: Field) -> list[str]:
    """The texts of a value in which words are looked for: its own, and what is shown for it."""
    text = _plain(value)
    label = field.labels.of(text)
    return [text] if label is text else [text, str(label)]


# ---- what came, and how it is read ----


def _straight(rows: Sequence[object], name: str) -> tuple[Sequence[object], Read] | None:
    """Return what came for a field in each row, and how it is read; None where only the row can tell."""
    if not isinstance(rows, Rows):
        return None
    model: type[Record] = rows.model
    known = _reader(model, name)
    if known is None:
        return None
    names, read = known
    if isinstance(rows.raw, RawRows):
        found = [rows.raw.member(name) for name in names]
        members = found[0] if len(found) == 1 else [_first(values) for values in zip(*found, strict=True)]
    else:
        members = [_member(raw, names) for raw in rows.raw]
    return members, read


def _whole(rows: Sequence[object]) -> frozenset[int]:
    """Rows whose members are not kept one by one."""
    if isinstance(rows, Rows) and isinstance(rows.raw, RawRows):
        return frozenset(rows.raw.whole)
    return frozenset()


def _first(values: Sequence[object]) -> object:
    return next((value for value in values if value is not MISSING), MISSING)


def _member(raw: object, names: Sequence[str]) -> object:
    if isinstance(raw, dict):
        for name in names:
            if name in raw:
                return raw[name]
    return MISSING


@cache
def _reader(model: type[Record], name: str) -> tuple[tuple[str, ...], Read] | None:
    """The names under which a field may come, and how its value is read; None where `reader_of` is."""
    reader = reader_of(model, name)
    if reader is None:
        return None
    field = model.model_fields[name]
    return member_names(name, field), _with_default(reader, field.get_default(), required=field.is_required())


def reader_of(model: type[Record], name: str) -> Callable[[object], object] | None:
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
    reader = next((known for known in _READERS if known is validators[0].func), None)
    return None if field.default_factory is not None else reader


def _with_default(reader: Callable[[object], object], default: object, *, required: bool) -> Read:
    def one(raw: object) -> object:
        if raw is not MISSING:
            return reader(raw)
        if required:
            raise ValueError("missing")
        return default

    def read(part: Sequence[object]) -> list[object]:
        if _stay(reader, part):
            return list(part)
        moments = _moments(part) if reader is read_moment else None
        return [one(raw) for raw in part] if moments is None else [*moments]

    return read


def _stay(reader: Callable[[object], object], part: Sequence[object]) -> bool:
    """Return whether all these are read unchanged: texts, ordinary numbers."""
    types = set(map(type, part))
    if reader is read_text and types == {str}:
        return True
    if reader in (read_count, read_identifier) and types == {int}:
        numbers = cast("Sequence[int]", part)
        return min(numbers) >= (1 if reader is read_identifier else 0) and max(numbers) < _LARGE_NUMBER
    return False


def _moments(part: Sequence[object]) -> Sequence[datetime | None] | None:
    """The moments of ordinary texts, quickly; None where one of them is not ordinary."""
    if not set(map(type, part)) <= {str, NoneType}:
        return None
    texts = cast("Sequence[str | None]", part)
    try:
        known = {text: datetime.fromisoformat(text) if text else None for text in set(texts)}
    except ValueError:
        return None
    if any(moment is not None and moment.tzinfo for moment in known.values()):
        return None
    return [known[text] for text in texts]


# ---- sequences made when they are looked at ----

Made = TypeVar("Made", covariant=True)
Item = TypeVar("Item")


class MappedSequence(Sequence[Made], Generic[Made]):
    """A sequence of what `make` makes of each item, when it is looked at."""

    def __init__(self, make: Callable[[Item], Made], items: Sequence[Item]) -> None:
        self._at: Callable[[int], Made] = lambda index: make(items[index])
        self._length = len(items)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Made: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Made]: ...
    def __getitem__(self, index: int | slice) -> Made | Sequence[Made]:
        if isinstance(index, slice):
            return [self._at(position) for position in range(*index.indices(self._length))]
        return self._at(range(self._length)[index])


class PickedRows(MappedSequence[T | Unreadable]):
    """Some of the rows of a list, in an order of their own."""

    def __init__(self, rows: RowsOf[T], positions: Sequence[int]) -> None:
        super().__init__(rows.__getitem__, positions)
        self.rows = rows
        self.positions = positions

    def index_of(self, key: Hashable) -> int | None:
        """Return the index of the row with a key."""
        position = index_of(self.rows, key)
        try:
            return None if position is None else self.positions.index(position)
        except ValueError:
            return None


def index_of(rows: RowsOf[T], key: Hashable) -> int | None:
    """Return the index of the row with this key, without reading more of the rows than needed."""
    if isinstance(rows, PickedRows):
        return rows.index_of(key)
    if isinstance(rows, Rows) and _is_id(rows) and isinstance(key, int):
        return rows.position(key)
    return next((index for index, row in enumerate(rows) if row.key == key), None)


def ready_to_show(rows: RowsOf[T]) -> Slices[None]:
    """Do what a table will ask of many rows, so that little is left to do when it shows them."""
    for position in sampled(len(rows)):
        _ = rows[position]  # it is kept
        yield
    yield from found_by_key(rows)


def found_by_key(rows: RowsOf[T]) -> Slices[None]:
    """Get ready to find rows by their keys."""
    yield
    if isinstance(rows, Rows) and _is_id(rows):
        yield from rows.find_places()


def keys(rows: RowsOf[T]) -> Slices[Sequence[Hashable]]:
    """The key of each row, None for one that is unreadable; where the id is the key, no row is read."""
    if isinstance(rows, PickedRows):
        of_all = (yield from keys(rows.rows))[:]
        yield
        return [of_all[position] for position in rows.positions]
    is_id = isinstance(rows, Rows) and _is_id(rows)
    return (yield from Values(rows).of("id" if is_id else "key"))


def each_once(parts: Sequence[Rows[T]]) -> Slices[Rows[T]]:
    """The rows of several pages of one list as one, each record once: where it comes first."""
    raw = RawRows()
    seen: set[Hashable] = set()
    for rows in parts:
        fresh = []
        for index, key in enumerate((yield from keys(rows))):
            known = rows[index].key if key is None else key
            if known not in seen:
                seen.add(known)
                fresh.append(rows.raw[index])
            if index % SLICE_SIZE == 0:
                yield
        raw.extend(fresh)
    return Rows(parts[0].model, raw)


def _is_id(rows: Rows[T]) -> bool:
    """Return whether the key of these rows is their id."""
    return rows.model.key is Record.key
