"""What many rows have in a field, without reading the rows: straight from what came, to the same effect.

A row that is read whole costs twenty times what one of its fields does. So filter and order look at fields,
and rows are read when they are shown. Where a field's text is unusual, its row is read after all, so that a
value here is always the one that the row itself would give.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Generic, TypeVar, cast

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
from linkdash.api.model import Record, Unreadable, member_names
from linkdash.api.pages import Rows
from linkdash.api.raw_rows import MISSING, RawRows
from linkdash.api.text import MAX_LENGTH
from linkdash.model.columns import Odd, value_of
from linkdash.model.steps import A_FEW, A_STEP, Steps

T = TypeVar("T", bound=Record)
RowsOf = Sequence[T | Unreadable]
Read = Callable[[Sequence[object]], list[object]]
"""What some members are as values. Raises ValueError where the row of one has to be looked at."""

SEPARATOR = "\n"
"""Between the texts of one row; no text of a row holds it, as its line ends were made visible."""

_LARGE_NUMBER = 2**62
_READERS = frozenset({read_count, read_day, read_flag, read_identifier, read_moment, read_text})


class Values(Generic[T]):
    """The values of rows, field by field. A field is looked at once, when it is first asked for."""

    def __init__(self, rows: RowsOf[T]) -> None:
        self.rows = rows
        self._fields: dict[str, Sequence[object]] = {}
        self._texts: dict[tuple[Field, ...], Sequence[str]] = {}
        self._unreadable: frozenset[int] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, name: str) -> Steps[Sequence[object]]:
        """What each row has in a field: as `value_of` would say, and None for one that is unreadable."""
        if name not in self._fields:
            self._fields[name] = yield from self._read(name)
        return self._fields[name]

    def unreadable(self) -> Steps[frozenset[int]]:
        """Where rows stand that are no record."""
        if self._unreadable is None:
            yield from self._find_unreadable()
        return self._unreadable or frozenset()

    def texts(self, fields: tuple[Field, ...]) -> Steps[Sequence[str]]:
        """The texts of these fields, in each row one after the other, without regard to case."""
        if fields not in self._texts:
            self._texts[fields] = yield from self._joined(fields)
        return self._texts[fields]

    # ---- reading a field ----

    def _read(self, name: str) -> Steps[Sequence[object]]:
        unreadable = yield from self.unreadable()
        straight = _straight(self.rows, name)
        if straight is None:
            return (yield from self._looked_up(name, unreadable))
        members, read = straight
        values: list[object] = []
        for start in range(0, len(members), A_STEP):
            part = members[start : start + A_STEP]
            try:
                values += read(part)
            except ValueError:
                one = [self._value(start + offset, raw, read, name) for offset, raw in enumerate(part)]
                values += one
            yield
        for index in _whole(self.rows):
            values[index] = self._value_in_row(index, name)
        return values

    def _value(self, index: int, raw: object, read: Read, name: str) -> object:
        try:
            return read([raw])[0]
        except ValueError:
            return self._value_in_row(index, name)

    def _value_in_row(self, index: int, name: str) -> object:
        row = self.rows[index]
        return None if isinstance(row, Unreadable) else value_of(row, name)

    def _looked_up(self, name: str, unreadable: frozenset[int]) -> Steps[Sequence[object]]:
        values: list[object] = []
        for index, row in enumerate(self.rows):
            if index % A_FEW == 0:
                yield
            values.append(None if index in unreadable else value_of(row, name))
        return values

    def _find_unreadable(self) -> Steps[None]:
        straight = _straight(self.rows, "id")
        found: set[int] = set()
        if straight is None:
            for index, row in enumerate(self.rows):
                if index % A_FEW == 0:
                    yield
                if isinstance(row, Unreadable):
                    found.add(index)
        else:
            yield from self._find_without_id(*straight, found)
        self._unreadable = frozenset(found)

    def _find_without_id(self, members: Sequence[object], read: Read, found: set[int]) -> Steps[None]:
        ids: list[object] = []
        for start in range(0, len(members), A_STEP):
            part = members[start : start + A_STEP]
            try:
                ids += read(part)
            except ValueError:
                for index, raw in enumerate(part, start):
                    ids.append(self._value(index, raw, read, "id"))
                    if ids[-1] is None:
                        found.add(index)
            yield
        self._fields["id"] = ids

    # ---- texts to search ----

    def _joined(self, fields: tuple[Field, ...]) -> Steps[Sequence[str]]:
        columns: list[Sequence[object]] = []
        for field in fields:
            column = yield from self.of(field.name)
            columns.append(column)
        unreadable = yield from self.unreadable()
        joined: list[str] = []
        for start in range(0, len(self.rows), A_STEP):
            parts = [
                _texts(column[start : start + A_STEP], field)
                for field, column in zip(fields, columns, strict=True)
            ]
            joined += [text.casefold() for text in map(SEPARATOR.join, zip(*parts, strict=True))]
            yield
        for index in unreadable:
            row = self.rows[index]
            joined[index] = row.text.casefold() if isinstance(row, Unreadable) else ""
        return joined


def _texts(values: Sequence[object], field: Field) -> list[str]:
    """The texts of each value, as one."""
    if field.labels.names:
        return [SEPARATOR.join(texts_of(value, field)) for value in values]
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
    """What came for a field in each row, and how it is read; None where only the row can tell."""
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


def _whole(rows: Sequence[object]) -> Sequence[int]:
    """Rows whose members are not kept one by one."""
    if isinstance(rows, Rows) and isinstance(rows.raw, RawRows):
        return rows.raw.whole
    return ()


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
    """The names under which a field may come, and how its value is read.

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
    if reader is None or field.default_factory is not None:
        return None
    return member_names(name, field), _with_default(reader, field.get_default(), required=field.is_required())


def _with_default(reader: Callable[[object], object], default: object, *, required: bool) -> Read:
    def one(raw: object) -> object:
        if raw is not MISSING:
            return reader(raw)
        if required:
            raise ValueError("missing")
        return default

    def read(part: Sequence[object]) -> list[object]:
        return list(part) if _stay(reader, part) else [one(raw) for raw in part]

    return read


def _stay(reader: Callable[[object], object], part: Sequence[object]) -> bool:
    """Whether all these are read as what they are: ordinary texts, ordinary numbers."""
    types = set(map(type, part))
    if reader is read_text and types == {str}:
        texts = cast(Sequence[str], part)
        return "".join(texts).isprintable() and max(map(len, texts)) <= MAX_LENGTH
    if reader in (read_count, read_identifier) and types == {int}:
        numbers = cast(Sequence[int], part)
        return min(numbers) >= 1 and max(numbers) < _LARGE_NUMBER
    return False
