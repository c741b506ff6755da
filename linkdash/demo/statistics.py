"""How the numbers of a QR code grow: a function of its id and of the time since it was made; none is stored.

Every number only ever rises with time, in the rhythm of a day; the sums of the breakdowns differ a little
from the clicks, as those of real services do.
"""

import math
import random
from dataclasses import dataclass
from functools import lru_cache

from linkdash.demo import words

Shares = tuple[tuple[str, float], ...]
"""Labels and the part of all clicks each of them gets."""

SWING = 0.8
"""How much more than the mean a code is clicked at its busiest hour."""


@dataclass(frozen=True)
class Profile:
    """What is peculiar to one QR code. `pace` is clicks an hour; the ratios are parts of the clicks."""

    silent: bool
    pace: float
    phase: float
    scanned: float
    unique: float
    countries: Shares
    referrers: Shares
    browsers: Shares
    systems: Shares
    social: Shares


@lru_cache(maxsize=4096)
def profile(seed: int, code_id: int) -> Profile:
    """The profile of a code. One in forty has no statistics, one in ten is busy, one in 25 has odd labels."""
    rng = random.Random(f"{seed}:{code_id}")
    pace = rng.uniform(90, 360) if code_id % 10 == 0 else math.exp(rng.gauss(-0.5, 1.3))
    odd = ("Unknown", "") if code_id % 25 == 3 else ()
    return Profile(
        silent=code_id % 40 == 7,
        pace=pace,
        phase=rng.uniform(0, math.tau),
        scanned=rng.uniform(0.7, 0.97),
        unique=rng.uniform(0.4, 0.8),
        countries=_shares(rng, words.COUNTRIES, 12, odd),
        referrers=_shares(rng, words.REFERRERS, 7, odd),
        browsers=_shares(rng, words.BROWSERS, 6),
        systems=_shares(rng, words.SYSTEMS, 5, odd[:1]),
        social=tuple((name, rng.uniform(0, 0.08)) for name in ("facebook", "twitter", "instagram")),
    )


def _shares(rng: random.Random, labels: tuple[str, ...], most: int, odd: tuple[str, ...] = ()) -> Shares:
    """Some of the labels, few of them with most of the clicks, more often those named first."""
    sample = rng.sample(labels, rng.randint(3, most))
    chosen = [*sorted(sample, key=lambda label: labels.index(label) + rng.uniform(0, 6)), *odd]
    weights = [rng.uniform(0.6, 1.4) / rank**1.6 for rank in range(1, len(chosen) + 1)]
    whole = sum(weights) / 0.98
    return tuple((label, weight / whole) for label, weight in zip(chosen, weights, strict=True))


def clicks(code: Profile, elapsed: float) -> int:
    """All clicks, `elapsed` seconds after the code was made."""
    if code.silent:
        return 0
    hours = max(0.0, elapsed) / 3600
    turn = math.tau / 24
    wave = SWING / turn * (math.sin(turn * hours + code.phase) - math.sin(code.phase))
    return int(code.pace * (hours + wave))


def scans(code: Profile, elapsed: float) -> int:
    """The scans among the clicks."""
    return int(clicks(code, elapsed) * code.scanned)


def statistics(code: Profile, elapsed: float) -> dict[str, object]:
    """The member `data` of a single QR code (reference: QR code); an empty object when there are none."""
    if code.silent:
        return {}
    total = clicks(code, elapsed)
    return {
        "clicks": total,
        "uniqueClicks": math.ceil(total * code.unique),
        "topCountries": _counts(code.countries, total),
        "topReferrers": _counts(code.referrers, total),
        "topBrowsers": _counts(code.browsers, total),
        "topOs": _counts(code.systems, total),
        "socialCount": {name: int(total * share) for name, share in code.social},
    }


def _counts(shares: Shares, total: int) -> dict[str, str]:
    """Counts as strings, as the service spells them."""
    return {label: str(int(total * share)) for label, share in shares if int(total * share)}
