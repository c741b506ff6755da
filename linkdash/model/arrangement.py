"""How a list is shown: its filter, order and columns, and the views of them that a profile keeps.

The order is as people sort: numbers by size, dates by time, a2 before a10.
"""

import re
from array import array
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from itertools import chain
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.large_answers import CompactList
from linkdash.api.model import Record, Unreadable
from linkdash.model.columns import Column, Computed, Odd, column
from linkdash.model.filter import Filter, FilterError, parse, plain, searched
from linkdash.model.humanize import counted
from linkdash.model.rows import A_FEW, A_STEP, Picked, RowsOf, Steps, Values, found_by_key
from linkdash.store.store import Store

# ---- the order ----

T = TypeVar("T", bound=Record)
SortKey: TypeAlias = int | str | datetime
"""All keys of one kind can be compared."""
Orders: TypeAlias = Sequence[tuple[str, bool]]
"""Columns that are sorted by, the most important first, and whether each is reversed."""

_A_RUN = 2_500  # rows that are sorted in one step
_DIGITS = re.compile("([0-9]+)")
_END = "\0"  # of the words before a number: comes before every letter
_BETWEEN = "\1"  # texts that are folded together; no text of a row holds it
_NUMERIC = frozenset({Kind.IDENTIFIER, Kind.REFERENCE, Kind.COUNT, Kind.FLAG})
_TEMPORAL = frozenset({Kind.MOMENT, Kind.DAY})


def order_text(orders: Orders) -> str:
    """Orders as they are written: `status,-expires`, the minus before a column that is reversed."""
    return ",".join(f"{'-' * is_reversed}{name}" for name, is_reversed in orders)


def orders_of(text: str) -> list[tuple[str, bool]]:
    """The orders that a text means, which is written as `order_text` does."""
    names = [name.strip() for name in text.split(",")]
    return [(name.removeprefix("-"), name.startswith("-")) for name in names]


def sort_key(kind: Kind) -> Callable[[object], SortKey | None]:
    """What a value of this kind is compared by; None for a value that has no place in the order."""
    if kind is Kind.SECRET:
        return _no_key
    if kind in _NUMERIC:
        return _number_key
    return _moment_key if kind in _TEMPORAL else _text_key


def sort_keys(values: Values[T], column: Column[T]) -> Steps[Sequence[SortKey | None]]:
    """What each row is compared by; None for rows without a value, with an odd one and unreadable ones."""
    if isinstance(column, Computed) and column.rank is not None:
        return (yield from _ranks(values, column.rank))
    key, labels = sort_key(column.kind), column.labels
    found = yield from values.of(column.name)
    unreadable = yield from values.unreadable()
    keys = CompactList[SortKey | None]()
    for start in range(0, len(found), A_STEP):
        part = found[start : start + A_STEP]
        shown = [labels.of(value) for value in part] if labels.names else part
        some = _text_keys(shown) if key is _text_key else [*map(key, shown)]
        for index in unreadable & frozenset(range(start, start + len(some))) if unreadable else ():
            some[index - start] = None
        keys.extend(some)
        yield
    return keys


def _ranks(values: Values[T], rank: Callable[[T], int | None]) -> Steps[Sequence[SortKey | None]]:
    """What a computed column compares by; each row is read for it."""
    keys: list[SortKey | None] = []
    for row in values.rows:
        keys.append(None if isinstance(row, Unreadable) else rank(row))
        if len(keys) % A_FEW == 0:
            yield
    return keys


def in_order(
    positions: Sequence[int], keys: Sequence[SortKey | None], *, reverse: bool = False
) -> Steps[Sequence[int]]:
    """The positions in the order of their keys, in steps; equal ones keep their order.

    Those without a key come last in both directions.
    """
    comparable: Sequence[Any] = keys[:]  # where it is used, none is None and all are of one type
    runs: list[list[int]] = []
    without: list[int] = []
    for start in range(0, len(positions), _A_RUN):
        run = positions[start : start + _A_RUN]
        placed = [index for index in run if comparable[index] is not None]
        without += [index for index in run if comparable[index] is None]
        runs.append(sorted(placed, key=comparable.__getitem__, reverse=reverse))
        yield
    while len(runs) > 1:
        merged: list[list[int]] = []
        for two in range(0, len(runs), 2):
            pair = [*chain.from_iterable(runs[two : two + 2])]
            merged.append(sorted(pair, key=comparable.__getitem__, reverse=reverse))  # only merges them
            yield
        runs = merged
    return array("q", [*chain.from_iterable(runs), *without])


def _no_key(value: object) -> None:
    """Nothing: the order of secrets would tell something about them."""


def _number_key(value: object) -> SortKey | None:
    return value if isinstance(value, int) else None


def _moment_key(value: object) -> SortKey | None:
    if isinstance(value, datetime):
        return value
    return datetime.combine(value, time()) if isinstance(value, date) else None


def _text_key(value: object) -> SortKey | None:
    if value is None or value == "" or isinstance(value, Odd):
        return None
    return natural_key(str(value))


