"""CSV text that no spreadsheet executes."""

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from linkdash.api.inert_text import encodable, printable_json

Cell: TypeAlias = str | int | float | None
"""A value of a table; None is an empty cell."""

EXECUTED = re.compile("'*[=+\\-@\t\r]")
"""The beginning of a formula for spreadsheets; with quotes before it, one that was quoted."""
_BEGINNINGS = frozenset("'=+-@\t\r")


@dataclass
class Formulas:
    """A record of texts that a spreadsheet would take for a formula."""

    are_quoted: bool = True
    """True if a quote goes before them, so that none is executed."""
    quoted: int = 0
    """The number of them so far."""

    def cell(self, cell: Cell) -> Cell:
        """A cell as it is written."""
        if not isinstance(cell, str):
            return cell
        if self.are_quoted and cell[:1] in _BEGINNINGS and EXECUTED.match(cell):
            self.quoted += 1
            cell = f"'{cell}"
        return encodable(cell)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Cell]], formulas: Formulas | None = None) -> str:
    """A table in UTF-8 CSV as RFC 4180 has it. Numbers stay numbers; no text is a formula."""
    lines, formulas = io.StringIO(newline=""), formulas or Formulas()
    writer = csv.writer(lines)
    writer.writerow([formulas.cell(title) for title in header])
    writer.writerows([formulas.cell(cell) for cell in row] for row in rows)
    return lines.getvalue()


def safe_cell(cell: Cell) -> Cell:
    """A cell that no spreadsheet executes and every encoding holds: a quote goes before a formula."""
    return Formulas().cell(cell)


def json_text(data: object) -> str:
    """Data as JSON in ASCII, which every program and every encoding takes."""
    return printable_json(json.dumps(data, indent=2)) + "\n"
