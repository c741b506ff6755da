"""The service's date-times: `YYYY-MM-DD HH:MM:SS`, in UTC (reference: Conventions)."""

import calendar
from datetime import UTC, datetime

FORMAT = "%Y-%m-%d %H:%M:%S"


def stamp(epoch: float) -> str:
    """The epoch seconds as the service spells them."""
    return datetime.fromtimestamp(epoch, UTC).strftime(FORMAT)


def epoch(text: str) -> float:
    """The epoch seconds of a date-time as the service spells it; ValueError when it is none."""
    if len(text) != len("YYYY-MM-DD HH:MM:SS"):
        raise ValueError(text)
    return datetime.strptime(text, FORMAT).replace(tzinfo=UTC).timestamp()


def months_later(start: float, months: int) -> float:
    """The same day and time some months on, or the last day of a shorter month."""
    moment = datetime.fromtimestamp(start, UTC)
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day).timestamp()
