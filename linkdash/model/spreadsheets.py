"""Tables as CSV that a spreadsheet reads and never executes. Pure."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None
"""What may stand in a table; None is an empty cell."""

_EXECUTED = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that spreadsheets take for a formula."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table in UTF-8 CSV as RFC 4180 has it. Numbers stay numbers; no text is a formula."""
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow([safe_cell(title) for title in header])
    writer.writerows([safe_cell(cell) for cell in row] for row in rows)
    return lines.getvalue()


def safe_cell(cell: Cell) -> Cell:
    """A cell that no spreadsheet executes and every encoding holds: a quote goes before a formula."""
    if not isinstance(cell, str):
        return cell
    text = cell.encode("utf-8", "replace").decode("utf-8")
    return f"'{text}" if text.startswith(_EXECUTED) else text
