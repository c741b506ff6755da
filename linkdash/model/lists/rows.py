"""Sequences that are made when they are looked at."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

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
