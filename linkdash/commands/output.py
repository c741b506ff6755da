"""Output of verbs: results in their formats, and a progress bar."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import IO, TypeVar

from pydantic_core import to_json
from rich.cells import cell_len

from linkdash.api.fields import Kind
from linkdash.api.inert_text import inert, marked, printable_json
from linkdash.api.records import Record, Unreadable
from linkdash.commands.streams import Loudness, plain, put, tell, to_person, write
from linkdash.model.csv_text import Cell, Formulas, csv_text
from linkdash.model.humanize import counted, shortened
from linkdash.model.lists.columns import Column, Odd, fit
from linkdash.model.lists.export import all_members, records_csv

T = TypeVar("T", bound=Record)

_PIPED_WIDTH = 10_000  # cells, where no terminal cuts a line: nothing is left out
_BAR_CELLS = 24
_AT_ONCE = 1_000  # items of JSON in memory
_DEEP_BEGIN, _DEEP_END = "[\n  [\n    [\n      ", "\n    ]\n  ]\n]"
_as_json = json.JSONEncoder(ensure_ascii=False, default=str).encode


def json_line(data: object, indent: int | None = None) -> str:
    """Data as JSON that a terminal can show: what is not printable is escaped, as JSON allows."""
    return printable_json(json.dumps(data, ensure_ascii=False, indent=indent, default=str))


# ---- records ----


def write_records(
    model: type[T],
    columns: Sequence[Column[T]],
    rows: Sequence[T | Unreadable],
    form: str,
    formulas: Formulas | None = None,
) -> None:
    """Records in a format; a table has the columns that the terminal has room for."""
    match form:
        case "json":
            put_list(all_members(rows))
        case "jsonl":
            put_lines(all_members(rows))
        case "csv":
            put_csv(records_csv(model, columns, rows, formulas))
        case _:
            write_table(columns, rows)


def put_lines(items: Iterable[object], at_once: int = _AT_ONCE) -> None:
    """A line of JSON for each, as they come."""
    for some in _batches(items, at_once):
        put(printable_json("".join(f"{_as_json(item)}\n" for item in some)))


def put_list(items: Iterable[object]) -> None:
    """One list in JSON, written as its items come: of what JSON knows and nothing else."""
    before = "[\n"
    for some in _batches(items, _AT_ONCE):
        put(before + _indented(some)[2:-2])  # without the brackets
        before = ",\n"
    put("[]\n" if before == "[\n" else "\n]\n")


def put_groups(groups: Iterable[tuple[Mapping[str, object], str, Iterable[object]]]) -> None:
    """One list of objects in JSON; the list in the last member of each is written as it comes."""
    before = "[\n"
    for members, name, items in groups:
        begin, _, end = _indented([{**members, name: []}])[2:-2].rpartition("[]")
        put(before + begin)
        before = "[\n      "
        for some in _batches(items, _AT_ONCE):
            put(before + _indented([[some]]).removeprefix(_DEEP_BEGIN).removesuffix(_DEEP_END))
            before = ",\n      "
        put(("[]" if before.startswith("[") else "\n    ]") + end)
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
    """A table in CSV as a shell reads it: lines end in LF, what is quoted stays; inert on a terminal."""
    parts = text.split('"')
    parts[::2] = [part.replace("\r\n", "\n") for part in parts[::2]]
    text = '"'.join(parts)
    put("\n".join(marked(line.removesuffix("\r")) for line in text.split("\n")) if _is_terminal() else text)


def tell_formulas(formulas: Formulas) -> None:
    """Say that cells were changed, and how they are had as they are."""
    if number := formulas.quoted:
        tell(f"{counted(number, 'cell')} that a spreadsheet would execute got a quote; --raw adds none.")


def write_table(columns: Sequence[Column[T]], rows: Sequence[T | Unreadable]) -> None:
    """Rows under their titles: what has no room in a terminal is left out or cut; in a pipe nothing is."""
    readable = [row for row in rows if not isinstance(row, Unreadable)]
    texts = {
        column.name: [cell_text(column.shown(row), column.kind) for row in readable] for column in columns
    }
    needs = {name: max(map(cell_len, column), default=0) for name, column in texts.items()}
    fitted = [
        (column, width if _is_terminal() else max(needs[column.name], cell_len(column.title)))
        for column, width in fit(columns, _width(), needs)
    ]
    lines = [_line([(column.title, width, column.align) for column, width in fitted], bold=True)]
    lines += [
        _line([(texts[column.name][number], width, column.align) for column, width in fitted])
        for number in range(len(readable))
    ]
    write("\n".join(lines))
    if lost := len(rows) - len(readable):
        tell(f"{lost} rows could not be read; --format json shows them.")


def cell_text(value: object, kind: Kind = Kind.TEXT) -> str:
    """A value as the user reads it in one line."""
    if kind is Kind.SECRET:
        return "(hidden)" if value else ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if kind is Kind.COUNT and isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, Odd):
        return f"? {marked(value.text)}"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else marked(" ".join(str(value).split()))


def _line(cells: Iterable[tuple[str, int, str]], *, bold: bool = False) -> str:
    parts = []
    for text, width, align in cells:
        cut = shortened(text, width)
        blank = " " * (width - cell_len(cut))
        parts.append(blank + cut if align == "right" else cut + blank)
    line = "  ".join(parts).rstrip()
    return f"\x1b[1m{line}\x1b[0m" if bold and has_colour(sys.stdout) else line


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _width() -> int:
    """Cells of a line of standard output."""
    return shutil.get_terminal_size().columns if _is_terminal() else _PIPED_WIDTH


def has_colour(stream: IO[str]) -> bool:
    """Return whether styles mean something where this stream goes."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# ---- anything else ----


