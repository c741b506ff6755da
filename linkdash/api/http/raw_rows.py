"""Rows as they came, kept member by member: an eighth of what as many maps take."""

import enum
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final, overload

from linkdash.api.http.compact_list import CompactList

_MOST_MEMBERS = 64  # different ones that are kept one by one; a row with more news stays as it came


class _Missing(enum.Enum):
    MISSING = enum.auto()


MISSING: Final = _Missing.MISSING
"""Stands where a row lacks a member."""


class RawRows(Sequence[object]):
    """Rows of JSON values: a row is made again when it is looked at, a member of all rows is at hand."""

    def __init__(self, rows: Sequence[object] = ()) -> None:
        self._length = 0
        self._members: dict[str, CompactList[object]] = {}
        self._whole: dict[int, object] = {}
        self.extend(rows)

    def extend(self, rows: Sequence[object]) -> None:
        """Add rows at the end, some hundred at a time: that takes a moment."""
        found = _alike(rows, self._members) if self._members else None
        for name, values in (self._unlike(rows) if found is None else found).items():
            if name not in self._members:
                self._members[name] = CompactList([MISSING] * self._length)
            self._members[name].extend(values)
        self._length += len(rows)

    def extend_columns(self, columns: Mapping[str, Sequence[object]]) -> None:
        """Add rows that are given member by member. Raises ValueError where there are not as many of each."""
        (count,) = {*map(len, columns.values())}
        is_new = columns.keys() != self._members.keys()
        if is_new and (self._length or len(columns) > _MOST_MEMBERS):
            self.extend(_rows_of(columns))
            return
        for name, values in columns.items():
            self._members.setdefault(name, CompactList()).extend(values)
        self._length += count

    def _unlike(self, rows: Sequence[object]) -> dict[str, list[object]]:
        """Return what rows of any kind have under each name; those whose members have no room stay as is."""
        names: dict[str, None] = dict.fromkeys(self._members)
        maps: list[dict[str, object]] = []
        for place, row in enumerate(rows, self._length):
            if type(row) is dict and row and len(names.keys() | row.keys()) <= _MOST_MEMBERS:
                names.update(dict.fromkeys(row))
                maps.append(row)
            else:  # one without any members would be no row at all, one with estimates knows which these are
                self._whole[place] = row
                maps.append({})
        return {name: [row.get(name, MISSING) for row in maps] for name in names}

    def spliced(self, start: int, end: int, rows: Sequence[object]) -> "RawRows":
        """The same rows with others in the place of those from `start` to `end`."""
        between = RawRows(rows)
        made = RawRows()
        for name in {**self._members, **between._members}:
            made._members[name] = self.member(name).spliced(start, end, between.member(name))
        moved = len(between) - (end - start)
        made._whole = {index: row for index, row in self._whole.items() if index < start}
        made._whole |= {start + index: row for index, row in between._whole.items()}
        made._whole |= {index + moved: row for index, row in self._whole.items() if index >= end}
        made._length = self._length + moved
        return made

    def with_member(self, name: str, values: Sequence[object]) -> "RawRows":
        """The same rows with these values under a name, or MISSING; the values of all others are shared."""
        made = RawRows()
        made._members = {**self._members, name: CompactList(values)}
        made._whole, made._length = self._whole, self._length
        return made

    @property
    def names(self) -> Collection[str]:
        """Names of the members that are kept one by one."""
        return self._members.keys()

    def member(self, name: str) -> CompactList[object]:
        """Return what each row has under a name, or MISSING; also MISSING for each row of `whole`."""
        return self._members.get(name) or CompactList([MISSING] * self._length)

    @property
    def whole(self) -> Sequence[int]:
        """Positions of rows that are no maps, or have too many unusual members to keep those one by one."""
        return tuple(self._whole)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> list[object]: ...
    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return self._slice(range(*index.indices(self._length)))
        position = range(self._length)[index]
        if position in self._whole:
            return self._whole[position]
        members = ((name, values[position]) for name, values in self._members.items())
        return {name: value for name, value in members if value is not MISSING}

    def columns(self, start: int, end: int) -> dict[str, list[object]] | None:
        """The values of the rows from `start` to `end` under each name; None where one lacks a member."""
        columns = {name: values[start:end] for name, values in self._members.items()}
        is_ragged = bool(self._whole) or any(MISSING in values for values in columns.values())
        return None if is_ragged or not columns else columns

    def _slice(self, positions: range) -> list[object]:
        columns = self.columns(positions.start, positions.stop) if positions.step == 1 else None
        return [self[position] for position in positions] if columns is None else _rows_of(columns)

    def __iter__(self) -> Iterator[object]:
        return map(self.__getitem__, range(self._length))

    def __repr__(self) -> str:
        return f"<{self._length} rows>"  # they can hold secrets


def _rows_of(columns: Mapping[str, Sequence[object]]) -> list[object]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _alike(rows: Sequence[object], names: Collection[str]) -> dict[str, list[object]] | None:
    """Return what rows that have these very members have under each name; None where one has not."""
    maps = [row for row in rows if type(row) is dict and len(row) == len(names)]
    if len(maps) < len(rows):
        return None
    try:
        return {name: list(map(itemgetter(name), maps)) for name in names}
    except KeyError:
        return None
