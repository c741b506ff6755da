"""Output of verbs: what they found in its format, and a progress bar."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice

from linkdash.api.inert_text import marked
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
from linkdash.model.humanize import counted
from linkdash.model.json_text import json_line, json_lines, json_text
from linkdash.model.text_table import GAP, table_lines, widths_of

_PIPED_WIDTH = 10_000  # cells, where no terminal cuts a line: nothing is left out
_BAR_CELLS = 24
_AT_ONCE = 1_000  # items of JSON in memory


def is_terminal() -> bool:
    """Return whether results go to a terminal, which cuts lines."""
    return sys.stdout.isatty()


def line_width() -> int:
    """Cells of a line of standard output."""
    return shutil.get_terminal_size().columns if is_terminal() else _PIPED_WIDTH


# ---- for programs ----


def put_lines(items: Iterable[object]) -> None:
    """A line of JSON for each, as they come."""
    for some in _batches(items):
        put(json_lines(some))


def put_list(items: Iterable[object]) -> None:
    """A list as JSON, item by item as they come."""
    before = "[\n"
    for some in _batches(items):
        put(before + json_text(some)[2:-3])  # without the brackets
        before = ",\n"
    put("[]\n" if before == "[\n" else "\n]\n")


def _batches(items: Iterable[object]) -> Iterator[list[object]]:
    left = iter(items)
    while some := list(islice(left, _AT_ONCE)):
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


# ---- for people ----


def cell_text(value: object) -> str:
    """A value as the user reads it in one line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else marked(" ".join(str(value).split()))


def say_table(rows: Sequence[Sequence[str]], aligned: str, widths: Sequence[int]) -> None:
    """Rows under each other, the first of them the titles."""
    titles, *lines = table_lines(rows, aligned, widths)
    say_heading(titles)
    say_lines(lines)


def _write_members(members: Mapping[str, object], indent: int = 0) -> None:
    """A member a line, what is nested below its name."""
    blank = "  " * indent
    width = max((len(str(name)) for name in members), default=0)
    for name, value in members.items():
        if isinstance(value, Mapping) and value:
            say(f"{blank}{name}:")
            _write_members(value, indent + 1)
        else:
            say(f"{blank}{name!s:<{width}}  {cell_text(value)}".rstrip())


# ---- in any format ----


def write_rows(titles: Mapping[str, str], rows: Sequence[Mapping[str, object]], form: str) -> None:
    """Rows that are no records, by name; `titles` are the columns of table and CSV."""
    match form:
        case "json":
            put_list(rows)
        case "jsonl":
            put_lines(rows)
        case "csv":
            put_csv(csv_text(list(titles), ([_cell(row.get(name)) for name in titles] for row in rows)))
        case _:
            texts = [[*titles.values()], *([cell_text(row.get(name)) for name in titles] for row in rows)]
            widths = widths_of(texts)
            if is_terminal():  # the last column takes what is left
                left = line_width() - sum(widths[:-1]) - len(GAP) * (len(widths) - 1)
                widths[-1] = max(1, min(widths[-1], left))
            say_table(texts, "l" * len(widths), widths)


def _cell(value: object) -> Cell:
    if isinstance(value, Mapping | list | tuple):
        return json_line(value)
    return value if isinstance(value, str | int | float) or value is None else str(value)


def write_members(members: Mapping[str, object], form: str) -> None:
    """A record in full, in a format."""
    match form:
        case "json":
            put(json_text(members))
        case "jsonl":
            put_lines([members])
        case "csv":
            write_rows({name: name for name in members}, [members], form)
        case _:
            _write_members(members)


class RowOutput:
    """Rows as they come: a line of text, or of JSON, each; in the other formats all of them at the end."""

    def __init__(self, form: str, names: Sequence[str] = (), *, is_list: bool = True) -> None:
        """`names` are the columns of CSV. What is no list is a single row, also in JSON."""
        self._names = names
        self._form = form
        self._is_list = is_list
        self._rows: list[Mapping[str, object]] = []

    def add(self, row: Mapping[str, object], line: str = "") -> None:
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
        if not self._is_list:
            for row in self._rows:
                write_members(row, self._form)
        elif self._form in ("json", "csv"):
            write_rows(dict.fromkeys(self._names, ""), self._rows, self._form)


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
