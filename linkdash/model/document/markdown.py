"""A document as Markdown for a ticket: tables, no drawings; every text from outside in a span of code."""

import re
from collections.abc import Iterable

from linkdash.api.inert_text import inert
from linkdash.model.document.blocks import (
    Block,
    DrawnTable,
    Facts,
    Fold,
    Heading,
    NumberCards,
    Outside,
    Scannable,
    Sentence,
    Table,
    Words,
    parts_of,
)


def markdown(blocks: Iterable[Block]) -> str:
    """The document as Markdown."""
    return "\n\n".join(filter(None, map(in_markdown, blocks))) + "\n"


def in_markdown(block: Block) -> str:
    """A block as Markdown; empty for what cannot be told in words."""
    match block:
        case Heading(level, words):
            return f"{'#' * level} {_spans(words)}"
        case Sentence(words, is_strong):
            return f"**{_spans(words)}**" if is_strong else _spans(words)
        case Facts(lines):
            return "\n".join(f"- {_spans(line)}" for line in lines)
        case Table():
            return _table(block)
        case DrawnTable(_, table) | NumberCards(_, table):
            return _table(table)
        case Fold(words, blocks):
            return markdown([Heading(2, words), *blocks]).rstrip("\n")
        case Scannable():
            return ""


def _table(table: Table) -> str:
    rule = ["---:" if side == "r" else "---" for side in table.aligned]
    head, *cells = [[_spans(cell).replace("|", "\\|") for cell in row] for row in (table.head, *table.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *cells))


def _spans(words: Words) -> str:
    return "".join(quoted(part) if isinstance(part, Outside) else part for part in parts_of(words))


def quoted(text: str) -> str:
    """A text from outside as a span of code: nothing in it is markup, an address or a mention."""
    text = inert(" ".join(text.split()))
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"
