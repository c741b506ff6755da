"""Records as CSV and JSON."""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache, partial
from types import NoneType
from typing import NamedTuple, TypeAlias, TypeVar

from linkdash.api.fields import NOT_IN_A_TEXT, Kind, fields_of, write_moment
from linkdash.api.http.secrecy import masked
from linkdash.api.paging import Rows
from linkdash.api.records import Model, Record, Unreadable, as_sent
from linkdash.model.csv_text import Cell, Formulas, csv_text, safe_cell
from linkdash.model.humanize import ago, counted
from linkdash.model.json_text import json_line, json_text
from linkdash.model.lists.columns import Column, Odd, value_of
from linkdash.model.lists.loaded_pages import STALE_AFTER, LoadedPages
from linkdash.model.local_time import local_moment

# ---- records ----

T = TypeVar("T", bound=Record)
AnyRow: TypeAlias = Record | Unreadable

Beside: TypeAlias = Mapping[str, Callable[[T], Cell]]
"""What is known of records beside their own members, by the names of its columns."""
UNREADABLE = "unreadable"
"""Under what a row that is no record stands: nothing is left out unseen."""


def records_csv(
    model: type[T],
    columns: Sequence[Column[T]],
    rows: Sequence[T | Unreadable],
    formulas: Formulas | None = None,
    beside: Beside[T] | None = None,
) -> str:
    """A row a record: its fields, what the table's columns show besides, and what is known `beside` them."""
    names = [field.name for field in fields_of(model) if field.kind not in NOT_IN_A_TEXT]
    names += [column.name for column in columns if column.name not in model.model_fields]
    return _table(names, rows, formulas, beside or {})


def columns_csv(
    model: type[T], columns: Sequence[Column[T]], rows: Sequence[T | Unreadable], formulas: Formulas | None
) -> str:
    """A row a record: these columns and nothing else; what is no field is as a table shows it."""
    names = [column.name for column in columns]
    fields = [name for name in names if name in model.model_fields]

    def cells(row: T | Unreadable) -> list[Cell]:
        if isinstance(row, Unreadable):
            return _cells(row, names)
        sent = dict(zip(fields, _cells(row, fields), strict=True))
        return [sent[one.name] if one.name in sent else _cell(one.shown(row)) for one in columns]

    return csv_text([*names, *_lost(rows)], map(cells, rows), formulas)


def _table(
    names: Sequence[str], rows: Sequence[T | Unreadable], formulas: Formulas | None, beside: Beside[T]
) -> str:
    made: Iterable[list[Cell]] = (_cells(row, names) for row in rows)
    if beside:
        made = (_with(beside, cells, row, len(names)) for cells, row in zip(made, rows, strict=True))
    return csv_text([*names, *beside, *_lost(rows)], made, formulas)


def _lost(rows: Sequence[AnyRow]) -> list[str]:
    return [UNREADABLE] if any(isinstance(row, Unreadable) for row in rows) else []


def _with(beside: Beside[T], cells: Sequence[Cell], row: T | Unreadable, at: int) -> list[Cell]:
    texts = (None if isinstance(row, Unreadable) else text_of(row) for text_of in beside.values())
    return [*cells[:at], *texts, *cells[at:]]


def records_json(rows: Sequence[AnyRow], as_of: datetime) -> str:
    """Every member of each record, also nested and undocumented ones, and when the oldest was answered."""
    records = [*map(record_members, rows)]
    return json_text({"as_of": as_of.isoformat(timespec="seconds"), "records": records})


def _cells(row: AnyRow, names: Sequence[str]) -> list[Cell]:
    if isinstance(row, Unreadable):
        return [*(None for _ in names), json_line(_plain(masked(row.row)))]
    sent, untold = as_sent(row), row.estimated
    values = [None if name in untold else value_of(sent, name) for name in names]
    return [value if type(value) is str or type(value) is int else _cell(value) for value in values]


def cell_of(record: Record, name: str) -> tuple[str, str]:
    """The text of a member in CSV: as it is, and with a quote before a formula."""
    (cell,) = _cells(record, [name])
    text = "" if cell is None else str(cell)
    return text, str(safe_cell(text))


def _cell(value: object) -> Cell:
    plain = _plain(value)
    if isinstance(plain, bool):
        return str(plain).lower()
    return plain if plain is None or isinstance(plain, str | int | float) else str(plain)


def record_members(row: AnyRow) -> object:
    """Every member of a record, also nested and undocumented ones, as JSON has them; never a secret."""
    if isinstance(row, Unreadable):
        return {UNREADABLE: _plain(masked(row.row))}
    sent, (names, is_flat) = as_sent(row), _shown_fields(type(row))
    members, others = vars(sent), sent.model_extra or {}
    told: dict[str, object] = {name: _plain(members[name]) for name in names}
    told |= {name: _plain(value) for name, value in others.items()}
    if sent.odd or row.estimated:
        told |= {**sent.odd, **dict.fromkeys(row.estimated)}
    return told if is_flat and not others else masked(told)


