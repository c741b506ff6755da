"""The order of rows by one column, as people sort: numbers by size, dates by time, a2 before a10."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from typing import Any, TypeAlias, TypeVar

from linkdash.api.fields import Kind
from linkdash.api.model import Record, Unreadable
from linkdash.model.columns import Column, Computed, Odd
from linkdash.model.steps import A_FEW, A_STEP, Steps
from linkdash.model.values import Values

T = TypeVar("T", bound=Record)
SortKey: TypeAlias = int | str | datetime
"""All keys of one kind can be compared."""
Orders: TypeAlias = Sequence[tuple[str, bool]]
"""Columns that are sorted by, the most important first, and whether each is reversed."""

_A_RUN = 5_000  # rows that are sorted in one step
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
    keys: list[SortKey | None] = []
    for start in range(0, len(found), A_STEP):
        part = found[start : start + A_STEP]
        shown = [labels.of(value) for value in part] if labels.names else part
        keys += _text_keys(shown) if key is _text_key else map(key, shown)
        yield
    for index in unreadable:
        keys[index] = None
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
    comparable: Sequence[Any] = keys  # where it is used, none is None and all are of one type
    ordered: list[int] = []
    for start in range(0, len(positions), _A_RUN):
        placed = [index for index in positions[start : start + _A_RUN] if keys[index] is not None]
        ordered += sorted(placed, key=comparable.__getitem__, reverse=reverse)
        yield
    ordered.sort(key=comparable.__getitem__, reverse=reverse)  # only merges the runs
    yield
    return ordered + [index for index in positions if keys[index] is None]


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


def plain(text: str) -> str:
    """`text` without case and accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    for letter in set(decomposed):  # of many texts together, far fewer than there are letters
        if unicodedata.combining(letter):
            decomposed = decomposed.replace(letter, "")
    return decomposed.casefold()
