"""Which rows are shown and in which order: the filter a person typed and the column it is sorted by. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic, TypeVar

from linkdash.api.fields import Field
from linkdash.api.model import Record, Unreadable
from linkdash.model.columns import Column
from linkdash.model.filter import Filter, FilterError, parse
from linkdash.model.order import sorted_rows
from linkdash.model.steps import A_STEP, Steps

T = TypeVar("T", bound=Record)


class Arrangement(Generic[T]):
    """A filter and an order over rows with these columns and fields."""

    def __init__(self, columns: Sequence[Column[T]], fields: Sequence[Field]) -> None:
        self._columns = columns
        self._fields = fields
        self._filter = Filter()
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

    def apply(self, rows: Sequence[T | Unreadable]) -> Steps[Sequence[T | Unreadable]]:
        """The rows that match, in order; in steps, by what is asked for when it begins."""
        wanted, order = self._filter, self.order
        if wanted:
            rows = yield from _matching(wanted, rows)
        if order is None:
            return rows
        column = next(column for column in self._columns if column.name == order[0])
        return (yield from sorted_rows(rows, column, order[1]))


def _matching(wanted: Filter, rows: Sequence[T | Unreadable]) -> Steps[list[T | Unreadable]]:
    found = []
    for number, row in enumerate(rows, 1):
        if number % A_STEP == 0:
            yield
        if wanted.matches(row):
            found.append(row)
    return found
