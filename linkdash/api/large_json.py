"""Large answers are read part by part: reading 100,000 rows in one go would hold every other thread up.

Whoever reads JSON from C lets nobody else work meanwhile, in whichever thread it is done.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from pydantic_core import from_json

from linkdash.api.raw_rows import RawRows

LARGE = 1024 * 1024
"""Bytes from which on an answer is read in parts."""

_A_PART = 128 * 1024  # bytes read in one go: a few milliseconds
_BEGINNING = 16 * 1024  # bytes in which the list of rows must begin
_TRIES = 3  # lists that may begin before that of the rows; more is not looked for
_CUTS = 20  # places tried as the end of a part: in rows that hold lists of maps, most are none
_BETWEEN_ROWS = re.compile(rb"\}\s*(,)\s*\{")
_PLACE = "the rows stand here: 5f0c1d"

Clean = Callable[[bytes, object], object]
"""Takes out of what was read from some bytes what nobody may keep."""


def read_large(body: bytes, clean: Clean) -> object | None:
    """The JSON value in `body`, its longest list as RawRows; None where it is not made of one long list.

    A part is cut between two rows only: it must be JSON by itself, which a cut at any other place, within a
    text or a nested list, cannot give.
    """
    end = body.rfind(b"]")
    start = -1
    for _ in range(_TRIES):
        start = body.find(b"[", start + 1, _BEGINNING)
        if start < 0:
            return None
        with suppress(ValueError):
            rest = body[:start] + f'"{_PLACE}"'.encode() + body[end + 1 :]
            around = _read(rest, clean)
            return _with_rows(around, _rows(body, start + 1, end, clean))
    return None


def _rows(body: bytes, start: int, end: int, clean: Clean) -> RawRows:
    """The rows between the brackets of a list. Raises ValueError where it is none, or cannot be cut."""
    rows = RawRows()
    while start < end:
        part, start = _part(body, start, end, clean)
        if isinstance(part, list):
            rows.extend(part)
    return rows


def _part(body: bytes, start: int, end: int, clean: Clean) -> tuple[object, int]:
    """A list of the next rows, and where those after it begin. Raises ValueError."""
    for _, cut in zip(range(_CUTS), _BETWEEN_ROWS.finditer(body, start + _A_PART, end), strict=False):
        with suppress(ValueError):
            return _read(b"[" + body[start : cut.start(1)] + b"]", clean), cut.end(1)
    return _read(b"[" + body[start:end] + b"]", clean), end


def _read(part: bytes, clean: Clean) -> object:
    return clean(part, from_json(part))


def _with_rows(data: object, rows: Sequence[object]) -> object:
    """`data` with the rows in their place. Raises ValueError where that is not there."""
    if data == _PLACE:
        return rows
    if isinstance(data, dict):
        for name, value in data.items():
            with suppress(ValueError):
                return {**data, name: _with_rows(value, rows)}
    raise ValueError("there is no place for the rows")
