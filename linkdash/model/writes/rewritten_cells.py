"""Cells that a spreadsheet has rewritten: exponents, lost zeros, other dates, lost letters."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import NamedTuple

REWRITTEN = "a spreadsheet has rewritten this: give its column the format Text, and fill it in again"
"""Why a cell cannot be sent of which nobody knows what stood there."""

_DIGITS = 15
"""Digits that a spreadsheet keeps of a number."""
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(E[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_EXPONENT = re.compile(r"-?\d([.,]\d+)?E[+-]\d{2,3}", re.ASCII)
_NO_VALUE = re.compile(r"#{3,}|#(NAME|VALUE|REF|DIV/0|N/A|NUM|NULL|NV|WERT|BEZUG|NOM|VALEUR)[!?]?", re.ASCII)
_WORDS = ({"true", "wahr", "vrai", "verdadero", "vero"}, {"false", "falsch", "faux", "falso"})

_DATE = re.compile(r"(\w{1,9})\.?[-./ ]+(\w{1,9})\.?(?:[-./ ,]+(\d{1,4}))?(?:[T ,]+(\d+:.*))?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*([AP]M)?", re.IGNORECASE | re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_OTHER_MONTHS = {"mrz": 3, "mär": 3, "mai": 5, "okt": 10, "dez": 12}


def is_rewritten(cell: str, text: str) -> bool:
    """Return whether a spreadsheet may show `cell` for a text that nobody edited."""
    if cell == text:
        return True
    if any(cell.casefold() in words and text.casefold() in words for words in _WORDS):
        return True
    return _is_same_number(cell, text) or _is_same_moment(cell, text) or _is_badly_encoded(cell, text)


def is_spoilt(cell: str) -> bool:
    """Return whether a cell has lost what stood there: `1.23457E+17`, `#NAME?`, `####`."""
    return bool(_EXPONENT.fullmatch(cell) or _NO_VALUE.fullmatch(cell))


# ---- numbers ----


def _is_same_number(cell: str, text: str) -> bool:
    shown, number = _number(cell), _number(text)
    if shown is None or number is None:
        return False
    digits = len(shown.as_tuple().digits) if _EXPONENT.fullmatch(cell) else _DIGITS
    return shown in (number, _cut(number), *_rounded(number, min(digits, _DIGITS)))


def _number(text: str) -> Decimal | None:
    if not _NUMBER.fullmatch(text):
        return None
    with suppress(InvalidOperation):
        number = Decimal(text.replace(",", "."))
        return number if abs(number.adjusted()) < 400 else None  # no spreadsheet has larger ones
    return None


def _rounded(number: Decimal, digits: int) -> Iterator[Decimal]:
    """The number with so many digits; a half goes up in some programs, and to the even digit in others."""
    place = Decimal(1).scaleb(number.adjusted() - digits + 1)
    for way in (ROUND_HALF_UP, ROUND_HALF_EVEN):
        with suppress(InvalidOperation):
            yield (number / place).quantize(Decimal(1), way) * place


def _cut(number: Decimal) -> Decimal:
    """A number with zeros for what is beyond the digits that are kept."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or len(digits) <= _DIGITS:
        return number
    return Decimal((sign, digits[:_DIGITS], exponent + len(digits) - _DIGITS))


# ---- sets of characters ----


def _is_badly_encoded(cell: str, text: str) -> bool:
    """Return whether a text was saved in Windows-1252 that does not have its letters, or read as such."""
    if text.isascii():
        return False
    with suppress(UnicodeError):
        if cell.encode("cp1252").decode() == text:
            return True
    return "?" in cell and re.fullmatch("".join(map(_as_saved, text)), cell) is not None


def _as_saved(character: str) -> str:
    """A pattern for what Windows-1252 has for a character: `?` for one that it lacks, `??` beyond 16 bits."""
    with suppress(UnicodeEncodeError):
        character.encode("cp1252")
        return re.escape(character)
    return r"\?" if character <= "\uffff" else r"\?\??"


# ---- dates ----


class _Moment(NamedTuple):
    """A moment as a text tells it; seconds are mostly lost."""

    year: int | None
    month: int
    day: int
    hour: int = 0
    minute: int = 0


def _is_same_moment(cell: str, text: str) -> bool:
    if _DIGIT.sub("0", cell) == _DIGIT.sub("0", text):
        return False  # in the same spelling: somebody has typed another one
    return any(_agree(shown, told) for shown in _moments(cell) for told in _moments(text))


def _agree(one: _Moment, other: _Moment) -> bool:
    return one[1:] == other[1:] and (one.year == other.year or None in (one.year, other.year))


def _moments(text: str) -> list[_Moment]:
    """The moments that a text may name."""
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        return [_Moment(moment.year, moment.month, moment.day, moment.hour, moment.minute)]
    if found := _DATE.fullmatch(text):
        first, second, third, rest = found.groups()
        time = _time(rest)
        orders = [] if time is None else _orders(first, second, third)
        return [_Moment(*day, *(time or ())) for day in orders if _is_date(*day)]
    return []


def _orders(first: str, second: str, third: str | None) -> list[tuple[int | None, int, int]]:
    """Year, month and day in the orders in which three parts may stand, or two without a year."""
    months = [_month(part) for part in (first, second)]
    if first.isdigit() and len(first) == 4:
        return [(int(first), months[1], int(third))] if months[1] and third else []
    year = None if third is None else _year(third)
    found: list[tuple[int | None, int, int]] = []
    if months[1] and first.isdigit():
        found.append((year, months[1], int(first)))
    if months[0] and second.isdigit():
        found.append((year, months[0], int(second)))
    return found


def _month(text: str) -> int | None:
    if text.isdigit():
        return int(text) if len(text) < 3 else None
    beginning = text.lower()[:3]
    return _MONTHS.index(beginning) + 1 if beginning in _MONTHS else _OTHER_MONTHS.get(beginning)


def _year(digits: str) -> int:
    return int(digits) + (0 if len(digits) > 2 else 2000 if int(digits) < 30 else 1900)


def _time(text: str | None) -> tuple[int, int] | None:
    """Hour and minute; midnight where none are written, None for what is no time."""
    if not text:
        return 0, 0
    if not (found := _TIME.fullmatch(text.strip())):
        return None
    hour, half = int(found[1]), (found[4] or "").upper()
    return (hour % 12 if half else hour) + (12 if half == "PM" else 0), int(found[2])


def _is_date(year: int | None, month: int, day: int) -> bool:
    with suppress(ValueError):
        date(2024 if year is None else year, month, day)
        return True
    return False
