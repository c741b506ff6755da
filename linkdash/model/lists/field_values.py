"""The values of many rows, field by field, and the texts in which words are looked for.

A row that is read whole costs twenty times what one of its fields does. So filter and order look at fields,
and rows are read when they are shown: of 100,000, only those cost. Where a field's text is unusual, its row
is read after all, so that a value here is always the one that the row itself would give.
"""

from collections.abc import Callable, Sequence, Set
from datetime import date, datetime
from functools import cache
from typing import Generic, TypeVar, cast

from linkdash.api.fields import Field
from linkdash.api.folded_text import folded
from linkdash.api.http.compact_list import CompactList
from linkdash.api.http.raw_rows import MISSING, RawRows
from linkdash.api.inert_text import safe_text
from linkdash.api.paging import Rows
from linkdash.api.records import Record, Unreadable, member_names
from linkdash.api.slices import SLICE_SIZE, SMALL_SLICE, Slices
from linkdash.model.lists.columns import Odd, Rank, value_of
from linkdash.model.lists.plain_values import PlainReader, read_all, reader_of

T = TypeVar("T", bound=Record)
RowsOf = Sequence[T | Unreadable]
ReadMany = Callable[[Sequence[object]], list[object]]
"""A function that reads some members. Raises ValueError where the row of one has to be looked at."""

SEPARATOR = "\0"
"""Between the texts of one row; a text that holds it is searched as two."""

_PLAIN = frozenset({int, bool, datetime, date})
"""Types of which each value, and not only some, is looked for as `str` writes it."""


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

    def _one(self, index: int, raw: object, read: ReadMany, name: str) -> object:
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
            texts = [*map(folded, map(SEPARATOR.join, zip(*parts, strict=True)))]
            for index in unreadable & frozenset(range(start, start + len(texts))) if unreadable else ():
                row = self.rows[index]
                texts[index - start] = folded(row.text) if isinstance(row, Unreadable) else ""
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


def _straight(rows: Sequence[object], name: str) -> tuple[Sequence[object], ReadMany] | None:
    """Return what came for a field in each row, and how it is read; None where only the row can tell."""
    if not isinstance(rows, Rows):
        return None
    model: type[Record] = rows.model
    known = _reader(model, name)
    if known is None:
        return None
    names, read = known
    if rows.safe_text:
        read = _safely(read)
    if isinstance(rows.raw, RawRows):
        found = [rows.raw.member(name) for name in names]
        members = found[0] if len(found) == 1 else [_first(values) for values in zip(*found, strict=True)]
    else:
        members = [_member(raw, names) for raw in rows.raw]
    return members, read


def _safely(read: ReadMany) -> ReadMany:
    """The same, with texts that are safe to show, as those of a record are."""

    def read_safely(part: Sequence[object]) -> list[object]:
        values = read(part)
        texts = [value for value in values if type(value) is str]
        joined = "".join(texts)
        if joined.isascii() and joined.isprintable():
            return values
        return [safe_text(value) if isinstance(value, str) else value for value in values]

    return read_safely


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
def _reader(model: type[Record], name: str) -> tuple[tuple[str, ...], ReadMany] | None:
    """The names under which a field may come, and how its value is read; None where `reader_of` is."""
    reader = reader_of(model, name)
    if reader is None:
        return None
    field = model.model_fields[name]
    return member_names(name, field), _with_default(reader, field.get_default(), required=field.is_required())


def _with_default(reader: PlainReader, default: object, *, required: bool) -> ReadMany:
    def read(part: Sequence[object]) -> list[object]:
        if MISSING not in part:
            return read_all(reader, part)
        if required:
            raise ValueError("missing")
        return [default if raw is MISSING else reader.read(raw) for raw in part]

    return read
