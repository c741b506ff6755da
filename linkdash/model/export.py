"""Records as CSV and JSON for export: what can be read of them, never a secret. Pure."""

import json
from collections.abc import Callable, Hashable, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import TypeAlias, TypeVar

from linkdash.api.fields import Kind, fields_of, write_moment
from linkdash.api.model import Model, Record, Unreadable
from linkdash.api.secrecy import masked
from linkdash.api.text import inert_whole
from linkdash.model.columns import Column, Odd, value_of
from linkdash.model.listing import Listing
from linkdash.model.spreadsheets import Cell, csv_text
from linkdash.model.statistics.exports import json_text
from linkdash.model.values import RowsOf

T = TypeVar("T", bound=Record)
AnyRow: TypeAlias = Record | Unreadable

UNREADABLE = "unreadable"
"""Under what a row that is no record stands: nothing is left out unseen."""

_NOT_IN_CELLS = frozenset({Kind.SECRET, Kind.NESTED})


def records_csv(model: type[T], columns: Sequence[Column[T]], rows: Sequence[T | Unreadable]) -> str:
    """A row a record: its fields, and what the table's columns show beside them."""
    names = [field.name for field in fields_of(model) if field.kind not in _NOT_IN_CELLS]
    names += [column.name for column in columns if column.name not in model.model_fields]
    lost = [UNREADABLE] if any(isinstance(row, Unreadable) for row in rows) else []
    return csv_text([*names, *lost], (_cells(row, names) for row in rows))


def columns_csv(columns: Sequence[Column[T]], rows: Sequence[T | Unreadable]) -> str:
    """A row a record: these columns and nothing else."""
    names = [column.name for column in columns]
    lost = [UNREADABLE] if any(isinstance(row, Unreadable) for row in rows) else []
    return csv_text([*names, *lost], (_cells(row, names) for row in rows))


def records_json(rows: Sequence[AnyRow], as_of: datetime) -> str:
    """Every member of each record, also nested and undocumented ones, and when the oldest was answered."""
    records = [record_members(row) for row in rows]
    return json_text({"as_of": as_of.isoformat(timespec="seconds"), "records": records})


def _cells(row: AnyRow, names: Sequence[str]) -> list[Cell]:
    if isinstance(row, Unreadable):
        return [*(None for _ in names), inert_whole(json.dumps(_plain(masked(row.row)), ensure_ascii=False))]
    return [_cell(_whole(row, name)) for name in names]


def _whole(row: Record, name: str) -> object:
    value = value_of(row, name)
    return row.whole(name) if isinstance(value, str) else value


def _cell(value: object) -> Cell:
    plain = _plain(value)
    if isinstance(plain, bool):
        return str(plain).lower()
    return plain if isinstance(plain, str | int | float) or plain is None else str(plain)


def record_members(row: AnyRow) -> object:
    """Every member of a record, also nested and undocumented ones, as JSON has them; never a secret."""
    if isinstance(row, Unreadable):
        return {UNREADABLE: _plain(masked(row.row))}
    secret = {field.name for field in fields_of(type(row)) if field.kind is Kind.SECRET}
    return _plain(masked({**_uncut(row, row.model_dump(exclude=secret)), **row.odd}))


def _uncut(model: Model, members: dict[str, object]) -> dict[str, object]:
    """The members of a model with nothing of its texts cut."""
    for name in type(model).model_fields.keys() & members.keys():
        value, part = members[name], getattr(model, name)
        if isinstance(value, str):
            members[name] = model.whole(name)
        elif isinstance(value, dict) and isinstance(part, Model):
            members[name] = _uncut(part, value)
    return members


def _plain(value: object) -> object:
    """A value as JSON has it: numbers as numbers, moments as the service writes them."""
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, Odd):
        return value.text
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime):
        return write_moment(value)
    return value.isoformat() if isinstance(value, date) else value


# ---- what of a list can be exported ----


@dataclass(frozen=True)
class Export:
    """A text that can be exported; `write` makes it, which can take a second."""

    title: str
    part: str
    """What its file is called after what it is about."""
    ending: str
    write: Callable[[], str]


def list_exports(
    model: type[T], columns: Sequence[Column[T]], listing: Listing[T], selected: Set[Hashable]
) -> list[Export]:
    """The exports of a list as it is now, the most wanted first; a row is read when one is written."""
    shown, loaded = listing.rows, listing.loaded_rows()
    as_of = datetime.fromtimestamp(min(page.at for page in listing.pages.values()), UTC)

    def both(title: str, rows: Callable[[], RowsOf[T]]) -> list[Export]:
        return [
            Export(f"{title}, CSV", part, "csv", lambda: records_csv(model, columns, rows())),
            Export(f"{title}, JSON", part, "json", lambda: records_json(rows(), as_of)),
        ]

    part = f"{as_of.astimezone():%Y-%m-%d}"
    exports = both(f"{len(selected):,} selected", partial(_selected, loaded, selected)) if selected else []
    exports += both(f"{len(shown):,} shown", lambda: shown)
    more = len(loaded) > len(shown)
    return exports + (both(f"All {len(loaded):,} loaded", lambda: loaded) if more else [])


def _selected(rows: RowsOf[T], keys: Set[Hashable]) -> RowsOf[T]:
    return [row for row in rows if row.key in keys]
