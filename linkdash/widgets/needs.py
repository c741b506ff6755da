"""How much room the values of a table need."""

from collections.abc import Sequence

from linkdash.api.model import Unreadable
from linkdash.model.columns import Column, Row
from linkdash.widgets.cells import cells_of

SAMPLED = 200
"""Rows that are looked at, however many there are: some milliseconds, also where they are read lazily."""
_WIDEST = 400  # letters


def needs(columns: Sequence[Column[Row]], rows: Sequence[Row | Unreadable]) -> dict[str, int]:
    """Cells that the longest value of each column takes, by the column's name.

    At most `SAMPLED` rows are looked at, at even distances from the first one on; a longer value between
    them will be cut.
    """
    step = -(-len(rows) // SAMPLED) or 1
    sample = [row for index in range(0, len(rows), step) if not isinstance(row := rows[index], Unreadable)]
    return {
        column.name: max((cells_of(_begun(column.shown(row)), column.kind) for row in sample), default=0)
        for column in columns
    }


def _begun(value: object) -> object:
    """A value, of a long text its beginning: no screen is wider."""
    return value[:_WIDEST] if isinstance(value, str) else value
