"""The order of rows: by one column or several, numbers as numbers and names as people sort them."""

import re
import sys
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Any, TypeAlias, TypeVar, cast

from linkdash.api.fields import TEMPORAL, Kind
from linkdash.api.paging import Rows
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import SMALL_SLICE, Slices
from linkdash.model.lists.columns import Column, Computed, Odd, moment_of, value_of
from linkdash.model.lists.filter import plain

T = TypeVar("T", bound=Record)
SortKey: TypeAlias = int | str | datetime | timedelta
"""All keys of one kind can be compared."""
Orders: TypeAlias = Sequence[tuple[str, bool]]
"""Columns that are sorted by, the most important first, and whether each is reversed."""

_A_RUN = 2_500  # rows that are sorted in one step
_DIGITS = re.compile("([0-9]+)")
_END = "\0"  # of the words before a number: comes before every letter
_NUMERIC = frozenset({Kind.IDENTIFIER, Kind.REFERENCE, Kind.COUNT, Kind.FLAG})


def order_text(orders: Orders) -> str:
    """Orders as they are written: `status,-expires`, the minus before a column that is reversed."""
    return ",".join(f"{'-' * is_reversed}{name}" for name, is_reversed in orders)


def orders_of(text: str) -> list[tuple[str, bool]]:
    """The orders that a text means, which is written as `order_text` does."""
    names = [name.strip() for name in text.split(",")]
    return [(name.removeprefix("-"), name.startswith("-")) for name in names]


def sort_key(kind: Kind) -> Callable[[object], SortKey | None]:
    """Return the sort key of a value of this kind; None for a value that has no place in the order."""
    if kind is Kind.SECRET:
        return _no_key
    if kind in _NUMERIC:
        return _number_key
    return _moment_key if kind in TEMPORAL else _text_key


def row_key(column: Column[T]) -> Callable[[T | Unreadable], SortKey | None]:
    """Return the sort key of a row by a column; None for one without a value, an odd or unreadable one."""
    rank = column.rank if isinstance(column, Computed) else None
    if rank is not None:
        return lambda row: None if isinstance(row, Unreadable) else rank(row)
    key, labels, name = sort_key(column.kind), column.labels, column.compared_field
    return lambda row: None if isinstance(row, Unreadable) else key(labels.of(value_of(row, name)))


def in_order(rows: Rows[T], column: Column[T], *, reverse: bool = False) -> Slices[Rows[T]]:
    """The rows in the order of a column, in steps; equal ones keep their order.

    Those without a key come last in both directions.
    """
    key, keys = row_key(column), list[SortKey | None]()
    for start in range(0, len(rows), SMALL_SLICE):
        keys += map(key, rows[start : start + SMALL_SLICE])
        yield
    comparable = cast("Sequence[Any]", keys)  # where it is used, none is None and all are of one type
    placed = [at for at, known in enumerate(keys) if known is not None]
    runs: list[list[int]] = []
    for start in range(0, len(placed), _A_RUN):
        run = placed[start : start + _A_RUN]
        runs.append(sorted(run, key=comparable.__getitem__, reverse=reverse))
        yield
    while len(runs) > 1:
        merged: list[list[int]] = []
        for two in range(0, len(runs), 2):
            pair = [*chain.from_iterable(runs[two : two + 2])]
            merged.append(sorted(pair, key=comparable.__getitem__, reverse=reverse))  # only merges them
            yield
        runs = merged
    without = [row for row, known in zip(rows, keys, strict=True) if known is None]
    return [*(rows[at] for run in runs for at in run), *without]


def _no_key(value: object) -> None:
    """Nothing: the order of secrets would tell something about them."""


def _number_key(value: object) -> SortKey | None:
    return value if isinstance(value, int) else None


def _moment_key(value: object) -> SortKey | None:
    return moment_of(value) if isinstance(value, date) else None


def _text_key(value: object) -> SortKey | None:
    if value is None or value == "" or isinstance(value, Odd):
        return None
    return natural_key(str(value))


def natural_key(text: str) -> str:
    """A key that ignores case and accents and compares digits within a text as numbers.

    Before the digits of a number stands how many they are, so that a longer number comes after a shorter
    one, and none is too long to compare.
    """
    parts = _DIGITS.split(plain(text))
    numbers = [digits.lstrip("0") for digits in parts[1::2]]
    parts[1::2] = [f"{_END}{chr(min(len(number), sys.maxunicode))}{number}" for number in numbers]
    return "".join(parts)
