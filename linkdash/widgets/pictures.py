"""What is drawn in cells: bars, sparklines, changes, the request budget. All of it reads without color."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from linkdash.model.humanize import LATER, SOON, Badge, Bar, Change, Ended, Ending, TimeLeft, Trend
from linkdash.widgets.pieces import DrawnLines, Lines, Piece, Tone, apart, fit_text

if TYPE_CHECKING:  # the first paint does not wait for it
    from linkdash.api.gate import Sample

HEAVY, HALF, LIGHT = "━", "╸", "─"
# ---- one value ----

STEPS = "▁▂▃▄▅▆▇"
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
    days = days[-cells:] if cells > 0 else ()
    if most <= 0:
        return STEPS[0] * len(days)
    return "".join(STEPS[round(max(0.0, day) / most * (len(STEPS) - 1))] for day in days)


def bar_pieces(bar: Bar, width: int) -> tuple[Piece, ...]:
    """A number and a short line whose length grows with its magnitude, in `width` cells."""
    if bar.value is None:
        return (Piece(fit_text(NONE, width, "right"), Tone.MUTED),)
    tone = Tone.PLAIN if bar.value else Tone.FAINT
    room = width - BAR_CELLS - 1
    if room < len(f"{max(bar.value, bar.most):,}"):  # in a column, all rows have a bar or none
        return (Piece(fit_text(f"{bar.value:,}", width, "right"), tone),)
    size = math.log1p(max(0, bar.value)) / math.log1p(max(1, bar.most, bar.value))
    line, _ = gauge(size, 1.0, BAR_CELLS)
    return Piece(fit_text(f"{bar.value:,}", room, "right"), tone), Piece(f" {line:<{BAR_CELLS}}", Tone.TREND)


def trend_pieces(trend: Trend, width: int) -> tuple[Piece, ...]:
    """A sparkline in the color of its change, in `width` cells."""
    change = trend.change
    quiet = not any(trend.days) or (change is not None and change.is_small)
    tone = _DIRECTIONS[change.direction] if change and change.direction else Tone.TREND
    return (Piece(fit_text(sparkline(trend.days, width), width), Tone.FAINT if quiet else tone),)


def change_pieces(change: Change, width: int) -> tuple[Piece, ...]:
    """A change in words and sign, right-aligned in `width` cells."""
    return (Piece(fit_text(change_words(change), width, "right"), _DIRECTIONS[change.direction]),)


def change_words(change: Change) -> str:
    """`▼ 81 %`; `-3` where both numbers are small, `=` where they are the same, `–` where both are 0."""
    difference = change.now - change.before
    if not difference:
        return SAME if change.now else NONE
    if change.is_small or change.share is None:
        return f"{difference:+,}"
    return f"{MORE if difference > 0 else LESS} {abs(change.share) * 100:,.0f} %"


def time_left_pieces(left: TimeLeft, width: int) -> tuple[Piece, ...]:
    """How long something still lasts, right-aligned in `width` cells; what is near stands out."""
    if left.time is None:
        tone = Tone.FAINT
    elif left.time < timedelta():
        tone = Tone.BAD
    else:
        tone = Tone.WARNING if left.time <= LATER else Tone.GOOD
    soon = left.time is not None and left.time <= SOON
    return (Piece(fit_text(time_left_words(left), width, "right"), tone, bold=soon),)


def time_left_words(left: TimeLeft) -> str:
    """`▲ 2 d` within a week, `△ 18 d` within a month, `✓ 88 d` later, `✗ 3 d ago`, `never`."""
    if left.time is None:
        return "never"
    if left.time < timedelta():
        return f"✗ {_span(-left.time)} ago"
    sign = "▲" if left.time <= SOON else "△" if left.time <= LATER else "✓"
    return f"{sign} {_span(left.time)}"


def _span(time: timedelta) -> str:
    return f"{time.days:,} d" if time.days else f"{time.seconds // 3600} h"


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


def ended_pieces(value: Ended, width: int) -> tuple[Piece, ...]:
    """How something ended: a sign, and the words."""
    sign, tone = ENDINGS[value.how]
    return (Piece(fit_text(f"{sign} {value.words}", width), tone),)


# ---- the budget: what is left ----

_LOW, _NEARLY_NONE = 1 / 3, 1 / 10  # of the limit


def level(remaining: int, limit: int) -> tuple[str, Tone]:
    """How much of a budget is left, in a word, and its tone."""
    if remaining <= 0:
        return "none", Tone.BAD
    if remaining <= limit * _NEARLY_NONE:
        return "nearly none", Tone.BAD
    return ("low", Tone.WARNING) if remaining <= limit * _LOW else ("plenty", Tone.GOOD)


BLOCK, GONE = "▆", "▁"


def left_gauge(remaining: int, limit: int, width: int) -> list[Piece]:
    """A block for each request of the limit where there is room, else a line."""
    tone, left = level(remaining, limit)[1], max(0, min(remaining, limit))
    for size in (2, 1):
        if limit * (size + 1) <= width:
            spent = f"{GONE * size} " * (limit - left)
            return [Piece(f"{BLOCK * size} " * left, tone), Piece(spent, Tone.FAINT)]
    heavy, light = gauge(left, limit, width)
    return [Piece(heavy, tone), Piece(light, Tone.FAINT)]


# ---- the budget: what was left ----

EIGHTHS = " ▁▂▃▄▅▆▇█"
_SCALE_CELLS = 5  # cells of the numbers at the left


class LeftOverTime(NamedTuple):
    """What was left at some moments of the last `seconds` before `now`, by the same clock."""

    samples: "Sequence[Sample]"
    now: float
    seconds: float
    window: float
    """Seconds after which a budget that nobody spends is full again."""
    limit: int


def budget_rows(kept: LeftOverTime, width: int, height: int) -> list[list[Piece]]:
    """The columns in `height` rows, the numbers at their left and the time below them."""
    rows, cells = max(1, height - 1), max(1, width - _SCALE_CELLS)
    lows = _lows(kept, cells)
    drawn = [_history_row(lows, kept.limit, row, rows) for row in reversed(range(rows))]
    named = {0: f"{kept.limit:,}", rows - 1: "0"}
    lines = [
        [Piece(f"{fit_text(named.get(number, ''), _SCALE_CELLS - 1, 'right')} ", Tone.FAINT), *pieces]
        for number, pieces in enumerate(drawn)
    ]
    ago = Piece(" " * _SCALE_CELLS + f"{kept.seconds / 60:.0f} min ago", Tone.FAINT)
    return [*lines, apart([ago], [Piece("now", Tone.FAINT)], width)]


def _lows(kept: LeftOverTime, cells: int) -> list[int | None]:
    """The least that was left in each part of the time; None before anything was known.

    Parts begin at round moments, so that a picture stays as it is until the next begins.
    """
    each = kept.seconds / cells
    end = (kept.now // each + 1) * each
    lows: list[int | None] = []
    coming = [*kept.samples]
    last: Sample | None = None
    for cell in range(cells):
        until = end - each * (cells - 1 - cell)
        here: list[int] = []
        while coming and coming[0].at < until:
            last = coming.pop(0)
            here.append(last.remaining)
        lows.append(min(here) if here else _since(last, until, kept))
    return lows


def _since(last: "Sample | None", until: float, kept: LeftOverTime) -> int | None:
    if last is None:
        return None
    return last.remaining if until - last.at < kept.window else kept.limit


def _history_row(lows: Sequence[int | None], limit: int, row: int, rows: int) -> list[Piece]:
    cells = [_history_cell(low, limit, row, rows) for low in lows]
    runs = groupby(cells, key=lambda cell: cell[1])
    return [Piece("".join(letter for letter, _ in run), tone) for tone, run in runs]


def _history_cell(low: int | None, limit: int, row: int, rows: int) -> tuple[str, Tone]:
    if low is None:
        return " ", Tone.FAINT
    eighths = max(1, round(min(low, limit) / max(1, limit) * rows * 8))
    return EIGHTHS[max(0, min(8, eighths - row * 8))], level(low, limit)[1]


class BudgetHistory(DrawnLines):
    """Shows what was left over time; it looks by itself whether there is more to show."""

    ticks = True

    def __init__(self, kept: Callable[[], LeftOverTime | None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._kept = kept

    def lines(self, width: int, height: int) -> Lines:
        kept = self._kept()
        if kept is None or self.is_linear:
            return []
        return budget_rows(kept, width, height)


LEGEND: Sequence[Piece] = tuple(
    piece
    for words, tone in (("plenty", Tone.GOOD), ("low", Tone.WARNING), ("nearly none", Tone.BAD))
    for piece in (Piece(" █ ", tone), Piece(words, Tone.MUTED))
)
"""What the colors of its columns mean."""


# ---- the budget: who spent it ----

SERIES = (
    ("●", Tone.TREND),
    ("▲", Tone.SECOND),
    ("■", Tone.THIRD),
    ("◆", Tone.FOURTH),
    ("✚", Tone.FIFTH),
)
"""The sign and the hue of each of several that spend."""
_SPENT_COLUMNS = (("requests", 9), ("share", 6), ("waited", 8), ("failed", 7))
"""What is told of who spent it, and the cells of that."""
_MOST_NAME, _LEAST_BAR = 40, 8  # cells
_NO_WAIT = 0.05  # seconds


class Spent(NamedTuple):
    """What one of several has spent: how many requests, which part of all, and what came of them."""

    sign: str
    tone: Tone
    name: str
    requests: int
    share: float
    longest_wait: float
    """Seconds in the queue."""
    failed: int
    """Refused, or without an answer."""


def spending_rows(spent: Sequence[Spent], width: int) -> list[list[Piece]]:
    """A head and a row for each, with a bar and as many numbers as there is room for."""
    name = 1 + min(_MOST_NAME, max((cell_len(one.name) for one in spent), default=0))
    columns = _fitting_numbers(width - name - _LEAST_BAR - 3)
    room = width - 3 - sum(size for _, size in columns)
    bar = room - name if room >= name + _LEAST_BAR else 0
    head = [Piece(" " * (room + 3))]
    head += [Piece(fit_text(title, size, "right"), Tone.MUTED) for title, size in columns]
    most = max((one.requests for one in spent), default=0)
    return [head, *(_spent_row(one, most, room - bar, bar, columns) for one in spent)]


def _fitting_numbers(width: int) -> list[tuple[str, int]]:
    """Those that fit; how many requests are told in any case."""
    columns = [*_SPENT_COLUMNS]
    while len(columns) > 1 and sum(size for _, size in columns) > width:
        columns.pop()
    return columns


def _spent_row(one: Spent, most: int, name: int, bar: int, columns: Sequence[tuple[str, int]]) -> list[Piece]:
    filled = max(1, round(bar * one.requests / most)) if one.requests and bar else 0
    waited, share = f"{one.longest_wait:.1f} s", f"{one.share * 100:.0f} %"
    numbers = {
        "requests": (f"{one.requests:,}", Tone.HERO if one.requests else Tone.FAINT),
        "share": (share if one.requests else "–", Tone.MUTED),
        "waited": (waited, Tone.WARNING) if one.longest_wait >= _NO_WAIT else ("–", Tone.FAINT),
        "failed": (f"{one.failed:,}", Tone.BAD) if one.failed else ("–", Tone.FAINT),
    }
    cells = [(*numbers[title], size) for title, size in columns]
    return [
        Piece(f"{one.sign} ", one.tone),
        Piece(fit_text(one.name, name), Tone.PLAIN if one.requests else Tone.MUTED),
        Piece(fit_text(BLOCK * filled, bar + 1), one.tone),
        *(Piece(fit_text(text, size, "right"), tone) for text, tone, size in cells),
    ]
