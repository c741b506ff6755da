"""The three rate headers of an answer, in any of the spellings services use (reference: Limits).

`X-RateLimit-Reset` is only called "a timestamp". Its spelling is told by its magnitude, and every moment is
compared with the answer's own `Date`. The clock of this machine may be hours away: it only stands in where
there is no `Date`, and only as far as that is possible.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from math import inf
from typing import NamedTuple

LONGEST_RESET = 65.0
"""Seconds: a reset further away is not believed, unless a refusal has proved a longer window."""
LONGEST_PAUSE = 3600.0
"""Seconds: a `Retry-After` beyond this is not believed."""
LONGEST_PROVEN_RESET = LONGEST_PAUSE + 5
"""Seconds: a reset further away is not believed even after a refusal that proved a long window."""

_EARLIEST_RESET = -5.0
_ROUNDED = 1.0  # seconds: a told moment is off by less than this
_ZONES = 900.0  # every time zone is a multiple of a quarter of an hour
_COUNT = re.compile(r"([+-]?[0-9]{1,9})(?:\.0+)?\s*(?:[,;].*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,20})?", re.ASCII)
_NAMES = frozenset({"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "date"})
_MAX_LENGTH = 80


class ResetSpelling(StrEnum):
    """A service's spelling of the moment of its reset."""

    MISSING = "missing"
    SECONDS_LEFT = "seconds left"
    EPOCH_SECONDS = "seconds since 1970"
    EPOCH_MILLISECONDS = "milliseconds since 1970"
    DATE_TIME = "date and time"
    DATE_TIME_NO_ZONE = "date and time without a zone"
    UNKNOWN = "not understood"


class RateHeaders(NamedTuple):
    """The budget as one answer tells it. Anything missing, odd or not believable is None."""

    limit: int | None = None
    remaining: int | None = None
    reset_in: float | None = None
    """Seconds from this answer to the reset, 0 or more."""
    resets_at: float | None = None
    """The reset on the service's own clock (seconds since 1970): it orders answers, nothing else."""
    retry_after: float | None = None
    """Seconds from this answer."""
    spelling: ResetSpelling = ResetSpelling.MISSING


@dataclass(slots=True)
class ServiceClock:
    """An estimate of how far a service's clock is ahead of ours, for answers without `Date`.

    Every reset that is told bounds it: none is over yet, and none is further away than a window is long.
    """

    least: float = -inf
    most: float = inf

    def learn(self, reset: float, sent: float, answered: float, longest: float) -> None:
        """Learn from a reset on the service's clock, and when its request was sent and answered on ours."""
        least, most = reset - answered - longest, reset - sent + _ROUNDED
        self.least, self.most = max(self.least, least), min(self.most, most)
        if self.least > self.most:
            self.least, self.most = least, most

    def read(
        self, headers: Mapping[str, str], sent: float, now: float, ahead: float, longest: float
    ) -> RateHeaders:
        """Read the rate headers of an answer to a request sent at a moment.

        `ahead` leads from `now` to the time of day of this machine, which stands in for the service's if it
        tells none and that is possible.
        """
        rate = parse_rate_headers(headers, longest)
        if rate.reset_in is not None or rate.spelling is ResetSpelling.MISSING:
            return rate
        if rate.resets_at is not None:
            self.learn(rate.resets_at, sent, now, longest)
        return parse_rate_headers(headers, longest, now + self.ahead(ahead))

    def ahead(self, guess: float) -> float:
        """Seconds to add to our clock; a `guess` that is impossible gives the one that waits longest."""
        return guess if self.least <= guess <= self.most else self.least


TOO_MANY_REQUESTS = 429


def refuses(status: int, headers: Mapping[str, str], *, said_no: bool = False) -> bool:
    """Return whether an answer tells that a request was refused for the rate (reference: Limits).

    That is status 429, and any other no that names a wait and says that nothing is left. `said_no` tells of
    an answer with status 200 that it is a no.
    """
    if status == TOO_MANY_REQUESTS:
        return True
    if status < 400 and not said_no:
        return False
    rate = parse_rate_headers(headers)
    return rate.retry_after is not None and rate.remaining == 0


