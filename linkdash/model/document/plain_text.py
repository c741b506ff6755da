"""A document as plain text for the screen: inert, with columns under each other."""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from linkdash.api.inert_text import inert
from linkdash.model.document.blocks import (
    Block,
    DrawnTable,
    Facts,
    Fold,
    Heading,
    NumberCards,
    Scannable,
    Sentence,
    Table,
    Words,
    parts_of,
)
from linkdash.model.text_table import GAP, table_lines, widths_of


def text(blocks: Iterable[Block], width: int | None = None) -> str:
    """The document to be read on a screen of so many cells."""
    return "\n\n".join(filter(None, (in_text(block, width) for block in blocks)))


def in_text(block: Block, width: int | None) -> str:
    """A block for a screen of so many cells; sentences are left to wrap. Empty for what has no words."""
    match block:
        case Heading(level, words):
            title = _inert(words)
            rule = "─" * min(cell_len(title), width or cell_len(title))
            return title if level > 1 else f"{title}\n{rule}"
        case Sentence(words):
            return _inert(words)
        case Facts(lines):
            return "\n".join(map(_inert, lines))
        case Table():
            return _table(block, width)
        case DrawnTable(_, table) | NumberCards(_, table):
            return _table(table, width)
        case Fold(words, blocks):
            return text([Heading(2, words), *blocks], width)
        case Scannable():
            return ""


def _table(table: Table, width: int | None) -> str:
    cells = [[*map(_inert, row)] for row in (table.head, *table.rows)]
    return "\n".join(_in_width(cells, table.aligned, width))


def _in_width(cells: Sequence[Sequence[str]], aligned: str, width: int | None) -> list[str]:
    """A table in the first form that fits, so that no row is broken anywhere."""
    for form in (_in_rows, _under_names):
        lines = form(cells, aligned)
        if width is None or max(map(cell_len, lines)) <= width:
            return lines
    return _in_parts(cells)


def _in_rows(cells: Sequence[Sequence[str]], aligned: str) -> list[str]:
    """Cells under each other, those of the head first."""
    return table_lines(cells, aligned, widths_of(cells))


def _under_names(cells: Sequence[Sequence[str]], aligned: str) -> list[str]:
    """The first cell of each row in a line of its own, and the others under each other."""
    others = _in_rows([row[1:] for row in cells], aligned[1:])
    return [line for row, other in zip(cells, others, strict=True) for line in (row[0], f"{GAP}{other}")]


def _in_parts(cells: Sequence[Sequence[str]]) -> list[str]:
    """A part for each row: its first cell, and each of the others in a line of its own with its title."""
    titles, *rows = cells
    parts = []
    for row in rows:
        parts += ["", row[0]]
        named = zip(titles[1:], row[1:], strict=True)
        parts += [f"{GAP}{title}: {cell}" if title else f"{GAP}{cell}" for title, cell in named if cell]
    return parts[1:]


def _inert(words: Words) -> str:
    return inert("".join(parts_of(words)))
