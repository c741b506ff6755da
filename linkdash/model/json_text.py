"""JSON: as a text with indents, as a line, and as lines; what is not printable is escaped, as JSON allows."""

import json
from collections.abc import Iterable
from contextlib import suppress

from pydantic_core import to_json

from linkdash.api.inert_text import printable_json

_as_line = json.JSONEncoder(ensure_ascii=False, default=str).encode


def json_text(data: object) -> str:
    """Data to be read by people, too."""
    with suppress(ValueError):  # halves of characters, which the quick way does not write
        return printable_json(to_json(data, indent=2, inf_nan_mode="constants", fallback=str).decode()) + "\n"
    return printable_json(json.dumps(data, ensure_ascii=False, indent=2, default=str)) + "\n"


def json_line(data: object) -> str:
    """Data in one line, without its end."""
    return printable_json(_as_line(data))


def json_lines(items: Iterable[object]) -> str:
    """A line for each."""
    return printable_json("".join(f"{_as_line(item)}\n" for item in items))