@cache
def _shown_fields(model: type[Record]) -> tuple[Sequence[str], bool]:
    """The fields of a record that are no secret, and whether none of them holds members of its own."""
    fields = fields_of(model)
    names = [field.name for field in fields if field.kind is not Kind.SECRET]
    return names, all(field.kind is not Kind.NESTED for field in fields)


_AS_THEY_ARE = frozenset({str, int, bool, float, NoneType})


def _plain(value: object) -> object:
    """A value as JSON has it: numbers as numbers, moments as the service writes them."""
    if type(value) in _AS_THEY_ARE:  # as most are
        return value
    if isinstance(value, datetime):
        return write_moment(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, Model):
        return _plain(value.model_dump())
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, Odd):
        return value.text
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value.isoformat() if isinstance(value, date) else value


# ---- what of a list can be exported ----


@dataclass(frozen=True)
class Export:
    """Something that can be exported in one form; `write` makes it, which can take a second."""

    what: str
    """Its name, which it has in every form: `Shown`, `Report`."""
    form: str
    """Its format in words: `CSV`, `Markdown`."""
    part: str
    """The part of its file's name after its subject."""
    ending: str
    write: Callable[[], str | bytes]
    about: str = ""
    """What there is to say of it: how many records, how old."""
    key: str = ""
    """The letter that chooses it; "" for the first of its name that is free."""
    is_text: bool = True
    """False for bytes, which no clipboard takes."""
    is_part: bool = False
    """True if the service has more records than it holds."""
    load: Callable[[], Awaitable[bool]] | None = None
    """Awaited before it is written: loads what is missing; False where that was stopped or failed."""

    @property
    def is_page(self) -> bool:
        """Return whether it is a page that a browser shows."""
        return self.ending == "html"


class NotLoaded(NamedTuple):
    """The records of a list that are not loaded."""

    records: int
    quote: str
    """The cost of loading them, in requests and time."""
    load: Callable[[], Awaitable[bool]]


SELECTED = "Selected"
PAGED = ("Shown", "Loaded", "All")
"""The exports of a list by its pages, each with more than the one before."""
_KEYS = {SELECTED: "e", "Shown": "s", "Loaded": "l", "All": "a"}
"""The same keys, whether anything is selected or not."""


def list_exports(
    model: type[T],
    columns: Sequence[Column[T]],
    listing: LoadedPages[T],
    selected: Set[Hashable],
    now: float,
    missing: NotLoaded | None,
    beside: Beside[T] | None = None,
) -> list[Export]:
    """The exports of a list as it is now, the most wanted first; a row is read when one is written.

    What is `missing` is told, and can be loaded for it. What is known `beside` the members, CSV has, too.

    They are named after the day they are written on, `now`; how old the data is they tell.
    """
    shown, loaded = listing.rows, listing.loaded_rows()
    chosen = [row for row in loaded if row.key in selected] if selected else []
    lacks = {SELECTED: len(selected) - len(chosen)}
    if missing is not None:
        lacks |= dict.fromkeys(("Shown", "Loaded"), missing.records)

    def as_of() -> datetime:
        return datetime.fromtimestamp(now if listing.oldest_at is None else listing.oldest_at, UTC)

    def both(what: str, count: int, age: float | None, rows: Callable[[], Rows[T]]) -> list[Export]:
        old = f", data of {ago(age)}" if age is not None and age > STALE_AFTER else ""
        is_part = missing is not None and what != SELECTED
        number = (
            f"{count:,} of {counted(len(loaded), 'record')}"
            if count < len(loaded)
            else counted(count, "record")
        )
        not_loaded = f", {lacks[what]:,} not loaded" if lacks.get(what) else ""
        about, key = f"{number}{not_loaded}{old}", _KEYS[what]
        csv = partial(_csv_of, model, columns, rows, beside)
        made = Export(what, "CSV", part, "csv", csv, about, key, is_part=is_part)
        return [made, replace(made, form="JSON", ending="json", write=lambda: records_json(rows(), as_of()))]

    part = f"{local_moment(now):%Y-%m-%d}"
    age = now - as_of().timestamp()
    exports = both(SELECTED, len(chosen), age, lambda: chosen) if chosen else []
    exports += both("Shown", len(shown), listing.age(now), lambda: shown)
    exports += both("Loaded", len(loaded), age, lambda: loaded) if len(loaded) > len(shown) else []
    if missing is None:
        return exports
    about = f"{counted(len(loaded) + missing.records, 'record')}, loads the rest first: {missing.quote}"
    every = both("All", len(loaded), None, listing.loaded_rows)
    return [*exports, *(replace(one, about=about, is_part=False, load=missing.load) for one in every)]


def _csv_of(
    model: type[T], columns: Sequence[Column[T]], rows: Callable[[], Rows[T]], beside: Beside[T] | None
) -> str:
    return records_csv(model, columns, rows(), beside=beside)
