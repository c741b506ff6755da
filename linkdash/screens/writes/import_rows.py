"""The rows of an import while they are sent: what becomes of each, and why some failed."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from rich.cells import cell_len

from linkdash.api.inert_text import inert
from linkdash.model.declaration import declaration
from linkdash.model.humanize import shortened
from linkdash.model.writes.import_file import ImportLine
from linkdash.model.writes.planned_changes import in_cells
from linkdash.model.writes.write_words import subject
from linkdash.widgets.styled_text import Piece, Tone, cells, fit_text

LEAST_ROWS = 7
"""Rows in sight, with the one on its way among them."""
MOST_REFUSED = 5
"""Rows that failed and are told below the others, the last ones."""
_LEAST_WORDS = 20  # cells of a reason
_REASON_CELLS = 30  # of a reason, for which there is room from the beginning
_MOST_IN_A_COLUMN = 36  # cells
_SIGN_CELLS = 2
_TO_DO, _SENDING, _SENT, _FAILED = (
    Piece("  "),
    Piece("▌ ", Tone.KEY),
    Piece("✓ ", Tone.GOOD),
    Piece("✗ ", Tone.BAD),
)


class RowsTold(NamedTuple):
    """The rows in sight, the reasons that have no room beside them, and the cells that all of it wants."""

    around: Sequence[Sequence[Piece]]
    below: Sequence[Sequence[Piece]]
    wanted: int


def rows_told(
    lines: Sequence[ImportLine],
    current: int,
    failed: Mapping[int, str],
    width: int,
    room: int = LEAST_ROWS,
) -> RowsTold:
    """The row on its way with those around it, in `room` lines; `failed` are reasons of rows by their place.

    A reason stands on its row where `width` cells have room for it, else below all of them.
    """
    width -= _SIGN_CELLS
    first, shown = _in_sight(len(lines), current, room)
    in_sight = range(first, first + shown)
    digits = len(str(max(line.row for line in lines)))
    heads = _heads([lines[at] for at in in_sight], digits)
    start = max(map(cell_len, heads)) + 2
    beside = {at: why for at, why in failed.items() if at in in_sight and start + cell_len(why) <= width}
    around = [
        [_sign(at, current, failed), *_with_reason(head, beside.get(at, ""), start)]
        for at, head in zip(in_sight, heads, strict=True)
    ]
    if shown < len(lines):
        others = {"before": first, "more": len(lines) - first - shown}
        words = ", ".join(f"{count:,} {word}" for word, count in others.items() if count)
        around.append([_TO_DO, Piece(f"and {words}", Tone.MUTED)])
    left = [(at, why) for at, why in failed.items() if at not in beside][-MOST_REFUSED:]
    below = [
        row for at, why in left for row in _below(lines[at], why, digits, width, named=at not in in_sight)
    ]
    wanted = min(width, start + max(_REASON_CELLS, *map(cell_len, beside.values()), 0)) + _SIGN_CELLS
    return RowsTold(around, [[], *below] if below else [], max(wanted, *map(cells, below), 0))


def _in_sight(count: int, current: int, room: int) -> tuple[int, int]:
    """The place of the first row in sight, and how many there are; one line counts the others."""
    shown = max(LEAST_ROWS, room)
    shown = count if count <= shown else shown - 1
    return max(0, min(current - shown // 2, count - shown)), shown


def _heads(lines: Sequence[ImportLine], digits: int) -> list[str]:
    """The number of each row and what becomes of its record, its name and values below those of others."""
    rows = [
        [] if line.intent is None else in_cells(line.intent, declaration(line.intent.resource))
        for line in lines
    ]
    rows = [[shortened(inert(cell), _MOST_IN_A_COLUMN) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip_longest(*rows, fillvalue="")]
    return [
        f"row {line.row:<{digits}}  {'  '.join(map(fit_text, row, widths))}".rstrip()
        for line, row in zip(lines, rows, strict=True)
    ]


def _sign(at: int, current: int, failed: Mapping[int, str]) -> Piece:
    return _SENDING if at == current else _TO_DO if at > current else _FAILED if at in failed else _SENT


def _with_reason(head: str, why: str, start: int) -> list[Piece]:
    return [Piece(fit_text(head, start)), Piece(why, Tone.BAD)] if why else [Piece(head)]


def _below(line: ImportLine, why: str, digits: int, width: int, *, named: bool) -> list[list[Piece]]:
    """A reason in lines of its own; its row is `named` where it is not in sight, and has its sign there."""
    number = f"row {line.row:<{digits}}  "
    name = f"{inert(subject(line.intent))}: " if named and line.intent is not None else ""
    first, *others = wrap(f"{name}{why}", max(_LEAST_WORDS, width - len(number)))
    return [
        [_FAILED if named else _TO_DO, Piece(number), Piece(first, Tone.PLAIN if named else Tone.BAD)],
        *([_TO_DO, Piece(" " * len(number) + one)] for one in others),
    ]