def write_rows(titles: Mapping[str, str], rows: Sequence[Mapping[str, object]], form: str) -> None:
    """Rows that are no records, by name; `titles` are the columns of table and CSV."""
    match form:
        case "json":
            write(json_line(list(rows), indent=2))
        case "jsonl":
            put_lines(rows)
        case "csv":
            put_csv(csv_text(list(titles), ([_cell(row.get(name)) for name in titles] for row in rows)))
        case _:
            _write_plain_table(list(titles.values()), [[row.get(name) for name in titles] for row in rows])


def _write_plain_table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    texts = [[cell_text(value) for value in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(titles, *texts, strict=True)]
    if _is_terminal() and widths:  # the last column takes what is left
        widths[-1] = max(1, min(widths[-1], _width() - sum(widths[:-1]) - 2 * (len(widths) - 1)))
    aligned = ["left"] * len(widths)
    lines = [_line(zip(titles, widths, aligned, strict=True), bold=True)]
    lines += [_line(zip(row, widths, aligned, strict=True)) for row in texts]
    write("\n".join(lines))


def _cell(value: object) -> Cell:
    return value if isinstance(value, str | int | float) or value is None else str(value)


def write_members(members: Mapping[str, object], indent: int = 0) -> None:
    """A record in full, a member a line, what is nested below its name."""
    blank = "  " * indent
    width = max((len(str(name)) for name in members), default=0)
    for name, value in members.items():
        if isinstance(value, Mapping) and value:
            write(f"{blank}{inert(str(name))}:")
            write_members(value, indent + 1)
        else:
            write(f"{blank}{inert(str(name)):<{width}}  {cell_text(value)}".rstrip())


@dataclass
class ProgressBar:
    """A bar of progress on standard error where that is a terminal; silent elsewhere."""

    total: int
    note: str = ""

    def show(self, done: int) -> None:
        """Draw the bar in the line it had."""
        if Loudness.quiet or not sys.stderr.isatty():
            return
        full = _BAR_CELLS * done // max(1, self.total)
        bar = "#" * full + "-" * (_BAR_CELLS - full)
        to_person(f"\r[{bar}] {done} of {self.total} {plain(self.note)}\x1b[K")

    def end(self) -> None:
        """Take the bar away."""
        if sys.stderr.isatty():
            to_person("\r\x1b[K")
