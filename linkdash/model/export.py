"""Records and readings of statistics as CSV and JSON: what can be read of them, never a secret. Pure.

A spreadsheet reads the CSV and never executes it.
"""

import csv
import io
import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import TypeAlias, TypeVar

from linkdash.api.fields import Kind, fields_of, write_moment
from linkdash.api.model import Model, Record, Unreadable
from linkdash.api.qr import QrCode
from linkdash.api.secrecy import masked
from linkdash.api.text import inert_whole
from linkdash.model.columns import Column, Odd, value_of
from linkdash.model.listing import Listing
from linkdash.model.rows import RowsOf
from linkdash.model.statistics.readings import BREAKDOWN_TITLES
from linkdash.store.history import TOTALS, Reading

# ---- tables for spreadsheets ----

Cell: TypeAlias = str | int | float | None
"""What may stand in a table; None is an empty cell."""

_EXECUTED = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that spreadsheets take for a formula."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table in UTF-8 CSV as RFC 4180 has it. Numbers stay numbers; no text is a formula."""
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow([safe_cell(title) for title in header])
    writer.writerows([safe_cell(cell) for cell in row] for row in rows)
    return lines.getvalue()


def safe_cell(cell: Cell) -> Cell:
    """A cell that no spreadsheet executes and every encoding holds: a quote goes before a formula."""
    if not isinstance(cell, str):
        return cell
    text = cell.encode("utf-8", "replace").decode("utf-8")
    return f"'{text}" if text.startswith(_EXECUTED) else text


# ---- readings of statistics ----

ByLabel = TypeVar("ByLabel")


def statistics_csv(code: QrCode, reading: Reading) -> str:
    """One reading, a row a number: what it is of, its label, its count. What was not told has no row."""
    return comparison_csv([(code, reading)])


def comparison_csv(read: Sequence[tuple[QrCode, Reading | None]]) -> str:
    """A reading of each of several codes, one below the other, a row a number; none has no row."""
    rows = (row for code, reading in read if reading for row in _statistics_rows(code, reading))
    return csv_text(("code", "name", "link", "read at", "group", "label", "count"), rows)


def _statistics_rows(code: QrCode, reading: Reading) -> list[list[Cell]]:
    totals = [("total", name, reading.total(name)) for name in TOTALS]
    counts = [
        (breakdown, label, count)
        for breakdown, by_label in _ordered(reading.breakdowns)
        for label, count in by_label.items()
    ]
    return [
        [code.id, code.name, code.link, _moment(reading.at), group, label, count]
        for group, label, count in (*totals, *counts)
        if count is not None
    ]


def history_csv(code: QrCode, readings: Sequence[Reading]) -> str:
    """All readings, a row each, a column a total and a label; what was not told is an empty cell."""
    columns = _columns(readings)
    header = ["code", "read at", *TOTALS, *(f"{breakdown}: {label}" for breakdown, label in columns)]
    return csv_text(header, (_history_row(code, reading, columns) for reading in readings))


def statistics_json(code: QrCode, reading: Reading) -> str:
    """One reading; null where the service told nothing."""
    return json_text({"code": _code(code), **_as_json(reading)})


def comparison_json(read: Iterable[tuple[QrCode, Reading | None]]) -> str:
    """A reading of each of several codes; null where the service told nothing."""
    nothing = {"read_at": None}
    codes = [{"code": _code(code), **(_as_json(reading) if reading else nothing)} for code, reading in read]
    return json_text({"codes": codes})


def history_json(code: QrCode, readings: Iterable[Reading]) -> str:
    """All readings in the order of time; null where the service told nothing."""
    return json_text({"code": _code(code), "readings": [_as_json(reading) for reading in readings]})


def _history_row(code: QrCode, reading: Reading, columns: Sequence[tuple[str, str]]) -> list[Cell]:
    row: list[Cell] = [code.id, _moment(reading.at), *(reading.total(name) for name in TOTALS)]
    row += [reading.breakdowns.get(breakdown, {}).get(label) for breakdown, label in columns]
    return row


def _columns(readings: Iterable[Reading]) -> list[tuple[str, str]]:
    """Every label that any reading has, by breakdown."""
    labels: dict[str, dict[str, None]] = {}
    for reading in readings:
        for breakdown, counts in reading.breakdowns.items():
            labels.setdefault(breakdown, {}).update(dict.fromkeys(counts))
    return [(breakdown, label) for breakdown, found in _ordered(labels) for label in found]


def _ordered(breakdowns: Mapping[str, Mapping[str, ByLabel]]) -> list[tuple[str, Mapping[str, ByLabel]]]:
    """The breakdowns in the order they are shown."""
    return [(name, breakdowns[name]) for name in BREAKDOWN_TITLES if name in breakdowns]


def _code(code: QrCode) -> dict[str, object]:
    return {"id": code.id, "name": code.name, "link": code.link}


def _as_json(reading: Reading) -> dict[str, object]:
    totals: dict[str, object] = {name: reading.total(name) for name in TOTALS}
    breakdowns = {name: _counts(reading.breakdowns.get(name)) for name in BREAKDOWN_TITLES}
    return {"read_at": _moment(reading.at), **totals, **breakdowns}


def _counts(counts: Mapping[str, int] | None) -> dict[str, int] | None:
    return None if counts is None else dict(counts)


def _moment(moment: datetime) -> str:
    """A moment with its distance to UTC."""
    return moment.isoformat(timespec="seconds")


def json_text(data: object) -> str:
    """Data as JSON in ASCII, which every program and every encoding takes."""
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


# ---- records ----

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
