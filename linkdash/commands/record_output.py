"""Output of records in the formats of a verb."""

from collections.abc import Sequence
from typing import TypeVar

from rich.cells import cell_len

from linkdash.api.fields import Kind
from linkdash.api.records import Record, Unreadable
from linkdash.commands.output import (
    cell_text,
    is_terminal,
    line_width,
    put_csv,
    put_lines,
    put_list,
    say_table,
)
from linkdash.commands.standard_streams import tell
from linkdash.model.csv_text import Formulas
from linkdash.model.lists.columns import Column, Odd, fit
from linkdash.model.lists.export import record_members, records_csv

T = TypeVar("T", bound=Record)


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
            put_list(map(record_members, rows))
        case "jsonl":
            put_lines(map(record_members, rows))
        case "csv":
            put_csv(records_csv(model, columns, rows, formulas))
        case _:
            _write_table(columns, rows)


def _write_table(columns: Sequence[Column[T]], rows: Sequence[T | Unreadable]) -> None:
    """Rows under their titles: what has no room in a terminal is left out or cut; in a pipe nothing is."""
    readable = [row for row in rows if not isinstance(row, Unreadable)]
    texts = {
        column.name: [_cell_text(column.shown(row), column.kind) for row in readable] for column in columns
    }
    needs = {name: max(map(cell_len, column), default=0) for name, column in texts.items()}
    fitted = fit(columns, line_width(), needs)
    widths = [
        width if is_terminal() else max(needs[column.name], cell_len(column.title))
        for column, width in fitted
    ]
    cells = zip(*([column.title, *texts[column.name]] for column, _ in fitted), strict=True)
    say_table([*cells], "".join(column.align[0] for column, _ in fitted), widths)
    if lost := len(rows) - len(readable):
        tell(f"{lost} rows could not be read; --format json shows them.")


def _cell_text(value: object, kind: Kind) -> str:
    if kind is Kind.SECRET:
        return "(hidden)" if value else ""
    if isinstance(value, Odd):
        return f"? {value.text}"
    if kind is Kind.COUNT and isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return cell_text(value)
