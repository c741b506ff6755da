"""The columns of a table: made from a record model, and sharing the width."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel
from rich.cells import cell_len

from linkdash.api.fields import NO_LABELS, Kind, Labels, fields_of
from linkdash.model.humanize import ATTENTION, ESTIMATED, Badge, shortened, span

GAP = 2
"""Cells between two columns."""
_SEVERAL = 2  # rows
_TOLD_CELLS = 30  # of what all rows have

LONGEST_NAME = 30
"""Cells of a name beside which nothing stands unless that fits as well."""

Unit: TypeAlias = Literal["number", "percent", "span"]
"""A whole number, one of a hundred, or a time from one moment to another."""
Rank: TypeAlias = int | timedelta
"""A number or a time that rows are compared by."""

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


@dataclass(frozen=True, slots=True)
class Estimated:
    """A value that was put there by linkdash, until the service says what it is."""

    value: object

    def __str__(self) -> str:
        told = f"{self.value:%Y-%m-%d}" if isinstance(self.value, date) else str(self.value)
        return f"{ESTIMATED} {told}"


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of one table over rows of one type."""

    name: str
    """The field of the row."""
    title: str
    kind: Kind
    width: int
    """Cells it takes at least."""
    grow: bool = False
    """True if it comes first where width is left over and its values need more."""
    essential: bool = False
    """True if it stays however narrow the table is."""
    align: Literal["left", "right"] = "left"
    labels: Labels = NO_LABELS
    """The labels of the field's words."""

    @property
    def compared_field(self) -> str:
        """The field that rows are compared by."""
        return self.name

    def value(self, row: Row) -> object:
        """The row's value for this column, `Odd` where the service's text could not be understood."""
        return drawn_value(row, self.name)

    def shown(self, row: Row) -> object:
        """The row's value for this column as the user reads it."""
        return self.labels.of(drawn_value(row, self.name))


@dataclass(frozen=True)
class Computed(Column[Row]):
    """A column of what is known beside the records, drawn by `draw`, which filters and orders can ask for."""

    draw: Callable[[Row], object] = field(kw_only=True)
    rank: Callable[[Row], Rank | None] | None = None
    """What a row is compared by, None where that is not known; else by a field."""
    unit: Unit = "number"
    """What `rank` counts."""
    by_field: str = ""
    """That field, where it is not called as the column is."""
    names: Callable[[], Mapping[int, str]] | None = None
    """The names of the records that its field refers to, by id, as far as they are known."""

    @property
    def compared_field(self) -> str:
        return self.by_field or self.name

    def shown(self, row: Row) -> object:
        return self.draw(row)


def drawn(column: Column[Row], draw: Callable[[Row], object], *, width: int) -> Computed[Row]:
    """The column, drawn by `draw` in `width` cells."""
    kept = (column.grow, column.essential, column.align, column.labels)
    rank = column.rank if isinstance(column, Computed) else None
    return Computed(column.name, column.title, column.kind, width, *kept, draw=draw, rank=rank)


def column(
    model: type[ModelType],
    name: str,
    *,
    width: int | None = None,
    grow: bool = False,
    essential: bool = False,
) -> Column[ModelType]:
    """The column of one field of a record model, which says its title and kind.

    Without a `width` its kind decides, and the title fits. Raises KeyError for a field the model lacks.
    """
    found = next((found for found in fields_of(model) if found.name == name), None)
    if found is None:
        raise KeyError(f"{model.__name__} has no field {name!r}")
    return Column(
        name=name,
        title=found.title,
        kind=found.kind,
        width=width or max(_DEFAULT_WIDTHS.get(found.kind, _DEFAULT_WIDTH), cell_len(found.title)),
        grow=grow,
        essential=essential,
        align="right" if found.kind in _NUMBERS else "left",
        labels=found.labels,
    )


