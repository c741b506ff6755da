"""What verbs write: results to standard output and nothing else there; all other words to standard error."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import IO, TypeVar

from rich.cells import cell_len

from linkdash.api.fields import Kind
from linkdash.api.model import Record, Unreadable
from linkdash.api.text import inert
from linkdash.model.columns import Column, Odd, fit
from linkdash.model.export import record_members, records_csv
from linkdash.model.humanize import shortened
from linkdash.model.spreadsheets import Cell, csv_text

T = TypeVar("T", bound=Record)

FORMATS = ("table", "json", "jsonl", "csv")

_PIPED_WIDTH = 10_000  # cells, where no terminal cuts a line: nothing is left out
_BAR_CELLS = 24


def write(text: str) -> None:
    """A line of the result."""
    print(text, flush=True)


def tell(text: str) -> None:
    """A line for the person at the terminal."""
    print(f"linkdash: {inert(text)}", file=sys.stderr, flush=True)


# ---- records ----


def write_records(
    model: type[T], columns: Sequence[Column[T]], rows: Sequence[T | Unreadable], form: str
) -> None:
    """Records in a format; a table has the columns that the terminal has room for."""
    match form:
        case "json":
            write(json.dumps([record_members(row) for row in rows], ensure_ascii=False, indent=2))
        case "jsonl":
            for row in rows:
                write(json.dumps(record_members(row), ensure_ascii=False))
        case "csv":
            print(records_csv(model, columns, rows), end="", flush=True)
        case _:
            write_table(columns, rows)


def write_table(columns: Sequence[Column[T]], rows: Sequence[T | Unreadable]) -> None:
    """Rows under their titles: what has no room in a terminal is left out or cut; in a pipe nothing is."""
    readable = [row for row in rows if not isinstance(row, Unreadable)]
    texts = {
        column.name: [cell_text(column.shown(row), column.kind) for row in readable] for column in columns
    }
    needs = {name: max(map(cell_len, column), default=0) for name, column in texts.items()}
    fitted = fit(columns, terminal_width(), needs)
    write(_line([(column.title, width, column.align) for column, width in fitted], bold=True))
    for number in range(len(readable)):
        write(_line([(texts[column.name][number], width, column.align) for column, width in fitted]))
    if lost := len(rows) - len(readable):
        tell(f"{lost} rows could not be understood; --format json shows them.")


def cell_text(value: object, kind: Kind = Kind.TEXT) -> str:
    """A value as a person reads it in one line."""
    if kind is Kind.SECRET:
        return "(hidden)" if value else ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if kind is Kind.COUNT and isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, Odd):
        return f"? {value.text}"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else inert(" ".join(str(value).split()))


def _line(cells: Iterable[tuple[str, int, str]], *, bold: bool = False) -> str:
    parts = []
    for text, width, align in cells:
        cut = shortened(text, width)
        blank = " " * (width - cell_len(cut))
        parts.append(blank + cut if align == "right" else cut + blank)
    line = "  ".join(parts).rstrip()
    return f"\x1b[1m{line}\x1b[0m" if bold and has_colour(sys.stdout) else line


def terminal_width() -> int:
    """Cells of a line of standard output."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH


def has_colour(stream: IO[str]) -> bool:
    """Whether styles mean something where this stream goes."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# ---- anything else ----


def write_rows(titles: Mapping[str, str], rows: Sequence[Mapping[str, object]], form: str) -> None:
    """Rows that are no records, by name; `titles` are the columns of a table."""
    match form:
        case "json":
            write(json.dumps(list(rows), ensure_ascii=False, indent=2, default=str))
        case "jsonl":
            for row in rows:
                write(json.dumps(row, ensure_ascii=False, default=str))
        case "csv":
            print(csv_text(list(titles), ([_cell(row.get(name)) for name in titles] for row in rows)), end="")
        case _:
            texts = [[cell_text(row.get(name)) for name in titles] for row in rows]
            widths = [
                max([len(title), *(cell_len(row[number]) for row in texts)])
                for number, title in enumerate(titles.values())
            ]
            aligned = ["left"] * len(widths)
            write(_line(zip(titles.values(), widths, aligned, strict=True), bold=True))
            for row in texts:
                write(_line(zip(row, widths, aligned, strict=True)))


def _cell(value: object) -> Cell:
    return value if isinstance(value, str | int | float) or value is None else str(value)


@dataclass
class ProgressBar:
    """How far something is, on standard error where that is a terminal; silent elsewhere."""

    total: int
    note: str = ""

    def show(self, done: int) -> None:
        """Draws the bar in the line it had."""
        if not sys.stderr.isatty():
            return
        full = _BAR_CELLS * done // max(1, self.total)
        bar = "#" * full + "-" * (_BAR_CELLS - full)
        print(f"\r[{bar}] {done} of {self.total} {self.note}\x1b[K", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Takes the bar away."""
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
