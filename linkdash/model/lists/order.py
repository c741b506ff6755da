"""The order of rows: by one column or several, numbers as numbers and names as people sort them."""

import re
import sys
from array import array
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from linkdash.api.fields import TEMPORAL, Kind
from linkdash.api.http.compact_list import CompactList
from linkdash.api.records import Record
from linkdash.api.slices import SLICE_SIZE, Slices
from linkdash.model.lists.columns import Column, Computed, Odd
from linkdash.model.lists.field_values import Values
from linkdash.model.lists.filter import plain

T = TypeVar("T", bound=Record)
SortKey: TypeAlias = int | str | datetime | timedelta
"""All keys of one kind can be compared."""
Orders: TypeAlias = Sequence[tuple[str, bool]]
"""Columns that are sorted by, the most important first, and whether each is reversed."""

_A_RUN = 2_500  # rows that are sorted in one step
_DIGITS = re.compile("([0-9]+)")
_END = "\0"  # of the words before a number: comes before every letter
_BETWEEN = "\1"  # texts that are folded together; those among which one holds it are folded one by one
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


def sort_keys(values: Values[T], column: Column[T]) -> Slices[Sequence[SortKey | None]]:
    """Return the sort key of each row; None for rows without a value, with an odd one and unreadable ones."""
    if isinstance(column, Computed) and column.rank is not None:
        return (yield from values.ranks(column.rank))
    key, labels = sort_key(column.kind), column.labels
    found = yield from values.of(column.compared_field)
    unreadable = yield from values.unreadable()
    keys = CompactList[SortKey | None]()
    for start in range(0, len(found), SLICE_SIZE):
        part = found[start : start + SLICE_SIZE]
        shown = [labels.of(value) for value in part] if labels.names else part
        some = _text_keys(shown) if key is _text_key else [*map(key, shown)]
        for index in unreadable & frozenset(range(start, start + len(some))) if unreadable else ():
            some[index - start] = None
        keys.extend(some)
        yield
    return keys


def in_order(
    positions: Sequence[int], keys: Sequence[SortKey | None], *, reverse: bool = False
) -> Slices[Sequence[int]]:
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
    """Return `_text_key` of each; ordinary texts are folded in one go."""
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
    parts[1::2] = [f"{_END}{chr(min(len(number), sys.maxunicode))}{number}" for number in numbers]
    return "".join(parts)
