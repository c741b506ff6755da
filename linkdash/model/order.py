"""The order of rows by one column, as people sort: numbers by size, dates by time, a2 before a10."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from heapq import merge
from operator import itemgetter
from typing import TypeVar

from linkdash.api.fields import Kind
from linkdash.api.model import Unreadable
from linkdash.model.columns import Column, Odd, Row, value_of
from linkdash.model.steps import A_STEP, Steps

SortKey = tuple[int | str | datetime, ...]
Item = TypeVar("Item")

_A_RUN = 2_000  # rows that are sorted in one step
_DIGITS = re.compile("([0-9]+)")
_NUMERIC = frozenset({Kind.IDENTIFIER, Kind.REFERENCE, Kind.COUNT, Kind.FLAG})
_TEMPORAL = frozenset({Kind.MOMENT, Kind.DAY})


def sort_key(kind: Kind) -> Callable[[object], SortKey | None]:
    """What a value of this kind is compared by; None for a value that has no place in the order."""
    if kind is Kind.SECRET:
        return _no_key
    if kind in _NUMERIC:
        return _number_key
    return _moment_key if kind in _TEMPORAL else _text_key


def sorted_rows(rows: Sequence[Item], column: Column[Row], reverse: bool = False) -> Steps[list[Item]]:
    """The rows in the order of a column, in steps; equal rows keep their order.

    Rows without a value, with one that could not be understood and unreadable ones come last in both
    directions. Every row is looked at.
    """
    key = sort_key(column.kind)
    placed: list[tuple[SortKey, Item]] = []
    last: list[Item] = []
    for number, row in enumerate(rows, 1):
        if number % A_STEP == 0:
            yield
        place = None if isinstance(row, Unreadable) else key(column.labels.of(value_of(row, column.name)))
        if place is None:
            last.append(row)
        else:
            placed.append((place, row))
    return (yield from _in_order(placed, reverse)) + last


def _in_order(placed: list[tuple[SortKey, Item]], reverse: bool) -> Steps[list[Item]]:
    """The rows by their places: short runs are sorted, then merged, so that no step is long."""
    place = itemgetter(0)
    runs = []
    for start in range(0, len(placed), _A_RUN):
        runs.append(sorted(placed[start : start + _A_RUN], key=place, reverse=reverse))
        yield
    ordered = []
    for number, (_, row) in enumerate(merge(*runs, key=place, reverse=reverse), 1):
        if number % A_STEP == 0:
            yield
        ordered.append(row)
    return ordered


def _no_key(value: object) -> None:
    """Nothing: the order of secrets would tell something about them."""


def _number_key(value: object) -> SortKey | None:
    return (value,) if isinstance(value, int) else None


def _moment_key(value: object) -> SortKey | None:
    if isinstance(value, datetime):
        return (value,)
    return (datetime.combine(value, time()),) if isinstance(value, date) else None


def _text_key(value: object) -> SortKey | None:
    if value is None or value == "" or isinstance(value, Odd):
        return None
    return natural_key(str(value))


def natural_key(text: str) -> SortKey:
    """A key that ignores case and accents and compares digits within a text as numbers.

    It alternates text, length of a number and its digits, so that equal places hold equal types and no
    number is too long to compare.
    """
    parts = _DIGITS.split(plain(text))
    key: list[int | str | datetime] = [parts[0]]
    for digits, words in zip(parts[1::2], parts[2::2], strict=True):
        number = digits.lstrip("0")
        key += (len(number), number, words)
    return tuple(key)


def plain(text: str) -> str:
    """`text` without case and accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()
