"""What a table shows of its records: columns made from a record model, and how they share the width."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel
from rich.cells import cell_len

from linkdash.api.fields import NO_LABELS, Kind, Labels, fields_of
from linkdash.model.humanize import span

GAP = 2
"""Cells between two columns."""

ESTIMATED = "\N{ALMOST EQUAL TO}"
"""How a text begins that stands for a value which only the service knows, and has not said yet."""

Row = TypeVar("Row")
ModelType = TypeVar("ModelType", bound=BaseModel)

_NUMBERS = frozenset({Kind.IDENTIFIER, Kind.COUNT})
_DEFAULT_WIDTHS = {
    Kind.IDENTIFIER: 6,
    Kind.REFERENCE: 6,
    Kind.COUNT: 7,
    Kind.FLAG: 3,
    Kind.MOMENT: 10,
    Kind.DAY: 10,
    Kind.HEX_COLOR: 10,
    Kind.RGB_COLOR: 10,
    Kind.SECRET: 8,
    Kind.LINK: 20,
    Kind.EMAIL: 18,
}
_DEFAULT_WIDTH = 10


@dataclass(frozen=True, slots=True)
class Odd:
    """The text of a member that could not be understood, where its value would stand."""

    text: str

    @property
    def is_estimate(self) -> bool:
        """Whether it was put there by linkdash, until the service says what it is."""
        return self.text.startswith(ESTIMATED)


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column of a table over rows of one type."""

    name: str
    """The field of the row."""
    title: str
    kind: Kind
    width: int
    """Cells it takes at least."""
    grow: bool = False
    """Whether it comes first where width is left over and its values need more."""
    essential: bool = False
    """Whether it stays however narrow the table is."""
    align: Literal["left", "right"] = "left"
    labels: Labels = NO_LABELS
    """What is shown for the words of the field."""

    def value(self, row: Row) -> object:
        """The row's value for this column, `Odd` where the service's text could not be understood."""
        return value_of(row, self.name)

    def shown(self, row: Row) -> object:
        """The row's value for this column as a person reads it."""
        return self.labels.of(value_of(row, self.name))


@dataclass(frozen=True)
class Computed(Column[Row]):
    """A column of what is known beside the records, drawn by `draw`."""

    draw: Callable[[Row], object] = field(kw_only=True)
    rank: Callable[[Row], int | None] | None = None
    """What a row is compared by, None for one without a place; else it is the field of the column's name."""

    def shown(self, row: Row) -> object:
        return self.draw(row)


def column(
    model: type[ModelType],
    name: str,
    *,
    width: int | None = None,
    grow: bool = False,
    essential: bool = False,
    title: str | None = None,
) -> Column[ModelType]:
    """The column of one field of a record model, which says its title and kind.

    Without a `width` its kind decides, and the title fits. Raises KeyError for a field the model lacks.
    """
    found = next((found for found in fields_of(model) if found.name == name), None)
    if found is None:
        raise KeyError(f"{model.__name__} has no field {name!r}")
    shown = title if title is not None else found.title
    return Column(
        name=name,
        title=shown,
        kind=found.kind,
        width=width or max(_DEFAULT_WIDTHS.get(found.kind, _DEFAULT_WIDTH), cell_len(shown)),
        grow=grow,
        essential=essential,
        align="right" if found.kind in _NUMBERS else "left",
        labels=found.labels,
    )


def with_age(columns: Sequence[Column[Row]], now: Callable[[], datetime]) -> tuple[Column[Row], ...]:
    """The columns with the age of a record in the place of the date on which it was made.

    `now` is without a zone, as the service's dates are. The youngest are the first in their order. A date
    that could not be understood is a `?`.
    """

    def days(row: Row) -> int | None:
        made = value_of(row, "date")
        return (now().date() - _day(made)).days if isinstance(made, date) else None

    def age(row: Row) -> object:
        known = days(row)
        if known is not None:
            return span(known)
        return "?" if isinstance(value_of(row, "date"), Odd) else None  # the details have it in full

    aged = Computed[Row]("date", "Age", Kind.TEXT, 5, align="right", draw=age, rank=days)
    return tuple(aged if column.name == "date" else column for column in columns)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def value_of(row: object, name: str) -> object:
    """What a row has under a field's name: the value, or `Odd` where it could not be understood.

    Only a value that is empty can stand for one that was not understood, so the others are quick.
    """
    value: object = getattr(row, name)
    if value:
        return value
    odd = getattr(row, "odd", {})
    return Odd(str(odd[name])) if name in odd else value


SAMPLED = 100
"""Rows from which columns learn their widths, however many there are."""


def sampled(count: int) -> range:
    """Where those stand among so many rows: at even distances from the first one on."""
    return range(0, count, -(-count // SAMPLED) or 1)


def fit(
    columns: Sequence[Column[Row]], width: int, needs: Mapping[str, int] | None = None
) -> list[tuple[Column[Row], int]]:
    """The columns that have room in `width` cells, each with the width it gets.

    Columns that are not essential are left out, the last first, until the rest fits. What is left over goes
    to columns that need more than they have at least, first to essential ones that grow, then to others that
    grow; what nobody needs stays empty. `needs` says how many cells the values of a column take, by its
    name. Essential columns alone may be wider than `width`.
    """
    kept = list(columns)
    for candidate in reversed(columns):
        if total_width([(column, column.width) for column in kept]) <= width:
            break
        if not candidate.essential:
            kept.remove(candidate)
    widths = [(column, column.width) for column in kept]
    for turn in range(3):
        lacks = [
            max(0, (needs or {}).get(column.name, 0) - cells) if _turn(column) == turn else 0
            for column, cells in widths
        ]
        parts = _parts(max(0, width - total_width(widths)), lacks)
        widths = [(column, cells + part) for (column, cells), part in zip(widths, parts, strict=True)]
    return widths


def _turn(column: Column[Row]) -> int:
    """When it is a column's turn to get what is left over."""
    return 2 if not column.grow else 0 if column.essential else 1


def _parts(spare: int, lacks: Sequence[int]) -> list[int]:
    """What each of those who lack something gets of `spare`: equal parts, but nobody more than it lacks."""
    parts = [0] * len(lacks)
    by_size = sorted(range(len(lacks)), key=lambda index: lacks[index])
    for place, index in enumerate(by_size):
        parts[index] = min(lacks[index], spare // (len(lacks) - place))
        spare -= parts[index]
    return parts


def total_width(widths: Sequence[tuple[Column[Row], int]]) -> int:
    """Cells that fitted columns take together, with the gaps between them."""
    return sum(cells for _, cells in widths) + GAP * max(0, len(widths) - 1)