def date_of(headers: Mapping[str, str]) -> datetime | None:
    """The moment at which an answer was made by its `Date`; None where it tells none."""
    text = next((value for name, value in headers.items() if name.lower() == "date"), "")
    date = _moment(text.strip()[:_MAX_LENGTH])
    return None if date is None else date.replace(tzinfo=date.tzinfo or UTC)


def parse_rate_headers(
    headers: Mapping[str, str], longest: float = LONGEST_RESET, answered_at: float | None = None
) -> RateHeaders:
    """Read the rate headers of an answer (reference: Limits). Never raises, whatever they hold.

    A reset more than `longest` seconds away is discarded. `answered_at` stands in for a missing `Date`, in
    seconds since 1970.
    """
    found = {
        name.lower(): value.strip()[:_MAX_LENGTH] for name, value in headers.items() if name.lower() in _NAMES
    }
    if (date := date_of(found)) is not None:
        answered_at = date.timestamp()
    limit = _count(found.get("x-ratelimit-limit", ""))
    remaining = _count(found.get("x-ratelimit-remaining", ""))
    if limit == 0 or (limit is not None and remaining is not None and remaining > limit):
        limit, remaining = None, remaining or None
    spelling, seconds, moment = _reset(found.get("x-ratelimit-reset", ""), answered_at)
    believed = seconds is not None and _EARLIEST_RESET <= seconds <= longest
    return RateHeaders(
        limit=limit,
        remaining=remaining,
        reset_in=max(0.0, seconds) if seconds is not None and believed else None,
        resets_at=moment if believed or seconds is None else None,
        retry_after=_retry_after(found.get("retry-after", ""), answered_at),
        spelling=spelling,
    )


def _reset(text: str, answered_at: float | None) -> tuple[ResetSpelling, float | None, float | None]:
    """Return the spelling, the seconds left and the moment on the service's clock."""
    if not text:
        return ResetSpelling.MISSING, None, None
    if _NUMBER.fullmatch(text):
        return _numeric_reset(float(text), answered_at)
    date = _moment(text)
    if date is None:
        return ResetSpelling.UNKNOWN, None, None
    if date.tzinfo is not None:
        at = date.timestamp()
        return ResetSpelling.DATE_TIME, _until(at, answered_at), at
    if answered_at is None:
        return ResetSpelling.DATE_TIME_NO_ZONE, None, None
    away = date.replace(tzinfo=UTC).timestamp() - answered_at
    seconds = (away - _EARLIEST_RESET) % _ZONES + _EARLIEST_RESET
    return ResetSpelling.DATE_TIME_NO_ZONE, seconds, answered_at + seconds


def _numeric_reset(
    number: float, answered_at: float | None
) -> tuple[ResetSpelling, float | None, float | None]:
    if number <= LONGEST_PROVEN_RESET:
        moment = None if answered_at is None else answered_at + number
        return ResetSpelling.SECONDS_LEFT, number, moment
    if 1e9 <= number <= 1e11:
        return ResetSpelling.EPOCH_SECONDS, _until(number, answered_at), number
    if 1e12 <= number <= 1e14:
        return ResetSpelling.EPOCH_MILLISECONDS, _until(number / 1000, answered_at), number / 1000
    return ResetSpelling.UNKNOWN, None, None


def _retry_after(text: str, answered_at: float | None) -> float | None:
    if _NUMBER.fullmatch(text):
        seconds: float | None = float(text)
    else:
        date = _moment(text)
        seconds = None if date is None or date.tzinfo is None else _until(date.timestamp(), answered_at)
    if seconds is None or not _EARLIEST_RESET <= seconds <= LONGEST_PAUSE:
        return None
    return max(0.0, seconds)


def _until(moment: float, answered_at: float | None) -> float | None:
    return None if answered_at is None else moment - answered_at


def _count(text: str) -> int | None:
    """A whole number of requests; one below zero says that none is left."""
    match = _COUNT.fullmatch(text)
    return max(0, int(match[1])) if match else None


def _moment(text: str) -> datetime | None:
    """An ISO or HTTP date with a time; without a zone if it names none."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text) if text[0].isdigit() else parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
