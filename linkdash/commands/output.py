"""Output of verbs: results in their formats, and a progress bar."""

import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice

from pydantic_core import to_json
from rich.cells import cell_len

from linkdash.api.inert_text import marked, printable_json
from linkdash.commands.standard_streams import (
    Loudness,
    put,
    say,
    say_heading,
    say_lines,
    say_text,
    tell,
    tell_in_place,
)
from linkdash.model.csv_text import Cell, Formulas, csv_text
from linkdash.model.humanize import counted, shortened

_PIPED_WIDTH = 10_000  # cells, where no terminal cuts a line: nothing is left out
_BAR_CELLS = 24
_AT_ONCE = 1_000  # items of JSON in memory
_as_json = json.JSONEncoder(ensure_ascii=False, default=str).encode


def json_line(data: object, indent: int | None = None) -> str:
    """Data as JSON that a terminal can show: what is not printable is escaped, as JSON allows."""
    return printable_json(json.dumps(data, ensure_ascii=False, indent=indent, default=str))


def put_json(data: object, indent: int | None = None) -> None:
    """Data as JSON, on a line of its own where it has no indent."""
    put(f"{json_line(data, indent)}\n")


def put_lines(items: Iterable[object], at_once: int = _AT_ONCE) -> None:
    """A line of JSON for each, as they come."""
    for some in _batches(items, at_once):
        put(printable_json("".join(f"{_as_json(item)}\n" for item in some)))


def put_list(items: Iterable[object]) -> None:
    """Write a list as JSON, item by item as they come: of what JSON knows and nothing else."""
    before = "[\n"
    for some in _batches(items, _AT_ONCE):
        put(before + _indented(some)[2:-2])  # without the brackets
        before = ",\n"
    put("[]\n" if before == "[\n" else "\n]\n")


def _indented(items: list[object]) -> str:
    with suppress(ValueError):  # halves of characters, which the quick way does not write
        return printable_json(to_json(items, indent=2, inf_nan_mode="constants").decode())
    return json_line(items, indent=2)


def _batches(items: Iterable[object], at_once: int) -> Iterator[list[object]]:
    left = iter(items)
    while some := list(islice(left, at_once)):
        yield some


def put_csv(text: str) -> None:
    """A table in CSV as a shell reads it: lines end in LF, what is quoted stays. Marked on a terminal."""
    parts = text.split('"')
    parts[::2] = [part.replace("\r\n", "\n") for part in parts[::2]]
    if is_terminal():
        parts[1::2] = [marked(part) for part in parts[1::2]]
        say_text('"'.join(parts))
    else:
        put('"'.join(parts))


def tell_formulas(formulas: Formulas) -> None:
    """Say that cells were changed, and how they are had as they are."""
    if number := formulas.quoted:
        tell(f"{counted(number, 'cell')} that a spreadsheet would execute got a quote; --raw adds none.")


def cell_text(value: object) -> str:
    """A value as the user reads it in one line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else marked(" ".join(str(value).split()))


def cells_line(cells: Iterable[tuple[str, int, str]]) -> str:
    """A line of a table: the text, width and alignment of each of its cells."""
    parts = []
    for text, width, align in cells:
        cut = shortened(text, width)
        blank = " " * (width - cell_len(cut))
        parts.append(blank + cut if align == "right" else cut + blank)
    return "  ".join(parts).rstrip()


def is_terminal() -> bool:
    """Return whether results go to a terminal, which cuts lines."""
    return sys.stdout.isatty()


def line_width() -> int:
    """Cells of a line of standard output."""
    return shutil.get_terminal_size().columns if is_terminal() else _PIPED_WIDTH


# ---- anything else ----


def write_rows(titles: Mapping[str, str], rows: Sequence[Mapping[str, object]], form: str) -> None:
    """Rows that are no records, by name; `titles` are the columns of table and CSV."""
    match form:
        case "json":
            put_json(list(rows), indent=2)
        case "jsonl":
            put_lines(rows)
        case "csv":
            put_csv(csv_text(list(titles), ([_cell(row.get(name)) for name in titles] for row in rows)))
        case _:
            _write_plain_table(list(titles.values()), [[row.get(name) for name in titles] for row in rows])


class RowOutput:
    """Rows as they come: a line of text, or of JSON, each; in the other formats all of them at the end."""

    def __init__(self, names: Sequence[str], form: str) -> None:
        """`names` are the columns of CSV."""
        self._names = names
        self._form = form
        self._rows: list[Mapping[str, object]] = []

    def add(self, line: str, row: Mapping[str, object]) -> None:
        """Write a row, which `line` is as text, or keep it for the end."""
        match self._form:
            case "table":
                say(line)
            case "jsonl":
                put_lines([row])
            case _:
                self._rows.append(row)

    def end(self) -> None:
        """Write what was kept."""
        if self._form in ("json", "csv"):
            write_rows(dict.fromkeys(self._names, ""), self._rows, self._form)


def _write_plain_table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    texts = [[cell_text(value) for value in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(titles, *texts, strict=True)]
    if is_terminal() and widths:  # the last column takes what is left
        widths[-1] = max(1, min(widths[-1], line_width() - sum(widths[:-1]) - 2 * (len(widths) - 1)))
    aligned = ["left"] * len(widths)
    say_heading(cells_line(zip(titles, widths, aligned, strict=True)))
    say_lines(cells_line(zip(row, widths, aligned, strict=True)) for row in texts)


def _cell(value: object) -> Cell:
    if isinstance(value, Mapping | list | tuple):
        return printable_json(to_json(value, inf_nan_mode="constants").decode())
    return value if isinstance(value, str | int | float) or value is None else str(value)


def write_members(members: Mapping[str, object], indent: int = 0) -> None:
    """A record in full, a member a line, what is nested below its name."""
    blank = "  " * indent
    width = max((len(str(name)) for name in members), default=0)
    for name, value in members.items():
        if isinstance(value, Mapping) and value:
            say(f"{blank}{name}:")
            write_members(value, indent + 1)
        else:
            say(f"{blank}{name!s:<{width}}  {cell_text(value)}".rstrip())


@dataclass
class ProgressBar:
    """A bar of progress on standard error where that is a terminal; silent elsewhere."""

    total: int
    note: str = ""

    def show(self, done: int) -> None:
        """Draw the bar in the line it had."""
        if Loudness.quiet:
            return
        full = _BAR_CELLS * done // max(1, self.total)
        bar = "#" * full + "-" * (_BAR_CELLS - full)
        tell_in_place(f"[{bar}] {done} of {self.total} {self.note}")

    def end(self) -> None:
        """Take the bar away."""
        tell_in_place("")
