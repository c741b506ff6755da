"""The records as they became known one by one: a page that was asked for before that is older. Pure."""

from collections.abc import Mapping
from typing import Generic, TypeVar

from linkdash.api.records import Record

T = TypeVar("T", bound=Record)


class LaterChanges(Generic[T]):
    """Each record that a write, or a read of it alone, has told of last; None for one that was deleted."""

    def __init__(self) -> None:
        self.count = 0
        """The number of times that one was told of."""
        self._told: dict[int, tuple[int, T | None]] = {}

    def tell(self, id: int, record: T | None) -> None:
        """A record is known as it is now."""
        self.count += 1
        self._told[id] = self.count, record

    def since(self, count: int) -> Mapping[int, T | None]:
        """The records that were told of since there were so many, by id."""
        return {id: record for id, (number, record) in self._told.items() if number > count}
