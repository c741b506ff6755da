"""The rows of a large answer as they came, kept member by member: half of what as many maps take."""

import enum
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Final, Literal, TypeAlias, overload

_MOST_MEMBERS = 64  # different ones that are kept one by one; a row with more news stays as it came


class _Missing(enum.Enum):
    MISSING = enum.auto()


MISSING: Final = _Missing.MISSING
"""Stands where a row lacks a member."""
Missing: TypeAlias = Literal[_Missing.MISSING]


class RawRows(Sequence[object]):
    """Rows of JSON values: a row is made again when it is looked at, a member of all rows is at hand."""

    def __init__(self, rows: Iterable[object] = ()) -> None:
        self._length = 0
        self._members: dict[str, list[object]] = {}
        self._whole: dict[int, object] = {}
        self.extend(list(rows))

    def extend(self, rows: Sequence[object]) -> None:
        """Adds rows at the end, some hundred at a time: that takes a moment."""
        if not self._extend_alike(rows):
            for row in rows:
                self._append(row)

    def _extend_alike(self, rows: Sequence[object]) -> bool:
        """Adds rows that have the very members of those before; False where they do not."""
        maps = [row for row in rows if isinstance(row, dict)]
        if not maps or len(maps) < len(rows) or (self._length and not self._members):
            return False
        names = [*(self._members or maps[0])]
        if len(names) > _MOST_MEMBERS or any(len(row) != len(names) for row in maps):
            return False
        try:
            found = [list(map(itemgetter(name), maps)) for name in names]
        except KeyError:
            return False
        for name, values in zip(names, found, strict=True):
            self._members.setdefault(name, []).extend(values)
        self._length += len(maps)
        return True

    def _append(self, row: object) -> None:
        members = row if isinstance(row, dict) and self._has_room(row) else None
        if members is None:
            self._whole[self._length] = row
            members = {}
        for name in members.keys() - self._members.keys():
            self._members[name] = [MISSING] * self._length
        for name, values in self._members.items():
            values.append(members.get(name, MISSING))
        self._length += 1

    def _has_room(self, row: dict[str, object]) -> bool:
        """Whether the members of a row can be kept one by one; one without any would be no row at all."""
        return bool(row) and len(self._members.keys() | row.keys()) <= _MOST_MEMBERS

    def spliced(self, start: int, end: int, rows: Sequence[object]) -> "RawRows":
        """The same rows with others in the place of those from `start` to `end`."""
        between = RawRows(rows)
        made = RawRows()
        for name in {**self._members, **between._members}:
            values = made._members[name] = list(self.member(name))
            values[start:end] = between.member(name)
        moved = len(between) - (end - start)
        made._whole = {index: row for index, row in self._whole.items() if index < start}
        made._whole |= {start + index: row for index, row in between._whole.items()}
        made._whole |= {index + moved: row for index, row in self._whole.items() if index >= end}
        made._length = self._length + moved
        return made

    def member(self, name: str) -> Sequence[object]:
        """What each row has under a name, or MISSING; also MISSING for each row of `whole`."""
        return self._members.get(name) or [MISSING] * self._length

    @property
    def whole(self) -> Sequence[int]:
        """Where rows stand that are no maps, or have too many unusual members to keep those one by one."""
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

    def _slice(self, positions: range) -> list[object]:
        if not self._members or self._whole or positions.step != 1:
            return [self[position] for position in positions]
        parts = [values[positions.start : positions.stop] for values in self._members.values()]
        if any(MISSING in part for part in parts):
            return [self[position] for position in positions]
        names = tuple(self._members)
        return [dict(zip(names, values, strict=True)) for values in zip(*parts, strict=True)]

    def __iter__(self) -> Iterator[object]:
        return map(self.__getitem__, range(self._length))

    def __repr__(self) -> str:
        return f"<{self._length} rows>"  # they can hold secrets
