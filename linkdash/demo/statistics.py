"""The growth of a QR code's numbers: a function of its id and of time; none is stored.

Every number only ever rises, in the rhythm of a day and of a week, with a trend; and some codes have a story
of the last days: they fell, rose, went silent, or were found in another country. A click is of one country at
most, one browser and so on: in no time do these add up to more than the clicks. In all they stay a little
below them, as those of real services do.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

Shares = tuple[tuple[str, float], ...]
"""Labels and the part of all clicks each of them gets."""

COUNTRIES = (
    "Germany",
    "United States",
    "France",
    "Poland",
    "Japan",
    "Brazil",
    "United Kingdom",
    "Netherlands",
    "Czechia",
    "Austria",
    "Italy",
    "Spain",
    "Türkiye",
    "India",
    "Sweden",
    "Côte d'Ivoire",
    "日本",
)
REFERRERS = (
    "Direct",
    "https://search.example",
    "https://news.example/morning",
    "https://social.example",
    "https://video.example/watch",
    "https://mail.example",
    "https://forum.example/t/4711",
    "https://partner.example.org",
)
BROWSERS = ("Safari", "Chrome", "Samsung Internet", "Firefox", "Edge", "Opera", "WebView")
SYSTEMS = ("iOS", "Android", "Windows", "macOS", "Linux", "HarmonyOS")

SWING = 0.8
"""The part by which a code is clicked more than the mean at its busiest hour."""
WEEK = (1.15, 1.1, 1.1, 1.1, 1.15, 0.75, 0.65)
"""The part of the mean that each weekday has, from Monday on; together 7."""
_WEEK_UNTIL = tuple(accumulate(WEEK, initial=0.0))
DAY = 86_400
TREND_DAYS = 60
"""The number of days before the records were made at which a trend began."""


@dataclass(frozen=True)
class Story:
    """An event of a code, days before the records were made: its clicks since then, to those before."""

    days: float = 0.0
    factor: float = 1.0
    top_factor: float = 1.0
    """The same for the country it is clicked in most."""
    newcomer: float = 0.0
    """The part of the clicks since then that a new country has."""


STORIES = {
    0: Story(7, factor=0.25, top_factor=0.1),
    10: Story(4, newcomer=0.12),
    20: Story(6, factor=1.8, top_factor=2.2),
    30: Story(3, factor=0.0, top_factor=0.0),
}
"""Of the codes whose id leaves this remainder when it is divided by 40."""


class Times(NamedTuple):
    """Epoch seconds: when a code was created, when the records were made, and the moment asked for."""

    created: float
    made: float
    now: float


class LabelCounts(NamedTuple):
    """The labels that the clicks of a code are told by."""

    countries: Shares
    referrers: Shares
    browsers: Shares
    systems: Shares
    social: Shares
    newcomer: str
    """The country of a story."""


@dataclass(frozen=True, eq=False)
class CodeProfile:
    """The peculiarities of one QR code. `pace` is clicks an hour; the ratios are parts of the clicks."""

    seed: int
    code_id: int
    silent: bool
    pace: float
    phase: float
    trend: float
    """The part by which it is clicked more than the mean at the end of the trend."""
    story: Story
    scanned: float
    unique: float

    @cached_property
    def labels(self) -> LabelCounts:
        """Return its labels; the list of codes asks for none of them. One code in 25 has odd ones."""
        rng = _growth(self.seed, self.code_id).rng
        odd = ("Unknown", "") if self.code_id % 25 == 3 else ()
        countries = _shares(rng, COUNTRIES, 12, odd)
        known = {label for label, _ in countries}
        return LabelCounts(
            countries=countries,
            referrers=_shares(rng, REFERRERS, 7, odd),
            browsers=_shares(rng, BROWSERS, 6),
            systems=_shares(rng, SYSTEMS, 5, odd[:1]),
            social=tuple((name, rng.uniform(0, 0.08)) for name in ("facebook", "twitter", "instagram")),
            newcomer=next(label for label in reversed(COUNTRIES) if label not in known),
        )


@lru_cache(maxsize=4096)
def profile(seed: int, code_id: int) -> CodeProfile:
    """The profile of a code. One in forty has no statistics, one in ten is busy."""
    growth = _growth(seed, code_id)
    return CodeProfile(
        seed,
        code_id,
        silent=code_id % 40 == 7,
        pace=growth.pace,
        phase=growth.phase,
        trend=0.1 + code_id % 7 / 20,
        story=STORIES.get(code_id % 40, Story()),
        scanned=growth.scanned,
        unique=growth.unique,
    )


class _Growth(NamedTuple):
    """The numbers of a code before its labels, which go on with the same numbers."""

    pace: float
    phase: float
    scanned: float
    unique: float
    rng: random.Random


def _growth(seed: int, code_id: int) -> _Growth:
    rng = random.Random(f"{seed}:{code_id}")
    pace = rng.uniform(6, 16) if code_id % 10 == 0 else math.exp(rng.gauss(-0.5, 1.3))
    return _Growth(pace, rng.uniform(0, math.tau), rng.uniform(0.7, 0.97), rng.uniform(0.4, 0.8), rng)


def _shares(rng: random.Random, labels: tuple[str, ...], most: int, odd: tuple[str, ...] = ()) -> Shares:
    """Some of the labels, few of them with most of the clicks, more often those named first."""
    sample = rng.sample(labels, rng.randint(3, most))
    chosen = [*sorted(sample, key=lambda label: labels.index(label) + rng.uniform(0, 6)), *odd]
    weights = [rng.uniform(0.6, 1.4) / rank**1.6 for rank in range(1, len(chosen) + 1)]
    whole = sum(weights) / 0.98
    return tuple((label, weight / whole) for label, weight in zip(chosen, weights, strict=True))


class Totals(NamedTuple):
    """All clicks up to a moment, the scans among them, and those of people who had not clicked before."""

    clicks: int
    scans: int
    unique: int


def totals(code: CodeProfile, times: Times) -> Totals:
    """Return the totals up to now."""
    before, after = _parts(code, times)
    clicks = int(before + after * code.story.factor)
    return Totals(clicks, int(clicks * code.scanned), math.ceil(clicks * code.unique))


def breakdowns(code: CodeProfile, times: Times, total: int) -> dict[str, dict[str, int]]:
    """The clicks, `total` of them, by label; a label without any is left out, but of social ones."""
    labels = code.labels
    return {
        "countries": _countries(code, times, total),
        "referrers": _told(_dealt(labels.referrers, total)),
        "browsers": _told(_dealt(labels.browsers, total)),
        "systems": _told(_dealt(labels.systems, total)),
        "social": _dealt(labels.social, total),
    }


def statistics(code: CodeProfile, times: Times) -> dict[str, object]:
    """The member `data` of a single QR code (reference: QR code); an empty object when there are none."""
    if code.silent:
        return {}
    whole = totals(code, times)
    told = breakdowns(code, times, whole.clicks)
    return {
        "clicks": whole.clicks,
        "uniqueClicks": whole.unique,
        "topCountries": _spelled(told["countries"]),
        "topReferrers": _spelled(told["referrers"]),
        "topBrowsers": _spelled(told["browsers"]),
        "topOs": _spelled(told["systems"]),
        "socialCount": told["social"],
    }


def _parts(code: CodeProfile, times: Times) -> tuple[float, float]:
    """The clicks before what its story tells of, and those since then as they would have been without it."""
    if code.silent or times.now <= times.created:
        return 0.0, 0.0
    happened = times.made // DAY * DAY - code.story.days * DAY
    turn = min(max(happened, times.created), times.now)
    begun, ended = _grown_before(code, times.created, times.made), _grown(code, times.now, times.made)
    at = ended if turn == times.now else _grown_before(code, turn, times.made)
    return at - begun, ended - at


@lru_cache(maxsize=1024)
def _grown_before(code: CodeProfile, moment: float, made: float) -> float:
    """The same as `_grown`, kept: the moments at which codes were created and turned are asked for often."""
    return _grown(code, moment, made)


def _grown(code: CodeProfile, moment: float, made: float) -> float:
    """Clicks of a code that was there for ever and has no story; only differences of it mean anything."""
    days, seconds = divmod(moment, DAY)
    weeks, weekday = divmod(int(days) + 3, 7)  # the first day was a Thursday
    hours = 24 * (7 * weeks + _WEEK_UNTIL[weekday]) + WEEK[weekday] * _hours(code, seconds / 3600)
    risen = max(0.0, moment - (made - TREND_DAYS * DAY)) / 3600
    return code.pace * (hours + code.trend * risen * risen / (2 * TREND_DAYS * 24))


def _hours(code: CodeProfile, hour: float) -> float:
    """Return how many mean hours the first hours of a day are worth; 24 have 24."""
    turn = math.tau / 24
    return hour + SWING / turn * (math.cos(code.phase) - math.cos(turn * hour + code.phase))


def _countries(code: CodeProfile, times: Times, total: int) -> dict[str, int]:
    """The country of most clicks has a story of its own; what it has more or less, the others share."""
    before = int(_parts(code, times)[0])
    counts = _dealt(code.labels.countries, before)
    for label, count in _dealt(_since_the_story(code), total - before).items():
        counts[label] = counts.get(label, 0) + count
    return _told(counts)


def _since_the_story(code: CodeProfile) -> Shares:
    """The countries and the part of the clicks each of them gets since the story of the code."""
    story, countries = code.story, code.labels.countries
    if not story.factor:
        return ()
    (top, top_share), *others = countries
    known = 1 - story.newcomer
    first = min(top_share * story.top_factor / story.factor, sum(share for _, share in countries))
    rest = sum(share for _, share in others)
    left = (rest + top_share - first) / rest if rest else 0.0
    newcomer = [(code.labels.newcomer, story.newcomer * 0.98)] if story.newcomer else []
    return ((top, first * known), *((label, share * left * known) for label, share in others), *newcomer)


def _dealt(shares: Shares, total: int) -> dict[str, int]:
    """The clicks by label, dealt one by one: another click adds to one label at most."""
    counts, left, rest = {}, total, 1.0
    for label, share in shares:
        counts[label] = int(left * min(1.0, share / rest)) if rest > 0 else 0
        left, rest = left - counts[label], rest - share
    return counts


def _told(counts: Mapping[str, int]) -> dict[str, int]:
    return {label: count for label, count in counts.items() if count}


def _spelled(counts: Mapping[str, int]) -> dict[str, str]:
    """Counts as strings, as the service spells them."""
    return {label: str(count) for label, count in counts.items()}
