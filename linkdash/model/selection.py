"""Which records are selected. They stay so whatever page, filter or order is shown. Pure."""

from collections.abc import Hashable, Iterable, Sequence, Set
from itertools import repeat
from typing import Generic, TypeVar

from linkdash.api.model import Record, Unreadable
from linkdash.model.lazy import Mapped, Picked, index_of, keys
from linkdash.model.listing import Listing
from linkdash.model.steps import Steps
from linkdash.model.values import RowsOf

T = TypeVar("T", bound=Record)


class Selection(Generic[T]):
    """The selected records by their keys; none is read before it is needed."""

    def __init__(self) -> None:
        self._rows: dict[Hashable, RowsOf[T]] = {}
        """Where each of them was when it was selected."""

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def keys(self) -> Set[Hashable]:
        """The keys of all of them: a view, which costs nothing however many they are."""
        return self._rows.keys()

    def toggle(self, record: T) -> None:
        """Selects a record, or deselects it."""
        if not self.remove(record.key):
            self._rows[record.key] = (record,)

    def toggle_all(self, shown: RowsOf[T]) -> Steps[None]:
        """Selects all records among these rows, or deselects them where every one is selected."""
        found = [key for key in (yield from keys(shown)) if key is not None]
        yield
        if all(map(self._rows.__contains__, found)):
            gone = set(found)
            self._rows = {key: rows for key, rows in self._rows.items() if key not in gone}
        else:
            self._rows.update(zip(found, repeat(_source(shown)), strict=False))

    def replace(self, records: Iterable[T]) -> None:
        """Selects these records and no others."""
        self._rows = {record.key: (record,) for record in records}

    def remove(self, key: Hashable) -> bool:
        """Deselects a record; False where it was not selected."""
        return self._rows.pop(key, None) is not None

    def clear(self) -> None:
        """Deselects every record."""
        self._rows = {}

    def as_known(self, listings: Iterable[Listing[T]]) -> Sequence[T]:
        """The selected records as they stand in what is loaded now, where they still do; read one by one."""
        loaded = [listing.loaded_rows() for listing in reversed(list(listings))]
        selected = dict(self._rows)

        def known(key: Hashable) -> T:
            for rows in (*loaded, selected[key]):
                index = index_of(rows, key)
                row = None if index is None else rows[index]
                if row is not None and not isinstance(row, Unreadable):
                    return row
            raise LookupError(key)

        return Mapped(known, list(selected))


def _source(rows: RowsOf[T]) -> RowsOf[T]:
    """Where to find a selected row again: a choice of rows is not kept for those in it."""
    return rows.rows if isinstance(rows, Picked) else rows
