"""Which records are marked. They stay so whatever page, filter or order is shown. Pure."""

from collections.abc import Hashable, Iterable, Sequence, Set
from itertools import repeat
from typing import Generic, TypeVar

from linkdash.api.model import Record, Unreadable
from linkdash.model.collection import Listing
from linkdash.model.lazy import Mapped, Picked, index_of, keys
from linkdash.model.steps import Steps
from linkdash.model.values import RowsOf

T = TypeVar("T", bound=Record)


class Marks(Generic[T]):
    """The marked records by their keys; none is read before it is needed."""

    def __init__(self) -> None:
        self._rows: dict[Hashable, RowsOf[T]] = {}
        """Where each of them was when it was marked."""

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def keys(self) -> Set[Hashable]:
        """The keys of all of them: a view, which costs nothing however many they are."""
        return self._rows.keys()

    def turn(self, record: T) -> None:
        """Marks a record, or takes its mark away."""
        if not self.remove(record.key):
            self._rows[record.key] = (record,)

    def turn_all(self, shown: RowsOf[T]) -> Steps[None]:
        """Marks all the records among these rows, or takes their marks away where every one has one."""
        found = set((yield from keys(shown)))
        found.discard(None)
        yield
        if found <= self._rows.keys():
            self._rows = {key: rows for key, rows in self._rows.items() if key not in found}
        else:
            self._rows |= dict(zip(found, repeat(_source(shown)), strict=False))

    def remove(self, key: Hashable) -> bool:
        """Takes the mark of a record away; False where it has none."""
        return self._rows.pop(key, None) is not None

    def clear(self) -> None:
        """Takes all marks away."""
        self._rows = {}

    def as_known(self, listings: Iterable[Listing[T]]) -> Sequence[T]:
        """The marked records as they stand in what is loaded now, where they still do; read one by one."""
        loaded = [listing.loaded_rows() for listing in reversed(list(listings))]
        marked = dict(self._rows)

        def known(key: Hashable) -> T:
            for rows in (*loaded, marked[key]):
                index = index_of(rows, key)
                row = None if index is None else rows[index]
                if row is not None and not isinstance(row, Unreadable):
                    return row
            raise LookupError(key)

        return Mapped(known, list(marked))


def _source(rows: RowsOf[T]) -> RowsOf[T]:
    """Where to find a marked row again: a choice of rows is not kept for those in it."""
    return rows.rows if isinstance(rows, Picked) else rows
