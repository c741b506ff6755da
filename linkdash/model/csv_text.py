"""CSV text: written so that no spreadsheet executes it, read as spreadsheets of any country write it."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from linkdash.api.fields import stripped
from linkdash.api.inert_text import encodable

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
        return cell if cell.isascii() else encodable(cell)


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


# ---- for spreadsheets ----

MARK = "\N{BYTE ORDER MARK}"


def for_spreadsheets(text: str) -> str:
    """The text of a CSV file, with the mark by which spreadsheets know that it is UTF-8."""
    return f"{MARK}{text}"


def unquoted(cell: str) -> str:
    """A cell without the quote that goes before a formula."""
    return cell[1:] if cell.startswith("'") and EXECUTED.match(cell) else cell


# ---- reading ----

_SEPARATORS = ",;\t|"
"""Those that spreadsheets write, the likeliest first."""
_SEPARATOR_LINE = re.compile(r"\s*\"?sep=([^\"\r\n])\"?[,;|\t ]*(?:\r\n?|\n|$)", re.IGNORECASE)
"""A first line that says which separator a file has."""
_LONGEST_CELL = 2**31 - 1  # characters; the limit is one for the whole process, and far too low


class CsvError(ValueError):
    """The text is no table; the message is a sentence for the user."""


class Line(NamedTuple):
    """A row of a table: its cells by the titles of their columns."""

    number: int
    """Where it begins; the first line of the text is 1."""
    cells: dict[str, str]


def read_csv(text: str) -> list[Line]:
    """The rows below the titles that are not empty. Raises CsvError.

    The separator is what a line `sep=` says, else that which makes the most titles. Empty lines, columns and
    cells at the edges say nothing, nor do blanks around a title.
    """
    csv.field_size_limit(_LONGEST_CELL)
    start, separator = 0, None
    if found := _SEPARATOR_LINE.match(text):
        start, separator = text[: found.end()].rstrip("\r\n").count("\n") + 1, found[1]
        text = text[found.end() :]
    separator = separator or _likeliest(text)
    lines = _lines(text, separator, are_spaced=False)
    _, titles = next(lines, (0, []))
    are_spaced = len(titles) > 1 and all(title.startswith(" ") for title in titles[1:])
    lines = _lines(text, separator, are_spaced=are_spaced, start=start)
    _, titles = next(lines, (0, []))
    names = _named(titles)
    read = [Line(number, _by_name(number, names, cells)) for number, cells in lines]
    empty = {
        name
        for name, title in zip(names, titles, strict=False)
        if not stripped(title) and not any(stripped(line.cells.get(name, "")) for line in read)
    }
    return [Line(line.number, _without(line.cells, empty)) for line in read] if empty else read


def _without(cells: dict[str, str], names: Set[str]) -> dict[str, str]:
    return {name: cell for name, cell in cells.items() if name not in names}


def _likeliest(text: str) -> str:
    """The separator that makes the most titles; of those that make as many the first."""

    def titles(separator: str) -> int:
        try:
            _, cells = next(_lines(text, separator, are_spaced=False), (0, []))
        except CsvError:
            return 0
        return sum(map(bool, map(stripped, cells)))

    return max(_SEPARATORS, key=titles)


def _lines(text: str, separator: str, *, are_spaced: bool, start: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, with the line at which each begins."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=are_spaced, strict=True
    )
    begins = start + 1
    try:
        for cells in reader:
            if any(map(stripped, cells)):
                yield begins, cells
            begins = start + reader.line_num + 1
    except csv.Error as error:
        raise CsvError(f"Row {begins} is not valid CSV: {error}.") from None


def _named(titles: Sequence[str]) -> list[str]:
    names = [stripped(title) for title in titles]
    while names and not names[-1]:
        names.pop()
    names = [name or f"column {place} (no title)" for place, name in enumerate(names, 1)]
    if len(set(names)) < len(names):
        raise CsvError("Two columns have the same name.")
    return names


def _by_name(number: int, names: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The cells of a row, which may have fewer than there are titles."""
    if any(map(stripped, cells[len(names) :])):
        raise CsvError(f"Row {number} has too many cells.")
    return dict(zip(names, cells, strict=False))
