"""Which rows are shown and in which order: the filter a person typed and the column it is sorted by. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic, TypeVar

from linkdash.api.fields import Field
from linkdash.api.model import Record
from linkdash.model.columns import Column, Computed
from linkdash.model.filter import Filter, FilterError, parse, searched
from linkdash.model.lazy import Picked
from linkdash.model.order import SortKey, in_order, sort_keys
from linkdash.model.steps import Steps
from linkdash.model.values import RowsOf, Values

T = TypeVar("T", bound=Record)


class Arrangement(Generic[T]):
    """A filter and an order over rows with these columns and fields."""

    def __init__(self, columns: Sequence[Column[T]], fields: Sequence[Field]) -> None:
        self._columns = columns
        self._fields = fields
        self._filter = Filter()
        self._values: Values[T] | None = None
        self._keys: tuple[str, Sequence[SortKey | None]] | None = None
        """The column that was sorted by last, and what its rows are compared by."""
        self.text = ""
        self.error: FilterError | None = None
        self.order: tuple[str, bool] | None = None
        """The column sorted by and whether it is reversed; None for the service's own order."""

    def __bool__(self) -> bool:
        return bool(self._filter or self.order)

    @property
    def filtering(self) -> bool:
        """Whether rows may be left out."""
        return bool(self._filter)

    def filter(self, text: str, now: datetime) -> None:
        """Takes what was typed. What has no meaning is kept in `error`, and the filter before it stays."""
        try:
            self._filter = parse(text, self._fields, now)
        except FilterError as error:
            self.error = error
        else:
            self.error = None
            self.text = text.strip()

    def sort_by(self, name: str) -> None:
        """Sorts by a column; the one already sorted by is reversed."""
        self.order = (name, not self.order[1]) if self.order and self.order[0] == name else (name, False)

    def sort_by_next(self) -> None:
        """Sorts by the next column; after the last one comes the service's own order."""
        names = [column.name for column in self._columns]
        following = names.index(self.order[0]) + 1 if self.order else 0
        self.order = (names[following], False) if following < len(names) else None

    def reverse(self) -> None:
        """Turns the order around; there must be one."""
        if self.order:
            self.order = (self.order[0], not self.order[1])

    def apply(self, rows: RowsOf[T]) -> Steps[RowsOf[T]]:
        """The rows that match, in order; in steps, by what is asked for when it begins. None is read."""
        wanted, order, values = self._filter, self.order, self._values_of(rows)
        positions = (yield from wanted.matching(values)) if wanted else range(len(rows))
        if order is not None:
            keys = yield from self._sort_keys(values, order[0])
            positions = yield from in_order(positions, keys, reverse=order[1])
        return Picked(rows, positions)

    def prepare(self, rows: RowsOf[T]) -> Steps[None]:
        """Gets ready for the first letter of a filter."""
        yield from self._values_of(rows).texts(searched(self._fields))

    def forget(self) -> None:
        """Lets go of what was looked up in the rows: others are coming, and both would fill the memory."""
        self._values = self._keys = None

    def _values_of(self, rows: RowsOf[T]) -> Values[T]:
        """What is known of the rows: nothing is looked at twice until other rows come."""
        if self._values is None or self._values.rows is not rows:
            self._values = Values(rows)
            self._keys = None
        return self._values

    def _sort_keys(self, values: Values[T], name: str) -> Steps[Sequence[SortKey | None]]:
        known = self._keys
        if known is None or known[0] != name:
            column = next(column for column in self._columns if column.name == name)
            known = (name, (yield from sort_keys(values, column)))
            if values is self._values and not isinstance(column, Computed):  # what is beside may change
                self._keys = known
        return known[1]
