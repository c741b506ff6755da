"""The types of arguments, as the command line reads them."""

import argparse
import os

TYPE_CHECKING = False  # as of `typing`, which takes longer to import than all the rest
if TYPE_CHECKING:
    from datetime import date

_LARGEST = 2**63 - 1  # what SQLite can hold
LONGEST_DAYS = 3660
"""Days that a period can have."""
USUAL_DAYS = 7
"""Days of a period where none is given."""
_LONGEST_PAUSE_DIGITS = 5


def text(argument: str) -> str:
    """Text of the user, whatever the locale. Raises ArgumentTypeError for bytes that are none."""
    try:
        return os.fsencode(argument).decode()
    except UnicodeError:
        raise argparse.ArgumentTypeError("must be text in UTF-8") from None


def days(text: str) -> int:
    """A length of time, in days: `7d`, `2w`. Raises ArgumentTypeError."""
    number, unit = text[:-1], text[-1:]
    if number.isdecimal() and number.isascii() and len(number) <= len(str(LONGEST_DAYS)):
        found = int(number) * {"d": 1, "w": 7}.get(unit, 0)
        if 1 <= found <= LONGEST_DAYS:
            return found
    raise argparse.ArgumentTypeError(f"must be days or weeks, such as 7d or 2w, up to {LONGEST_DAYS}d")


def day(text: str) -> "date":
    """A day: `2026-10-01`. Raises ArgumentTypeError."""
    from datetime import date, datetime

    try:
        found = datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise argparse.ArgumentTypeError("must be a day such as 2026-10-01") from None
    if not date(1990, 1, 1) <= found <= date(9000, 1, 1):
        raise argparse.ArgumentTypeError("must be a day from 1990 to 9000, such as 2026-10-01")
    return found


def seconds(text: str) -> int:
    """A pause, in seconds: `30s`, `15m`, `2h`, `1d`. Raises ArgumentTypeError."""
    number, unit = text[:-1], text[-1:]
    if number.isdecimal() and number.isascii() and len(number) <= _LONGEST_PAUSE_DIGITS and int(number):
        found = int(number) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}.get(unit, 0)
        if found:
            return found
    raise argparse.ArgumentTypeError("must be a time such as 30s, 15m, 2h or 1d")


def record_id(text: str) -> int:
    """The id of a record. Raises ArgumentTypeError."""
    try:
        return positive(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError("must be an id such as 12; linkdash list shows them") from None


def positive(text: str) -> int:
    """A number of records, changes or requests, or the id of a change. Raises ArgumentTypeError."""
    digits = text if text.isdecimal() else _stripped(text)
    is_number = digits.isdecimal() and digits.isascii() and len(digits) <= len(str(_LARGEST))
    if is_number and 1 <= int(digits) <= _LARGEST:
        return int(digits)
    raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {_LARGEST}")


def _stripped(text: str) -> str:
    from linkdash.api.fields import stripped  # takes long to import, and most ids are digits alone

    return stripped(text)
