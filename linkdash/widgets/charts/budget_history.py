"""The request budget over time, and what it was spent on."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, fit_text

if TYPE_CHECKING:  # the first paint does not wait for it
    from linkdash.api.budget.ledger import Sample

from linkdash.widgets.charts.budget_level import level
from linkdash.widgets.charts.cell_pictures import EDGE
from linkdash.widgets.charts.ranked_bars import bar_length

BLOCK = "▆"
_UNTOLD = "not known"
"""Stands before the first answer of this run, which looks like nothing left."""

_AXIS = " │"
EIGHTHS = " ▁▂▃▄▅▆▇█"
_LEAST_LABEL = 4  # cells of the numbers at the left


class LeftOverTime(NamedTuple):
    """The requests left at some moments up to `now`, by the same clock, of which `seconds` are drawn."""

    samples: "Sequence[Sample]"
    now: float
    seconds: float
    window: float
    """Seconds after which a budget that is not spent is full again, where that was not told."""
    limit: int


def budget_rows(kept: LeftOverTime, width: int, height: int) -> list[list[Piece]]:
    """The columns in `height` rows, their limit at the left; below them the axis with zero and the time."""
    limit = f"{kept.limit:,}"
    label = max(_LEAST_LABEL, len(limit))
    rows, cells = max(1, height - 1), max(1, width - label - len(_AXIS))
    lows = _lows(kept, cells)
    untold = next((at for at, low in enumerate(lows) if low is not None), cells)
    drawn = _saying(_UNTOLD, untold, _history_rows(tuple(lows), kept.limit, rows))
    ticks = [_tick(limit, label, f"{EDGE}│"), *[_tick("", label, _AXIS)] * (rows - 1)]
    lines = [[tick, *row] for tick, row in zip(ticks, drawn, strict=True)]
    ago, now = f"{kept.seconds / 60:.0f} min ago ", " now"
    axis = f"{ago}{EDGE * (cells - len(ago) - len(now))}{now}"
    return [*lines, [_tick("0", label, EDGE * 2), Piece(fit_text(axis, cells), Tone.FAINT)]]


def _saying(words: str, cells: int, rows: Sequence[Sequence[Piece]]) -> Sequence[Sequence[Piece]]:
    """The rows with words in the first cells, which are blank, in their midst, if there is room for them.

    A blank stands on both sides of them.
    """
    lines = wrap(words, max(1, cells - 2), break_long_words=False)
    if len(lines) > len(rows) or any(cell_len(line) > cells - 2 for line in lines):
        return rows
    first = (len(rows) - len(lines)) // 2
    said = dict(enumerate((Piece(fit_text(f" {line}", cells), Tone.MUTED) for line in lines), first))
    return [
        [said[at], Piece(blank.text[cells:], blank.tone), *others] if at in said else [blank, *others]
        for at, (blank, *others) in enumerate(rows)
    ]


def _tick(label: str, cells: int, line: str) -> Piece:
    return Piece(f"{label:>{cells}}{line}", Tone.FAINT)


def _lows(kept: LeftOverTime, cells: int) -> list[int | None]:
    """The least that was left in each part of the time, and what is left now; None before it was known.

    Parts begin at round moments, so that a picture stays as it is until the next begins.
    """
    each = kept.seconds / cells
    end = (kept.now // each + 1) * each
    lows: list[int | None] = []
    coming = [*kept.samples]
    last: Sample | None = None
    while coming and coming[0].at < end - kept.seconds:
        last = coming.pop(0)
    for cell in range(cells):
        until = end - each * (cells - 1 - cell)
        here: list[int] = []
        while coming and coming[0].at < until:
            last = coming.pop(0)
            here.append(last.remaining)
        lows.append(min(here) if here else _left(last, until, kept))
    return [*lows[:-1], _left(last, kept.now, kept)]


def _left(last: "Sample | None", moment: float, kept: LeftOverTime) -> int | None:
    """Return what is left at a moment after the last sample: all, once the window is over."""
    if last is None:
        return None
    full_at = last.at + kept.window if last.full_at is None else last.full_at
    return last.remaining if moment < full_at else kept.limit


@lru_cache(maxsize=8)  # it is asked for each second, and says something else when a column is full
def _history_rows(lows: tuple[int | None, ...], limit: int, rows: int) -> Sequence[Sequence[Piece]]:
    return [_history_row(lows, limit, row, rows) for row in reversed(range(rows))]


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
    """The budget left over time; it looks by itself whether there is more to show."""

    ticks = True

    def __init__(self, kept: Callable[[], LeftOverTime | None]) -> None:
        super().__init__()
        self._kept = kept

    def lines(self, width: int, height: int) -> Lines:
        kept = self._kept()
        return [] if kept is None else budget_rows(kept, width, height)


LEGEND: Sequence[Piece] = tuple(
    piece
    for words, tone in (("enough", Tone.GOOD), ("low", Tone.WARNING), ("almost none", Tone.BAD))
    for piece in (Piece(" █ ", tone), Piece(words, Tone.MUTED))
)
"""The meaning of its columns' colors."""
_SHARE = ("share", 6)
_WAITED, _FAILED = ("waited", 8), ("failed", 7)
"""Columns of what was spent beside the number of requests, and their cells; the last two where any was so."""
_REQUESTS = "requests"
_LEAST_BAR = 8  # cells
NO_WAIT = 0.05  # seconds


