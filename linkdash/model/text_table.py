"""Tables as text: cells under each other."""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from linkdash.model.humanize import shortened

GAP = "  "
"""Between two columns."""


def table_lines(rows: Iterable[Sequence[str]], aligned: str, widths: Sequence[int]) -> list[str]:
    """A line a row, each cell cut to the width of its column; `aligned` has an `l` or an `r` for each."""
    return [GAP.join(map(_filled, row, widths, aligned)).rstrip() for row in rows]


def widths_of(rows: Iterable[Sequence[str]]) -> list[int]:
    """The cells that each column needs."""
    return [max(map(cell_len, column)) for column in zip(*rows, strict=True)]


def _filled(cell: str, width: int, side: str) -> str:
    cut = shortened(cell, width)
    room = " " * (width - cell_len(cut))
    return room + cut if side == "r" else cut + room