def with_age(
    columns: Sequence[Column[Row]],
    now: Callable[[], datetime],
    is_new: Callable[[Row], bool] = lambda _: False,
) -> tuple[Column[Row], ...]:
    """The columns with the age of a record in the place of the date on which it was made.

    `now` is without a zone, as the service's dates are. The youngest are the first in their order. A date
    that could not be understood is a `?`. Of those that are new here the service has told no date yet.
    """

    def since(row: Row) -> timedelta | None:
        made = value_of(row, "date")
        if made is None and is_new(row):
            return timedelta()
        return now() - moment_of(made) if isinstance(made, date) else None

    def age(row: Row) -> object:
        made = value_of(row, "date")
        if isinstance(made, date):
            return span((now().date() - moment_of(made).date()).days)
        if made is None and is_new(row):
            return span(0)
        return "?" if isinstance(made, Odd) else None  # the details have it in full

    aged = Computed[Row]("age", "Age", Kind.TEXT, 5, align="right", draw=age, rank=since, unit="span")
    return tuple(aged if column.name == "date" else column for column in columns)


def moment_of(value: date) -> datetime:
    """Return a date as a moment: of a day its beginning."""
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def value_of(row: object, name: str) -> object:
    """Return a row's value under a field's name, or `Odd` where it could not be understood.

    Only a value that is empty can stand for one that was not understood, so the others are quick.
    """
    value: object = getattr(row, name)
    if value:
        return value
    odd = getattr(row, "odd", {})
    return Odd(str(odd[name])) if name in odd else value


def drawn_value(row: object, name: str) -> object:
    """The same to be drawn, where an `Estimated` is told as one."""
    value = value_of(row, name)
    if name not in getattr(row, "estimated", ()):
        return value
    return Estimated(value.text if isinstance(value, Odd) else value)


ALL_MEASURED, SAMPLED = 2_000, 200
"""Rows of which each is looked at for the widths of columns, and how many of more."""


