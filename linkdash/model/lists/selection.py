"""The selection: records that are marked, by their keys."""

from collections.abc import Hashable, Iterable, Sequence, Set
from typing import Generic, TypeVar

from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import SLICE_SIZE, Slices
from linkdash.model.lists.field_values import RowsOf
from linkdash.model.lists.loaded_pages import LoadedPages
from linkdash.model.lists.rows import MappedSequence, PickedRows, index_of, keys

T = TypeVar("T", bound=Record)


class Selection(Generic[T]):
    """The selected records by their keys; none is read before it is needed."""

    def __init__(self) -> None:
        self._source_of: dict[Hashable, int] = {}
        """Which of the sources each of them is in. Plain numbers: the garbage collector looks at none."""
        self._sources: list[RowsOf[T]] = []
        self.changes = 0
        """The number of times that it may have changed: a look at this spares one at all keys."""

    def __len__(self) -> int:
        return len(self._source_of)

    @property
    def keys(self) -> Set[Hashable]:
        """The keys of all of them: a view, which costs nothing however many they are."""
        return self._source_of.keys()

    def toggle(self, record: T) -> None:
        """Select a record, or deselect it."""
        if not self.remove(record.key):
            self.changes += 1
            self._source_of[record.key] = self._add((record,))

    def toggle_all(self, shown: RowsOf[T]) -> Slices[None]:
        """Select all records among these rows, or deselect them where every one is selected."""
        found = [key for key in (yield from keys(shown)) if key is not None]
        yield
        self.changes += 1
        if all(map(self._source_of.__contains__, found)):
            gone = set(found)
            self._source_of = {key: at for key, at in self._source_of.items() if key not in gone}
        else:
            self._source_of.update(dict.fromkeys(found, self._add(_source(shown))))

    def renew(self, rows: RowsOf[T]) -> Slices[None]:
        """Find selected records again among newer rows, so that those before need not be kept for them."""
        found = yield from keys(rows)
        newest = self._add(rows)
        for start in range(0, len(found), SLICE_SIZE):
            yield
            here = [key for key in found[start : start + SLICE_SIZE] if key in self._source_of]
            self._source_of.update(dict.fromkeys(here, newest))
        used = {newest, *self._source_of.values()}
        self._sources = [kept if at in used else () for at, kept in enumerate(self._sources)]

    def _add(self, rows: RowsOf[T]) -> int:
        self._sources.append(rows)
        return len(self._sources) - 1

    def replace(self, records: Iterable[T]) -> None:
        """Select these records and no others."""
        self.clear()
        for record in records:
            self._source_of[record.key] = self._add((record,))

    def remove(self, key: Hashable) -> bool:
        """Deselect a record; False where it was not selected."""
        self.changes += 1
        return self._source_of.pop(key, None) is not None

    def clear(self) -> None:
        """Deselect every record."""
        self.changes += 1
        self._source_of, self._sources = {}, []

    def as_known(self, listings: Iterable[LoadedPages[T]]) -> Sequence[T]:
        """The selected records as they stand in what is loaded now, where they still do; read one by one."""
        loaded = [listing.loaded_rows() for listing in reversed(list(listings))]
        source_of, sources = self._source_of.copy(), [*self._sources]

        def known(key: Hashable) -> T:
            for rows in (*loaded, sources[source_of[key]]):
                index = index_of(rows, key)
                row = None if index is None else rows[index]
                if row is not None and not isinstance(row, Unreadable):
                    return row
            raise LookupError(key)

        return MappedSequence(known, tuple(source_of))


def _source(rows: RowsOf[T]) -> RowsOf[T]:
    """Return where to find a selected row again: a choice of rows is not kept for those in it."""
    return rows.rows if isinstance(rows, PickedRows) else rows
