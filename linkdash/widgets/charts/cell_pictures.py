"""Pictures of a few cells: gauge, sparkline, change, time left, badge."""

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta

from linkdash.model.humanize import (
    ATTENTION,
    LATER,
    SOON,
    Badge,
    Bar,
    CountChange,
    Ending,
    ScanStrip,
    TermEnd,
    TimeLeft,
    Trend,
)
from linkdash.widgets.styled_text import Piece, Tone, fit_text

HEAVY, HALF, LIGHT = "━", "╸", "─"
# ---- one value ----

STEPS = "▁▂▃▄▅▆▇"  # never a full block: neighbouring rows must not melt into one
BEGAN, UNTOLD = "│", "·"
LEAST_SCALE = 4
"""Scans that the highest column of a strip stands for at the least, so that one scan is no peak."""
MORE, LESS, SAME, NONE = "▲", "▼", "=", "–"
BAR_CELLS, TREND_CELLS, CHANGE_CELLS = 5, 7, 8
_DIRECTIONS = {1: Tone.GOOD, -1: Tone.BAD, 0: Tone.MUTED}


def gauge(part: float, total: float, cells: int) -> tuple[str, str]:
    """The heavy and the light part of a line; full only when all of it is, empty only when nothing is."""
    if total <= 0 or part <= 0:
        return "", LIGHT * cells
    halves = cells * 2 if part >= total else max(1, min(cells * 2 - 1, round(cells * 2 * part / total)))
    heavy = HEAVY * (halves // 2) + HALF * (halves % 2)
    return heavy, LIGHT * (cells - len(heavy))


def sparkline(days: Sequence[float], cells: int) -> str:
    """The last days as columns, scaled to the largest of all days, also those before; nothing for no days."""
    most = max(days, default=0)
    return "".join(step(day, most) for day in (days[-cells:] if cells > 0 else ()))


def step(value: float, most: float) -> str:
    """A column in a cell, as high as a value is against the most."""
    return STEPS[round(max(0.0, value) / most * (len(STEPS) - 1))] if most > 0 else STEPS[0]


def bar_pieces(bar: Bar, width: int) -> tuple[Piece, ...]:
    """A number and a short line whose length grows with its magnitude, in `width` cells."""
    if bar.value is None:
        return (Piece(fit_text(NONE, width, "right"), Tone.MUTED),)
    tone = Tone.PLAIN if bar.value else Tone.FAINT
    room = width - BAR_CELLS - 1
    if room < len(f"{max(bar.value, bar.most):,}"):  # in a column, all rows have a bar or none
        return (Piece(fit_text(f"{bar.value:,}", width, "right"), tone),)
    size = math.log1p(max(0, bar.value)) / math.log1p(max(1, bar.most, bar.value)) if bar.most else 0.0
    line, _ = gauge(size, 1.0, BAR_CELLS)
    return Piece(fit_text(f"{bar.value:,}", room, "right"), tone), Piece(f" {line:<{BAR_CELLS}}", Tone.TREND)


def trend_pieces(trend: Trend, width: int) -> tuple[Piece, ...]:
    """A sparkline in the color of its change, in `width` cells."""
    change = trend.change
    quiet = not any(trend.days) or (change is not None and change.is_small)
    tone = _DIRECTIONS[change.direction] if change and change.direction else Tone.TREND
    return (Piece(fit_text(sparkline(trend.days, width), width), Tone.FAINT if quiet else tone),)


def strip_pieces(strip: ScanStrip, width: int) -> tuple[Piece, ...]:
    """Scans step by step, in `width` cells, with a line where the watch began."""
    most = max(LEAST_SCALE, *(value or 0 for value in strip.scans))
    drawn = [UNTOLD if value is None else sparkline((value, most), 2)[0] for value in strip.scans]
    kept = len(drawn) - strip.live
    began = [Piece(BEGAN, Tone.MUTED)] if kept > 0 else []
    pieces = [Piece("".join(drawn[:kept]), Tone.MUTED), *began, Piece("".join(drawn[kept:]), Tone.TREND)]
    spare = width - len(drawn) - len(began)
    return (*pieces, Piece(" " * spare)) if spare > 0 else tuple(pieces)


def change_pieces(change: CountChange, width: int) -> tuple[Piece, ...]:
    """A change in words and sign, right-aligned in `width` cells."""
    return (Piece(fit_text(change_words(change), width, "right"), _DIRECTIONS[change.direction]),)


def change_words(change: CountChange) -> str:
    """`▼ 81 %`; `-3` where both numbers are small, `=` where they are the same, `–` where both are 0."""
    difference = change.now - change.before
    if not difference:
        return SAME if change.now else NONE
    if change.is_small or change.share is None:
        return f"{difference:+,}"
    return f"{MORE if difference > 0 else LESS} {abs(change.share) * 100:,.0f} %"


def time_left_pieces(left: TimeLeft, width: int) -> tuple[Piece, ...]:
    """Return how long something still lasts, right-aligned in `width` cells; what is near stands out."""
    if left.time is None:
        tone = Tone.FAINT
    elif left.time < timedelta():
        tone = Tone.BAD
    else:
        tone = Tone.WARNING if left.time <= LATER else Tone.GOOD
    soon = left.time is not None and left.time <= SOON
    return (Piece(fit_text(time_left_words(left), width, "right"), tone, bold=soon),)


def time_left_words(left: TimeLeft) -> str:
    """`! 2 d` within a month, `✓ 88 d` later, `✗ 3 d ago`, `never`."""
    if left.time is None:
        return "never"
    span = f"{abs(left.days):,} d" if left.days else f"{abs(left.time) // timedelta(hours=1)} h"
    if left.time < timedelta():
        return f"✗ {span} ago"
    return f"{ATTENTION if left.time <= LATER else '✓'} {span}"


def badge_pieces(badge: Badge, width: int) -> tuple[Piece, ...]:
    """A word with the sign of its rank, in `width` cells."""
    sign, tone = _RANKS[badge.rank]
    return (Piece(fit_text(f"{sign} {badge.word}", width), tone),)


_RANKS = {"low": ("○", Tone.MUTED), "usual": ("●", Tone.LINK), "high": ("◆", Tone.ICON)}

ENDINGS: Mapping[Ending, tuple[str, Tone]] = {
    "done": ("✓", Tone.GOOD),
    "failed": ("✗", Tone.BAD),
    "unknown": ("?", Tone.WARNING),
    "under way": ("▶", Tone.KEY),
    "waiting": ("·", Tone.MUTED),
}
"""The sign and the tone of each way to end."""


def ended_pieces(value: TermEnd, width: int) -> tuple[Piece, ...]:
    """Return how something ended: a sign, and the words."""
    sign, tone = ENDINGS[value.how]
    return (Piece(fit_text(f"{sign} {value.words}", width), tone),)


# ---- the budget: what is left ----

_LOW, _NEARLY_NONE = 1 / 3, 1 / 10  # of the limit


def level(remaining: int, limit: int) -> tuple[str, Tone]:
    """Return how much of a budget is left, in a word, and its tone."""
    if remaining <= 0:
        return "none", Tone.BAD
    if remaining <= limit * _NEARLY_NONE:
        return "almost none", Tone.BAD
    return ("low", Tone.WARNING) if remaining <= limit * _LOW else ("plenty", Tone.GOOD)


# ---- the budget: what it was spent on ----

SERIES = (
    ("●", Tone.TREND),
    ("■", Tone.SECOND),
    ("◆", Tone.THIRD),
    ("✚", Tone.FOURTH),
    ("◇", Tone.FIFTH),
)
"""The sign and the hue of each of several that spend."""
