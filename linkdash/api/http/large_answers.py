"""Large answers read part by part.

Reading 100,000 rows in one go would hold everything up: whoever reads JSON from C lets nothing else work
meanwhile, in whichever thread it is done, and a thread beside the event loop takes half of each of its turns.
So the loop reads them in slices.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from linkdash.api.http.lenient_json import read_json
from linkdash.api.http.raw_rows import RawRows

if TYPE_CHECKING:
    from linkdash.api.slices import Slices

LARGE = 1024 * 1024
"""Bytes from which on an answer is read in parts."""

_A_PART = 128 * 1024  # bytes read in one go: a few milliseconds
_BEGINNING = 16 * 1024  # bytes in which the list of rows must begin
_TRIES = 3  # lists that may begin before that of the rows; more is not looked for
_CUTS = 20  # places tried as the end of a part: in rows that hold lists of maps, most are none
_BETWEEN_ROWS = re.compile(rb"\}\s*(,)\s*\{")
_PLACE = "the rows stand here: 5f0c1d"

Clean = Callable[[bytes, object], object]
"""Takes out of what was read from some bytes what may not be kept."""


def read_large(body: bytes, clean: Clean) -> "Slices[object | None]":
    """Return the JSON value in `body`, its longest list as RawRows; None where it has no such list.

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
            rows = yield from _rows(body, start + 1, end, clean)
            return _with_rows(around, rows)
    return None


def _rows(body: bytes, start: int, end: int, clean: Clean) -> "Slices[RawRows]":
    """Return the rows between the brackets of a list. Raises ValueError where it is none, or has no cut."""
    rows = RawRows()
    while start < end:
        part, start = _part(body, start, end, clean)
        if isinstance(part, list):
            rows.extend(part)
        yield
    return rows


def _part(body: bytes, start: int, end: int, clean: Clean) -> tuple[object, int]:
    """A list of the next rows, and where those after it begin. Raises ValueError."""
    for _, cut in zip(range(_CUTS), _BETWEEN_ROWS.finditer(body, start + _A_PART, end), strict=False):
        with suppress(ValueError):
            return _read(b"[" + body[start : cut.start(1)] + b"]", clean), cut.end(1)
    return _read(b"[" + body[start:end] + b"]", clean), end


def _read(part: bytes, clean: Clean) -> object:
    return clean(part, read_json(part))


def _with_rows(data: object, rows: Sequence[object]) -> object:
    """`data` with the rows in their place. Raises ValueError where that is not there."""
    if data == _PLACE:
        return rows
    if isinstance(data, dict):
        for name, value in data.items():
            with suppress(ValueError):
                return {**data, name: _with_rows(value, rows)}
    raise ValueError("the answer has no rows")
