"""Local time: the zone the user reads, and the service's own time, which names no zone."""

import os
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from pathlib import Path

# ---- where a day begins, in summer and in winter ----

_SYSTEM_ZONE = Path("/etc/localtime")


@cache
def local_zone() -> tzinfo:
    """The zone with its rules; where they lie in no file, as for `CET-1CEST,M3.5.0,M10.5.0`, the system's."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # the first paint does not wait for it

    name = os.environ.get("TZ", "").removeprefix(":")
    rules = Path(name) if os.path.isabs(name) else _SYSTEM_ZONE
    try:
        if name and rules is _SYSTEM_ZONE:
            return ZoneInfo(name)
        with rules.open("rb") as file:
            return ZoneInfo.from_file(file, _zone_key(rules) or _zone_key(rules.resolve()))
    except (OSError, ValueError, ZoneInfoNotFoundError):
        return _SystemRules()


def _zone_key(rules: Path) -> str | None:
    """`Europe/Berlin` of `/usr/share/zoneinfo/Europe/Berlin`; None for rules that lie somewhere else."""
    _, known, key = rules.as_posix().partition("/zoneinfo/")
    return key if known else None


class _SystemRules(tzinfo):
    """The rules by which the system itself tells local time."""

    def fromutc(self, moment: datetime) -> datetime:
        told = moment.replace(tzinfo=UTC).astimezone()
        first = told.replace(tzinfo=self)
        return first if self.utcoffset(first) == told.utcoffset() else first.replace(fold=1)

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().tzname()


def zone_name(moment: datetime) -> str:
    """The zone a moment is told in: `Europe/Berlin (UTC+01:00)`."""
    key = getattr(moment.tzinfo, "key", None) or moment.tzname() or ""
    distance = f"{moment:%z}"
    return "UTC" if key in ("UTC", "Etc/UTC") else f"{key} (UTC{distance[:3]}:{distance[3:5]})"


def local_moment(seconds: float) -> datetime:
    """A moment, told in seconds since 1970, as the clock on the wall shows it; aware."""
    return datetime.fromtimestamp(seconds, local_zone())


# ---- the service's own time ----

_QUARTER = timedelta(minutes=15)  # every zone is a multiple of it away from UTC
_ANSWERED_WITHIN = timedelta(minutes=2)
_FARTHEST = timedelta(hours=14)


def distance_of(made: datetime, told: datetime) -> timedelta | None:
    """The distance of the service's own time from UTC, by a record made at a moment in UTC, and its date.

    None where the two cannot be of the same moment in any zone.
    """
    between = told - made.astimezone(UTC).replace(tzinfo=None)
    distance = round(between / _QUARTER) * _QUARTER
    is_possible = abs(distance) <= _FARTHEST and abs(between - distance) <= _ANSWERED_WITHIN
    return distance if is_possible else None


def distance_words(distance: timedelta) -> str:
    """A distance from UTC: `UTC-05:00`."""
    minutes = round(distance / timedelta(minutes=1))
    return f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
