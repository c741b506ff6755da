"""JSON as services send it, with what the standard forbids."""

import json
from collections.abc import Collection
from contextlib import suppress

from pydantic_core import from_json

_MOST_LEVELS = 200  # of maps and lists within each other: whoever goes down into them does so by calls


def read_json(text: bytes) -> object:
    """The JSON value in `text`. Raises ValueError.

    Its strings may hold what JSON forbids and services send all the same: control characters, halves of
    surrogate pairs. They stay what they are, as they are written back; what is no UTF-8 becomes U+FFFD.
    """
    with suppress(ValueError):
        return from_json(text, cache_strings="keys")  # few values are alike, and none is kept
    try:
        value: object = json.loads(text.decode("utf-8", "replace"), strict=False)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if _is_deeper(value, _MOST_LEVELS):
        raise ValueError("nested too deep")
    return value


def _is_deeper(value: object, levels: int) -> bool:
    """Return whether there are more maps and lists within each other than so many."""
    level = [value]
    for _ in range(levels + 1):
        level = [inner for outer in level for inner in _within(outer)]
    return bool(level)


def _within(value: object) -> Collection[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