def sampled(count: int) -> range:
    """Return the positions of a sample of so many rows: at even distances from the first one on."""
    return range(0, count, 1 if count <= ALL_MEASURED else -(-count // SAMPLED))


def fit(
    columns: Sequence[Column[Row]], width: int, needs: Mapping[str, int] | None = None
) -> list[tuple[Column[Row], int]]:
    """The columns that have room in `width` cells, each with the width it gets.

    `needs` says how many cells the values of a column take, by its name. The name, which is the first
    essential column that grows, is whole up to `LONGEST_NAME` before any other has more than its least. Where
    room is short, columns that are not essential are left out, the last first, so that none goes where there
    is more room. What is left over goes to columns that need more than they have, first to essential ones
    that grow, then to others that grow, and at last to those whose values need less than their width.

    Where not even the essential ones have room, the name is the only one.
    """
    needed = needs or {}
    widths, name = _shared_out(_kept(columns, width, needed), width, needed), _name_of(columns)
    return [(name, width)] if name is not None and total_width(widths) > width else widths


def _kept(columns: Sequence[Column[Row]], width: int, needed: Mapping[str, int]) -> list[Column[Row]]:
    """The columns that have room: the last ones are given up first."""
    kept, least = list(columns), _least(columns, width, needed)
    for candidate in reversed(columns):
        if total_width([(column, least[column.name]) for column in kept]) <= width:
            break
        if candidate in kept and not candidate.essential:
            kept.remove(candidate)
    return kept


def _shared_out(
    columns: Sequence[Column[Row]], width: int, needed: Mapping[str, int]
) -> list[tuple[Column[Row], int]]:
    """The columns, with what each gets of the room."""
    least = _least(columns, width, needed)
    widths = [(column, least[column.name]) for column in columns]
    for turn in range(3):
        asked = [needed.get(column.name, 0) if _turn(column) == turn else 0 for column in columns]
        widths = _widened(widths, width, asked)
    return _widened(widths, width, [column.width for column in columns])


def _name_of(columns: Sequence[Column[Row]]) -> Column[Row] | None:
    """The column of what a row is called."""
    return next((column for column in columns if column.essential and column.grow), None)


def _least(columns: Sequence[Column[Row]], width: int, needs: Mapping[str, int]) -> dict[str, int]:
    """Cells without which a column is left out, by its name: no more than its title and its values need."""
    least = {
        column.name: min(column.width, max(cell_len(column.title), needs.get(column.name, column.width)))
        for column in columns
    }
    if (name := _name_of(columns)) is not None:
        others = [column for column in columns if column.essential and column is not name]
        taken = total_width([(column, least[column.name]) for column in others]) + GAP * bool(others)
        wanted = min(needs.get(name.name, name.width), LONGEST_NAME, width - taken)
        least[name.name] = max(least[name.name], wanted)
    return least


def _widened(
    widths: Sequence[tuple[Column[Row], int]], width: int, asked: Sequence[int]
) -> list[tuple[Column[Row], int]]:
    """The columns with more cells, of those that are left of `width`, where more were asked for."""
    lacks = [max(0, wanted - cells) for (_, cells), wanted in zip(widths, asked, strict=True)]
    parts = _parts(max(0, width - total_width(widths)), lacks)
    return [(column, cells + part) for (column, cells), part in zip(widths, parts, strict=True)]


def _turn(column: Column[Row]) -> int:
    """The place of a column in the order in which they get what is left over."""
    return 2 if not column.grow else 0 if column.essential else 1


def _parts(spare: int, lacks: Sequence[int]) -> list[int]:
    """Return each column's share of `spare`: equal parts, but none more than it lacks."""
    parts = [0] * len(lacks)
    by_size = sorted(range(len(lacks)), key=lambda index: lacks[index])
    for place, index in enumerate(by_size):
        parts[index] = min(lacks[index], spare // (len(lacks) - place))
        spare -= parts[index]
    return parts


def total_width(widths: Sequence[tuple[Column[Row], int]]) -> int:
    """Cells that fitted columns take together, with the gaps between them."""
    return sum(cells for _, cells in widths) + GAP * max(0, len(widths) - 1)


# ---- columns that say the same in every row ----


def alike(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> list[Column[Row]]:
    """The columns of which every one of these rows, and there are several, shows the same.

    The name is never one of them, nor is what is drawn and not written.
    """
    if len(rows) < _SEVERAL:
        return []
    name = _name_of(columns)
    return [column for column in columns if column is not name and _is_alike(column, rows)]


def not_known(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> list[Column[Row]]:
    """The columns of what is known beside the records, where it is known of none of these rows."""
    ranked = [(column, column.rank) for column in columns if isinstance(column, Computed) and column.rank]
    return [column for column, rank in ranked if rows and all(rank(row) is None for row in rows)]


def _is_alike(column: Column[Row], rows: Sequence[Row]) -> bool:
    first = column.shown(rows[0])
    is_empty = first is None and not isinstance(
        column, Computed
    )  # what is computed may only not be known yet
    is_written = is_empty or isinstance(first, str | int | date | Badge)
    return is_written and column.kind is not Kind.SECRET and all(column.shown(row) == first for row in rows)


def told_once(column: Column[Row], row: Row) -> str:
    """Words for what all rows have in a column: `all public`, `no description`, `type: message`."""
    value, title = column.shown(row), column.title.lower()
    if column.kind is Kind.FLAG and isinstance(value, bool):
        return f"all {title}" if value else f"none {title}"
    if value in (None, ""):
        return f"no {title}"
    text = shortened(value.word if isinstance(value, Badge) else str(value), _TOLD_CELLS)
    return f"all {text}" if text.lower().startswith(title) else f"{title}: {text}"


def schemes(column: Column[Row], rows: Sequence[Row]) -> str:
    """The schemes that the addresses in a column begin with: `all https`, `7 of 12 http`, `! 2 of 12 http`.

    The sign is that of the rows, which only a few carry.
    """
    found = [str(column.value(row)).partition("://")[0] for row in rows if "://" in str(column.value(row))]
    others = [scheme for scheme in found if scheme != "https"]
    if not others:
        return "all https" if found else ""
    sign = f"{ATTENTION} " if is_few(others, found) else ""
    return f"{sign}{len(others)} of {len(found)} {', '.join(sorted({*others}))}"


def is_few(some: Collection[object], of: Collection[object]) -> bool:
    """Return whether it is the smaller part of all, so that a sign tells it apart."""
    return 2 * len(some) < len(of)
