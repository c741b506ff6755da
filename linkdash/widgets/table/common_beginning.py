"""Links that all begin alike, in a column too narrow for them: the beginning stands in its title."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from rich.cells import cell_len

from linkdash.api.fields import Kind
from linkdash.api.records import Unreadable
from linkdash.model.lists.columns import Column, Row, drawn
from linkdash.widgets.styled_text import CUT
from linkdash.widgets.table.cell_text import without_scheme


def common_beginning(column: Column[Row], rows: Iterable[Row | Unreadable]) -> str:
    """The host and path up to a slash that every link of a column begins with; "" where there is none."""
    if column.kind is not Kind.LINK:
        return ""
    shown = (column.shown(row) for row in rows if not isinstance(row, Unreadable))
    links = [without_scheme(value) for value in shown if isinstance(value, str) and value]
    if len(links) < 2:
        return ""
    parts = zip(*(link.split("/") for link in links), strict=False)
    shared = takewhile(lambda at_once: len(set(at_once)) == 1, parts)
    beginning = "".join(f"{part}/" for part, *_ in shared)
    return beginning if all(len(link) > len(beginning) for link in links) else ""


def without_beginning(column: Column[Row], width: int, beginning: str) -> Column[Row]:
    """The column with the beginning in its title, of that the parts that fit, and the rest in its cells."""

    def rest(row: Row) -> object:
        value = column.shown(row)
        link = without_scheme(value) if isinstance(value, str) else ""
        return f"{CUT}/{link.removeprefix(beginning)}" if link.startswith(beginning) else value

    parts = beginning.split("/")
    wholes = ["/".join([*parts[:count], ""]) for count in range(len(parts) - 1, 0, -1)]
    titles = [f"{column.title} {whole}{CUT}" for whole in wholes]
    title = next((title for title in titles if cell_len(title) <= width), column.title)
    return replace(drawn(column, rest, width=width), title=title)
