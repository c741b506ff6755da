"""Rows that are found again by their key, which need not look at more of them than it must."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic

from linkdash.api.model import Unreadable
from linkdash.model.columns import Row

IndexOf = Callable[[Hashable], int | None]


@dataclass(frozen=True)
class KeyedRows(Generic[Row]):
    """A sequence of rows, maybe a lazy one, and what tells them apart."""

    rows: Sequence[Row | Unreadable]
    key: Callable[[Row], Hashable]
    index_of: IndexOf | None = None
    """Finds the position of a key without looking at the rows, where something knows how."""

    def __len__(self) -> int:
        return len(self.rows)

    def clamp(self, index: int) -> int:
        """The position nearest to `index` that has a row; 0 where there are none."""
        return max(0, min(index, len(self.rows) - 1))

    def key_at(self, index: int) -> Hashable:
        """The key of the row at a position; None where there is no row, or none that can be read."""
        if not 0 <= index < len(self.rows):
            return None
        row = self.rows[index]
        return None if isinstance(row, Unreadable) else self.key(row)

    def find(self, key: Hashable) -> int | None:
        """The position of a key; without `index_of`, every row may be looked at."""
        if self.index_of is not None:
            return self.index_of(key)
        return next((index for index in range(len(self.rows)) if self.key_at(index) == key), None)

    def follow(self, key: Hashable, before: int) -> int:
        """Where the row of a key is now that was at `before`; as near to there as can be, if it is gone."""
        same = key is None or self.key_at(before) == key
        index = before if same else self.find(key)
        return self.clamp(before if index is None else index)
