"""Sparklines: numbers in a row, a column in a cell for each."""

from collections.abc import Sequence
from itertools import groupby

from linkdash.model.humanize import CountedTrend, ScanStrip, Trend
from linkdash.widgets.charts.cell_pictures import NONE
from linkdash.widgets.styled_text import DIRECTION_TONES, Piece, Tone, fit_text

STEPS = "▁▂▃▄▅▆▇"  # never a full block: neighbouring rows must not melt into one
BEGAN, UNTOLD = "│", "·"
LEAST_SCALE = 4
"""Scans that the highest column of a strip stands for at the least, so that one scan is no peak."""
TREND_CELLS = 7


def sparkline(values: Sequence[float | None], width: int) -> str:
    """A column for each of the last values, a cell each, from 0 to the largest of all of them.

    A blank stands where nothing is known.
    """
    most = max((value for value in values if value is not None), default=0)
    return "".join(
        " " if value is None else step(value, most) for value in values[max(0, len(values) - width) :]
    )


def step(value: float, most: float) -> str:
    """A column in a cell, as high as a value is against the most."""
    return STEPS[round(max(0.0, value) / most * (len(STEPS) - 1))] if most > 0 else STEPS[0]


def trend_pieces(trend: Trend, width: int) -> tuple[Piece, ...]:
    """A sparkline in the color of its change, in `width` cells with the last day at their right end.

    Its scale is that of all days; a day that no reading tells is a dot.
    """
    change = trend.change
    quiet = not any(trend.days) or (change is not None and change.is_small)
    tone = DIRECTION_TONES[change.direction] if change and change.direction else Tone.TREND
    most = max((day for day in trend.days if day is not None), default=0)
    last_days = trend.days[max(0, len(trend.days) - width) :]
    drawn = [
        ("".join(UNTOLD if day is None else step(day, most) for day in days), is_told)
        for is_told, days in groupby(last_days, key=lambda day: day is not None)
    ]
    pieces = [Piece(text, (Tone.FAINT if quiet else tone) if told else Tone.MUTED) for text, told in drawn]
    return (Piece(" " * (width - len(last_days))), *pieces) if len(last_days) < width else tuple(pieces)


def counted_pieces(counted: CountedTrend, width: int) -> tuple[Piece, ...]:
    """A number and the sparkline of its days in `width` cells; the number alone where both have no room."""
    text = NONE if counted.value is None else f"{counted.value:,}"
    tone = Tone.PLAIN if counted.value else Tone.FAINT
    room = width - counted.trend.most - 1
    if room < len(text):
        return (Piece(fit_text(text, width), tone),)
    days = trend_pieces(counted.trend, counted.trend.most)
    return Piece(f"{text:>{room}} ", tone), *days


def strip_pieces(strip: ScanStrip, width: int) -> tuple[Piece, ...]:
    """Scans step by step, in `width` cells, with a line where the watch began."""
    most = max(LEAST_SCALE, *(value or 0 for value in strip.scans))
    drawn = [UNTOLD if value is None else step(value, most) for value in strip.scans]
    kept = len(drawn) - strip.live
    began = [Piece(BEGAN, Tone.MUTED)] if kept > 0 else []
    pieces = [Piece("".join(drawn[:kept]), Tone.MUTED), *began, Piece("".join(drawn[kept:]), Tone.TREND)]
    spare = width - len(drawn) - len(began)
    return (*pieces, Piece(" " * spare)) if spare > 0 else tuple(pieces)
