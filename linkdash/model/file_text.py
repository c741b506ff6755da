"""The text of a file, in any of the sets of characters that spreadsheets write."""

import codecs
import re
from typing import NamedTuple

from linkdash.api.errors import InvalidBody

NOTHING_SENT = "Nothing was sent."
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAVE_AS = f'Save it as "CSV UTF-8" (a spreadsheet\'s "Save as" has it). {NOTHING_SENT}'
_NOT_WESTERN = re.compile(
    r"[^\W\d_a-zA-Z]{3}"  # three letters of another alphabet in a row: Cyrillic, Greek, Hebrew
    r"|[^\W\d_][¹³¿£¥][^\W\d_]|[a-z][ŠŽŸŒˆ‡]"  # Polish; letters of an old Macintosh
)
"""What Windows-1252 makes of texts that are in another set of characters."""
_WORD = re.compile(r"\w*[^\W\x00-\x7f]\w*")
_LONGEST_WORD = 30


class Unimportable(InvalidBody):
    """The file as a whole cannot be imported."""


class FileText(NamedTuple):
    """The text of a file."""

    text: str
    told: str = ""
    """How it was read, where that is not certain."""


def decoded(data: bytes, name: str) -> FileText:
    """The text of a file without its byte order mark. Raises Unimportable, with how to save it."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return FileText(_strictly(data.removeprefix(mark), encoding, name))
    if (wide := _wide_encoding(data[:1_000])) is not None:
        return FileText(_strictly(data, wide, name))
    try:
        return FileText(data.decode())
    except UnicodeDecodeError:
        text = _strictly(data, "cp1252", name)
    if _NOT_WESTERN.search(text):
        raise Unimportable(f"{name} is not UTF-8, and its set of characters cannot be known.", _SAVE_AS)
    word = _WORD.search(text)
    shown = "" if word is None else f", as in {word[0][:_LONGEST_WORD]}"
    return FileText(text, f"{name} is not UTF-8: read as Windows-1252{shown}.")


def _wide_encoding(beginning: bytes) -> str | None:
    """Return the UTF-16 of a text without a mark: every other byte of nearly all characters in it is zero."""
    zeros = [beginning[place::2].count(0) for place in (0, 1)]
    if sum(zeros) * 3 < len(beginning) or not beginning:
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _strictly(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise Unimportable(f"{name} is not valid {_NAMES[encoding]}.", _SAVE_AS) from None


_NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "cp1252": "UTF-8"}