class Spent(NamedTuple):
    """A share of what was spent: how many requests, which part of all, and what came of them."""

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
    names = 1 + max((cell_len(one.name) for one in spent), default=0)
    most = max((one.requests for one in spent), default=0)
    requests = 2 + cell_len(f"{most:,}")  # the title above may begin over a name
    numbers = [_SHARE]
    numbers += [_WAITED] if any(one.longest_wait >= NO_WAIT for one in spent) else []
    numbers += [_FAILED] if any(one.failed for one in spent) else []
    columns = [(_REQUESTS, requests), *_fitting(numbers, width - names - _LEAST_BAR - 3 - requests)]
    room = width - 3 - sum(size for _, size in columns)
    bar = room - names if room >= names + _LEAST_BAR else 0
    head = [Piece(fit_text(_REQUESTS, room + 3 + requests, "right"), Tone.MUTED)]
    head += [Piece(fit_text(title, size, "right"), Tone.MUTED) for title, size in columns[1:]]
    return [head, *(_spent_row(one, most, room - bar, bar, columns) for one in spent)]


def _fitting(columns: list[tuple[str, int]], width: int) -> list[tuple[str, int]]:
    """Those that fit beside the number of requests, which is told in any case."""
    while columns and sum(size for _, size in columns) > width:
        columns.pop()
    return columns


def _spent_row(one: Spent, most: int, name: int, bar: int, columns: Sequence[tuple[str, int]]) -> list[Piece]:
    filled = bar_length(one.requests, most, bar)
    waited, share = f"{one.longest_wait:.1f} s", f"{one.share * 100:.0f} %"
    numbers = {
        _REQUESTS: (f"{one.requests:,}", Tone.HERO if one.requests else Tone.FAINT),
        "share": (share if one.requests else "–", Tone.MUTED),
        "waited": (waited, Tone.WARNING) if one.longest_wait >= NO_WAIT else ("–", Tone.FAINT),
        "failed": (f"{one.failed:,}", Tone.BAD) if one.failed else ("–", Tone.FAINT),
    }
    cells = [(*numbers[title], size) for title, size in columns]
    return [
        Piece(f"{one.sign} ", one.tone),
        Piece(fit_text(one.name, name), Tone.PLAIN if one.requests else Tone.MUTED),
        Piece(fit_text(BLOCK * filled, bar + 1), one.tone),
        *(Piece(fit_text(text, size, "right"), tone) for text, tone, size in cells),
    ]
