"""Many values in few objects.

Of a list of 100,000 short texts most is not text but the object around each, and the garbage collector looks
at all of them whenever it passes, which holds everybody up. So some hundred texts are kept as one.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import TypeAlias, TypeVar, cast, overload

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