def _text_keys(values: Sequence[object]) -> list[SortKey | None]:
    """What `_text_key` says of each; ordinary texts are folded in one go."""
    texts = [value for value in values if type(value) is str and value]
    if len(texts) < len(values):
        return [_text_key(value) for value in values]
    keys: list[SortKey | None] = [*natural_key(_BETWEEN.join(texts)).split(_BETWEEN)]
    return keys if len(keys) == len(texts) else [_text_key(value) for value in values]


def natural_key(text: str) -> str:
    """A key that ignores case and accents and compares digits within a text as numbers.

    Before the digits of a number stands how many they are, so that a longer number comes after a shorter
    one, and none is too long to compare.
    """
    parts = _DIGITS.split(plain(text))
    numbers = [digits.lstrip("0") for digits in parts[1::2]]
    parts[1::2] = [f"{_END}{chr(len(number))}{number}" for number in numbers]
    return "".join(parts)


# ---- filter and order together ----


class Arrangement(Generic[T]):
    """A filter and an order over rows with these columns and fields."""

    def __init__(self, columns: Sequence[Column[T]], fields: Sequence[Field]) -> None:
        self._columns = columns
        self._fields = fields
        self._filter = Filter()
        self._values: Values[T] | None = None
        self._keys: dict[str, Sequence[SortKey | None]] = {}
        """What the rows are compared by, by column."""
        self.text = ""
        self.error: FilterError | None = None
        self.order: tuple[str, bool] | None = None
        """The column sorted by and whether it is reversed; None for the service's own order."""
        self.then: tuple[tuple[str, bool], ...] = ()
        """The columns by which those are sorted that are equal in the first."""
        self._named = {column.name: column for column in columns}

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

    @property
    def orders(self) -> tuple[tuple[str, bool], ...]:
        """Every column that is sorted by, the most important first, and whether it is reversed."""
        return (self.order, *self.then) if self.order else ()

    def order_by(self, orders: Sequence[tuple[str, bool]]) -> None:
        """Sorts by several columns, the most important first; those that there are not are left out."""
        known = [order for order in orders if order[0] in self._named]
        self.order, self.then = (known[0], tuple(known[1:])) if known else (None, ())

    def use(self, shown: Sequence[Column[T]], others: Sequence[Column[T]]) -> None:
        """The columns that are shown, which sorting goes through, and others that can be sorted by."""
        self._columns = shown
        self._named |= {column.name: column for column in (*others, *shown)}

    def sort_by(self, name: str) -> None:
        """Sorts by a column alone; the one already sorted by is reversed."""
        self.then = ()
        self.order = (name, not self.order[1]) if self.order and self.order[0] == name else (name, False)

    def sort_by_next(self) -> None:
        """Sorts by the next column; after the last one comes the service's own order."""
        names = [column.name for column in self._columns]
        following = names.index(self.order[0]) + 1 if self.order and self.order[0] in names else 0
        self.then = ()
        self.order = (names[following], False) if following < len(names) else None

    def reverse(self) -> None:
        """Turns the order around; there must be one."""
        if self.order:
            self.order = (self.order[0], not self.order[1])

    def apply(self, rows: RowsOf[T]) -> Steps[RowsOf[T]]:
        """The rows that match, in order; in steps, by what is asked for when it begins. None is read."""
        wanted, orders, values = self._filter, self.orders, self._values_of(rows)
        positions = (yield from wanted.matching(values)) if wanted else range(len(rows))
        for name, reverse in reversed(orders):  # equal ones keep the order they have
            keys = yield from self._sort_keys(values, name)
            positions = yield from in_order(positions, keys, reverse=reverse)
        yield from found_by_key(rows)
        return Picked(rows, positions)

    def prepare(self, rows: RowsOf[T]) -> Steps[None]:
        """Gets ready for the first letter of a filter."""
        yield from self._values_of(rows).texts(searched(self._fields))

    def forget(self) -> None:
        """Lets go of what was looked up in the rows: others are coming, and both would fill the memory."""
        self._values, self._keys = None, {}

    def _values_of(self, rows: RowsOf[T]) -> Values[T]:
        """What is known of the rows: nothing is looked at twice until other rows come."""
        if self._values is None or self._values.rows is not rows:
            self._values = Values(rows)
            self._keys = {}
        return self._values

    def _sort_keys(self, values: Values[T], name: str) -> Steps[Sequence[SortKey | None]]:
        if name in self._keys and values is self._values:
            return self._keys[name]
        column = self._named[name]
        keys = yield from sort_keys(values, column)
        if values is self._values and not _is_beside(column):
            self._keys[name] = keys
        return keys


def _is_beside(column: Column[T]) -> bool:
    """Whether a column is compared by what is known beside the records, which may change."""
    return isinstance(column, Computed) and column.rank is not None


# ---- columns, views and filters that are kept ----

FILTERS_KEPT = 50
"""Filters of a list that are remembered."""

_NOT_IN_A_CELL = frozenset({Kind.SECRET, Kind.NESTED, Kind.PAYLOAD, Kind.LONG_TEXT})


