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
        self.order: tuple[str, bool] | None = None
        """The column sorted by and whether it is reversed; None for the service's own order."""
        self.then: tuple[tuple[str, bool], ...] = ()
        """The columns by which those are sorted that are equal in the first."""
        self.not_known = 0
        """Rows that the filter left out because what it asks for is not known of them."""
        self._named = {column.name: column for column in columns}

    def __bool__(self) -> bool:
        return bool(self._filter or self.order)

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

    @property
    def orders(self) -> tuple[tuple[str, bool], ...]:
        """Every column that is sorted by, the most important first, and whether it is reversed."""
        return (self.order, *self.then) if self.order else ()

    def order_by(self, orders: Sequence[tuple[str, bool]]) -> None:
        """Sort by several columns, the most important first; those that there are not are left out."""
        known = [order for order in orders if order[0] in self._named]
        self.order, self.then = (known[0], tuple(known[1:])) if known else (None, ())

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
        self.then = ()
        self.order = (name, not self.order[1]) if self.order and self.order[0] == name else (name, False)

    def sort_by_next(self, passed_over: Set[str] = frozenset()) -> None:
        """Sort by the next column, some of them passed over; then comes the service's own order."""
        names = [column.name for column in self._columns if column.name not in passed_over]
        following = names.index(self.order[0]) + 1 if self.order and self.order[0] in names else 0
        self.then = ()
        self.order = (names[following], False) if following < len(names) else None

    def reverse(self) -> None:
        """Turn the order around; there must be one."""
        if self.order:
            self.order = (self.order[0], not self.order[1])

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
