"""What a visitor of the demo would have kept, had they collected for weeks: made up, as plain numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from linkdash.demo.statistics import DAY, Profile, Times, profile, scans, statistics

DAYS = 60
"""How far back it goes."""
CLOSE_DAYS = 16
"""For how many of its last days there are several readings a day."""
_QUARTER = 900
_BREAKDOWNS = {
    "countries": "topCountries",
    "referrers": "topReferrers",
    "browsers": "topBrowsers",
    "systems": "topOs",
    "social": "socialCount",
}


@dataclass(frozen=True)
class Past:
    """What was read of a code at a moment in epoch seconds; only the scans where it was read in the list."""

    at: float
    scans: int
    clicks: int | None = None
    unique: int | None = None
    breakdowns: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def listed(codes: Mapping[int, float], seed: int, made: float, now: float) -> dict[int, list[Past]]:
    """The scans of each code as the list told them, once a day.

    `codes` are ids with the moments at which they were created.
    """
    found = {}
    for code_id, created in codes.items():
        code, moments = profile(seed, code_id), [*_every(DAY, CLOSE_DAYS, created, now), now]
        found[code_id] = [Past(at, scans(code, Times(created, made, at))) for at in moments]
    return found


def history(
    codes: Mapping[int, float], seed: int, made: float, now: float
) -> Iterator[tuple[int, list[Past]]]:
    """Of each busy code what was read of it alone, several times a day; the newest codes first."""
    for code_id in sorted((id for id in codes if id % 10 == 0), reverse=True):
        code, created = profile(seed, code_id), codes[code_id]
        moments = {*_every(DAY, DAYS, created, now), *_every(DAY // 4, CLOSE_DAYS, created, now)}
        if code_id % 50 == 0:  # followed closely for the last two days
            moments.update(_every(_QUARTER, 2, created, now))
        yield code_id, [_read(code, Times(created, made, at)) for at in sorted(moments)]


def _every(seconds: int, days: int, created: float, now: float) -> list[float]:
    """Round moments of the last days, none before the code was there."""
    last = int(now // seconds)
    first = int((now - days * DAY) // seconds) + 1
    return [float(number * seconds) for number in range(first, last + 1) if number * seconds > created]


def _read(code: Profile, times: Times) -> Past:
    data: Any = statistics(code, times)
    told = scans(code, times)
    if not data:
        return Past(times.now, told)
    breakdowns = {
        name: {label: int(count) for label, count in dict(data[member]).items()}
        for name, member in _BREAKDOWNS.items()
    }
    return Past(times.now, told, data["clicks"], data["uniqueClicks"], breakdowns)
