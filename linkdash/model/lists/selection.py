"""The selection: records that are marked, by their keys."""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Generic, TypeVar

from linkdash.api.paging import Rows
from linkdash.api.records import Record
from linkdash.model.lists.loaded_pages import by_key

T = TypeVar("T", bound=Record)


class Selection(Generic[T]):
    """The selected records by their keys, each as it was last seen."""

    def __init__(self) -> None:
        self._records: dict[Hashable, T] = {}
        self.changes = 0
        """The number of times that it may have changed: a look at this spares one at all keys."""

    def __len__(self) -> int:
        return len(self._records)

    @property
    def keys(self) -> Set[Hashable]:
        """The keys of all of them: a view, which costs nothing however many they are."""
        return self._records.keys()

    def toggle(self, record: T) -> None:
        """Select a record, or deselect it."""
        if not self.remove(record.key):
            self._records[record.key] = record

    def toggle_all(self, shown: Rows[T]) -> None:
        """Select all records among these rows, or deselect them where every one is selected."""
        found = by_key(shown)
        self.changes += 1
        if found.keys() <= self._records.keys():
            self._records = {key: record for key, record in self._records.items() if key not in found}
        else:
            self._records |= found

    def renew(self, rows: Rows[T]) -> None:
        """Take selected records as they are in newer rows, so that those before need not be kept."""
        self._records |= {key: row for key, row in by_key(rows).items() if key in self._records}

    def replace(self, records: Iterable[T]) -> None:
        """Select these records and no others."""
        self.changes += 1
        self._records = {record.key: record for record in records}

    def remove(self, key: Hashable) -> bool:
        """Deselect a record; False where it was not selected."""
        self.changes += 1
        return self._records.pop(key, None) is not None

    def clear(self) -> None:
        """Deselect every record."""
        self.replace(())

    def as_known(self, loaded: Mapping[Hashable, T]) -> Sequence[T]:
        """The selected records as they are among those loaded now, where they still are."""
        return [loaded.get(key, record) for key, record in self._records.items()]
