"""The blocks of a document. Text from outside is told apart, so that none of it is ever markup."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from linkdash.model.statistics.chart_data import Bars, Columns, CurveChart, Number, Tone


class Outside(str):
    """A text that comes from outside."""


class Toned(str):
    """A text with a meaning, which it also has without its colour: `▼ 81 %`."""

    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> "Toned":
        made = super().__new__(cls, text)
        made.tone = tone
        return made


Words: TypeAlias = str | Sequence[str]
"""A text, or parts of one, of which some come from outside."""


def parts_of(words: Words) -> Sequence[str]:
    """The parts of a text."""
    return (words,) if isinstance(words, str) else words


@dataclass(frozen=True)
class Heading:
    """The subject of the next blocks; level 1 is the whole document."""

    level: int
    words: Words


@dataclass(frozen=True)
class Sentence:
    """A sentence; a strong one is the answer."""

    words: Words
    is_strong: bool = False


@dataclass(frozen=True)
class Facts:
    """A line each."""

    lines: Sequence[Words]


@dataclass(frozen=True)
class Table:
    """Cells in rows; `aligned` has an `l` or an `r` for each column."""

    head: Sequence[Words]
    rows: Sequence[Sequence[Words]]
    aligned: str
    trends: Sequence[Sequence[Number]] = ()
    """The course of each row over time, drawn in a column of its own where that is possible."""


@dataclass(frozen=True)
class DrawnTable:
    """A picture where pictures can be drawn; everywhere, and beside the picture, the table it is made from.

    Bars stand in the rows of the table, which are in their order.
    """

    data: Bars | Columns | CurveChart
    table: Table


@dataclass(frozen=True)
class NumberCard:
    """A card with one large number: what it is, what became of it, and what it was."""

    title: str
    value: str
    change: Toned
    note: str
    trend: Sequence[Number] = ()


@dataclass(frozen=True)
class NumberCards:
    """The most important numbers; where they cannot be drawn large, and for who cannot see them, a table."""

    cards: Sequence[NumberCard]
    table: Table


@dataclass(frozen=True)
class Scannable:
    """The QR code of a link, where it can be drawn."""

    link: str


@dataclass(frozen=True)
class Fold:
    """A part that can be folded away; its headings begin at level 3."""

    words: Words
    blocks: Sequence["Block"]


Block: TypeAlias = Heading | Sentence | Facts | Table | DrawnTable | NumberCards | Scannable | Fold
