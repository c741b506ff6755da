"""Which records are marked. They stay so whatever page, filter or order is shown. Pure."""

from collections.abc import Hashable, Iterable, Set
from typing import Generic, TypeVar

from linkdash.api.model import Record, Unreadable
from linkdash.model.listing import Listing
from linkdash.model.steps import A_STEP, Steps

T = TypeVar("T", bound=Record)


def by_key(rows: Iterable[T | Unreadable]) -> Steps[dict[Hashable, T]]:
    """The records among some rows by their key, in steps: each of them is read."""
    found: dict[Hashable, T] = {}
    for number, row in enumerate(rows, 1):
        if number % A_STEP == 0:
            yield
        if not isinstance(row, Unreadable):
            found[row.key] = row
    return found


class Selection(Generic[T]):
    """The marked records, as they were when they were marked."""

    def __init__(self) -> None:
        self._records: dict[Hashable, T] = {}

    def __len__(self) -> int:
        return len(self._records)

    @property
    def keys(self) -> Set[Hashable]:
        """The keys of all of them: a view, which costs nothing however many they are."""
        return self._records.keys()

    def turn(self, record: T) -> None:
        """Marks a record, or takes its mark away."""
        if not self.remove(record.key):
            self._records[record.key] = record

    def turn_all(self, shown: dict[Hashable, T]) -> None:
        """Marks all of these, or takes their marks away where every one has one."""
        if shown.keys() <= self._records.keys():
            self._records = {key: row for key, row in self._records.items() if key not in shown}
        else:
            self._records |= shown

    def remove(self, key: Hashable) -> bool:
        """Takes the mark of a record away; False where it has none."""
        return self._records.pop(key, None) is not None

    def clear(self) -> None:
        """Takes all marks away."""
        self._records = {}

    def as_known(self, listings: Iterable[Listing[T]]) -> list[T]:
        """The marked records as they stand in what is loaded now, where they still do."""
        known: dict[Hashable, T] = {}
        for listing in listings:
            known |= listing.with_ids(self.keys)
        return [known.get(key, record) for key, record in self._records.items()]
