"""Rows of a list: in an order of their own, found by their keys, made when they are looked at."""

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar, overload

from linkdash.api.http.raw_rows import RawRows
from linkdash.api.paging import Rows
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import SLICE_SIZE, Slices
from linkdash.model.lists.columns import sampled
from linkdash.model.lists.field_values import RowsOf, Values

T = TypeVar("T", bound=Record)
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
    return Rows(parts[0].model, raw, safe_text=parts[0].safe_text)


def _is_id(rows: Rows[T]) -> bool:
    """Return whether the key of these rows is their id."""
    return rows.model.key is Record.key
