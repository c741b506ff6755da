"""What was left of the budget over time, a column a cell, in the colors and words of the gauge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from linkdash.api.gate import Sample
from linkdash.widgets.pieces import DrawnLines, Lines, Piece, Tone, apart, fit_text
from linkdash.widgets.status_bar import level

EIGHTHS = " ▁▂▃▄▅▆▇█"
_AXIS = 5  # cells of the numbers at the left


@dataclass(frozen=True)
class Kept:
    """What was left at some moments of the last `seconds` before `now`, by the same clock."""

    samples: Sequence[Sample]
    now: float
    seconds: float
    window: float
    """Seconds after which a budget that nobody spends is full again."""
    limit: int


def budget_rows(kept: Kept, width: int, height: int) -> list[list[Piece]]:
    """The columns in `height` rows, the numbers at their left and the time below them."""
    rows, cells = max(1, height - 1), max(1, width - _AXIS)
    lows = _lows(kept, cells)
    drawn = [_row(lows, kept.limit, row, rows) for row in reversed(range(rows))]
    named = {0: f"{kept.limit:,}", rows - 1: "0"}
    lines = [
        [Piece(f"{fit_text(named.get(number, ''), _AXIS - 1, 'right')} ", Tone.FAINT), *pieces]
        for number, pieces in enumerate(drawn)
    ]
    ago = Piece(" " * _AXIS + f"{kept.seconds / 60:.0f} min ago", Tone.FAINT)
    return [*lines, apart([ago], [Piece("now", Tone.FAINT)], width)]


def _lows(kept: Kept, cells: int) -> list[int | None]:
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


def _since(last: Sample | None, until: float, kept: Kept) -> int | None:
    if last is None:
        return None
    return last.remaining if until - last.at < kept.window else kept.limit


def _row(lows: Sequence[int | None], limit: int, row: int, rows: int) -> list[Piece]:
    cells = [_cell(low, limit, row, rows) for low in lows]
    runs = groupby(cells, key=lambda cell: cell[1])
    return [Piece("".join(letter for letter, _ in run), tone) for tone, run in runs]


def _cell(low: int | None, limit: int, row: int, rows: int) -> tuple[str, Tone]:
    if low is None:
        return " ", Tone.FAINT
    eighths = max(1, round(min(low, limit) / max(1, limit) * rows * 8))
    return EIGHTHS[max(0, min(8, eighths - row * 8))], level(low, limit)[1]


class BudgetHistory(DrawnLines):
    """Shows what was left over time; it looks by itself whether there is more to show."""

    ticks = True

    def __init__(self, kept: Callable[[], Kept | None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._kept = kept

    def lines(self, width: int, height: int) -> Lines:
        kept = self._kept()
        if kept is None or self.is_linear:
            return []
        legend = [
            Piece(" " * _AXIS),
            *(
                piece
                for words, tone in (("plenty", Tone.GOOD), ("low", Tone.WARNING), ("nearly none", Tone.BAD))
                for piece in (Piece("█ ", tone), Piece(f"{words}  ", Tone.MUTED))
            ),
        ]
        return [legend, *budget_rows(kept, width, height - 1)]
