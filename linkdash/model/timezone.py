"""The time zone of the person at the terminal: where a day begins for them, in summer and in winter."""

import os
from calendar import monthrange
from datetime import MAXYEAR, UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_SYSTEM_ZONE = Path("/etc/localtime")


@cache
def local_zone() -> tzinfo:
    """The zone with its rules; where the system does not tell them, the present distance to UTC."""
    name = os.environ.get("TZ", "").removeprefix(":")
    try:
        if name:
            return ZoneInfo(name)
        with _SYSTEM_ZONE.open("rb") as rules:
            return ZoneInfo.from_file(rules)
    except (OSError, ValueError, ZoneInfoNotFoundError):
        return datetime.now(UTC).astimezone().tzinfo or UTC


def local_moment(seconds: float) -> datetime:
    """A moment, told in seconds since 1970, as the clock on the wall shows it; aware."""
    return datetime.fromtimestamp(seconds, local_zone())


def months_later(moment: datetime, months: int) -> datetime:
    """The same day `months` later, or the last of a month that is too short. Raises OverflowError."""
    years, month = divmod(moment.month - 1 + months, 12)
    year = moment.year + years
    if year > MAXYEAR:
        raise OverflowError("after the last year there is")
    day = min(moment.day, monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)
