"""Large answers in little memory: they are read part by part, and their rows are kept as they came.

Reading 100,000 rows in one go would hold everything up: whoever reads JSON from C lets nothing else work
meanwhile, in whichever thread it is done, and a thread beside the event loop takes half of each of its turns.
So the loop reads them in slices. Kept member by member they take an eighth of as many maps.

Of a list of 100,000 short texts most is not text but the object around each, and the garbage collector looks
at all of them whenever it passes, which holds everybody up. So some hundred texts are kept as one.
"""

import enum
import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar, cast, overload

from pydantic_core import from_json

if TYPE_CHECKING:
    from linkdash.api.slices import Slices

# ---- many values in few objects ----

Value = TypeVar("Value")
_Block: TypeAlias = str | bytes | tuple[object, ...]
"""Texts with something between them, numbers of eight bytes each, or whatever else."""

_A_BLOCK = 100  # values that are taken apart to look at one of them: a microsecond
_BETWEEN = "\x1f"  # stands between texts; those that hold it are kept one by one


class CompactList(Sequence[Value]):
    """A list that grows at its end. What it gives is equal to what it was given, not the same object."""

    def __init__(self, values: Sequence[Value] = ()) -> None:
        self._blocks: list[_Block] = []
        self._ends: list[int] = []
        """The number of values up to the end of each block."""
        self.extend(values)

    def extend(self, values: Sequence[Value]) -> None:
        """Add values at the end; many at a time, as each time makes blocks of its own."""
        for start in range(0, len(values), _A_BLOCK):
            part = values[start : start + _A_BLOCK]
            self._add(_packed(part), len(part))

    def spliced(self, start: int, end: int, values: Sequence[Value]) -> "CompactList[Value]":
        """The same list with other values in the place of those from `start` to `end`."""
        first = min(bisect_right(self._ends, start), max(0, len(self._ends) - 1))
        after = min(bisect_left(self._ends, end) + 1, len(self._ends))
        begin, stop = self._start_of(first), self._start_of(after)
        made = CompactList[Value]()
        made._blocks, made._ends = self._blocks[:first], self._ends[:first]
        made.extend([*self[begin:start], *values, *self[end:stop]])
        for number in range(after, len(self._blocks)):
            made._add(self._blocks[number], self._ends[number] - self._start_of(number))
        return made

    def _add(self, block: _Block, length: int) -> None:
        self._blocks.append(block)
        self._ends.append(len(self) + length)

    def _start_of(self, number: int) -> int:
        return self._ends[number - 1] if number else 0

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        if isinstance(index, slice):
            return self._slice(range(len(self))[index])
        position = range(len(self))[index]
        number = bisect_right(self._ends, position)
        return cast("Value", _unpacked(self._blocks[number])[position - self._start_of(number)])

    def _slice(self, positions: range) -> list[Value]:
        if positions.step != 1:
            return [self[position] for position in positions]
        if not positions:
            return []
        first, last = bisect_right(self._ends, positions.start), bisect_left(self._ends, positions.stop)
        values = list(chain.from_iterable(map(_unpacked, self._blocks[first : last + 1])))
        begin = self._start_of(first)
        return cast("list[Value]", values[positions.start - begin : positions.stop - begin])

    def __iter__(self) -> Iterator[Value]:
        return cast("Iterator[Value]", chain.from_iterable(map(_unpacked, self._blocks)))

    def __repr__(self) -> str:
        return f"<{len(self)} values>"  # they can be secrets


def _packed(values: Sequence[object]) -> _Block:
    with suppress(TypeError):  # where not all are texts
        text = _BETWEEN.join(cast("Sequence[str]", values))
        return text if text.count(_BETWEEN) == len(values) - 1 else tuple(values)
    if set(map(type, values)) == {int}:
        with suppress(OverflowError):
            return array("q", cast("Sequence[int]", values)).tobytes()  # the collector looks at an array
    return tuple(values)


def _unpacked(block: _Block) -> Sequence[object]:
    if isinstance(block, str):
        return block.split(_BETWEEN)
    return memoryview(block).cast("q") if isinstance(block, bytes) else block


# ---- rows as they came ----

_MOST_MEMBERS = 64  # different ones that are kept one by one; a row with more news stays as it came


class _Missing(enum.Enum):
    MISSING = enum.auto()


