"""The arrangement of a list: its filter, its order, and the rows that pass."""

from collections.abc import Sequence, Set
from datetime import datetime
from typing import Generic, TypeVar

from linkdash.api.fields import Field
from linkdash.api.paging import Rows
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import Slices
from linkdash.model.lists.columns import Column, value_of
from linkdash.model.lists.filter import Filter, FilterError, parse, searched
from linkdash.model.lists.order import in_order
from linkdash.model.lists.row_texts import RowTexts

T = TypeVar("T", bound=Record)


class Arrangement(Generic[T]):
    """A filter and an order over rows with these columns and fields."""

    def __init__(self, columns: Sequence[Column[T]], fields: Sequence[Field]) -> None:
        self._columns = columns
        self._fields = fields
        self._filter = Filter()
        self._texts: RowTexts[T] = RowTexts((), ())
        self.text = ""
        self.error: FilterError | None = None
        self.orders: tuple[tuple[str, bool], ...] = ()
        """The columns sorted by, the most important first, and whether each is reversed; none: as it came."""
        self.not_known = 0
        """Rows that the filter left out because what it asks for is not known of them."""
        self._named = {column.name: column for column in columns}

    def __bool__(self) -> bool:
        return bool(self._filter or self.orders)

    @property
    def filtering(self) -> bool:
        """Return whether rows may be left out."""
        return bool(self._filter)

    def filter(self, text: str, now: datetime) -> None:
        """Take what was typed. What has no meaning is kept in `error`, and the filter before it stays."""
        try:
            self._filter = parse(text, self._fields, now, self._named.values())
        except FilterError as error:
            self.error = error
        else:
            self.error = None
            self.text = text.strip()

    def order_by(self, orders: Sequence[tuple[str, bool]]) -> None:
        """Sort by several columns, the most important first; those that there are not are left out."""
        self.orders = tuple(order for order in orders if order[0] in self._named)

    def use(self, shown: Sequence[Column[T]], others: Sequence[Column[T]]) -> None:
        """The columns that are shown, which sorting goes through, and others that can be sorted by."""
        self._columns = shown
        self._named |= {column.name: column for column in (*others, *shown)}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that can be sorted by."""
        return tuple(self._named)

    def sort_by(self, name: str) -> None:
        """Sort by a column alone; the one already sorted by is reversed."""
        is_turned = self.orders[:1] == ((name, False),)
        self.orders = ((name, is_turned),)

    def sort_by_next(self, passed_over: Set[str]) -> None:
        """Sort by the next column, some of them passed over; then comes the service's own order."""
        names = [column.name for column in self._columns if column.name not in passed_over]
        first = self.orders[0][0] if self.orders else None
        following = names.index(first) + 1 if first in names else 0
        self.orders = ((names[following], False),) if following < len(names) else ()

    def reverse(self) -> None:
        """Turn the order around; there must be one."""
        (name, is_reversed), *others = self.orders
        self.orders = ((name, not is_reversed), *others)

    def apply(self, rows: Rows[T]) -> Slices[Rows[T]]:
        """The rows that match, in order; in steps, by what is asked for when it begins.

        An expression that takes too long finds nothing, and is told in `error`.
        """
        wanted, orders, self.not_known = self._filter, self.orders, 0
        if wanted:
            try:
                rows, self.not_known = yield from wanted.matching(self._texts_of(rows))
            except FilterError as error:
                rows, self.error = (), error
        for name, reverse in reversed(orders):  # equal ones keep the order they have
            rows = yield from in_order(rows, self._named[name], reverse=reverse)
        return rows

    def found(self, rows: Rows[T], text: str, now: datetime) -> Slices[int]:
        """The number of rows that another filter finds. Raises FilterError."""
        wanted = parse(text, self._fields, now, self._named.values())
        if not wanted:
            return len(rows)
        return len((yield from wanted.matching(self._texts_of(rows))).rows)

    def words(self, rows: Rows[T], name: str) -> Sequence[str]:
        """The different texts in a field of the rows, in their order."""
        values = (value_of(row, name) for row in rows if not isinstance(row, Unreadable))
        return sorted({value for value in values if isinstance(value, str) and value})

    def prepare(self, rows: Rows[T]) -> Slices[None]:
        """Get ready for the first letter of a filter."""
        yield from self._texts_of(rows).all()

    def forget(self) -> None:
        """Let go of the texts of the rows: others are coming, and both would fill the memory."""
        self._texts = RowTexts((), ())

    def _texts_of(self, rows: Rows[T]) -> RowTexts[T]:
        """Return the texts of the rows: none is made twice until other rows come."""
        if self._texts.rows is not rows:
            self._texts = RowTexts(rows, searched(self._fields))
        return self._texts