Row = TypeVar("Row")
Kept = TypeVar("Kept")


class ColumnChoice(BaseModel):
    """Whether a column is shown, and whether it keeps its room where others have to go."""

    model_config = ConfigDict(frozen=True)

    name: str
    shown: bool = True
    wide: bool = False


class View(BaseModel):
    """A filter, an order and columns under a name."""

    model_config = ConfigDict(frozen=True)

    name: str
    filter: str = ""
    order: tuple[tuple[str, bool], ...] = ()
    """The columns that it is sorted by, the most important first, and whether each is in reverse."""
    columns: tuple[ColumnChoice, ...] = ()

    @property
    def described(self) -> str:
        """What it shows, in words."""
        ordered = ", ".join(f"{name} {'▾' if reverse else '▴'}" for name, reverse in self.order)
        hidden = sum(not column.shown for column in self.columns)
        parts = (
            f'filter "{self.filter}"' if self.filter else "",
            f"by {ordered}" if ordered else "",
            f"{counted(hidden, 'column')} hidden" if hidden else "",
        )
        return " · ".join(filter(None, parts)) or "everything"


_COLUMNS = TypeAdapter(tuple[ColumnChoice, ...])
_VIEWS = TypeAdapter(tuple[View, ...])
_FILTERS = TypeAdapter(tuple[str, ...])


class Keeper(Protocol):
    """Keeps what it can; what the store cannot keep or recall is told in its notices."""

    @property
    def store(self) -> Store: ...

    async def kept(self, work: Awaitable[Kept], otherwise: Kept) -> Kept: ...


class ListPreferences:
    """How one list is shown, as far as the keeper can keep it."""

    def __init__(self, keeper: Keeper, list_id: str) -> None:
        self._keeper = keeper
        self._id = list_id

    async def columns(self) -> tuple[ColumnChoice, ...]:
        """The columns as they were chosen; empty for the list's own."""
        return await self._load("columns", _COLUMNS)

    async def keep_columns(self, chosen: Sequence[ColumnChoice]) -> None:
        """Keeps the choice of columns."""
        await self._save("columns", [choice.model_dump() for choice in chosen])

    async def views(self) -> tuple[View, ...]:
        """The views that were saved, by name."""
        return await self._load("views", _VIEWS)

    async def keep_view(self, view: View) -> None:
        """Keeps a view, in place of the one of its name."""
        others = [known for known in await self.views() if known.name != view.name]
        await self._save_views([*others, view])

    async def delete_view(self, name: str) -> None:
        """Forgets a view."""
        await self._save_views([known for known in await self.views() if known.name != name])

    async def _save_views(self, views: Sequence[View]) -> None:
        ordered = sorted(views, key=lambda view: view.name.casefold())
        await self._save("views", [view.model_dump() for view in ordered])

    async def filters(self) -> tuple[str, ...]:
        """The filters that were typed, the last one first."""
        return await self._load("filters", _FILTERS)

    async def keep_filter(self, text: str) -> None:
        """Remembers a filter that was typed."""
        others = [known for known in await self.filters() if known != text]
        await self._save("filters", [text, *others][:FILTERS_KEPT])

    async def _load(self, what: str, kind: "TypeAdapter[tuple[Kept, ...]]") -> tuple[Kept, ...]:
        found = await self._keeper.kept(self._keeper.store.preferences.load(f"{what}/{self._id}"), None)
        try:
            return kind.validate_python(found or ())
        except ValidationError:  # of another version: the list is shown as it is by itself
            return ()

    async def _save(self, what: str, value: object) -> None:
        await self._keeper.kept(self._keeper.store.preferences.save(f"{what}/{self._id}", value), None)


def other_columns(model: type[T], columns: Sequence[Column[T]]) -> list[Column[T]]:
    """A column for each field of a record that has none of the list's own and can be shown in a cell."""
    own = {column.name for column in columns}
    fields = (field for field in fields_of(model) if field.name not in own)
    return [column(model, field.name) for field in fields if field.kind not in _NOT_IN_A_CELL]


def every_choice(
    own: Sequence[Column[Row]], others: Sequence[Column[Row]], chosen: Sequence[ColumnChoice]
) -> list[ColumnChoice]:
    """A choice for each column: what was chosen, then those that nothing was said of.

    Of these the list's own columns are shown, others are not.
    """
    names = {column.name for column in (*own, *others)}
    told = {choice.name: choice for choice in chosen if choice.name in names}
    shown = [ColumnChoice(name=column.name) for column in own if column.name not in told]
    hidden = [ColumnChoice(name=column.name, shown=False) for column in others if column.name not in told]
    return [*told.values(), *shown, *hidden]


def shown_columns(columns: Sequence[Column[Row]], choices: Sequence[ColumnChoice]) -> list[Column[Row]]:
    """The columns to be shown, in their order; a wide one keeps its room. There is always one."""
    named = {column.name: column for column in columns}
    shown = [
        replace(named[choice.name], essential=True, grow=True) if choice.wide else named[choice.name]
        for choice in choices
        if choice.shown
    ]
    return shown or [*columns[:1]]