MISSING: Final = _Missing.MISSING
"""Stands where a row lacks a member."""
Missing: TypeAlias = Literal[_Missing.MISSING]


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
            if isinstance(row, dict) and row and len(names.keys() | row.keys()) <= _MOST_MEMBERS:
                names.update(dict.fromkeys(row))
                maps.append(row)
            else:  # one without any members would be no row at all
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
    maps = [row for row in rows if isinstance(row, dict) and len(row) == len(names)]
    if len(maps) < len(rows):
        return None
    try:
        return {name: list(map(itemgetter(name), maps)) for name in names}
    except KeyError:
        return None


# ---- reading them ----

LARGE = 1024 * 1024
"""Bytes from which on an answer is read in parts."""

_A_PART = 128 * 1024  # bytes read in one go: a few milliseconds
_BEGINNING = 16 * 1024  # bytes in which the list of rows must begin
_TRIES = 3  # lists that may begin before that of the rows; more is not looked for
_CUTS = 20  # places tried as the end of a part: in rows that hold lists of maps, most are none
_BETWEEN_ROWS = re.compile(rb"\}\s*(,)\s*\{")
_MOST_LEVELS = 200  # of maps and lists within each other: whoever goes down into them does so by calls
_PLACE = "the rows stand here: 5f0c1d"

Clean = Callable[[bytes, object], object]
"""Takes out of what was read from some bytes what may not be kept."""


def read_large(body: bytes, clean: Clean) -> "Slices[object | None]":
    """Return the JSON value in `body`, its longest list as RawRows; None where it has no such list.

    A part is cut between two rows only: it must be JSON by itself, which a cut at any other place, within a
    text or a nested list, cannot give.
    """
    end = body.rfind(b"]")
    start = -1
    for _ in range(_TRIES):
        start = body.find(b"[", start + 1, _BEGINNING)
        if start < 0:
            return None
        with suppress(ValueError):
            rest = body[:start] + f'"{_PLACE}"'.encode() + body[end + 1 :]
            around = _read(rest, clean)
            rows = yield from _rows(body, start + 1, end, clean)
            return _with_rows(around, rows)
    return None


def _rows(body: bytes, start: int, end: int, clean: Clean) -> "Slices[RawRows]":
    """Return the rows between the brackets of a list. Raises ValueError where it is none, or has no cut."""
    rows = RawRows()
    while start < end:
        part, start = _part(body, start, end, clean)
        if isinstance(part, list):
            rows.extend(part)
        yield
    return rows


def _part(body: bytes, start: int, end: int, clean: Clean) -> tuple[object, int]:
    """A list of the next rows, and where those after it begin. Raises ValueError."""
    for _, cut in zip(range(_CUTS), _BETWEEN_ROWS.finditer(body, start + _A_PART, end), strict=False):
        with suppress(ValueError):
            return _read(b"[" + body[start : cut.start(1)] + b"]", clean), cut.end(1)
    return _read(b"[" + body[start:end] + b"]", clean), end


def _read(part: bytes, clean: Clean) -> object:
    return clean(part, read_json(part))


def read_json(text: bytes) -> object:
    """The JSON value in `text`. Raises ValueError.

    Its strings may hold what JSON forbids and services send all the same: control characters, halves of
    surrogate pairs. They stay what they are, as they are written back; what is no UTF-8 becomes U+FFFD.
    """
    with suppress(ValueError):
        return from_json(text, cache_strings="keys")  # few values are alike, and none is kept
    try:
        value: object = json.loads(text.decode("utf-8", "replace"), strict=False)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if _is_deeper(value, _MOST_LEVELS):
        raise ValueError("nested too deep")
    return value


def _is_deeper(value: object, levels: int) -> bool:
    """Return whether there are more maps and lists within each other than so many."""
    level = [value]
    for _ in range(levels + 1):
        level = [inner for outer in level for inner in _within(outer)]
    return bool(level)


def _within(value: object) -> Collection[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _with_rows(data: object, rows: Sequence[object]) -> object:
    """`data` with the rows in their place. Raises ValueError where that is not there."""
    if data == _PLACE:
        return rows
    if isinstance(data, dict):
        for name, value in data.items():
            with suppress(ValueError):
                return {**data, name: _with_rows(value, rows)}
    raise ValueError("the answer has no rows")
